"""Custom pages and parameters: what scripts can do to them beyond making them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from fakes.errors import NotFaked
from fakes.world import World


@pytest.fixture
def base(td: ModuleType) -> Any:
    return td.op("/project1").create(td.baseCOMP)


def names(base: Any) -> list[str]:
    return [p.name for p in base.customPars]


def test_a_page_of_that_name_is_used_again(base: Any) -> None:
    base.appendCustomPage("Show").appendFloat("A")
    base.appendCustomPage("Show").appendFloat("B")
    assert [p.name for p in base.customPages] == ["Show"]
    assert [p.name for p in base.customPages[0].pars] == ["A", "B"]


def test_pages_and_parameters_can_be_put_in_order(base: Any) -> None:
    first, second = base.appendCustomPage("First"), base.appendCustomPage("Second")
    for name in ("A", "B", "C"):
        first.appendFloat(name)
    first.sort("C", "A")
    assert [p.name for p in first.pars] == ["C", "A", "B"]
    base.sortCustomPages("Second", "First")
    assert [p.name for p in base.customPages] == ["Second", "First"]
    assert second.index == 0


def test_destroying_a_page_destroys_what_is_on_it(base: Any, td: ModuleType) -> None:
    page = base.appendCustomPage("Show")
    page.appendXYZ("Pos")
    base.appendCustomPage("Other").appendFloat("Keep")
    page.destroy()
    assert names(base) == ["Keep"]
    with pytest.raises(td.tdError):
        page.appendFloat("Late")


def test_all_custom_parameters_can_be_destroyed_at_once(base: Any) -> None:
    page = base.appendCustomPage("Show")
    page.appendXYZ("Pos")
    page.appendFloat("A")
    assert base.destroyCustomPars() == 4
    assert (base.customPars, base.customPages) == ([], [])


def test_a_new_default_leaves_the_value_alone(base: Any) -> None:
    par = base.appendCustomPage("Show").appendFloat("A")[0]
    par.default = 5
    assert par.eval() == 0
    assert not par.isDefault
    par.reset()
    assert par.eval() == 5


def test_a_menu_begins_with_its_first_word(base: Any) -> None:
    par = base.appendCustomPage("Show").appendMenu("Kind")[0]
    par.menuNames, par.menuLabels = ["one", "two"], ["One", "Two"]
    assert (par.eval(), par.default, par.menuIndex) == ("one", "one", 0)
    par.menuIndex = 1
    assert par.eval() == "two"
    par.menuNames = ["two", "three"]
    assert par.eval() == "two"


def test_whole_numbers_are_held_to_limits_that_clamp(base: Any) -> None:
    par = base.appendCustomPage("Show").appendInt("Count")[0]
    par.min, par.max, par.clampMin, par.clampMax = 1, 8, True, True
    par.val = 100
    assert par.eval() == 8
    par.val = 0
    assert par.eval() == 1


def test_a_parameter_can_move_to_another_page(base: Any) -> None:
    par = base.appendCustomPage("Show").appendFloat("A")[0]
    base.appendCustomPage("Other")
    par.page = "Other"
    assert par.page.name == "Other"
    assert base.customPages[0].pars == []


def test_a_parameter_like_another_can_be_appended(base: Any) -> None:
    page = base.appendCustomPage("Show")
    original = page.appendMenu("Kind", label="The Kind")
    original.menuNames = ["a", "b"]
    double = page.appendParGroup("Again", original)
    assert double.label == "The Kind"
    assert double[0].menuNames == ["a", "b"]


def test_replacing_without_replace_is_not_established(base: Any) -> None:
    page = base.appendCustomPage("Show")
    page.appendFloat("A")
    with pytest.raises(NotFaked):
        page.appendFloat("A", replace=False)


def test_parameters_can_be_copied_between_operators_and_reset(base: Any, td: ModuleType) -> None:
    one, two = td.op("/project1").create(td.noiseTOP), td.op("/project1").create(td.noiseTOP)
    one.par.period = 4
    one.par.seed.expr = "3"
    two.copyParameters(one)
    assert (two.par.period.eval(), two.par.seed.expr) == (4, "3")
    assert two.resetPars("period") is True
    assert (two.par.period.eval(), two.par.seed.eval()) == (1, 3)


def test_a_dependency_is_followed_by_expressions(base: Any, td: ModuleType, world: World) -> None:
    held = td.tdu.Dependency(2)
    base.store("held", held)
    noise = base.create(td.noiseTOP)
    noise.par.period.expr = "parent().fetch('held').val"
    noise.cook()
    before = noise.totalCooks
    heard: list[Any] = []
    held.callbacks.append(lambda info: heard.append((info["prevVal"], info["val"])))
    held.val = 5
    noise.cook()
    assert noise.par.period.eval() == 5
    assert noise.totalCooks == before + 1
    assert heard == [(2, 5)]


def test_wires_of_hierarchies_and_setting_inputs_at_once(td: ModuleType) -> None:
    top = td.op("/project1")
    a, b, c = (top.create(td.noiseTOP) for _ in range(3))
    composite = top.create(td.compositeTOP)
    composite.setInputs([a, b])
    assert composite.inputs == [a, b]
    composite.setInputs([c])
    assert composite.inputs == [c]
    assert a.outputs == []


def test_annotations_know_what_they_frame(td: ModuleType) -> None:
    top = td.op("/project1")
    note, inside, outside = top.create(td.annotateCOMP), top.create(td.noiseTOP), top.create(td.noiseTOP)
    note.nodeX, note.nodeY, note.nodeWidth, note.nodeHeight = -50, -50, 400, 300
    outside.nodeX = 1000
    assert note.enclosedOPs == [inside]
    assert inside.enclosedBy == [note]
    assert outside.enclosedBy == []
    assert (note.x, note.width) == (-50.0, 400.0)


def test_values_of_blocks_and_of_replaced_parameters_come_back_with_undo(base: Any, td: ModuleType) -> None:
    undo = td.ui.undo
    chop = td.op("/project1").create(td.constantCHOP)
    undo.startBlock("more")
    chop.seq.const.numBlocks = 3
    chop.par.const2value = 7
    undo.endBlock()
    undo.startBlock("fewer")
    chop.seq.const.numBlocks = 1
    undo.endBlock()
    undo.undo()
    assert chop.par.const2value == 7
    undo.undo()
    assert chop.par["const2value"] is None
    undo.redo()
    assert chop.par.const2value == 7
    page = base.appendCustomPage("Show")
    page.appendFloat("Speed")[0].val = 4
    undo.startBlock("replace")
    page.appendInt("Speed")
    undo.endBlock()
    undo.undo()
    assert (base.par.Speed.style, base.par.Speed.eval()) == ("Float", 4)
