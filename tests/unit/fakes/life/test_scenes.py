"""The scenes hold what they promise."""

import pytest

from fakes import scenes


def test_the_demo_is_a_project_without_errors_that_moves(td, world, frames):
    scenes.build("demo", world)
    frames(5)
    project = td.op("/project1")
    assert project.errors(recurse=True) == project.warnings(recurse=True) == ""
    assert project.scriptErrors(recurse=True) == ""
    assert {"TOP", "CHOP", "DAT", "COMP", "MAT"} <= {o.family for o in project.findChildren()}
    null = td.op("/project1/null1")
    before = null.saveByteArray(".png")
    frames(30)
    assert null.saveByteArray(".png") != before


def test_the_knob_of_the_demo_is_bound_to_what_is_inside(td, world):
    scenes.build("demo", world)
    controls = td.op("/project1/controls")
    controls.par.Size = 0.1
    assert controls.op("circle1").par.radiusx.eval() == 0.1


def test_the_empty_scene_holds_nothing(td, world):
    scenes.build("empty", world)
    assert td.op("/project1").children == []


@pytest.mark.parametrize("count", [1, 2, 57, 1000])
def test_a_large_scene_holds_exactly_so_many_operators(td, world, count):
    scenes.build(f"large:{count}", world)
    assert len(td.op("/project1").findChildren()) == count


def test_a_large_scene_has_no_errors_and_no_overcrowded_network(td, world, frames):
    scenes.build("large:2000", world)
    frames(2)
    project = td.op("/project1")
    assert project.errors(recurse=True) == ""
    assert max(len(comp.children) for comp in project.findChildren(type=td.COMP)) <= 50


def test_a_scene_leaves_no_errors_to_settle_to_the_first_frame(td, world):
    # With fifty thousand operators that frame would be lost.
    scenes.build("large:1000", world)
    assert world.cooking.check == set()


def test_an_unknown_scene_is_refused(world):
    with pytest.raises(ValueError, match="stage"):
        scenes.build("stage", world)
