"""build_network: what is described is there afterwards; again changes nothing; a failure leaves nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

CHAIN: list[dict[str, Any]] = [
    {
        "name": "noise",
        "type": "noiseTOP",
        "params": {"period": 2, "type": "sparse", "tz": {"expr": "absTime.seconds"}},
    },
    {"name": "ramp", "type": "rampTOP"},
    {"name": "blur", "type": "blurTOP", "inputs": ["noise"]},
    {"name": "over", "type": "overTOP", "inputs": [None, {"from": "blur", "output": 0}]},
    {"name": "out", "type": "nullTOP", "inputs": ["over"], "flags": {"viewer": True}, "comment": "the end"},
]

RICH: list[dict[str, Any]] = [
    {
        "name": "table",
        "type": "tableDAT",
        "table": [["name", "値"], ["a\nb", "2"]],
        "tags": ["x", "y"],
        "color": [1, 0, 0],
    },
    {"name": "note", "type": "textDAT", "text": "日本語 'quoted' \\ text\n\nend", "comment": "ünï"},
    {"name": "shader", "type": "glslTOP", "position": [0, 600]},
    {
        "name": "shader_pixel",
        "type": "textDAT",
        "dock": "shader",
        "text": "out vec4 c;\nvoid main() { c = vec4(1.0); }\n",
    },
    {
        "name": "base",
        "type": "baseCOMP",
        "position": [500, 600],
        "custom": [
            {
                "name": "Look",
                "parameters": [
                    {
                        "name": "Speed",
                        "style": "Float",
                        "label": "Speed It",
                        "min": 0,
                        "max": 10,
                        "default": 2,
                        "norm": [0, 10],
                    },
                    {
                        "name": "Mode",
                        "style": "Menu",
                        "menu": ["one", "two"],
                        "menu_labels": ["One", "Two"],
                        "default": "two",
                    },
                    {"name": "Pos", "style": "XYZ"},
                    {"name": "Tint", "style": "RGB", "default": [1, 0.5, 0]},
                    {"name": "On", "style": "Toggle", "default": True},
                    {"name": "Go", "style": "Pulse"},
                    {"name": "Title", "style": "Str", "default": "hi", "help": "what it is called"},
                ],
            }
        ],
        "params": {"Speed": 5, "Posy": 3, "Tintr": {"expr": "0.25"}},
        "children": [
            {"name": "in1", "type": "inTOP"},
            {
                "name": "level",
                "type": "levelTOP",
                "inputs": ["in1"],
                "params": {"opacity": {"bind": "parent().par.Speed"}},
            },
            {"name": "out1", "type": "outTOP", "inputs": ["level"]},
            {
                "name": "deeper",
                "type": "baseCOMP",
                "children": [
                    {
                        "name": "c",
                        "type": "constantCHOP",
                        "sequences": {"const": 2},
                        "params": {"const1name": "b", "const1value": 4},
                    }
                ],
            },
        ],
        "inputs": ["shader"],
    },
    {"name": "after", "type": "nullTOP", "inputs": ["base"]},
    {
        "name": "geo",
        "type": "geometryCOMP",
        "children": [{"name": "box", "type": "boxSOP", "flags": {"display": True, "render": True}}],
    },
]


def build(
    bench: Bench, operators: list[dict[str, Any]], path: str = "/project1", **more: Any
) -> dict[str, Any]:
    return bench.json("build_network", path=path, operators=operators, **more)


def test_a_chain_is_built_and_read_back(bench: Bench) -> None:
    answer = build(bench, CHAIN)
    over = bench.op("/project1/over")
    assert [[f.owner.name for f in c.connections] for c in over.inputConnectors] == [[], ["blur"]]
    assert bench.op("/project1/noise").par.tz.expr == "absTime.seconds"
    assert bench.op("/project1/out").viewer is True
    assert answer["created"] == [f"/project1/{spec['name']}" for spec in CHAIN]
    assert "/project1/blur → /project1/over:1" in answer["wires"]
    assert answer["values"] == {
        "/project1/noise:tz": pytest.approx(bench.op("/project1/noise").par.tz.eval(), abs=1)
    }


def test_chains_go_from_left_to_right_and_nothing_overlaps(bench: Bench) -> None:
    bench.make("noiseTOP", "there")
    build(bench, CHAIN)
    x = {c.name: c.nodeX for c in bench.op("/project1").children}
    assert x["noise"] < x["blur"] < x["over"] < x["out"]
    tiles = [c for c in bench.op("/project1").children if c.name != "tdmcp"]
    assert len({(c.nodeX, c.nodeY) for c in tiles}) == len(tiles)


@pytest.mark.parametrize("description", [CHAIN, RICH])
def test_building_again_changes_nothing(bench: Bench, description: list[dict[str, Any]]) -> None:
    build(bench, description)
    before = state(bench)
    answer = build(bench, description)
    assert (answer.get("created", []), answer.get("changed", []), answer["undo"]) == ([], [], "")
    assert state(bench) == before


@pytest.mark.parametrize("description", [CHAIN, RICH])
def test_one_undo_takes_it_all_away(bench: Bench, description: list[dict[str, Any]]) -> None:
    before = state(bench)
    build(bench, description)
    bench.run("undo")
    assert state(bench) == before


def test_text_tables_custom_parameters_and_nesting(bench: Bench) -> None:
    build(bench, RICH)
    assert bench.op("/project1/note").text == RICH[1]["text"]
    # A line break inside a cell survives only when cells are written one by one (fact 40).
    assert [[c.val for c in row] for row in bench.op("/project1/table").rows()] == RICH[0]["table"]
    base = bench.op("/project1/base")
    assert (base.par.Speed.eval(), base.par.Speed.default, base.par.Speed.max) == (5, 2, 10)
    assert (base.par.Mode.eval(), base.par.Posy.eval(), base.par.Tintr.eval()) == ("two", 3, 0.25)
    assert bench.op("/project1/base/level").par.opacity.mode.name == "BIND"
    assert bench.op("/project1/base/deeper/c").par.const1value.eval() == 4
    assert [f.owner.name for f in bench.op("/project1/after").inputConnectors[0].connections] == ["base"]
    # The torus a new geometry comes with is not part of what was described (fact 17).
    assert [c.name for c in bench.op("/project1/geo").children] == ["box"]
    assert bench.op("/project1/shader_pixel").dock.name == "shader"


def test_only_what_is_stated_is_touched(bench: Bench) -> None:
    bench.make("noiseTOP", "noise", period=7, mono=True)
    answer = build(bench, [{"name": "noise", "params": {"period": 3}}])
    assert answer["changed"] == ["/project1/noise"]
    assert bool(bench.op("/project1/noise").par.mono.eval()) is True


def test_exact_resets_and_deletes_what_is_not_stated(bench: Bench) -> None:
    bench.make("baseCOMP", "base")
    bench.make("noiseTOP", "noise", parent="/project1/base", period=7, harmon=5)
    bench.make("nullTOP", "other", parent="/project1/base")
    answer = build(
        bench,
        [{"name": "noise", "type": "noiseTOP", "params": {"period": 3}}],
        path="/project1/base",
        exact=True,
    )
    assert answer["deleted"] == ["/project1/base/other"]
    noise = bench.op("/project1/base/noise")
    assert (noise.par.period.eval(), noise.par.harmon.eval()) == (3, noise.par.harmon.default)


def test_exact_asks_before_it_deletes_much_and_never_deletes_this_server(bench: Bench) -> None:
    for i in range(4):
        bench.make("nullTOP", f"n{i}")
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        build(bench, [], exact=True)
    build(bench, [], exact=True, confirm=True)
    assert [c.name for c in bench.op("/project1").children] == ["tdmcp"]


def test_a_dry_run_says_what_would_happen_and_does_nothing(bench: Bench) -> None:
    before = state(bench)
    answer = build(bench, CHAIN, dry_run=True)
    assert len(answer["created"]) == 5
    assert state(bench) == before
    assert bench.td.ui.undo.undoStack == []
    with refused(bench, Code.MENU_VALUE_INVALID):
        build(bench, [{"name": "n", "type": "noiseTOP", "params": {"type": "nope"}}], dry_run=True)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"name": "x", "type": "noiseTop"}, Code.OPERATOR_TYPE_UNKNOWN),
        ({"name": "x y", "type": "noiseTOP"}, Code.VALUE_INVALID),
        ({"name": "noise", "type": "blurTOP"}, Code.NAME_TAKEN),
        ({"name": "x"}, Code.VALUE_INVALID),
        ({"name": "x", "type": "noiseTOP", "params": {"perod": 1}}, Code.PARAMETER_NOT_FOUND),
        ({"name": "x", "type": "noiseTOP", "params": {"type": "nope"}}, Code.MENU_VALUE_INVALID),
        ({"name": "x", "type": "noiseTOP", "params": {"period": "fast"}}, Code.VALUE_INVALID),
        ({"name": "x", "type": "nullTOP", "inputs": ["nosuch"]}, Code.OPERATOR_NOT_FOUND),
        ({"name": "x", "type": "nullTOP", "inputs": [None, "noise"]}, Code.WIRING_INVALID),
        ({"name": "x", "type": "nullCHOP", "inputs": ["noise"]}, Code.WIRING_INVALID),
        ({"name": "x", "type": "nullTOP", "flags": {"bypas": True}}, Code.VALUE_INVALID),
        ({"name": "x", "type": "nullTOP", "dock": "nosuch"}, Code.OPERATOR_NOT_FOUND),
        ({"name": "x", "type": "nullTOP", "text": "a"}, Code.VALUE_INVALID),
        (
            {"name": "x", "type": "nullTOP", "children": [{"name": "y", "type": "nullTOP"}]},
            Code.VALUE_INVALID,
        ),
        ({"name": "x", "type": "nullTOP", "custom": [{"name": "P", "parameters": []}]}, Code.VALUE_INVALID),
        (
            {
                "name": "x",
                "type": "baseCOMP",
                "custom": [{"name": "P", "parameters": [{"name": "low", "style": "Float"}]}],
            },
            Code.VALUE_INVALID,
        ),
        (
            {
                "name": "x",
                "type": "baseCOMP",
                "custom": [{"name": "P", "parameters": [{"name": "A", "style": "Flot"}]}],
            },
            Code.VALUE_INVALID,
        ),
    ],
)
def test_whatever_is_wrong_nothing_is_left_half_done(bench: Bench, wrong: dict[str, Any], code: Code) -> None:
    there = bench.make("noiseTOP", "noise", period=7)
    there.par.tz.expr = "absTime.frame"
    bench.wire(there, bench.make("levelTOP", "level"))
    with refused(bench, code):
        build(
            bench,
            [*CHAIN, *RICH, {"name": "level", "inputs": ["ramp"], "comment": "touched"}, wrong]
            if wrong["name"] != "noise"
            else [wrong],
        )
    assert bench.td.ui.undo.undoStack == []


def test_two_of_one_name_are_refused(bench: Bench) -> None:
    with refused(bench, Code.NAME_TAKEN):
        build(bench, [{"name": "a", "type": "nullTOP"}, {"name": "a", "type": "nullTOP"}])


def test_far_too_many_are_refused_before_anything_happens(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as caught:
        build(bench, [{"name": f"n{i}", "type": "nullTOP"} for i in range(2001)])
    assert caught.value.code is Code.TOO_LARGE


def test_feedback_loops_can_be_built(bench: Bench) -> None:
    answer = build(
        bench,
        [
            {"name": "noise1", "type": "noiseTOP"},
            {"name": "feedback1", "type": "feedbackTOP", "inputs": ["noise1"], "params": {"top": "comp1"}},
            {"name": "level1", "type": "levelTOP", "inputs": ["feedback1"]},
            {"name": "comp1", "type": "compositeTOP", "inputs": ["level1", "noise1"]},
        ],
    )
    assert len(answer["created"]) == 4


def test_annotations_are_made_and_brought_up_to_date(bench: Bench) -> None:
    note = {
        "name": "note1",
        "title": "Look",
        "text": "what it does",
        "position": [-50, -50],
        "size": [400, 300],
        "color": [0, 0.5, 1],
    }
    build(bench, CHAIN, annotations=[note])
    made = bench.op("/project1").findChildren(type=bench.td.annotateCOMP, includeUtility=True)[0]
    assert (made.par.Titletext.eval(), made.par.Bodytext.eval()) == ("Look", "what it does")
    assert (made.nodeX, made.nodeY, made.nodeWidth, made.nodeHeight) == (-50, -50, 400, 300)
    again = build(bench, CHAIN, annotations=[note])
    assert again["undo"] == ""
    build(bench, [], annotations=[note | {"title": "Other"}])
    assert made.par.Titletext.eval() == "Other"


def test_undo_takes_annotations_along_and_redo_brings_them_back(bench: Bench) -> None:
    # Making one ends TD's undo block (fact 35).
    old = {"name": "old", "title": "Old", "position": [0, 500], "size": [200, 100]}
    build(bench, [], annotations=[old])
    before = state(bench)
    notes = [old | {"title": "New", "color": [1, 0, 0]}, {"name": "more", "text": "words"}]
    build(bench, CHAIN, annotations=notes)
    after = state(bench)
    bench.run("undo")
    assert state(bench) == before
    bench.run("undo", redo=True)
    assert state(bench) == after


def test_a_failure_after_annotations_leaves_none(bench: Bench) -> None:
    with refused(bench, Code.MENU_VALUE_INVALID):
        build(bench, CHAIN, annotations=[{"name": "a"}, {"name": "b", "mode": "nosuch"}])


def test_problems_of_what_was_built_are_told(bench: Bench) -> None:
    answer = build(
        bench, [{"name": "blur", "type": "blurTOP"}, {"name": "null", "type": "nullTOP", "inputs": ["blur"]}]
    )
    assert "/project1/blur" in {p["path"] for p in answer["problems"]}


def test_what_is_read_can_be_built_elsewhere_and_is_equal(bench: Bench) -> None:
    bench.make("baseCOMP", "one")
    bench.make("baseCOMP", "two")
    build(bench, RICH, path="/project1/one")
    read = bench.json("read_network", path="/project1/one", depth=10, view="full")
    build(bench, read["operators"], path="/project1/two")
    one, two = state(bench, "/project1/one"), state(bench, "/project1/two")
    renamed = eval(repr(one).replace("/project1/one", "/project1/two"))
    for path in renamed:
        if path != "/project1/two":
            assert two[path] == renamed[path], path


def test_a_reading_that_names_this_server_leaves_it_alone(bench: Bench) -> None:
    bench.make("noiseTOP", "noise")
    read = bench.json("read_network", path="/project1", view="full")
    assert "tdmcp" in {spec["name"] for spec in read["operators"]}
    own = bench.op("/project1/tdmcp")
    own.comment = "since"
    answer = build(bench, read["operators"], exact=True)
    assert own.comment == "since"
    assert "own component" in answer["notes"][0]


def test_exact_empties_and_unmakes_what_is_not_stated(bench: Bench) -> None:
    bench.make("textDAT", "t").text = "words"
    bench.make("baseCOMP", "base").appendCustomPage("P").appendFloat("Speed")
    build(bench, [{"name": "t", "type": "textDAT"}, {"name": "base", "type": "baseCOMP"}], exact=True)
    assert bench.op("/project1/t").text == ""
    assert bench.op("/project1/base").customPars == []


def test_a_value_that_differs_from_the_default_at_creation_is_restored_exactly(bench: Bench) -> None:
    # `default` may differ from what a new operator has (fact 28).
    made = bench.make("geometryCOMP", "probe")
    odd = [p.name for p in made.pars() if not p.isDefault and not p.isPulse]
    reset = {name: {"reset": True} for name in odd}
    bench.run("set_parameters", changes=[{"path": "/project1/probe", "params": reset}]) if odd else None
    read = bench.json("read_network", path="/project1", view="full")
    bench.make("baseCOMP", "twin")
    build(bench, read["operators"], "/project1/twin", exact=True)
    twin = bench.op("/project1/twin/probe")
    assert [p.name for p in twin.pars() if not p.isDefault and not p.isPulse] == []


def test_what_is_inside_of_what_an_exact_build_deletes_counts_and_what_is_docked_does_not(
    bench: Bench,
) -> None:
    home = bench.make("baseCOMP", "home")
    box = home.create("baseCOMP", "box")
    for index in range(3):
        box.create("nullTOP", f"n{index}")
    for name in ("a", "b", "c"):
        bench.make("timerCHOP", name, parent="/project1/home")
    with refused(bench, Code.CONFIRMATION_REQUIRED) as caught:
        bench.run("build_network", path="/project1/home", operators=[], exact=True)
    assert caught.value.details["count"] == 7
    bench.op("/project1/home/box").destroy()
    answer = bench.json("build_network", path="/project1/home", operators=[], exact=True)
    assert len(answer["deleted"]) == 6 and bench.op("/project1/home").children == []
