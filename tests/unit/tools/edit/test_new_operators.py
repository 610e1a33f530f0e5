"""New operators look as those that a person makes in the editor, and flags that exclude each other are kept in step."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.harness import Bench


def test_a_new_operator_shows_its_viewer_and_a_component_does_not(bench: Bench) -> None:
    bench.run("create_operator", parent="/project1", type="glslTOP", name="g")
    bench.run("create_operator", parent="/project1", type="baseCOMP", name="b")
    bench.run(
        "build_network",
        path="/project1/b",
        operators=[
            {"name": "c", "type": "constantCHOP"},
            {"name": "quiet", "type": "nullCHOP", "flags": {"viewer": False}},
            {"name": "inner", "type": "containerCOMP"},
        ],
    )
    found = {o.name: o.viewer for p in ("/project1", "/project1/b") for o in bench.op(p).children}
    assert found == {
        "tdmcp": False, "g": True, "g_pixel": True, "g_compute": True, "g_info": True, "b": False,
        "c": True, "quiet": False, "inner": False,
    }  # fmt: skip


def test_a_copy_and_a_retyped_operator_keep_their_viewer(bench: Bench) -> None:
    bench.make("noiseTOP", "off")
    bench.run("create_operator", parent="/project1", type="noiseTOP", name="on")
    bench.run("copy_operators", paths=["/project1/off", "/project1/on"])
    assert (bench.op("/project1/off1").viewer, bench.op("/project1/on1").viewer) == (False, True)
    for name, viewer in (("off", False), ("on", True)):
        bench.run("update_operator", path=f"/project1/{name}", type="rampTOP")
        assert bench.op(f"/project1/{name}").viewer is viewer


def test_displaying_a_sop_takes_the_flag_off_the_other_and_undo_gives_it_back(bench: Bench) -> None:
    box, grid = bench.make("boxSOP", "box"), bench.make("gridSOP", "grid")
    box.display = True
    bench.run("update_operator", path="/project1/grid", flags={"display": True})
    assert (box.display, grid.display) == (False, True)
    bench.run("undo")
    assert (bench.op("/project1/box").display, bench.op("/project1/grid").display) == (True, False)


def test_a_failed_edit_gives_the_display_flag_back(bench: Bench) -> None:
    box, grid = bench.make("boxSOP", "box"), bench.make("gridSOP", "grid")
    box.display = True
    with pytest.raises(ToolFailure):
        bench.run(
            "build_network",
            path="/project1",
            operators=[
                {"name": "grid", "flags": {"display": True}},
                {"name": "box", "flags": {"nosuch": True}},
            ],
        )
    assert (box.display, grid.display) == (True, False)
