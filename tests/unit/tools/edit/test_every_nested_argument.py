"""Every field inside an argument makes a difference, too: of an operator, a custom parameter, a wire, a value."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tdmcp_embedded.tools.table import TABLE
from tests.unit.tools import test_hostile_answers
from tests.unit.tools.edit.test_every_argument import P, outcome

BOX = {"name": "box"}
LEVEL = {"name": "level1"}
FLOAT = {"name": "Other", "style": "Float"}
MENU = {"name": "Other", "style": "Menu", "menu": ["a", "b"]}
NOTE = {"name": "note"}
WIRE: dict[str, Any] = {"from": f"{P}/noise1", "to": f"{P}/out1"}
GEO = {"name": "geo", "type": "geometryCOMP", "children": []}
NULL = {"name": "null", "type": "nullCOMP"}


def built(*operators: dict[str, Any]) -> dict[str, Any]:
    return {"path": P, "operators": list(operators)}


def noted(**note: Any) -> dict[str, Any]:
    return {"path": P, "operators": [], "annotations": [NOTE | note]}


def defined(**parameter: Any) -> dict[str, Any]:
    return {"path": f"{P}/box", "pages": [{"name": "Q", "parameters": [FLOAT | parameter]}]}


def valued(value: Any) -> dict[str, Any]:
    return {"changes": [{"path": f"{P}/level1", "params": {"opacity": value}}]}


#: Model and field: the tool, a call without the field (or with another value of it), and one with it.
CASES: dict[tuple[str, str], tuple[str, dict[str, Any], dict[str, Any]]] = {
    ("NetworkOperator", "name"): ("build_network", built({"name": "a", "type": "nullTOP"}), built({"name": "b", "type": "nullTOP"})),
    ("NetworkOperator", "type"): ("build_network", built({"name": "a", "type": "nullTOP"}), built({"name": "a", "type": "noiseTOP"})),
    ("NetworkOperator", "params"): ("build_network", built(LEVEL), built(LEVEL | {"params": {"opacity": 0.5}})),
    ("NetworkOperator", "sequences"): ("build_network", built({"name": "c", "type": "constantCHOP"}), built({"name": "c", "type": "constantCHOP", "sequences": {"const": 3}})),
    ("NetworkOperator", "inputs"): ("build_network", built(LEVEL), built(LEVEL | {"inputs": ["spare"]})),
    ("NetworkOperator", "comp_inputs"): ("build_network", built(NULL, GEO), built(NULL, GEO | {"comp_inputs": ["null"]})),
    ("NetworkOperator", "position"): ("build_network", built(LEVEL), built(LEVEL | {"position": [900, 900]})),
    ("NetworkOperator", "size"): ("build_network", built(LEVEL), built(LEVEL | {"size": [300, 200]})),
    ("NetworkOperator", "flags"): ("build_network", built(LEVEL), built(LEVEL | {"flags": {"bypass": True}})),
    ("NetworkOperator", "text"): ("build_network", built({"name": "notes"}), built({"name": "notes", "text": "new"})),
    ("NetworkOperator", "table"): ("build_network", built({"name": "table"}), built({"name": "table", "table": [["a"]]})),
    ("NetworkOperator", "comment"): ("build_network", built(LEVEL), built(LEVEL | {"comment": "c"})),
    ("NetworkOperator", "color"): ("build_network", built(LEVEL), built(LEVEL | {"color": [1, 0, 0]})),
    ("NetworkOperator", "tags"): ("build_network", built(LEVEL), built(LEVEL | {"tags": ["t"]})),
    ("NetworkOperator", "dock"): ("build_network", built({"name": "notes"}), built({"name": "notes", "dock": "box"})),
    ("NetworkOperator", "custom"): ("build_network", built(BOX), built(BOX | {"custom": [{"name": "Q", "parameters": [FLOAT]}]})),
    ("NetworkOperator", "children"): ("build_network", built(BOX), built(BOX | {"children": [{"name": "in1", "type": "inTOP"}]})),
    ("NetworkOperator", "annotations"): ("build_network", built(BOX), built(BOX | {"annotations": [NOTE]})),
    ("NetworkOperator", "as_read"): ("build_network", built({"name": "g", "type": "geometryCOMP"}), built({"name": "g", "type": "geometryCOMP", "as_read": True})),
    ("NetworkOperator", "left_out"): ("build_network", {"exact": True, "confirm": True} | built({"name": "notes"}), {"exact": True, "confirm": True} | built({"name": "notes", "left_out": ["text of 9 characters"]})),
    ("Annotation", "name"): ("build_network", noted(), noted(name="other")),
    ("Annotation", "title"): ("build_network", noted(), noted(title="T")),
    ("Annotation", "text"): ("build_network", noted(), noted(text="words")),
    ("Annotation", "mode"): ("build_network", noted(), noted(mode="comment")),
    ("Annotation", "position"): ("build_network", noted(), noted(position=[800, 800])),
    ("Annotation", "size"): ("build_network", noted(), noted(size=[800, 800])),
    ("Annotation", "color"): ("build_network", noted(), noted(color=[0, 1, 0])),
    ("Annotation", "params"): ("build_network", noted(), noted(params={"Opacity": 0.5})),
    ("Wire", "from"): ("build_network", built(LEVEL | {"inputs": [{"from": "spare"}]}), built(LEVEL | {"inputs": [{"from": "blur1"}]})),
    ("Wire", "output"): ("build_network", built(LEVEL | {"inputs": [{"from": "spare"}]}), built(LEVEL | {"inputs": [{"from": "spare", "output": 3}]})),
    ("CustomPage", "name"): ("define_parameters", defined(), {"path": f"{P}/box", "pages": [{"name": "R", "parameters": [FLOAT]}]}),
    ("CustomPage", "parameters"): ("define_parameters", {"path": f"{P}/box", "pages": [{"name": "Q", "parameters": []}]}, defined()),
    ("CustomParameter", "name"): ("define_parameters", defined(), defined(name="Another")),
    ("CustomParameter", "style"): ("define_parameters", defined(), defined(style="Int")),
    ("CustomParameter", "label"): ("define_parameters", defined(), defined(label="A label")),
    ("CustomParameter", "size"): ("define_parameters", defined(), defined(size=3)),
    ("CustomParameter", "default"): ("define_parameters", defined(), defined(default=0.5)),
    ("CustomParameter", "min"): ("define_parameters", defined(), defined(min=-2)),
    ("CustomParameter", "max"): ("define_parameters", defined(), defined(max=2)),
    ("CustomParameter", "norm"): ("define_parameters", defined(), defined(norm=[0, 5])),
    ("CustomParameter", "menu"): ("define_parameters", defined(**MENU), defined(**MENU | {"menu": ["a", "c"]})),
    ("CustomParameter", "menu_labels"): ("define_parameters", defined(**MENU), defined(**MENU, menu_labels=["A", "B"])),
    ("CustomParameter", "menu_source"): ("define_parameters", defined(**MENU), defined(name="Other", style="Menu", menu_source="op('../level1').par.format")),
    ("CustomParameter", "help"): ("define_parameters", defined(), defined(help="what it does")),
    ("CustomParameter", "read_only"): ("define_parameters", defined(), defined(read_only=True)),
    ("CustomParameter", "section"): ("define_parameters", defined(), defined(section=True)),
    ("CustomParameter", "enable_expr"): ("define_parameters", defined(), defined(enable_expr="me.digits")),
    ("ParameterForm", "expr"): ("set_parameters", valued(1), valued({"expr": "0.25"})),
    ("ParameterForm", "bind"): ("set_parameters", valued(1), valued({"bind": "op('box').par.Amount"})),
    ("ParameterForm", "reset"): ("set_parameters", valued(0.5), valued({"reset": True})),
    ("ParameterForm", "pulse"): ("set_parameters", valued(0.5), valued({"pulse": True})),
    ("Change", "path"): ("set_parameters", valued(0.5), {"changes": [{"path": f"{P}/spare", "params": {"opacity": 0.5}}]}),
    ("Change", "params"): ("set_parameters", valued(0.5), valued(0.25)),
    ("Connection", "from"): ("wire_operators", {"connect": [WIRE]}, {"connect": [WIRE | {"from": f"{P}/spare"}]}),
    ("Connection", "to"): ("wire_operators", {"connect": [WIRE]}, {"connect": [WIRE | {"to": f"{P}/spare"}]}),
    ("Connection", "output"): ("wire_operators", {"connect": [WIRE]}, {"connect": [WIRE | {"output": 3}]}),
    ("Connection", "input"): ("wire_operators", {"connect": [WIRE]}, {"connect": [WIRE | {"input": 3}]}),
    ("Connection", "comp"): ("wire_operators", {"connect": [WIRE]}, {"connect": [WIRE | {"comp": True}]}),
    ("Disconnection", "to"): ("wire_operators", {"disconnect": [{"to": f"{P}/out1"}]}, {"disconnect": [{"to": f"{P}/blur1"}]}),
    ("Disconnection", "input"): ("wire_operators", {"disconnect": [{"to": f"{P}/out1"}]}, {"disconnect": [{"to": f"{P}/out1", "input": 1}]}),
    ("Disconnection", "comp"): ("wire_operators", {"disconnect": [{"to": f"{P}/out1"}]}, {"disconnect": [{"to": f"{P}/out1", "comp": True}]}),
    ("Insertion", "path"): ("wire_operators", {"insert": [{"path": f"{P}/spare", "to": f"{P}/out1"}]}, {"insert": [{"path": f"{P}/noise1", "to": f"{P}/out1"}]}),
    ("Insertion", "to"): ("wire_operators", {"insert": [{"path": f"{P}/spare", "to": f"{P}/out1"}]}, {"insert": [{"path": f"{P}/spare", "to": f"{P}/blur1"}]}),
    ("Insertion", "input"): ("wire_operators", {"insert": [{"path": f"{P}/spare", "to": f"{P}/out1"}]}, {"insert": [{"path": f"{P}/spare", "to": f"{P}/out1", "input": 1}]}),
    ("Replacement", "old"): ("write_data", {"path": f"{P}/notes", "replace": [{"old": "ld", "new": "x"}]}, {"path": f"{P}/notes", "replace": [{"old": "old", "new": "x"}]}),
    ("Replacement", "new"): ("write_data", {"path": f"{P}/notes", "replace": [{"old": "old", "new": "x"}]}, {"path": f"{P}/notes", "replace": [{"old": "old", "new": "y"}]}),
    ("BatchCall", "tool"): ("batch", {"calls": [{"tool": "arrange_network", "arguments": {"path": P}}]}, {"calls": [{"tool": "read_network", "arguments": {"path": P}}]}),
    ("BatchCall", "arguments"): ("batch", {"calls": [{"tool": "arrange_network", "arguments": {"path": P}}]}, {"calls": [{"tool": "arrange_network", "arguments": {"path": f"{P}/box"}}]}),
    ("Watched", "path"): ("watch_values", {"frames": 2, "watch": [{"path": f"{P}/level1", "param": "opacity"}]}, {"frames": 2, "watch": [{"path": f"{P}/spare", "param": "opacity"}]}),
    ("Watched", "param"): ("watch_values", {"frames": 2, "watch": [{"path": f"{P}/level1", "param": "opacity"}]}, {"frames": 2, "watch": [{"path": f"{P}/level1", "param": "gamma1"}]}),
    ("Watched", "channel"): ("watch_values", {"frames": 2, "watch": [{"path": f"{P}/waves"}]}, {"frames": 2, "watch": [{"path": f"{P}/waves", "channel": "two"}]}),
}  # fmt: skip

#: Fields of which the two calls differ in what is refused: there is nothing to see when both are taken.
REFUSALS = {
    ("Wire", "output"), ("Connection", "output"), ("Connection", "input"), ("Connection", "comp"), ("Disconnection", "input"),
    ("Disconnection", "comp"), ("Insertion", "path"), ("Insertion", "input"), ("ParameterForm", "pulse"),
}  # fmt: skip


@pytest.mark.parametrize(("model", "field"), list(CASES), ids=[f"{model}-{field}" for model, field in CASES])
def test_a_field_has_an_effect(model: str, field: str, tmp_path: Path) -> None:
    name, without, given = CASES[model, field]
    first = outcome(name, without, tmp_path / "without")
    second = outcome(name, given, tmp_path / "with")
    assert first != second
    if (model, field) not in REFUSALS:
        # Not in words only: the project is another one afterwards, or another thing was seen.
        assert first[1:] != second[1:] or name in ("watch_values", "batch")
        assert not any(
            word in said for said in (first[0], second[0]) for word in ("_invalid:", "_not_found:", "denied:")
        )


#: Fields that only a comparison heeds, by the test that shows it.
ELSEWHERE = {
    ("Annotation", "left_out"): test_hostile_answers.test_an_annotation_that_was_cut_is_built_again_as_it_is,
}


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an argument is made of."""
    for part in typing.get_args(annotation):
        yield from models(part)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation


def test_no_field_is_forgotten_here() -> None:
    waiting: list[type[BaseModel]] = [row.arguments for row in TABLE.values()]
    seen: dict[str, set[str]] = {}
    while waiting:
        model = waiting.pop()
        if model.__name__ not in seen:
            seen[model.__name__] = {field.alias or name for name, field in model.model_fields.items()}
            waiting += [each for field in model.model_fields.values() for each in models(field.annotation)]
    inside = {(model, field) for model, fields in seen.items() for field in fields}
    inside -= {
        (row.arguments.__name__, field) for row in TABLE.values() for field in seen[row.arguments.__name__]
    }
    assert set(CASES) | set(ELSEWHERE) == inside
