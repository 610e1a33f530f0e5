"""measure_performance, watch_values, describe_type, get_selection."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tests.unit.tools.harness import Bench


def everything(bench: Bench) -> list[str]:
    return sorted(node.path for node in bench.world.walk())


def refused(bench: Bench, name: str, **asked: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as refusal:
        bench.run(name, **asked)
    return refusal.value


# -- measure_performance


def test_the_operator_that_cooks_is_named_and_one_that_does_not_is_not(bench: Bench) -> None:
    busy = bench.make("constantTOP", "busy")
    busy.par.colorr.expr = "absTime.seconds % 1"
    bench.make("constantTOP", "idle")
    bench.world.on_frame_end.append(lambda: busy.cook())
    found = bench.json("measure_performance", frames=10, path="/project1")
    assert found["frames"] == 10 and found["operators"] == 2 and found["cooked"] == 1
    [row] = found["slowest"]
    assert row["path"] == "/project1/busy" and row["cooks"] >= 10
    assert found["fps_target"] == 60 and set(found["frame_ms"]) == {"min", "mean", "p95", "max"}


def test_as_many_frames_pass_as_were_asked_for_and_as_many_operators_are_named(bench: Bench) -> None:
    top = bench.make("constantTOP", "busy")
    top.par.colorr.expr = "absTime.seconds % 1"
    bench.world.on_frame_end.append(lambda: top.cook())
    assert bench.steps("measure_performance", frames=25, path="/project1").count(NEXT_FRAME) == 26
    assert bench.json("measure_performance", frames=5, path="/project1", slowest=0)["slowest"] == []


# -- watch_values


def test_a_value_that_moves_is_told_from_one_that_does_not(bench: Bench) -> None:
    moving, still = bench.make("noiseTOP", "m"), bench.make("noiseTOP", "s", period=2)
    moving.par.seed.expr = "absTime.frame"
    watch = [{"path": "/project1/m", "param": "seed"}, {"path": "/project1/s", "param": "period"}]
    first, second = bench.json("watch_values", watch=watch, frames=10)["values"]
    assert first["count"] == 10 and first["changes"] == 9 and first["max"] - first["min"] >= 9
    assert second["changes"] == 0 and second["first"] == second["last"] == 2 and "samples" not in second
    assert moving.par.seed.eval() != still.par.seed.eval()


def test_every_nth_frame_is_sampled(bench: Bench) -> None:
    bench.make("noiseTOP", "m").par.seed.expr = "absTime.frame"
    [row] = bench.json("watch_values", watch=[{"path": "/project1/m", "param": "seed"}], frames=10, every=3)[
        "values"
    ]
    assert row["count"] == 4 and row["samples"][1] - row["samples"][0] >= 3


def test_channels_are_watched_by_name_or_all(bench: Bench) -> None:
    chop = bench.make("constantCHOP", "c")
    chop.par.const0name, chop.par.const0value = "speed", 0.5
    asked = [{"path": "/project1/c"}, {"path": "/project1/c", "channel": "speed"}]
    rows = bench.json("watch_values", watch=asked, frames=2)["values"]
    assert [(row["channel"], row["last"]) for row in rows] == [("speed", 0.5), ("speed", 0.5)]


def test_long_series_are_thinned_out_and_say_so(bench: Bench) -> None:
    bench.make("noiseTOP", "m").par.seed.expr = "absTime.frame"
    [row] = bench.json("watch_values", watch=[{"path": "/project1/m", "param": "seed"}], frames=300)["values"]
    assert row["count"] == 300 and len(row["samples"]) <= 60 and row["samples_every"] == 5


def test_many_channels_stay_a_small_answer_and_too_many_are_refused(bench: Bench) -> None:
    names = [f"wave{index}" for index in range(11)]
    for name in names:
        bench.make("lfoCHOP", name, channelname="chan[1-30]")
    answer = bench.run("watch_values", watch=[{"path": "/project1/wave0"}], frames=120)
    rows = answer.structured()["values"]
    assert len(rows) == 20 and all(len(row["samples"]) == 30 and row["samples_every"] == 4 for row in rows)
    assert len(json.dumps(answer.structured())) + len(answer.text()) < 20_000
    everything = refused(bench, "watch_values", watch=[{"path": f"/project1/{name}"} for name in names])
    assert everything.code is Code.TOO_LARGE and "220" in everything.message


def test_what_cannot_be_watched_is_refused_with_what_can(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    chop = bench.make("constantCHOP", "c")
    chop.par.const0name = "speed"
    wrong = refused(bench, "watch_values", watch=[{"path": "/project1/n", "param": "perid"}])
    assert wrong.code is Code.PARAMETER_NOT_FOUND and "period" in wrong.suggestions
    assert refused(bench, "watch_values", watch=[{"path": "/project1/n"}]).code is Code.VALUE_INVALID
    assert refused(bench, "watch_values", watch=[{"path": "/project1/c", "channel": "sped"}]).suggestions == [
        "speed"
    ]


# -- describe_type


def test_a_type_is_described_from_this_build_and_nothing_stays(bench: Bench) -> None:
    bench.frame()
    before, undo = everything(bench), list(bench.td.ui.undo.undoStack)
    found = bench.json("describe_type", type="noiseTOP")
    assert found["kind"] == "operator" and found["facts"]["family"] == "TOP"
    assert found["parameters"]["period"]["style"] == "Float" and "menu" not in found["parameters"]["type"]
    assert everything(bench) == before and list(bench.td.ui.undo.undoStack) == undo


def test_a_pattern_asks_for_the_details(bench: Bench) -> None:
    found = bench.json("describe_type", type="noiseTOP", parameters="type t?")["parameters"]
    assert list(found) == ["type", "tx", "ty", "tz"] and "sparse" in found["type"]["menu"]
    assert found["tx"]["label"] == "Translate" and found["tx"]["page"] == "Transform"


def test_what_a_type_brings_along_is_told(bench: Bench) -> None:
    assert "infoDAT" in bench.json("describe_type", type="glslTOP")["facts"]["docked"]
    assert bench.json("describe_type", type="geometryCOMP")["facts"]["inside"] == ["torusPOP"]


def test_a_class_and_a_module_are_described_too(bench: Bench) -> None:
    par = bench.json("describe_type", type="Par")
    assert (
        par["kind"] == "class" and "pulse" in par["members"] and par["members"]["expr"].startswith("property")
    )
    assert "clamp" in bench.json("describe_type", type="tdu")["members"]
    assert list(bench.json("describe_type", type="COMP", parameters="findChildr*")["members"]) == [
        "findChildren"
    ]


def test_every_description_is_small(bench: Bench) -> None:
    for name in ("geometryCOMP", "renderTOP", "phongMAT", "OP"):
        answer = bench.run("describe_type", type=name)
        assert len(json.dumps(answer.structured())) + len(answer.text()) < 20_000, name


@pytest.mark.parametrize(
    ("wrong", "right"), [("noiseTop", "noiseTOP"), ("Noise", "noiseTOP"), ("Pars", "Par")]
)
def test_a_name_that_is_none_is_refused_with_the_right_one(bench: Bench, wrong: str, right: str) -> None:
    refusal = refused(bench, "describe_type", type=wrong)
    assert refusal.code is Code.OPERATOR_TYPE_UNKNOWN and right in refusal.suggestions


# -- get_selection


def test_what_the_user_has_in_view_is_told(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    noise.selected = noise.current = True
    [pane] = bench.json("get_selection")["panes"]
    assert (
        pane["network"] == "/project1"
        and pane["selected"] == ["/project1/n"]
        and pane["current"] == "/project1/n"
    )


def test_showing_brings_the_editor_there_two_frames_later(bench: Bench) -> None:
    bench.make("baseCOMP", "c")
    bench.make("nullTOP", "old").selected = True
    bench.make("nullTOP", "x", parent="/project1/c")
    assert bench.steps("get_selection", show="/project1/c/x").count(NEXT_FRAME) == 2
    [pane] = bench.json("get_selection")["panes"]
    assert pane["network"] == "/project1/c" and pane["selected"] == ["/project1/c/x"]


def test_nothing_is_shown_in_perform_mode(bench: Bench) -> None:
    bench.make("nullTOP", "x")
    bench.td.ui.performMode = True
    assert refused(bench, "get_selection", show="/project1/x").code is Code.PRECONDITION_FAILED
    assert bench.json("get_selection")["perform_mode"] is True
