"""The one format of networks: what it takes, what it keeps, what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tdmcp_embedded.tools.network_model import NetworkOperator, ParameterForm, walk

_values = (
    st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.fixed_dictionaries({"expr": st.text(max_size=8)})
    | st.fixed_dictionaries({"bind": st.text(max_size=8)})
    | st.just({"reset": True})
)


def identical(left: Any, right: Any) -> bool:
    return json.dumps(left) == json.dumps(right)


@given(st.dictionaries(st.sampled_from("abcd"), _values, min_size=1))
@settings(max_examples=80, deadline=None)
def test_values_come_out_as_they_went_in_with_their_kind(params: dict[str, Any]) -> None:
    row = {"name": "n", "params": params}
    assert identical(NetworkOperator.model_validate(row).compact(), row)


@pytest.mark.parametrize(
    "form", [{}, {"expr": "a", "bind": "b"}, {"reset": False}, {"exp": "a"}, {"expr": 3}]
)
def test_a_form_that_is_none_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NetworkOperator.model_validate({"name": "n", "params": {"p": form}})


def test_each_form_knows_its_kind() -> None:
    kinds = [
        ParameterForm.model_validate(f).kind
        for f in ({"expr": ""}, {"bind": "x"}, {"reset": True}, {"pulse": True})
    ]
    assert kinds == ["expr", "bind", "reset", "pulse"]


def test_whole_numbers_stay_whole() -> None:
    row = {"name": "n", "position": [150, 2.5], "color": [1, 0.5, 0]}
    assert identical(NetworkOperator.model_validate(row).compact(), row)


def test_wires_keep_gaps_and_outputs() -> None:
    row = {"name": "n", "inputs": [None, "a", {"from": "b", "output": 1}]}
    assert NetworkOperator.model_validate(row).compact() == row


def test_an_unknown_field_is_refused_and_not_forgotten() -> None:
    with pytest.raises(ValidationError):
        NetworkOperator.model_validate({"name": "n", "parms": {}})


def test_walking_names_every_operator_by_its_path() -> None:
    tree = NetworkOperator.model_validate(
        {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
    )
    assert [path for path, _ in walk([tree])] == ["a", "a/b", "a/b/c"]
