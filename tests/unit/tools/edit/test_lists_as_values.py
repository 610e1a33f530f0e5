"""Vectors and several operators are written as lists wherever a parameter value is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench

P = "/project1"

#: What is written to an operator of a type, and what it then states.
VALUES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "a colour": ("constantTOP", {"color": [1, 0.25, 0]}, {"colorr": 1, "colorg": 0.25, "colorb": 0}),
    "a position": ("geometryCOMP", {"t": [0, 1, 0.5]}, {"tx": 0, "ty": 1, "tz": 0.5}),
    "one member left as it is": ("geometryCOMP", {"t": [None, 2, None]}, {"tx": 0, "ty": 2, "tz": 0}),
    "an expression among numbers": ("geometryCOMP", {"t": [1, {"expr": "1 + 1"}, 0]}, {"tx": 1, "ty": {"expr": "1 + 1"}, "tz": 0}),
    "a vector as JSON text": ("geometryCOMP", {"s": "[2, 3, 4]"}, {"sx": 2, "sy": 3, "sz": 4}),
    "a block that is not there yet": ("constantCHOP", {"const2value": [4]}, {"const2value": 4}),
    "a vector of a block that is not there yet": ("glslTOP", {"vec2value": [1, 2, 3, 4]}, {"vec2valuex": 1, "vec2valuey": 2, "vec2valuez": 3, "vec2valuew": 4}),
    "several operators": ("renderTOP", {"geometry": ["a", "b"]}, {"geometry": "a b"}),
    "one operator": ("renderTOP", {"camera": ["cam"]}, {"camera": "cam"}),
    "a single value": ("noiseTOP", {"period": [3]}, {"period": 3}),
}  # fmt: skip

#: Every way in which a parameter value gets into the project.
WAYS: dict[str, Callable[[Bench, str, dict[str, Any]], Any]] = {
    "create_operator": lambda bench, kind, params: bench.json(
        "create_operator", parent=P, type=kind, name="new", params=params
    ),
    "build_network": lambda bench, kind, params: bench.json(
        "build_network", path=P, operators=[{"name": "new", "type": kind, "params": params}]
    ),
    "set_parameters": lambda bench, kind, params: (
        bench.make(kind, "new"),
        bench.json("set_parameters", changes=[{"path": f"{P}/new", "params": params}]),
    ),
    "batch": lambda bench, kind, params: bench.json(
        "batch",
        calls=[
            {"tool": "create_operator", "arguments": {"parent": P, "type": kind, "name": "new", "params": params}}
        ],
    ),
    "build_network of a whole reading": lambda bench, kind, params: bench.json(
        "build_network", path=P, operators=[{"name": "new", "type": kind, "params": params, "as_read": True}]
    ),
}  # fmt: skip


#: Each value by the way most used, and two of them by every way.
CASES = [(what, "set_parameters") for what in VALUES] + [
    (what, way) for way in WAYS if way != "set_parameters" for what in ("a colour", "several operators")
]


@pytest.mark.parametrize(("what", "way"), CASES, ids=[f"{what} by {way}" for what, way in CASES])
def test_a_list_is_taken(bench: Bench, what: str, way: str) -> None:
    for name, kind in (("a", "geometryCOMP"), ("b", "geometryCOMP"), ("cam", "cameraCOMP")):
        bench.make(kind, name)
    kind, params, wanted = VALUES[what]
    WAYS[way](bench, kind, params)
    new = bench.op(f"{P}/new")
    for name, value in wanted.items():
        par = new.par[name]
        assert (par.expr if isinstance(value, dict) else par.val) == (
            value["expr"] if isinstance(value, dict) else value
        ), name


def test_an_annotation_takes_lists_as_well(bench: Bench) -> None:
    bench.json(
        "build_network",
        path=P,
        operators=[],
        annotations=[{"name": "n", "params": {"Backcolor": [0.5, 0, 1], "Opacity": 0.5}}],
    )
    note = bench.td.op(P).findChildren(type=bench.td.annotateCOMP, includeUtility=True)[0]
    assert [round(note.par[f"Backcolor{c}"].eval(), 3) for c in "rgb"] == [0.5, 0, 1]


def test_a_reset_of_a_vector_resets_each_member(bench: Bench) -> None:
    geo = bench.make("geometryCOMP", "g", tx=1, ty=2, tz=3)
    bench.json("set_parameters", changes=[{"path": geo.path, "params": {"t": {"reset": True}}}])
    assert [geo.par.tx.val, geo.par.ty.val, geo.par.tz.val] == [0, 0, 0]


def test_a_network_that_states_vectors_as_lists_compares_equal(bench: Bench) -> None:
    bench.make("geometryCOMP", "g", tx=1, ty=2)
    bench.op(f"{P}/g/torus1").destroy()
    network = bench.json("read_network", path=P, view="full")
    (row,) = [each for each in network["operators"] if each["name"] == "g"]
    row["params"] = {"t": [1, 2, 0]}
    given = {"operators": network["operators"]}
    found = bench.json("compare_network", path=P, **{"with": given})
    assert not [
        name for each in found["differences"] for name in each.get("changes", {}) if "params.t" in name
    ]
    row["params"] = {"t": [1, 2, 5]}
    found = bench.json("compare_network", path=P, **{"with": given})
    (changed,) = [each for each in found["differences"] if each["path"] == "g"]
    assert changed["changes"]["params.tz"] == [5, None]


#: What is wrong with a list, and words of the refusal.
WRONG: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "too short": ("geometryCOMP", {"t": [1, 2]}, ("has 3 values (tx, ty, tz), not 2",)),
    "too long": ("geometryCOMP", {"t": [1, 2, 3, 4]}, ("has 3 values", "not 4")),
    "given twice": ("geometryCOMP", {"t": [1, 2, 3], "ty": 5}, ("gives ty",)),
    "for one number": ("noiseTOP", {"period": [1, 2]}, ("takes one value",)),
    "of lists": ("geometryCOMP", {"t": [[1], 2, 3]}, ()),
    "text in a vector": ("geometryCOMP", {"t": ["much", 2, 3]}, ("takes a number",)),
    "numbers for operators": ("renderTOP", {"geometry": [1, 2]}, ("names or paths of operators",)),
    "two names in one": ("renderTOP", {"geometry": ["a b", "c"]}, ("names or paths of operators",)),
    "an unknown vector": ("noiseTOP", {"colour": [1, 2, 3]}, ("no parameter",)),
    "an expression for all": ("geometryCOMP", {"t": {"expr": "1"}}, ("list",)),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_list_is_refused_and_changes_nothing(bench: Bench, what: str) -> None:
    kind, params, words = WRONG[what]
    bench.make(kind, "n")
    before = state(bench)
    with pytest.raises(ToolFailure) as refused:
        bench.run("set_parameters", changes=[{"path": f"{P}/n", "params": params}])
    assert refused.value.code in (Code.VALUE_INVALID, Code.PARAMETER_NOT_FOUND)
    said = f"{refused.value.message} {refused.value.hint}"
    assert all(word in said for word in words), said
    assert state(bench) == before


#: What is written over a reference that the operator `a` is kept in, and what the parameter then states.
OVER_A_REFERENCE = {
    "another one after it": (["a", "ghost"], "a ghost"),
    "a pattern that names it": ("a*", "a*"),
    "the same by its name": ("a", f"{P}/a"),
    "the same in a list": (["a"], f"{P}/a"),
    "another one": ("b", "b"),
}


@pytest.mark.parametrize("what", OVER_A_REFERENCE)
def test_what_names_more_than_a_reference_holds_is_written(bench: Bench, what: str):
    given, stated = OVER_A_REFERENCE[what]
    bench.make("geometryCOMP", "a")
    bench.make("geometryCOMP", "b")
    render = bench.make("renderTOP", "new")
    render.par.geometry = bench.td.op(f"{P}/a")
    answer = bench.json("set_parameters", changes=[{"path": f"{P}/new", "params": {"geometry": given}}])
    assert answer["operators"][0]["params"]["geometry"] == stated
    assert answer["changed"] == (stated != f"{P}/a")


def test_several_operators_of_one_parameter_are_all_shown(bench: Bench):
    for name in "ab":
        bench.make("geometryCOMP", name)
    render = bench.make("renderTOP", "new")
    for text, value in (("a b", [f"{P}/a", f"{P}/b"]), ("b", f"{P}/b"), ("ghost", "ghost")):
        render.par.geometry = text
        row = bench.json("inspect_operator", paths=[f"{P}/new"])["operators"][0]["parameters"]["geometry"]
        assert row["value"] == value
    render.par.geometry.expr = "[op('b'), op('a')]"
    row = bench.json("inspect_operator", paths=[f"{P}/new"])["operators"][0]["parameters"]["geometry"]
    assert row["value"] == [f"{P}/b", f"{P}/a"]
