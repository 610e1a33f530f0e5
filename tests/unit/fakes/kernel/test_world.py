"""The world: hooks, callbacks, traps when destroying, and what copies and undo leave behind."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from fakes.errors import NotFaked, tdError
from fakes.nodes import Node
from fakes.world import ParEvent, World
from tests.contract.facts import fact


def project(world: World) -> Node:
    node = world.node("/project1")
    assert node is not None
    return node


def test_parameter_changes_are_told_at_the_next_frame_once_each(world: World) -> None:
    heard: list[ParEvent] = []
    world.par_changed.append(heard.append)
    noise = world.create(project(world), "noiseTOP")
    noise.set("period", 3)
    noise.set("period", 3)
    assert heard == []
    world.begin_frame()
    world.begin_frame()
    assert [(e.node, e.name, e.previous, e.kind) for e in heard] == [(noise, "period", 1.0, "value")]


def test_nobody_is_told_of_parameters_of_operators_that_are_gone(world: World) -> None:
    heard: list[ParEvent] = []
    world.par_changed.append(heard.append)
    noise = world.create(project(world), "noiseTOP")
    noise.set("period", 3)
    world.destroy(noise)
    world.begin_frame()
    assert heard == []


def test_creating_copying_and_undoing_a_destroy_all_announce_the_operator(
    world: World, td: ModuleType
) -> None:
    made: list[str] = []
    world.op_created.append(lambda n: made.append(n.name))
    base = td.op("/project1").create(td.baseCOMP)
    base.create(td.noiseTOP)
    td.op("/project1").copy(base)
    td.ui.undo.startBlock("x")
    base.destroy()
    td.ui.undo.endBlock()
    td.ui.undo.undo()
    assert made == ["base1", "noise1", "base2", "noise1", "base1", "noise1"]


def test_a_callbacks_exception_becomes_a_script_error_with_the_scripts_own_lines(world: World) -> None:
    noise = world.create(project(world), "noiseTOP")
    scope: dict[str, Any] = {}
    exec(compile("def f():\n    return 1 / 0\n", "/project1/dat1", "exec"), scope)  # noqa: S102  As a DAT's text is run.
    assert world.callback(noise, scope["f"]) is None
    text = world.face(noise).scriptErrors()
    assert 'File "/project1/dat1", line 2, in f' in text
    assert "ZeroDivisionError: division by zero" in text
    assert "world.py" not in text
    world.face(noise).clearScriptErrors()
    assert world.face(noise).scriptErrors() == ""


@fact(19, 73)
def test_a_host_with_docked_operators_is_refused_and_the_script_goes_on(world: World, td: ModuleType) -> None:
    world.docked_hosts_are_refused = True
    glsl = td.op("/project1").create(td.glslTOP)
    with pytest.raises(tdError, match="docked"):
        glsl.destroy()
    assert glsl.valid


@fact(73)
def test_a_host_with_docked_operators_goes_and_leaves_them_behind(world: World, td: ModuleType) -> None:
    td.op("/project1").create(td.glslTOP, "g").destroy()
    left = td.op("/project1").children
    assert [o.name for o in left] == ["g_pixel", "g_compute", "g_info"]
    assert [o.dock for o in left] == [None, None, None]


def test_a_component_takes_docked_operators_inside_it_along(world: World, td: ModuleType) -> None:
    base = td.op("/project1").create(td.baseCOMP)
    base.create(td.glslTOP)
    base.destroy()
    assert td.op("/project1").children == []


def test_what_is_wired_to_itself_may_change_its_type(world: World, td: ModuleType) -> None:
    glsl = td.root.create("glslTOP", "g")
    glsl.inputConnectors[0].connect(glsl)
    noise = glsl.changeType(td.levelTOP)
    assert noise.inputs == [noise]


def test_an_undone_glsl_top_takes_its_docked_operators_along_and_redo_brings_them_back(
    world: World, td: ModuleType
) -> None:
    td.ui.undo.startBlock("glsl")
    td.op("/project1").create(td.glslTOP, "shader")
    td.ui.undo.endBlock()
    td.ui.undo.undo()
    assert td.op("/project1").children == []
    td.ui.undo.redo()
    shader = td.op("/project1/shader")
    assert {d.name for d in shader.docked} == {"shader_pixel", "shader_compute", "shader_info"}


def test_undo_without_a_block_records_nothing_and_the_switch_turns_it_off(
    world: World, td: ModuleType
) -> None:
    td.op("/project1").create(td.noiseTOP)
    assert td.ui.undo.undoStack == []
    td.ui.undo.globalState = False
    td.ui.undo.startBlock("off")
    td.op("/project1").create(td.noiseTOP)
    td.ui.undo.endBlock()
    assert td.ui.undo.undoStack == []


def test_undoing_and_redoing_many_times_ends_where_it_began(world: World, td: ModuleType) -> None:
    def picture() -> list[Any]:
        return [
            (n.path, n.info.name, [w and (w.source.name, w.output) for w in n.wires or ()], n.value("period"))
            for n in world.walk(project(world))
            if "period" in n.info.pars
        ]

    top = td.op("/project1")
    a, b = top.create(td.noiseTOP), top.create(td.noiseTOP)
    b.inputConnectors[0].connect(a)
    before = picture()
    td.ui.undo.startBlock("much")
    a.par.period = 4
    b.inputConnectors[0].disconnect()
    a.destroy()
    c = top.create(td.noiseTOP, "noise1")
    b.inputConnectors[0].connect(c)
    b.name = "renamed"
    td.ui.undo.endBlock()
    after = picture()
    for _ in range(3):
        td.ui.undo.undo()
        assert picture() == before
        td.ui.undo.redo()
        assert picture() == after


def test_a_stubborn_parameter_takes_nothing_and_says_nothing(world: World, td: ModuleType) -> None:
    world.stubborn.add(("noiseTOP", "period"))
    noise = td.op("/project1").create(td.noiseTOP)
    noise.par.period = 5
    assert noise.par.period == 1


def test_setting_the_value_of_a_pulse_is_refused_as_not_established(world: World, td: ModuleType) -> None:
    par = td.op("/project1").appendCustomPage("Show").appendPulse("Go")[0]
    with pytest.raises(NotFaked):
        par.val = 1


def test_a_pulse_is_told_at_once_to_the_operator_and_at_the_next_frame_to_callbacks(
    world: World, td: ModuleType
) -> None:
    at_once: list[str] = []
    later: list[str] = []
    world.par_pulsed.append(lambda node, name: at_once.append(name))
    world.par_changed.append(lambda event: later.append(event.kind))
    td.op("/project1").appendCustomPage("Show").appendPulse("Go")[0].pulse()
    assert (at_once, later) == (["Go"], [])
    world.begin_frame()
    assert later == ["pulse"]


def test_wiring_different_families_is_not_established(world: World, td: ModuleType) -> None:
    top = td.op("/project1")
    with pytest.raises(NotFaked):
        top.create(td.noiseTOP).outputConnectors[0].connect(top.create(td.mathCHOP))


def test_a_large_network_idles_at_no_cost_that_grows_with_it(world: World) -> None:
    base = project(world)
    for _ in range(2000):
        world.create(base, "noiseTOP", quiet=True)
    world.begin_frame()
    looked_at = len(world.cooking.check)
    assert looked_at == 0
