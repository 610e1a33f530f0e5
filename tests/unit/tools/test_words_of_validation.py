"""Whatever is wrong with an argument is said in our words: pydantic's texts never reach a caller."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from pydantic import ValidationError

from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.tools import sides
from tdmcp_embedded.tools.parsing import parse
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import at_once
from tests.unit.tools.test_strictness import DEEP, places, replaced

#: Values of every kind, each wrong somewhere.
BAD: list[Any] = [
    None, True, 0, -1, 1.5, 10**9, "", "x", "x" * 5000, [], {}, [1], [[]], [None], ["x"] * 3, {"expr": 1},
    {"expr": "1", "bind": "x"}, {"reset": False}, {"from": 1}, {"a": {"b": 1}}, {"name": 5},
]  # fmt: skip

CALLS = [(name, call) for name, calls in EXAMPLES.items() for _, call in calls] + list(DEEP.items())


def texts_of_pydantic(tool: str, arguments: dict[str, Any]) -> set[str]:
    """What pydantic itself says about these arguments."""
    try:
        TABLE[tool].arguments.model_validate(arguments)
    except ValidationError as error:
        return {str(fault["msg"]) for fault in error.errors()}
    return set()


@pytest.mark.parametrize("tool", TABLE)
def test_no_refusal_of_a_tool_speaks_as_pydantic_does(tool: str) -> None:
    refusals = 0
    for call in [call for name, call in CALLS if name == tool] or [{}]:
        wrong = [replaced(call, place, bad) for place, _ in places(call) if place for bad in BAD]
        wrong += [{**call, "nonsense": 1}, {}]
        for arguments in wrong:
            try:
                parse(TABLE[tool], copy.deepcopy(arguments))
            except ToolFailure as refused:
                refusals += 1
                said = json.dumps(refused.structured(), ensure_ascii=False)
                for text in texts_of_pydantic(tool, arguments) | {"pydantic", "Input should", "Value error"}:
                    assert text not in said, (arguments, said)
                assert refused.message.endswith("."), said
    assert refusals


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: json.dumps(bad)[:40])
def test_no_refusal_of_a_written_network_speaks_as_pydantic_does(bad: Any) -> None:
    row = {"name": "a", "params": {"tx": 1}, "inputs": ["b"], "position": [1, 2], "custom": [{"name": "P"}]}
    for place, _ in places([row]):
        network = {"operators": replaced([row], place, bad) if place else bad}
        try:
            at_once(sides.checked(network))
        except ToolFailure as refused:
            assert not any(
                word in refused.message
                for word in ("Input should", "Value error", "valid ", "Field required")
            ), refused.message


#: A wrong call, and how it is told.
TOLD: list[tuple[str, dict[str, Any], str]] = [
    ("find_operators", {"limit": 0}, "limit takes 1 or more, not 0."),
    ("find_operators", {"limit": 1.5}, "limit takes a whole number, not 1.5."),
    ("find_operators", {"errors_only": "perhaps"}, 'errors_only takes true or false, not "perhaps".'),
    ("find_operators", {"name": ["a"]}, 'name takes a text, not ["a"].'),
    ("update_operator", {"path": "/a", "position": [1, 2, 3]}, "position takes at most 2 entries, not [1, 2, 3]."),
    ("checkpoint", {"action": "keep"}, "action takes one of 'save', 'list', 'restore' or 'drop', not \"keep\"."),
    ("create_operator", {"parent": "/a"}, "type is missing."),
    (
        "set_parameters",
        {"changes": [{"path": "/a", "params": {"tx": {"expr": "1", "bind": "x"}}}]},
        'changes.0.params.tx give exactly one of "expr", "bind", "reset", "pulse", not {"expr": "1", "bind": "x"}.',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "said"), TOLD, ids=[said for _, _, said in TOLD])
def test_what_is_wrong_is_told_as_what_would_be_right(
    tool: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ToolFailure) as refused:
        parse(TABLE[tool], arguments)
    assert refused.value.message == f"{tool}: {said}"


#: What else people call the fields of a network's operator, and what is suggested.
OTHER_WORDS = {
    "operators": "children",
    "nodes": "children",
    "parameters": "params",
    "opType": "type",
    "bypass": "flags",
}


@pytest.mark.parametrize(("word", "meant"), OTHER_WORDS.items())
def test_a_field_under_another_name_is_suggested(word: str, meant: str) -> None:
    operator = {"name": "a", "type": "baseCOMP", word: []}
    with pytest.raises(ToolFailure) as refused:
        parse(TABLE["build_network"], {"path": "/", "operators": [operator]})
    assert refused.value.suggestions[0] == meant
