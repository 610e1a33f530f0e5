"""Several operators move, collapse or are renamed in one call, with the wires between them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

P = "/project1"
BOX = f"{P}/box"


@pytest.fixture
def chain(bench: Bench) -> None:
    """source → a → b → c → sink; other → c as its second input; b is what goes into `mix` second."""
    operators: list[dict[str, Any]] = [
        {"name": "source", "type": "noiseTOP"},
        {"name": "other", "type": "rampTOP"},
        {"name": "a", "type": "blurTOP", "inputs": ["source"], "params": {"size": 7}},
        {"name": "b", "type": "levelTOP", "inputs": ["a"]},
        {"name": "c", "type": "compositeTOP", "inputs": ["b", "other"]},
        {"name": "sink", "type": "nullTOP", "inputs": ["c"]},
        {"name": "mix", "type": "compositeTOP", "inputs": ["source", "b"]},
        {"name": "box", "type": "baseCOMP"},
    ]
    bench.run("build_network", path=P, operators=operators)


def inputs(bench: Bench, path: str) -> list[str]:
    return [each.name for each in bench.op(path).inputs]


def test_operators_move_into_a_component_with_the_wires_between_them(bench: Bench, chain: None) -> None:
    before = state(bench)
    paths = [f"{P}/{name}" for name in "abc"]
    answer = bench.json("update_operator", paths=paths, parent=BOX)
    assert (inputs(bench, f"{BOX}/b"), inputs(bench, f"{BOX}/c")) == (["a"], ["b"])
    assert bench.op(f"{BOX}/a").par.size == 7 and bench.op(f"{P}/a") is None
    assert answer["moved"] == {f"{P}/{name}": f"{BOX}/{name}" for name in "abc"}
    assert answer["changed"] == ["parent"] and answer["count"] == 3
    # What crossed the edge is gone, and each such wire is named.
    assert set(answer["lost_wires"]) == {
        f"{P}/source → {P}/a input 0", f"{P}/other → {P}/c input 1",
        f"{P}/c → {P}/sink input 0", f"{P}/b → {P}/mix input 1",
    }  # fmt: skip
    after = state(bench)
    assert bench.json("undo")["undone"] == [answer["undo"]]
    assert state(bench) == before
    bench.run("undo", redo=True)
    assert state(bench) == after


def test_operators_collapse_into_a_new_component_and_every_wire_stays(bench: Bench, chain: None) -> None:
    before = state(bench)
    paths = [f"{P}/{name}" for name in "abc"]
    answer = bench.json("update_operator", paths=paths, collapse="effect")
    made = f"{P}/effect"
    assert answer["path"] == made and not answer.get("lost_wires"), answer
    assert answer["moved"] == {f"{P}/{name}": f"{made}/{name}" for name in "abc"}
    assert inputs(bench, made) == ["source", "other"]
    assert inputs(bench, f"{P}/sink") == ["effect"] and inputs(bench, f"{P}/mix") == ["source", "effect"]
    first, second = (bench.op(f"{made}/c").inputConnectors[i].connections[0].owner.name for i in (0, 1))
    assert first == "b" and second.startswith("in")
    assert inputs(bench, f"{made}/a")[0].startswith("in") and inputs(bench, f"{made}/b") == ["a"]
    outs = {each.name: each.inputs[0].name for each in bench.op(made).children if each.opType == "outTOP"}
    assert sorted(outs.values()) == ["b", "c"]
    network = bench.json("read_network", path=made)
    places = [tuple(each["position"]) for each in network["operators"]]
    assert len(set(places)) == len(places)
    after = state(bench)
    bench.run("undo")
    assert state(bench) == before
    bench.run("undo", redo=True)
    assert state(bench) == after


def test_a_wire_that_two_operators_take_enters_once(bench: Bench) -> None:
    operators = [
        {"name": "s", "type": "noiseTOP"},
        {"name": "x", "type": "blurTOP", "inputs": ["s"]},
        {"name": "y", "type": "levelTOP", "inputs": ["s"]},
    ]
    bench.run("build_network", path=P, operators=operators)
    bench.run("update_operator", paths=[f"{P}/x", f"{P}/y"], collapse="pair")
    assert len(bench.op(f"{P}/pair").inputConnectors) == 1
    assert inputs(bench, f"{P}/pair/x") == inputs(bench, f"{P}/pair/y")


def test_docked_operators_go_along(bench: Bench, chain: None) -> None:
    bench.run("create_operator", parent=P, type="glslTOP", name="g")
    bench.run("update_operator", paths=[f"{P}/g", f"{P}/a"], parent=BOX)
    assert {"g", "g_pixel", "g_info", "a"} <= {each.name for each in bench.op(BOX).children}
    assert bench.op(f"{BOX}/g_pixel").dock.name == "g"
    assert not [each.name for each in bench.op(P).children if each.name.startswith("g_")]


def test_twenty_renames_are_short_and_answered_in_a_line(bench: Bench) -> None:
    for i in range(20):
        bench.make("noiseTOP", f"null{i + 1}")
    names = {f"null{i + 1}": f"layer_{i + 1:02}" for i in range(20)}
    arguments = {"path": P, "names": names}
    assert len(json.dumps(arguments, separators=(",", ":"))) <= 600
    output = bench.run("update_operator", **arguments)
    assert sorted(each.name for each in bench.op(P).findChildren(name="layer_*")) == sorted(names.values())
    assert len(output.text().splitlines()) == 1 and "20 operators renamed" in output.text()
    bench.run("undo")
    assert bench.op(f"{P}/null20") is not None and not bench.op(P).findChildren(name="layer_*")


#: New names by old ones, and the names that a, b and c then have.
RENAMES: dict[str, tuple[dict[str, str], tuple[str, str, str]]] = {
    "one": ({"a": "first"}, ("first", "b", "c")),
    "two that exchange names": ({"a": "b", "b": "a"}, ("b", "a", "c")),
    "a ring": ({"a": "b", "b": "c", "c": "a"}, ("b", "c", "a")),
    "a name that another one leaves": ({"a": "b", "b": "free"}, ("b", "free", "c")),
    "by path": ({f"{P}/a": "first"}, ("first", "b", "c")),
    "one that keeps its name": ({"a": "a", "b": "second"}, ("a", "second", "c")),
}


@pytest.mark.parametrize("what", RENAMES)
def test_operators_are_renamed_together_and_keep_their_wires(bench: Bench, chain: None, what: str) -> None:
    held = [bench.op(f"{P}/{name}") for name in "abc"]
    before = state(bench)
    names, wanted = RENAMES[what]
    bench.run("update_operator", path=P, names=names)
    assert tuple(each.name for each in held) == wanted
    assert [each.inputs[0] for each in held[1:]] == held[:2]
    bench.run("undo")
    assert state(bench) == before


def test_they_are_renamed_moved_and_coloured_in_one_call(bench: Bench, chain: None) -> None:
    answer = bench.json(
        "update_operator",
        path=P,
        paths=[f"{P}/a", f"{P}/b"],
        names={"a": "first"},
        parent=BOX,
        color=[1, 0, 0],
    )
    assert inputs(bench, f"{BOX}/b") == ["first"]
    assert [tuple(bench.op(f"{BOX}/{name}").color) for name in ("first", "b")] == [(1, 0, 0)] * 2
    assert answer["changed"] == ["names", "parent", "color"]


def test_references_that_a_rename_breaks_are_named(bench: Bench, chain: None) -> None:
    bench.make("selectTOP", "sel", top="b")
    answer = bench.json("update_operator", path=P, names={"b": "second"})
    assert any("sel" in each for each in answer["broken_references"])


#: Calls that are wrong, the code, and a word of the refusal.
WRONG: dict[str, tuple[dict[str, Any], Code, str]] = {
    "a name that is taken": ({"path": P, "names": {"a": "sink"}}, Code.NAME_TAKEN, "sink"),
    "one name for two": ({"path": P, "names": {"a": "x", "b": "x"}}, Code.NAME_TAKEN, "x"),
    "a bad name": ({"path": P, "names": {"a": "no good"}}, Code.VALUE_INVALID, "cannot name"),
    "an unknown operator": ({"path": P, "names": {"aa": "x"}}, Code.OPERATOR_NOT_FOUND, "aa"),
    "a name taken where they go": ({"paths": [f"{P}/a", f"{P}/held"], "parent": BOX}, Code.NAME_TAKEN, "held"),
    "into one of themselves": ({"paths": [f"{P}/a", BOX], "parent": BOX}, Code.VALUE_INVALID, "into itself"),
    "of two networks": ({"paths": [f"{P}/a", f"{BOX}/held"], "collapse": "x"}, Code.VALUE_INVALID, "different networks"),
    "to a place that is there and a new one": ({"paths": [f"{P}/a"], "parent": BOX, "collapse": "x"}, Code.VALUE_INVALID, "not both"),
    "a name for the new component that is taken": ({"paths": [f"{P}/a"], "collapse": "sink"}, Code.NAME_TAKEN, "sink"),
    "one name for several": ({"paths": [f"{P}/a", f"{P}/b"], "name": "x"}, Code.VALUE_INVALID, "names"),
    "collapse of nothing": ({"path": f"{P}/a", "collapse": "x"}, Code.VALUE_INVALID, "paths"),
    "nothing at all": ({"comment": "c"}, Code.VALUE_INVALID, "path, paths or names"),
    "the server itself": ({"paths": [f"{P}/a", f"{P}/tdmcp"], "parent": BOX}, Code.PRECONDITION_FAILED, "own component"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_call_changes_nothing(bench: Bench, chain: None, what: str) -> None:
    bench.make("nullTOP", "held")
    bench.make("nullTOP", "held", BOX)
    arguments, code, word = WRONG[what]
    with refused(bench, code) as caught:
        bench.run("update_operator", **arguments)
    assert word in f"{caught.value.message} {caught.value.hint}"
