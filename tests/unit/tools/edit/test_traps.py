"""Where TouchDesigner surprises: what agents' code runs into is told, and what it did in vain is not told as done."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def test_destroying_an_operator_twice_is_an_error_and_nothing_is_left_destroyed(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    before = state(bench)
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code="n = op('/project1/n')\nn.destroy()\nn.destroy()")
    assert caught.value.details["line"] == 3
    assert state(bench) == before


def test_destroying_a_dock_host_first_changes_nothing_where_it_is_refused(bench: Bench) -> None:
    bench.world.docked_hosts_are_refused = True
    bench.make("glslTOP", "glsl1")
    before = state(bench)
    code = (
        "try:\n    op('/project1/glsl1').destroy()\nexcept Exception as error:\n    said = str(error)\nsaid"
    )
    assert "docked" in bench.json("execute_python", code=code)["value"]
    assert state(bench) == before
    assert bench.json("execute_python", code="1 + 1")["value"] == 2


@pytest.mark.parametrize("refusing", [False, True])
def test_a_dock_host_is_deleted_with_what_is_docked_to_it(bench: Bench, refusing: bool) -> None:
    bench.world.docked_hosts_are_refused = refusing
    bench.make("timerCHOP", "t")
    bench.json("delete_operators", paths=["/project1/t"])
    assert bench.op("/project1/t") is None and bench.op("/project1/t_callbacks") is None
    bench.run("undo")
    assert [o.name for o in bench.op("/project1/t").docked] == ["t_callbacks"]


def test_code_that_destroys_a_dock_host_goes_on_where_it_is_let(bench: Bench) -> None:
    bench.make("glslTOP", "glsl1")
    code = "op('/project1/glsl1').destroy()\n[o.name for o in op('/project1').children if o.name != 'tdmcp']"
    assert bench.json("execute_python", code=code)["value"] == ["glsl1_pixel", "glsl1_compute", "glsl1_info"]
    bench.run("undo")
    assert {o.name for o in bench.op("/project1/glsl1").docked} == {
        "glsl1_pixel",
        "glsl1_compute",
        "glsl1_info",
    }


def test_a_word_a_menu_does_not_know_is_read_back_as_what_became_of_it(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    code = "n = op('/project1/n')\nn.par.type = 'perlin9000'\nn.par.type.eval()"
    assert bench.json("execute_python", code=code)["value"] == noise.par.type.menuNames[0]


def test_a_menu_that_takes_any_text_is_left_to_take_it(bench: Bench) -> None:
    pop = bench.make("attributePOP", "attributes")
    assert (pop.par.deletepoint.isMenu, pop.par.deletepoint.menuNames) == (True, ["*"])
    bench.run(
        "set_parameters", changes=[{"path": "/project1/attributes", "params": {"deletepoint": "Color"}}]
    )
    assert pop.par.deletepoint.eval() == "Color"


def test_wires_across_networks_are_not_there_afterwards(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.make("baseCOMP", "box")
    bench.make("nullTOP", "inside", parent="/project1/box")
    code = "op('/project1/n').outputConnectors[0].connect(op('/project1/box/inside'))"
    bench.run("execute_python", code=code)
    rows = bench.json("read_network", path="/project1/box")["operators"]
    assert [row.get("inputs") for row in rows if row["name"] == "inside"] in ([None], [[]])


def test_taking_off_a_wire_moves_the_ones_after_it_up(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.make("noiseTOP", name)
    bench.make("compositeTOP", "comp")
    wires = [{"from": f"/project1/{name}", "to": "/project1/comp", "input": i} for i, name in enumerate("ab")]
    bench.run("wire_operators", connect=wires)
    answer = bench.json("wire_operators", disconnect=[{"to": "/project1/comp", "input": 0}])
    assert answer["operators"] == [{"path": "/project1/comp", "inputs": ["/project1/b"]}]


def test_annotations_belong_to_the_network_they_stand_in(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    bench.make("annotateCOMP", "here").par.Titletext = "outside"
    bench.make("annotateCOMP", "there", parent="/project1/box").par.Titletext = "inside"
    outer = bench.json("read_network", path="/project1", depth=1)
    assert [a["title"] for a in outer["annotations"]] == ["outside"]


def test_a_message_box_keeps_only_the_code_that_opened_it_waiting(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.life.display.dialogs.allow(1, frames=4)
    seen: list[float] = []
    bench.td.run(lambda: seen.append(bench.td.absTime.frame), delayFrames=2)
    code = "answer = ui.messageBox('Really?', 'Delete it?', buttons=['No', 'Yes'])\nop('/project1/n').destroy()\nanswer"
    answer = bench.json("execute_python", code=code)
    assert (answer["value"], answer["deleted"]) == (1, ["/project1/n"])
    assert len(seen) == 1
    # Still one step, though frames went by in its midst.
    bench.run("undo")
    assert bench.op("/project1/n") is not None


@pytest.mark.parametrize("kind", ["ui.messageBox('a', 'b')", "ui.chooseFile()"])
def test_a_dialog_nobody_answers_is_an_error_of_the_code(bench: Bench, kind: str) -> None:
    with refused(bench, Code.PYTHON_ERROR) as caught:
        bench.run("execute_python", code=kind)
    assert "would wait for somebody to answer" in caught.value.message + str(caught.value.details)
