"""set_parameters: checked whole before writing, read back after it."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

NOISE = "/project1/noise1"


@pytest.fixture
def noise(bench: Bench) -> Any:
    return bench.make("noiseTOP", "noise1")


def put(bench: Bench, path: str = NOISE, **params: Any) -> dict[str, Any]:
    answer = bench.json("set_parameters", changes=[{"path": path, "params": params}])
    kept = {key: answer.get(key, []) for key in ("changed", "undo", "problems")}
    return dict(answer["operators"][0]) | kept


def test_constants_are_written_and_read_back(bench: Bench, noise: Any) -> None:
    answer = put(bench, period=2.5, mono=False, type="sparse", harmon=3)
    assert answer["params"] == {"period": 2.5, "mono": False, "type": "sparse", "harmon": 3}
    assert (noise.par.period.val, bool(noise.par.mono.val), noise.par.type.val) == (2.5, False, "sparse")
    assert answer["changed"] == 4


def test_writing_what_is_there_changes_nothing(bench: Bench, noise: Any) -> None:
    put(bench, period=2.5)
    again = put(bench, period=2.5)
    assert (again["changed"], again["undo"]) == (0, "")
    assert bench.td.ui.undo.undoStack == [f"MCP Set parameters {NOISE} period"]


def test_an_unknown_menu_word_is_refused_with_near_ones(bench: Bench, noise: Any) -> None:
    # TD would silently take the first entry (fact 23).
    with refused(bench, Code.MENU_VALUE_INVALID) as caught:
        put(bench, type="simplex3")
    assert caught.value.suggestions[0].startswith("simplex")


def test_a_menus_label_is_taken_and_its_word_named(bench: Bench, noise: Any) -> None:
    label = noise.par.type.menuLabels[noise.par.type.menuNames.index("randomgpu")]
    answer = put(bench, type=label)
    assert answer["params"]["type"] == "randomgpu" and "'randomgpu'" in answer["notes"][0]
    with refused(bench, Code.MENU_VALUE_INVALID) as caught:
        put(bench, type=label.lower())
    assert caught.value.suggestions[0] == "randomgpu"


def test_a_menu_takes_an_index(bench: Bench, noise: Any) -> None:
    assert put(bench, type=2)["params"]["type"] == noise.par.type.menuNames[2]
    with refused(bench, Code.MENU_VALUE_INVALID):
        put(bench, type=999)


def test_a_strmenu_takes_any_text(bench: Bench) -> None:
    bench.make("selectCHOP", "select1")
    assert put(bench, "/project1/select1", channames="tx ty foo*")["params"] == {"channames": "tx ty foo*"}


def test_an_unknown_parameter_refuses_the_whole_call(bench: Bench, noise: Any) -> None:
    bench.make("levelTOP", "level1")
    with refused(bench, Code.PARAMETER_NOT_FOUND) as caught:
        bench.run(
            "set_parameters",
            changes=[
                {"path": NOISE, "params": {"period": 9}},
                {"path": "/project1/level1", "params": {"opasity": 0.1}},
            ],
        )
    assert "opacity" in caught.value.suggestions
    assert bench.td.ui.undo.undoStack == []


def test_all_that_is_wrong_is_told_at_once(bench: Bench, noise: Any) -> None:
    with refused(bench, Code.PARAMETER_NOT_FOUND) as caught:
        put(bench, perod=1, type="nope")
    assert caught.value.details["also"][0]["code"] == "menu_value_invalid"


def test_partial_writes_what_is_right(bench: Bench, noise: Any) -> None:
    answer = bench.json(
        "set_parameters",
        changes=[
            {"path": NOISE, "params": {"period": 9, "perod": 1}},
            {"path": "/project1/no", "params": {"a": 1}},
        ],
        partial=True,
    )
    assert noise.par.period.val == 9
    assert [(r["path"], r["code"]) for r in answer["refused"]] == [
        (NOISE, "parameter_not_found"),
        ("/project1/no", "operator_not_found"),
    ]


def test_partial_with_nothing_right_is_a_failure(bench: Bench, noise: Any) -> None:
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run("set_parameters", changes=[{"path": NOISE, "params": {"perod": 1}}], partial=True)


def test_an_expression_is_in_force_at_once(bench: Bench, noise: Any) -> None:
    answer = put(bench, period={"expr": "1 + 2"})
    assert (noise.par.period.mode.name, noise.par.period.eval()) == ("EXPRESSION", 3)
    assert (answer["params"]["period"], answer["values"]["period"]) == ({"expr": "1 + 2"}, 3)


def test_a_constant_takes_the_place_of_an_expression_and_says_so(bench: Bench, noise: Any) -> None:
    noise.par.period.expr = "absTime.frame"
    answer = put(bench, period=4)
    assert (noise.par.period.mode.name, noise.par.period.eval()) == ("CONSTANT", 4)
    assert "replaced the expression absTime.frame" in answer["notes"][0]


def test_the_constant_beneath_an_expression_does_not_hide_the_write(bench: Bench, noise: Any) -> None:
    noise.par.period.val = 4
    noise.par.period.expr = "1"
    assert put(bench, period=4)["changed"] == 1
    assert noise.par.period.mode.name == "CONSTANT"


def test_a_bind_is_in_force_at_once(bench: Bench, noise: Any) -> None:
    bench.make("noiseTOP", "noise2", period=7)
    answer = put(bench, period={"bind": "op('noise2').par.period"})
    assert (noise.par.period.mode.name, noise.par.period.eval()) == ("BIND", 7)
    assert answer["params"]["period"] == {"bind": "op('noise2').par.period"}


def test_reset_gives_the_default(bench: Bench, noise: Any) -> None:
    default = noise.par.period.default
    noise.par.period.val = default + 5
    assert put(bench, period={"reset": True})["params"]["period"] == default


def test_pulse_presses_a_button_and_nothing_else(bench: Bench) -> None:
    bench.make("timerCHOP", "timer1")
    assert put(bench, "/project1/timer1", start={"pulse": True})["params"] == {"start": {"pulse": True}}
    with refused(bench, Code.VALUE_INVALID):
        put(bench, "/project1/timer1", start=1)
    with refused(bench, Code.VALUE_INVALID):
        put(bench, "/project1/timer1", length={"pulse": True})


@pytest.mark.parametrize("text", ["1 +", "import os", "", "  "])
def test_an_expression_that_is_none_is_refused(bench: Bench, noise: Any, text: str) -> None:
    with refused(bench, Code.VALUE_INVALID):
        put(bench, period={"expr": text})


def test_an_expression_that_fails_is_written_and_its_failure_told(bench: Bench, noise: Any) -> None:
    answer = put(bench, period={"expr": "op('nosuch').par.x"})
    assert noise.par.period.expr == "op('nosuch').par.x"
    assert "has no attribute" in answer["problems"][0]["message"]


def test_text_for_a_number_is_refused(bench: Bench, noise: Any) -> None:
    # TD would raise (fact 24).
    with refused(bench, Code.VALUE_INVALID) as caught:
        put(bench, period="fast")
    assert "expr" in caught.value.hint


def test_whole_numbers_are_told_where_they_were_cut(bench: Bench, noise: Any) -> None:
    answer = put(bench, harmon=3.25)
    assert answer["params"]["harmon"] == 3
    assert answer["notes"] == ["harmon: asked 3.25, is 3 (whole numbers only)"]


def test_toggles_take_booleans_and_nothing_odd(bench: Bench, noise: Any) -> None:
    assert put(bench, mono=1)["params"] == {"mono": True}
    assert put(bench, mono="off")["params"] == {"mono": False}
    with refused(bench, Code.VALUE_INVALID):
        put(bench, mono="yes")
    with refused(bench, Code.VALUE_INVALID):
        put(bench, mono=2)


def test_a_read_only_parameter_is_refused(bench: Bench) -> None:
    # readOnly does not stop scripts (fact 24).
    base = bench.op("/project1").create("baseCOMP", "base1")
    base.appendCustomPage("P").appendFloat("Speed")
    base.par.Speed.readOnly = True
    with refused(bench, Code.PARAMETER_READ_ONLY):
        put(bench, "/project1/base1", Speed=3)


def test_an_operator_valued_parameter_takes_a_path(bench: Bench) -> None:
    geo = bench.make("geometryCOMP", "geo1")
    phong = bench.make("phongMAT", "phong1")
    answer = put(bench, geo.path, material="phong1")
    assert [o.path for o in geo.par.material.evalOPs()] == [phong.path]
    assert answer.get("notes", []) == []


def test_a_path_to_nothing_is_told(bench: Bench) -> None:
    bench.make("geometryCOMP", "geo1")
    answer = put(bench, "/project1/geo1", material="nosuch")
    assert '"nosuch"' in answer["problems"][0]["message"]


def test_a_sequence_grows_to_hold_what_is_set(bench: Bench) -> None:
    # Blocks must be there before their parameters are (fact 27).
    made = bench.make("constantCHOP", "c")
    answer = put(bench, "/project1/c", const=3, const0name="a", const2name="c", const2value=5)
    assert made.par.const.sequence.numBlocks == 3
    assert (made.par.const2name.eval(), made.par.const2value.eval()) == ("c", 5)
    assert answer["params"]["const"] == 3
    put(bench, "/project1/c", const3name="d")
    assert made.par.const.sequence.numBlocks == 4


def test_a_sequence_that_refuses_to_be_empty_says_so(bench: Bench) -> None:
    bench.make("constantCHOP", "c")
    with refused(bench, Code.VALUE_INVALID) as caught:
        put(bench, "/project1/c", const=0)
    assert "refuses 0 blocks" in caught.value.message


def test_new_problems_are_told_but_old_ones_are_not(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "noise1")
    blur = bench.make("blurTOP", "old")
    bench.frame(2)
    blur.cook()
    bench.frame(2)
    answer = bench.json("set_parameters", changes=[{"path": "/project1/old", "params": {"size": 3}}])
    assert answer.get("problems", []) == []
    answer = bench.json(
        "set_parameters", changes=[{"path": noise.path, "params": {"period": {"expr": "nope"}}}]
    )
    assert {p["path"] for p in answer["problems"]} == {NOISE}


def test_one_undo_gives_back_exactly_what_was(bench: Bench, noise: Any) -> None:
    noise.par.period.expr = "absTime.frame"
    level = bench.make("levelTOP", "level1")
    before = state(bench)
    bench.run(
        "set_parameters",
        changes=[
            {"path": NOISE, "params": {"period": 4, "type": "sparse"}},
            {"path": level.path, "params": {"opacity": {"expr": "0.5"}}},
        ],
    )
    assert state(bench) != before
    bench.run("undo")
    assert state(bench) == before


def test_a_parameter_that_takes_nothing_is_told_by_reading_back(bench: Bench) -> None:
    # TD takes the value without a word and keeps its own (fact 24).
    sprite = bench.make("pointspriteMAT", "sprite")
    kept = sprite.par.attensizenear.eval()
    answer = put(bench, "/project1/sprite", attensizenear=kept + 7)
    assert answer["notes"][0].endswith("(TouchDesigner did not take it)")
    assert sprite.par.attensizenear.eval() == kept


def test_a_constant_takes_the_place_of_a_bind_and_leaves_what_it_was_bound_to(
    bench: Bench, noise: Any
) -> None:
    other = bench.make("noiseTOP", "noise2", period=2)
    noise.par.period.bindExpr = "op('noise2').par.period"
    answer = put(bench, period=7)
    assert (noise.par.period.mode.name, noise.par.period.val, other.par.period.val) == ("CONSTANT", 7, 2)
    assert "period: replaced the bind op('noise2').par.period" in answer["notes"]
    bench.run("undo")
    assert (noise.par.period.mode.name, other.par.period.val) == ("BIND", 2)


def test_another_path_over_an_absolute_one_is_written(bench: Bench) -> None:
    bench.make("textDAT", "a")
    bench.make("timerCHOP", "timer", callbacks="/project1/a")
    for path in ("/project1/later", "a", "/project1/a"):
        bench.run("set_parameters", changes=[{"path": "/project1/timer", "params": {"callbacks": path}}])
        written = bench.op("/project1/timer").par.callbacks.val
        assert getattr(written, "path", written) in (path, "/project1/a"), path
    assert bench.json(
        "set_parameters", changes=[{"path": "/project1/timer", "params": {"callbacks": "/project1/later"}}]
    )["changed"]
