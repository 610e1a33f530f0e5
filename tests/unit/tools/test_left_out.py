"""Arguments that clients send though nobody gave them (null, empty text) are left out; an empty path is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from scripts.tool_examples import EXAMPLES
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.tools.shapes import shape, takes_text
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Tool
from tests.unit.tools.harness import Bench


def filled(
    schema: Mapping[str, Any], root: Mapping[str, Any], value: Any, blank: Callable[[Any], Any]
) -> Any:
    """A call with a blank for every optional argument that it leaves out, at every depth; `blank` gives ... for none."""
    options = [schema]
    while any("$ref" in each or "anyOf" in each for each in options):
        options = [
            one
            for each in options
            for one in ([root["$defs"][each["$ref"]]] if "$ref" in each else each.get("anyOf", [each]))
        ]
    if isinstance(value, list):
        items = next((each["items"] for each in options if "items" in each), None)
        return value if items is None else [filled(items, root, each, blank) for each in value]
    named = next((each for each in options if "properties" in each), None)
    if not isinstance(value, dict) or named is None:
        return value
    blanks = {
        name: blank(each)
        for name, each in named["properties"].items()
        if name not in value and name not in named["required"]
    }
    given = {name: filled(named["properties"][name], root, each, blank) for name, each in value.items()}
    return given | {name: each for name, each in blanks.items() if each is not ...}


CALLS = [
    pytest.param(TABLE[name], call, id=f"{name}-{index}")
    for name, calls in EXAMPLES.items()
    for index, (_, call) in enumerate(calls)
]


@pytest.mark.parametrize(("tool", "call"), CALLS)
def test_null_for_an_optional_argument_is_none_given(tool: Tool, call: dict[str, Any]) -> None:
    root = shape(tool.arguments)
    assert parse(tool, filled(root, root, call, lambda schema: None)) == parse(tool, call)


@pytest.mark.parametrize(("tool", "call"), CALLS)
def test_empty_text_for_an_optional_argument_that_is_no_text_is_none_given(
    tool: Tool, call: dict[str, Any]
) -> None:
    root = shape(tool.arguments)
    given = filled(root, root, call, lambda schema: ... if takes_text(schema, root, "") else "")
    assert parse(tool, given) == parse(tool, call)


@pytest.mark.parametrize("blank", [None, ""])
def test_a_required_argument_cannot_be_left_out_this_way(blank: object) -> None:
    with pytest.raises(ToolFailure) as refused:
        parse(TABLE["set_parameters"], {"changes": blank})
    assert refused.value.code is Code.VALUE_INVALID and "changes" in refused.value.message


# Empty paths

#: Every argument that names an operator. `E` is the empty path.
E = object()
ONE = {"name": "t", "type": "nullTOP"}
EMPTY_PATHS: list[tuple[str, dict[str, Any]]] = [
    ("find_operators", {"path": E}),
    ("inspect_operator", {"paths": [E]}),
    ("inspect_operator", {"paths": ["/project1", E]}),
    ("read_network", {"path": E}),
    ("read_data", {"path": E}),
    ("capture_image", {"path": E}),
    ("check_errors", {"path": E}),
    ("measure_performance", {"path": E}),
    ("watch_values", {"watch": [{"path": E, "param": "tx"}]}),
    ("get_selection", {"show": E}),
    ("compare_network", {"path": E, "with": "/project1"}),
    ("compare_network", {"path": "/project1", "with": E}),
    ("create_operator", {"parent": E, "type": "nullTOP"}),
    ("create_operator", {"parent": "/project1", "type": "nullTOP", "inputs": [E]}),
    ("create_operator", {"parent": "/project1", "type": "nullTOP", "inputs": [{"from": E}]}),
    ("build_network", {"path": E, "operators": [ONE]}),
    ("build_network", {"path": "/project1", "operators": [ONE | {"inputs": [E]}]}),
    ("build_network", {"path": "/project1", "operators": [ONE | {"inputs": [{"from": E}]}]}),
    ("build_network", {"path": "/project1", "operators": [ONE | {"dock": E}]}),
    ("build_network", {"path": "/project1", "operators": [ONE | {"name": E}]}),
    ("set_parameters", {"changes": [{"path": E, "params": {"w": 1}}]}),
    ("wire_operators", {"connect": [{"from": E, "to": "/project1/a"}]}),
    ("wire_operators", {"connect": [{"from": "/project1/a", "to": E}]}),
    ("wire_operators", {"disconnect": [{"to": E}]}),
    ("wire_operators", {"insert": [{"path": E, "to": "/project1/a"}]}),
    ("wire_operators", {"insert": [{"path": "/project1/a", "to": E}]}),
    ("update_operator", {"path": E, "comment": "x"}),
    ("update_operator", {"path": "/project1/a", "parent": E}),
    ("update_operator", {"path": "/project1/a", "name": E}),
    ("copy_operators", {"paths": [E]}),
    ("copy_operators", {"paths": ["/project1/a"], "parent": E}),
    ("delete_operators", {"paths": [E]}),
    ("delete_operators", {"paths": ["/project1/a", E], "confirm": True}),
    ("write_data", {"path": E, "text": "x"}),
    ("arrange_network", {"path": E}),
    ("define_parameters", {"path": E, "pages": [{"name": "P"}]}),
    ("checkpoint", {"action": "save", "path": E, "name": "c"}),
    ("checkpoint", {"action": "list", "path": E}),
    ("checkpoint", {"action": "restore", "path": E, "name": "c"}),
    ("checkpoint", {"action": "drop", "path": E, "name": "c"}),
    ("save_project", {"path": E}),
    ("export_component", {"path": E, "file": "a.tox"}),
    ("export_component", {"path": "/project1", "file": E}),
    ("import_component", {"parent": E, "file": "a.tox"}),
    ("import_component", {"parent": "/project1", "file": E}),
    ("batch", {"calls": [{"tool": "update_operator", "arguments": {"path": "/project1/a", "parent": E}}]}),
]

#: Tools whose arguments name no operator and no file.
PATHLESS = {"get_status", "describe_type", "control_timeline", "undo", "execute_python", "get_job"}


def put(value: Any, path: str) -> Any:
    if value is E:
        return path
    if isinstance(value, dict):
        return {key: put(each, path) for key, each in value.items()}
    return [put(each, path) for each in value] if isinstance(value, list) else value


def test_every_tool_with_a_path_is_tried() -> None:
    assert {tool for tool, _ in EMPTY_PATHS} == set(TABLE) - PATHLESS


@pytest.mark.parametrize("empty", ["", "  "], ids=["empty", "blank"])
def test_an_empty_path_is_refused_and_never_means_the_root(bench: Bench, empty: str) -> None:
    bench.make("nullTOP", "a")
    before = sorted(op.path for op in bench.op("/").findChildren())
    for tool, call in EMPTY_PATHS:
        with pytest.raises(ToolFailure) as refused:
            bench.run(tool, **put(call, empty))
        assert refused.value.code is Code.VALUE_INVALID, (tool, call, refused.value.text())
    assert sorted(op.path for op in bench.op("/").findChildren()) == before
