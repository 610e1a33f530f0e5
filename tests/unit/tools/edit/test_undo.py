"""Undo: one step per call, whose name is told; and a failure in the middle leaves no trace."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import undo
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def test_undo_and_redo_name_their_steps(bench: Bench) -> None:
    bench.run("create_operator", parent="/project1", type="noiseTOP", name="n")
    bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"period": 2}}])
    after = state(bench)
    answer = bench.json("undo", steps=2)
    assert answer["undone"] == ["MCP Set parameters /project1/n period", "MCP Create operator /project1/n"]
    assert bench.op("/project1/n") is None
    answer = bench.json("undo", steps=2, redo=True)
    assert answer["redone"] == ["MCP Create operator /project1/n", "MCP Set parameters /project1/n period"]
    assert state(bench) == after


def test_fewer_steps_than_asked_are_told(bench: Bench) -> None:
    bench.run("create_operator", parent="/project1", type="noiseTOP")
    assert bench.json("undo", steps=9)["undone"] == ["MCP Create operator /project1"]


def test_with_nothing_to_undo_it_is_refused(bench: Bench) -> None:
    with refused(bench, Code.PRECONDITION_FAILED):
        bench.run("undo")


def test_undoing_adds_no_step_of_its_own(bench: Bench) -> None:
    bench.run("create_operator", parent="/project1", type="noiseTOP")
    bench.run("undo")
    assert (bench.td.ui.undo.undoStack, bench.td.ui.undo.redoStack) == ([], ["MCP Create operator /project1"])


def test_a_failure_inside_a_block_leaves_nothing(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n", period=2)
    before = state(bench)
    with pytest.raises(ZeroDivisionError), undo.block(bench.td, "x") as journal:
        journal.writing()
        noise.par.period = 9
        bench.op("/project1").create("nullTOP", "made")
        noise.name = "renamed"
        raise ZeroDivisionError
    assert state(bench) == before
    assert bench.td.ui.undo.undoStack == []


def test_what_touchdesigners_undo_misses_is_put_back_by_the_journal(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n", period=2)
    before = state(bench)
    bench.td.ui.undo.globalState = False
    with pytest.raises(ToolFailure):
        bench.run(
            "build_network",
            path="/project1",
            operators=[
                {"name": "n", "params": {"period": 9, "mono": True}, "position": [900, 900], "tags": ["x"]},
                {"name": "made", "type": "nullTOP", "inputs": ["n"]},
                {"name": "t", "type": "tableDAT", "table": [["a"]]},
                {"name": "wrong", "type": "levelTOP", "inputs": [None, None, None, None, None, "n"]},
            ],
        )
    assert state(bench) == before
    assert noise.par.period.val == 2


def test_a_block_torn_down_from_inside_is_still_put_back(bench: Bench) -> None:
    # Making an annotation ends the block (fact 35).
    before = state(bench)
    with pytest.raises(ZeroDivisionError), undo.block(bench.td, "x") as journal:
        journal.writing()
        journal.created(bench.op("/project1").create("nullTOP", "early"))
        journal.created(bench.op("/project1").create("annotateCOMP", "note"))
        journal.created(bench.op("/project1").create("nullTOP", "late"))
        raise ZeroDivisionError
    assert state(bench) == before


def test_ending_a_block_that_is_gone_is_no_error(bench: Bench) -> None:
    with undo.block(bench.td, "x") as journal:
        journal.writing()
        bench.op("/project1").create("annotateCOMP", "note")


def test_a_block_in_a_block_is_one_step(bench: Bench) -> None:
    with undo.block(bench.td, "outer") as journal:
        journal.writing()
        bench.op("/project1").create("nullTOP", "a")
        with undo.block(bench.td, "inner"):
            bench.op("/project1").create("nullTOP", "b")
    assert bench.td.ui.undo.undoStack == ["outer"]
