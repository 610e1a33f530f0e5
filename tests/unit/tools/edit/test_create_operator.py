"""create_operator: what an agent asks for is there afterwards, or nothing is."""

from __future__ import annotations

import pytest

from fakes import catalogue
from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench

TYPES = set(catalogue.types())


def test_a_new_operator_has_its_name_parameters_and_inputs(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    answer = bench.json(
        "create_operator",
        parent="/project1",
        type="levelTOP",
        name="level1",
        params={"opacity": 0.5, "brightness1": {"expr": "1 + 1"}},
        inputs=["noise1"],
    )
    made = bench.op("/project1/level1")
    assert made.par.opacity.val == 0.5
    assert made.par.brightness1.eval() == 2
    assert [o.name for o in made.inputs] == ["noise1"]
    assert answer["path"] == "/project1/level1"
    assert answer["params"] == {"opacity": 0.5, "brightness1": {"expr": "1 + 1"}}
    assert answer["values"] == {"brightness1": 2}
    assert answer["inputs"] == ["/project1/noise1"]
    assert answer["created"] is True
    assert answer["undo"] == bench.td.ui.undo.undoStack[0]


def test_without_a_name_touchdesigner_numbers_it(bench: Bench) -> None:
    assert bench.json("create_operator", parent="/project1", type="noiseTOP")["path"] == "/project1/noise1"
    assert bench.json("create_operator", parent="/project1", type="noiseTOP")["path"] == "/project1/noise2"


def test_new_operators_never_overlap_and_stand_right_of_their_source(bench: Bench) -> None:
    for _ in range(4):
        bench.run("create_operator", parent="/project1", type="noiseTOP")
    bench.run("create_operator", parent="/project1", type="glslTOP", name="glsl1", inputs=["noise1"])
    bench.run("create_operator", parent="/project1", type="blurTOP", name="blur1", inputs=["noise1"])
    tiles = [c for c in bench.op("/project1").children if c.name != "tdmcp"]
    for i, a in enumerate(tiles):
        for b in tiles[i + 1 :]:
            apart = (
                a.nodeX >= b.nodeX + b.nodeWidth
                or b.nodeX >= a.nodeX + a.nodeWidth
                or a.nodeY >= b.nodeY + b.nodeHeight
                or b.nodeY >= a.nodeY + a.nodeHeight
            )
            assert apart, (a.name, b.name)
    noise, blur = bench.op("/project1/noise1"), bench.op("/project1/blur1")
    assert blur.nodeX > noise.nodeX + noise.nodeWidth


def test_a_given_position_is_taken(bench: Bench) -> None:
    assert bench.json("create_operator", parent="/project1", type="nullTOP", position=[300, -200])[
        "position"
    ] == [300, -200]


def test_docked_companions_come_along_and_are_named(bench: Bench) -> None:
    answer = bench.json("create_operator", parent="/project1", type="glslTOP", name="g", position=[500, 500])
    assert answer["also_made"] == ["/project1/g_pixel", "/project1/g_compute", "/project1/g_info"]
    # Docked operators do not follow moves by themselves (fact 20).
    assert abs(bench.op("/project1/g_pixel").nodeY - 500) < 200


def test_what_a_geometry_holds_already_is_named(bench: Bench) -> None:
    # It can hide that nothing else draws (fact 17).
    answer = bench.json("create_operator", parent="/project1", type="geometryCOMP", name="geo1")
    assert answer["also_made"] == ["/project1/geo1/torus1"]


def test_an_unknown_type_is_refused_with_the_right_letter_case(bench: Bench) -> None:
    with refused(bench, Code.OPERATOR_TYPE_UNKNOWN) as caught:
        bench.run("create_operator", parent="/project1", type="noiseTop")
    assert caught.value.suggestions[0] == "noiseTOP"


def test_a_type_that_can_no_longer_be_made_is_told_in_touchdesigners_words(bench: Bench) -> None:
    # Retired types keep their class (fact 16).
    retired = next(t for t in bench.td.__dir__() if t.endswith("TOP") and t not in TYPES and t != "TOP")
    with refused(bench, Code.TD_ERROR) as caught:
        bench.run("create_operator", parent="/project1", type=retired)
    assert "Invalid number or type" in caught.value.message


#: Parameters that share a row of the documentation with another one (fact 85).
SHARED_ROWS = [
    ("trailPOP", {"length": 2, "lengthunit": "seconds"}),
    ("glslPOP", {"attr0name": "custom", "attr0customname": "heat", "attr0numcomps": "3"}),
    ("glsladvancedPOP", {"maxpointsmode": "custom", "maxpoints": 500}),
    ("logicCHOP", {"boundmin": 0.25, "boundmax": 0.5}),
    ("glslmultiTOP", {"buffer0name": "points"}),
    ("inTOP", {"connectorder": 2}),
    ("phongMAT", {"blending": True}),
]


@pytest.mark.parametrize(("kind", "params"), SHARED_ROWS, ids=[kind for kind, _ in SHARED_ROWS])
def test_parameters_that_documentation_names_in_passing_are_taken(
    bench: Bench, kind: str, params: dict[str, object]
) -> None:
    bench.json("create_operator", parent="/project1", type=kind, name="made", params=params)
    assert {name: bench.op("/project1/made").par[name].eval() for name in params} == params


def test_a_taken_name_is_refused_with_the_next_free_one(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    with refused(bench, Code.NAME_TAKEN) as caught:
        bench.run("create_operator", parent="/project1", type="noiseTOP", name="noise1")
    assert caught.value.suggestions == ["noise2"]


def test_retrying_with_return_gives_the_one_that_is_there(bench: Bench) -> None:
    first = bench.json(
        "create_operator",
        parent="/project1",
        type="noiseTOP",
        name="n",
        params={"period": 3},
        if_exists="return",
    )
    again = bench.json(
        "create_operator",
        parent="/project1",
        type="noiseTOP",
        name="n",
        params={"period": 3},
        if_exists="return",
    )
    assert (first["created"], again["created"]) == (True, False)
    assert again["undo"] == ""
    assert [c.name for c in bench.op("/project1").children] == ["tdmcp", "n"]


def test_return_refuses_an_operator_of_another_type(bench: Bench) -> None:
    bench.make("blurTOP", "n")
    with refused(bench, Code.NAME_TAKEN):
        bench.run("create_operator", parent="/project1", type="noiseTOP", name="n", if_exists="return")


def test_rename_makes_the_next_number(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    answer = bench.json(
        "create_operator", parent="/project1", type="noiseTOP", name="noise1", if_exists="rename"
    )
    assert answer["path"] == "/project1/noise2"


@pytest.mark.parametrize("name", ["my noise", "a/b", "a.b", "ä", "", "*"])
def test_a_name_touchdesigner_would_change_is_refused(bench: Bench, name: str) -> None:
    with refused(bench, Code.VALUE_INVALID):
        bench.run("create_operator", parent="/project1", type="noiseTOP", name=name)


def test_a_wrong_parameter_leaves_no_operator_behind(bench: Bench) -> None:
    with refused(bench, Code.PARAMETER_NOT_FOUND) as caught:
        bench.run("create_operator", parent="/project1", type="noiseTOP", params={"perod": 1})
    assert "period" in caught.value.suggestions
    assert bench.td.ui.undo.undoStack == []


def test_a_wrong_input_leaves_no_operator_behind(bench: Bench) -> None:
    with refused(bench, Code.OPERATOR_NOT_FOUND):
        bench.run("create_operator", parent="/project1", type="nullTOP", inputs=["nosuch"])
    with refused(bench, Code.WIRING_INVALID):
        bench.run("create_operator", parent="/project1", type="noiseCHOP", inputs=["tdmcp"])


def test_only_comps_hold_operators(bench: Bench) -> None:
    bench.make("noiseTOP", "noise1")
    with refused(bench, Code.VALUE_INVALID):
        bench.run("create_operator", parent="/project1/noise1", type="nullTOP")
    with refused(bench, Code.OPERATOR_NOT_FOUND):
        bench.run("create_operator", parent="/projekt1", type="nullTOP")


def test_errors_of_the_new_operator_are_reported_a_frame_later(bench: Bench) -> None:
    answer = bench.json("create_operator", parent="/project1", type="blurTOP", name="b")
    assert answer["problems"][0]["path"] == "/project1/b"
    assert answer["problems"][0]["severity"] in ("error", "warning")


def test_the_text_says_what_the_structure_says(bench: Bench) -> None:
    output = bench.run("create_operator", parent="/project1", type="noiseTOP", name="n", params={"period": 2})
    text = output.text()
    assert (
        "/project1/n" in text and "noiseTOP" in text and "period=2" in text and "MCP Create operator" in text
    )
