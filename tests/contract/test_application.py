"""What scripts can ask about the program and its user interface."""

import re
import sys

from tests.contract.facts import fact, raises


@fact(46)
def test_the_program_tells_version_and_build(t):
    assert t.td.app.version == "099"
    assert re.fullmatch(r"20\d\d\.\d+", t.td.app.build)


@fact(46)
def test_the_bundled_python_is_told(t):
    assert t.td.app.pythonExecutable
    assert sys.version_info[:2] == (3, 11)


@fact(35)
def test_a_block_of_changes_is_one_named_step(t):
    undo = t.td.ui.undo
    undo.startBlock("contract")
    t.scratch.create(t.td.noiseTOP, "noise1")
    undo.endBlock()
    assert undo.undoStack[0] == "contract"
    undo.undo()
    assert t.scratch.op("noise1") is None
    undo.redo()
    assert t.scratch.op("noise1") is not None


@fact(12)
def test_a_pane_shows_the_network_it_is_told_to_frames_after_the_create(t):
    t.scratch.create(t.td.baseCOMP, "shown")
    yield
    yield
    yield
    pane = t.td.ui.panes.current
    before = pane.owner
    try:
        pane.owner = t.scratch.op("shown")
        assert t.td.ui.panes.current.owner == t.scratch.op("shown")
    finally:
        pane.owner = before


@fact(9)
def test_the_power_is_on_while_tests_run(t):
    assert t.td.app.power is True


@fact(36)
def test_the_project_has_a_folder_and_a_name(t):
    assert t.td.project.name.endswith(".toe")
    assert isinstance(t.td.project.folder, str)
    with raises(AttributeError):
        t.td.project.dirty  # noqa: B018  Asking is the point.
