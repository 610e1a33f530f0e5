"""Whatever an editing call does, undo gives back the state before, redo the state after; a failed one does nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import NUMBERS, STAGE, TEXTS, fresh

examples = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def furnish(bench: Bench) -> None:
    """A network with something in it for every tool."""
    for kind, name in (
        ("noiseTOP", "noise1"), ("levelTOP", "level1"), ("compositeTOP", "comp1"), ("nullTOP", "out1"),
        ("glslTOP", "glsl1"), ("constantCHOP", "const1"), ("textDAT", "notes"), ("tableDAT", "cues"), ("baseCOMP", "box"),
    ):  # fmt: skip
        bench.make(kind, name, parent=STAGE)
    stage = bench.op(STAGE)
    bench.wire(stage.op("noise1"), stage.op("level1"), stage.op("comp1"), stage.op("out1"))
    stage.op("notes").text = "first\nsecond\n"
    box = stage.op("box")
    page = box.appendCustomPage("P")
    page.appendFloat("Amount")
    page.appendMenu("Mood")
    bench.make("levelTOP", "inside", parent=box.path).par.opacity.bindExpr = "parent().par.Amount"
    bench.frame()


def some_call(random: Random) -> tuple[str, dict[str, Any]]:
    """A call of an editing tool that can succeed on the furnished stage."""
    return random.choice(CALLS)(random)


def path(name: str) -> str:
    return f"{STAGE}/{name}"


def _create(random: Random) -> tuple[str, dict[str, Any]]:
    kind = random.choice(("noiseTOP", "glslTOP", "geometryCOMP", "tableDAT", "annotateCOMP", "constantCHOP"))
    return "create_operator", {"parent": STAGE, "type": kind}


def _build(random: Random) -> tuple[str, dict[str, Any]]:
    operators = [
        {
            "name": "level1",
            "params": {"opacity": random.choice(NUMBERS[:3])},
            "comment": random.choice(TEXTS),
        },
        {"name": "new1", "type": "constantCHOP", "sequences": {"const": 4}, "params": {"const3value": 5}},
        {"name": "new2", "type": "glslTOP", "inputs": ["noise1"], "tags": ["ö"]},
        {
            "name": "new3",
            "type": "baseCOMP",
            "custom": [{"name": "Q", "parameters": [{"name": "Deep", "style": "XYZ", "max": 4}]}],
            "params": {"Deepy": 3},
            "children": [{"name": "a", "type": "tableDAT", "table": [["1", "2"]]}],
        },
    ]
    notes = [{"name": "note1", "title": "T", "position": [0, 0], "size": [300, 200]}]
    chosen = random.sample(operators, random.randint(1, 4))
    return "build_network", {"path": STAGE, "operators": chosen} | (
        {"annotations": notes} if random.random() < 0.3 else {}
    )


def _set(random: Random) -> tuple[str, dict[str, Any]]:
    changes = [
        {"path": path("noise1"), "params": {"period": random.choice((1 / 3, {"expr": "absTime.frame"}))}},
        {"path": path("const1"), "params": {"const2name": "x", "const2value": 7}},
        {"path": path("box"), "params": {"Amount": {"expr": "1 + 1"}, "Mood": {"reset": True}}},
        {"path": path("level1"), "params": {"opacity": {"bind": "op('box').par.Amount"}}},
    ]
    return "set_parameters", {"changes": random.sample(changes, random.randint(1, 4))}


def _wire(random: Random) -> tuple[str, dict[str, Any]]:
    wishes = {
        "connect": [{"from": path("noise1"), "to": path("comp1"), "input": 1}],
        "disconnect": [{"to": path("out1")}],
        "insert": [{"path": path("glsl1"), "to": path("level1")}],
    }
    return "wire_operators", {
        name: wishes[name] for name in random.sample(sorted(wishes), random.randint(1, 3))
    }


def _update(random: Random) -> tuple[str, dict[str, Any]]:
    wishes: dict[str, Any] = {
        "name": "renamed", "type": "blurTOP", "flags": {"bypass": True, "viewer": True}, "position": [900, -900],
        "color": [1, 0, 0.5], "comment": "c ö", "tags": ["t"], "parent": path("box"),
    }  # fmt: skip
    return "update_operator", {"path": path("level1")} | {
        name: wishes[name] for name in random.sample(sorted(wishes), random.randint(1, 4))
    }


def _copy(random: Random) -> tuple[str, dict[str, Any]]:
    paths = [path(name) for name in random.sample(("noise1", "glsl1", "box", "cues"), 2)]
    return "copy_operators", {"paths": paths} | ({"parent": path("box")} if "box" not in str(paths) else {})


def _delete(random: Random) -> tuple[str, dict[str, Any]]:
    names = random.sample(("noise1", "glsl1", "box", "out1", "notes"), random.randint(1, 4))
    return "delete_operators", {"paths": [path(name) for name in names], "confirm": True}


def _write(random: Random) -> tuple[str, dict[str, Any]]:
    return "write_data", random.choice(
        (
            {"path": path("notes"), "text": random.choice(TEXTS[1:])},
            {"path": path("notes"), "replace": [{"old": "second", "new": "zweite"}]},
            {"path": path("cues"), "table": [["a", "b"], ["", "ö"]]},
            {"path": path("glsl1_pixel"), "text": "void main() { }"},
        )
    )


def _arrange(random: Random) -> tuple[str, dict[str, Any]]:
    return "arrange_network", {"path": STAGE}


def _define(random: Random) -> tuple[str, dict[str, Any]]:
    parameters = [
        {"name": "Amount", "style": random.choice(("Int", "Str", "RGB")), "label": "How much"},
        {"name": "Fresh", "style": "Menu", "menu": ["a", "b"], "default": "b"},
    ]
    return "define_parameters", {
        "path": path("box"),
        "pages": [{"name": "Q", "parameters": random.sample(parameters, random.randint(1, 2))}],
    } | ({"remove": ["Mood"]} if random.random() < 0.5 else {})


def _python(random: Random) -> tuple[str, dict[str, Any]]:
    return "execute_python", {
        "code": f"c = op('{STAGE}')\nn = c.create('noiseTOP')\nn.par.period = 3\nc.op('level1').par.opacity = 0.25\n"
        "c.op('notes').text = 'x'\nc.op('cues').appendRow(['1'])\nc.op('out1').destroy()"
    }


CALLS = (_create, _build, _set, _wire, _update, _copy, _delete, _write, _arrange, _define, _python)


@pytest.mark.parametrize("make", CALLS, ids=[call.__name__.strip("_") for call in CALLS])
@pytest.mark.parametrize("seed", range(4))
def test_undo_gives_back_the_state_before_and_redo_the_state_after(make: Any, seed: int) -> None:
    with fresh() as bench:
        furnish(bench)
        before = state(bench)
        name, arguments = make(Random(seed))
        answer = bench.json(name, **arguments)
        after = state(bench)
        if not answer["undo"]:
            assert after == before, (name, arguments)
            return
        assert bench.td.ui.undo.undoStack[0] == answer["undo"]
        bench.run("undo")
        assert state(bench) == before, (name, arguments)
        bench.run("undo", redo=True)
        assert state(bench) == after, (name, arguments)


@examples
@given(st.integers(0, 100_000))
def test_any_number_of_calls_are_undone_one_by_one(seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        furnish(bench)
        states = [state(bench)]
        for _ in range(4):
            name, arguments = some_call(random)
            try:
                done = bench.json(name, **arguments)
            except ToolFailure:
                # An earlier call took away what this one is about: then it changed nothing.
                assert state(bench) == states[-1], (name, arguments)
                continue
            if done["undo"]:
                states.append(state(bench))
        for expected in reversed(states[:-1]):
            bench.run("undo")
            assert state(bench) == expected


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("create_operator", {"parent": STAGE, "type": "noiseTop"}),
    ("create_operator", {"parent": STAGE, "type": "noiseTOP", "inputs": ["nobody"]}),
    ("set_parameters", {"changes": [{"path": path("cues"), "params": {"nosuch": 1}}]}),
    ("set_parameters", {"changes": [{"path": path("nobody"), "params": {}}]}),
    ("wire_operators", {"connect": [{"from": path("cues"), "to": path("box")}]}),
    ("define_parameters", {"path": path("box"), "pages": [{"name": "R", "parameters": [{"name": "no", "style": "Float"}]}]}),
    ("write_data", {"path": path("cues"), "replace": [{"old": "nowhere", "new": ""}]}),
    ("update_operator", {"path": path("cues"), "name": "no good"}),
    ("delete_operators", {"paths": [path("nobody")]}),
    ("execute_python", {"code": f"op('{STAGE}').create('nullTOP')\nop('{STAGE}/cues').appendRow(['x'])\n1 / 0"}),
]  # fmt: skip


@examples
@given(st.integers(0, 100_000), st.sampled_from(WRONG), st.integers(0, 3))
def test_a_batch_that_fails_anywhere_leaves_nothing(
    seed: int, wrong: tuple[str, dict[str, Any]], place: int
) -> None:
    random = Random(seed)
    with fresh() as bench:
        furnish(bench)
        before, steps = state(bench), bench.td.ui.undo.undoStack
        calls = [some_call(random) for _ in range(3)]
        calls.insert(place, wrong)
        with pytest.raises(ToolFailure) as refused:
            bench.run(
                "batch", calls=[{"tool": tool, "arguments": given} for tool, given in calls], confirm=True
            )
        assert refused.value.details["call"] <= place
        assert state(bench) == before, calls
        assert bench.td.ui.undo.undoStack == steps


@examples
@given(st.integers(0, 100_000), st.integers(0, 4))
def test_one_wrong_parameter_among_many_keeps_all_from_being_set(seed: int, place: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        furnish(bench)
        before = state(bench)
        changes = _set(random)[1]["changes"]
        wrong = random.choice(
            (
                {"path": path("noise1"), "params": {"perod": 1}},
                {"path": path("noise1"), "params": {"type": "simplex9d"}},
                {"path": path("noise1"), "params": {"period": "wide"}},
                {"path": path("noise1"), "params": {"mono": 7}},
                {"path": path("noise1"), "params": {"resetpulse": 1}},
            )
        )
        changes.insert(min(place, len(changes)), wrong)
        with pytest.raises(ToolFailure):
            bench.run("set_parameters", changes=changes)
        assert state(bench) == before


@examples
@given(st.integers(0, 4))
def test_one_wrong_definition_among_many_keeps_all_from_being_made(place: int) -> None:
    with fresh() as bench:
        furnish(bench)
        before = state(bench)
        parameters: list[dict[str, Any]] = [
            {"name": "Amount", "style": "RGBA"},
            {"name": "One", "style": "Float", "default": 2},
            {"name": "Two", "style": "Menu", "menu": ["a"]},
        ]
        parameters.insert(place, {"name": "Broken", "style": "Slider"})
        with pytest.raises(ToolFailure):
            bench.run("define_parameters", path=path("box"), pages=[{"name": "Q", "parameters": parameters}])
        assert state(bench) == before


def test_annotations_in_the_middle_of_a_batch_leave_it_one_undo_step() -> None:
    with fresh() as bench:
        furnish(bench)
        before, steps = state(bench), bench.td.ui.undo.undoStack
        noted = {"path": STAGE, "operators": [], "annotations": [{"name": "about", "title": "T"}]}
        moved = {"path": path("level1"), "position": [500, 500]}
        gone = {"paths": [path("notes")]}
        calls = [("build_network", noted), ("update_operator", moved), ("delete_operators", gone)]
        answer = bench.json("batch", calls=[{"tool": tool, "arguments": given} for tool, given in calls])
        assert answer["results"][0]["result"]["changed"] == [path("about")]
        assert [
            each.par.Titletext.eval()
            for each in bench.op(STAGE).findChildren(includeUtility=True, name="about")
        ] == ["T"]
        assert bench.td.ui.undo.undoStack == [answer["undo"], *steps]
        bench.run("undo")
        assert state(bench) == before


def test_an_annotation_made_by_itself_is_undone_and_redone_with_what_it_says() -> None:
    with fresh() as bench:
        before = state(bench)
        made = bench.json("create_operator", parent=STAGE, type="annotateCOMP", params={"Titletext": "Hello"})
        bench.run("undo")
        assert state(bench) == before
        bench.run("undo", redo=True)
        assert bench.op(made["path"]).par.Titletext.eval() == "Hello"


def test_a_checkpoint_brings_back_the_definitions_of_custom_parameters_exactly() -> None:
    with fresh() as bench:
        furnish(bench)
        bench.run("checkpoint", action="save", path=STAGE, name="c")
        before = state(bench)
        limits = {
            "label": "Other",
            "min": 0,
            "max": 2,
            "default": 1,
            "help": "h",
            "section": True,
            "norm": [0, 5],
        }
        bench.run(
            "define_parameters",
            path=path("box"),
            pages=[
                {"name": "P", "parameters": [{"name": "Amount", "style": "Float", **limits}]},
                {"name": "R", "parameters": [{"name": "Mood", "style": "Menu", "menu": ["a", "b"]}]},
            ],
        )
        bench.run("checkpoint", action="restore", path=STAGE, name="c")
        assert bench.json("compare_network", path=STAGE, **{"with": "c"})["equal"]
        assert state(bench) == before
        again = bench.json("checkpoint", action="restore", path=STAGE, name="c")
        assert again["undo"] == ""
