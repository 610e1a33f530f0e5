"""What an edit's answer says is how things are a frame later, and what was wrong before is not told as new."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench


def troubled(answer: dict[str, Any]) -> set[str]:
    return {problem["path"] for problem in answer["problems"]}


def speaking_of(bench: Bench, name: str) -> Any:
    """An operator with an expression that names another one of /project1."""
    speaker = bench.make("constantCHOP", "speaker")
    speaker.par.const0value.expr = f"op({name!r}).par.period"
    speaker.cook()
    bench.frame(2)
    assert not speaker.errors()
    return speaker


def test_a_new_name_that_breaks_an_expression_beside_it_is_told(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    speaking_of(bench, "n")
    answer = bench.json("update_operator", path="/project1/n", name="other")
    assert troubled(answer) == {"/project1/speaker"}


def test_a_deletion_that_breaks_an_expression_beside_it_is_told(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    speaking_of(bench, "n")
    assert troubled(bench.json("delete_operators", paths=["/project1/n"])) == {"/project1/speaker"}


def test_what_breaks_inside_a_component_is_told_with_the_component(bench: Bench) -> None:
    bench.make("baseCOMP", "box").appendCustomPage("P").appendFloat("Amount")[0].val = 1
    inside = bench.make("constantCHOP", "c", parent="/project1/box")
    inside.par.const0value.expr = "1 / parent().par.Amount"
    inside.cook()
    bench.frame(2)
    answer = bench.json("set_parameters", changes=[{"path": "/project1/box", "params": {"Amount": 0}}])
    assert troubled(answer) == {"/project1/box/c"}


def test_downstream_goes_into_components_and_out_of_them(bench: Bench) -> None:
    noise, level = bench.make("noiseTOP", "n"), bench.make("levelTOP", "l")
    bench.wire(noise, level)
    box = bench.make("baseCOMP", "box")
    entry, blur, end = (bench.make(t, t, parent=box.path) for t in ("inTOP", "blurTOP", "outTOP"))
    bench.wire(entry, blur, end)
    level.outputConnectors[0].connect(box.inputConnectors[0])
    last = bench.make("nullTOP", "z")
    box.outputConnectors[0].connect(last)
    for each in (entry, blur, end, last):
        each.cook()
    bench.frame(2)
    answer = bench.json("wire_operators", disconnect=[{"to": "/project1/l"}])
    assert {"/project1/l", entry.path, blur.path, end.path, last.path} >= troubled(answer) >= {"/project1/l"}


def test_an_old_problem_is_not_told_again_under_a_new_name(bench: Bench) -> None:
    blur = bench.make("blurTOP", "b")
    blur.cook()
    bench.frame(2)
    assert blur.errors()
    assert troubled(bench.json("update_operator", path="/project1/b", name="renamed")) == set()


def test_an_old_problem_inside_a_component_is_not_told_by_building_there(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    blur = bench.make("blurTOP", "b", parent="/project1/box")
    blur.cook()
    bench.frame(2)
    assert blur.errors()
    inside = [{"name": "b", "comment": "x"}]
    answer = bench.json("build_network", path="/project1", operators=[{"name": "box", "children": inside}])
    assert (answer["changed"], troubled(answer)) == (["/project1/box/b"], set())


def test_values_are_those_after_all_writes_of_the_call(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("constantCHOP", "c")
    changes = [
        {"path": "/project1/c", "params": {"const0value": {"expr": "op('n').par.harmon"}}},
        {"path": "/project1/n", "params": {"harmon": 5}},
    ]
    answer = bench.json("set_parameters", changes=changes)
    assert answer["operators"][0]["values"] == {"const0value": 5}


def test_what_a_callback_makes_of_a_value_is_told(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    watcher = bench.make(
        "parameterexecuteDAT", "p", op="n", pars="period", builtin=True, valuechange=True, active=True
    )
    watcher.text = "def onValueChange(par, prev):\n    if par.eval() > 2:\n        par.val = 2\n"
    bench.frame(2)
    answer = bench.json("set_parameters", changes=[{"path": "/project1/n", "params": {"period": 9}}])
    [written] = answer["operators"]
    assert written["params"] == {"period": 2}
    assert written["notes"] == ["period: was 9 when it was written, is 2 now"]


def test_a_resolution_that_the_licence_cuts_is_told_of_operators_inside_too(bench: Bench) -> None:
    bench.world.licence.max_resolution = 1280
    noise = {"name": "n", "type": "noiseTOP", "params": {"outputresolution": "custom", "resolutionw": 4000}}
    box = {"name": "box", "type": "baseCOMP", "children": [noise]}
    answer = bench.json("build_network", path="/project1", operators=[box])
    assert answer["notes"] == ["/project1/box/n resolutionw: asked 4000, the image's width is 1280"]


def test_an_input_that_is_not_there_is_refused_though_the_operator_has_several(bench: Bench) -> None:
    noise, other, cross = bench.make("noiseTOP", "n"), bench.make("rampTOP", "r"), bench.make("crossTOP", "x")
    for connector in cross.inputConnectors:
        connector.connect(noise)
    with refused(bench, Code.WIRING_INVALID) as failure:
        bench.run("wire_operators", connect=[{"from": other.path, "to": cross.path, "input": 2}])
    assert "has no input 2: it has 2" in failure.value.message


def test_connectors_of_components_are_not_looked_for_on_other_operators(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("nullTOP", "z")
    wire = {"from": "/project1/n", "to": "/project1/z", "comp": True}
    with refused(bench, Code.WIRING_INVALID):
        bench.run("wire_operators", connect=[wire])
    with refused(bench, Code.WIRING_INVALID):
        bench.run("wire_operators", disconnect=[{"to": "/project1/z", "comp": True}])
