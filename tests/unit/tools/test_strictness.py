"""Whatever a client sends: right at every depth it is taken, wrong at any depth it is refused in words that help."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from fakes import life
from fakes.scenes import demo
from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import results
from tdmcp_embedded.tools.parsing import parse
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.touchdesigner import lookup
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench

Place = tuple[str | int, ...]

_PAGE = {
    "name": "P",
    "parameters": [
        {"name": "Speed", "style": "Menu", "label": "L", "norm": [0, 1], "menu": ["a"], "read_only": True}
    ],
}
_NOTE = {"name": "note", "title": "t", "position": [1, 2], "color": [1, 1, 1], "params": {"Mode": "box"}}
_OPERATOR = {
    "name": "a",
    "type": "baseCOMP",
    "params": {"tx": {"expr": "1"}},
    "inputs": ["b", {"from": "c", "output": 1}],
    "position": [1, 2],
    "flags": {"bypass": True},
    "table": [["a", "b"]],
    "tags": ["t"],
    "custom": [_PAGE],
    "children": [{"name": "k", "type": "nullTOP", "inputs": [{"from": "z", "output": 2}]}],
    "annotations": [_NOTE],
}

#: Calls that nest as deep as their tools allow.
DEEP: dict[str, dict[str, Any]] = {
    "build_network": {
        "path": "/p",
        "operators": [_OPERATOR],
        "annotations": [{**_NOTE, "name": "other"}],
        "dry_run": True,
    },
    "create_operator": {"parent": "/p", "type": "noiseTOP", "inputs": [{"from": "a", "output": 1}]},
    "set_parameters": {"changes": [{"path": "/a", "params": {"tx": {"expr": "1"}}}], "partial": True},
    "wire_operators": {
        "connect": [{"from": "a", "output": 1, "to": "b", "input": 2, "comp": False}],
        "disconnect": [{"to": "b", "input": 1, "comp": True}],
        "insert": [{"path": "a", "to": "b", "input": 1}],
    },
    "update_operator": {"path": "/a", "flags": {"bypass": True}, "position": [1, 2], "tags": ["a"]},
    "write_data": {"path": "/a", "replace": [{"old": "a", "new": "b"}], "confirm": True},
    "define_parameters": {"path": "/a", "pages": [_PAGE], "remove": ["X"]},
    "batch": {"calls": [{"tool": "undo", "arguments": {}}], "confirm": True},
}

#: Fields whose keys are the user's own names.
_FREE = ("params", "flags", "sequences", "arguments")


def places(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    yield at, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*at, key))


def at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def replaced(value: Any, place: Place, new: Any) -> Any:
    value = copy.deepcopy(value)
    at(value, place[:-1])[place[-1]] = new
    return value


@pytest.mark.parametrize("tool", DEEP)
def test_a_slip_in_a_name_at_any_depth_is_answered_with_the_right_one(tool: str) -> None:
    parse(TABLE[tool], DEEP[tool])
    for place, found in places(DEEP[tool]):
        if not isinstance(found, dict) or (place and place[-1] in _FREE):
            continue
        for name in (name for name in found if len(name) > 3):
            wrong = copy.deepcopy(DEEP[tool])
            inner = at(wrong, place)
            inner[name[0] + name[2:]] = inner.pop(name)
            with pytest.raises(ToolFailure) as refused:
                parse(TABLE[tool], wrong)
            assert name in refused.value.suggestions, (place, name, refused.value.message)


@pytest.mark.parametrize("tool", DEEP)
def test_json_text_at_any_depth_is_read_where_no_text_is_wanted(tool: str) -> None:
    right = parse(TABLE[tool], DEEP[tool])
    for place, found in places(DEEP[tool]):
        text_is_wanted = isinstance(found, str) or "params" in place[:-1] or "inputs" in place[-2:-1]
        if place and not text_is_wanted:
            assert parse(TABLE[tool], replaced(DEEP[tool], place, json.dumps(found))) == right, place
        if isinstance(found, bool):
            assert parse(TABLE[tool], replaced(DEEP[tool], place, int(found))) == right, place
            assert parse(TABLE[tool], replaced(DEEP[tool], place, str(found))) == right, place


def test_what_fits_no_form_of_a_value_is_told_in_one_clause() -> None:
    with pytest.raises(ToolFailure) as refused:
        parse(TABLE["set_parameters"], {"changes": [{"path": "/a", "params": {"tx": {"expr": 1}}}]})
    message = refused.value.message
    assert message == "set_parameters: changes.0.params.tx.expr takes a text, not 1."
    with pytest.raises(ToolFailure) as refused:
        parse(TABLE["find_operators"], {"limit": "many"})
    assert refused.value.message == 'find_operators: limit takes a whole number, not "many".'


def test_the_calls_of_a_batch_are_read_like_calls_by_themselves(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    arguments = {"changes": '[{"path": "/project1/n", "params": {"period": 3}}]', "partial": "true"}
    bench.run("batch", calls=[{"tool": "set_parameters", "arguments": arguments}])
    assert bench.op("/project1/n").par.period == 3
    wrong = {"changes": [{"path": "/project1/n", "parms": {}}]}
    with pytest.raises(ToolFailure) as refused:
        bench.run("batch", calls=[{"tool": "set_parameters", "arguments": wrong}])
    assert refused.value.suggestions == ["params"] and refused.value.message.startswith("calls[0]: ")


def test_numbers_and_switches_as_text_are_what_they_say(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    params = {"period": "2.5", "harmon": "3", "mono": "true"}
    assert not bench.json("set_parameters", changes=[{"path": "/project1/n", "params": params}]).get("notes")
    assert (noise.par.period.val, noise.par.harmon.val, noise.par.mono.val) == (2.5, 3, True)
    for wrong in ("2,5", "1e999", "nan", "0x10", ""):
        with pytest.raises(ToolFailure) as refused:
            bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"period": wrong}}])
        assert refused.value.code is Code.VALUE_INVALID


def test_a_refusal_stays_short_whatever_was_asked(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as refused:
        bench.run("inspect_operator", paths=["/" + "x" * 100_000])
    assert len(json.dumps(refused.value.structured())) < 5_000
    assert "characters" in refused.value.message


TOO_MUCH: dict[str, tuple[str, dict[str, Any]]] = {
    "params": (
        "set_parameters",
        {"changes": [{"path": "/project1/n", "params": {f"p{i}": 1 for i in range(1001)}}]},
    ),
    "changes": ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"tx": 1}}] * 501}),
    "custom parameters": (
        "define_parameters",
        {
            "path": "/project1",
            "pages": [
                {
                    "name": f"P{page}",
                    "parameters": [{"name": f"A{page}x{i}", "style": "Int"} for i in range(251)],
                }
                for page in range(2)
            ],
        },
    ),
    "inputs": ("create_operator", {"parent": "/project1", "type": "compositeTOP", "inputs": ["n"] * 501}),
    "annotations": (
        "build_network",
        {"path": "/project1", "operators": [], "annotations": [{"name": f"a{i}"} for i in range(501)]},
    ),
    "paths": ("delete_operators", {"paths": ["/project1/n"] * 501}),
    "a comment": ("update_operator", {"path": "/project1/n", "comment": "x" * 200_000}),
    "a name": ("checkpoint", {"action": "save", "path": "/project1", "name": "x" * 2000}),
    "a pattern": ("find_operators", {"path": "/", "name": "*a" * 2000}),
    "what a batch brings": (
        "batch",
        {
            "calls": [
                {"tool": "update_operator", "arguments": {"path": "/project1/n", "tags": ["t"] * 501}},
            ]
        },
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_there_can_be_too_much_of(bench: Bench, what: str) -> None:
    bench.make("noiseTOP", "n")
    before = state(bench)
    name, arguments = TOO_MUCH[what]
    with pytest.raises(ToolFailure) as refused:
        bench.run(name, **arguments)
    assert refused.value.code is Code.TOO_LARGE and "at most" in refused.value.message
    assert state(bench) == before


def test_a_vector_of_the_wrong_length_is_wrong_and_not_too_large() -> None:
    for wrong in ([1], [1, 2, 3]):
        with pytest.raises(ToolFailure) as refused:
            parse(TABLE["update_operator"], {"path": "/a", "position": wrong})
        assert refused.value.code is Code.VALUE_INVALID


def test_hundreds_of_wrong_names_are_refused_without_looking_for_what_each_may_mean(
    bench: Bench, mocker: MockerFixture
) -> None:
    bench.make("noiseTOP", "n")
    searched = mocker.spy(lookup, "parameter")
    params = {f"perod{i}": 1 for i in range(900)} | {"period": 2}
    answer = bench.json("set_parameters", changes=[{"path": "/project1/n", "params": params}], partial=True)
    assert answer["operators"][0]["params"] == {"period": 2}
    assert answer["refused"][0]["suggestions"][0] == "period"
    assert searched.call_count < 50


def test_a_default_that_is_no_number_is_refused_before_anything_is_made(bench: Bench) -> None:
    page = {"name": "P", "parameters": [{"name": "Glow", "style": "Float", "default": "much"}]}
    before = state(bench)
    with pytest.raises(ToolFailure) as refused:
        bench.run("define_parameters", path="/project1", pages=[page])
    assert refused.value.code is Code.VALUE_INVALID and "number" in refused.value.message
    assert state(bench) == before


# Anything at all

_JUNK: list[Any] = [
    None, True, 0, -1, 2**63, 10**30, 1e308, -0.0, 1e-320, float("nan"), float("inf"), "", " ", "/", "//", "..", "*",
    "[", "\\", "\0", "\ud800", "é" * 50, "x" * 20_000, "[1,2]", "{}", "null", "1e999", '{"a":', "**", "(a+)+$", "%s",
    "../../etc/passwd", [], {}, [[]], [None], {"": 1}, {"expr": "1/0"}, {"expr": ""}, {"expr": 5}, {"bind": "x"},
    {"reset": False}, {"pulse": True}, ["x"] * 1000, list(range(500)), {str(i): i for i in range(300)}, ["\ud800"],
    "/project1", "/project1/noise1", "noise1", "textDAT", "glslTOP", "annotateCOMP", "/local", "/sys",
]  # fmt: skip
_CALLS = [
    (name, call)
    for name, calls in EXAMPLES.items()
    for _, call in calls
    # These are answered on the server thread, which has tests of its own.
    if TABLE[name].run is not None
]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A call from the page of the tools with one or two places of it exchanged for something else."""
    name, call = draw(st.sampled_from(_CALLS))
    for _ in range(draw(st.integers(1, 2))):
        found = [place for place, _ in places(call) if place]
        if found:
            call = replaced(call, draw(st.sampled_from(found)), copy.deepcopy(draw(st.sampled_from(_JUNK))))
    return name, call


def test_a_damaged_call_is_answered_or_refused_and_a_refused_one_changes_nothing(
    bench: Bench, tmp_path: Path
) -> None:
    demo.build(bench.world)
    life.of(bench.world).project.folder = tmp_path
    bench.frame(2)

    @settings(
        max_examples=50,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged())
    def call(damaged_call: tuple[str, dict[str, Any]]) -> None:
        name, arguments = damaged_call
        before = state(bench, "/")
        try:
            answer = results.success(bench.run(name, **arguments))
        except ToolFailure as refused:
            assert refused.code is not Code.INTERNAL_ERROR, refused.message
            assert refused.message.strip().endswith((".", "?", "!")), refused.message
            assert state(bench, "/") == before
            answer = results.failure(refused)
        sent = json.dumps(answer.model_dump(mode="json", by_alias=True, exclude_none=True), allow_nan=False)
        assert len(sent.encode()) < 1_000_000

    call()
