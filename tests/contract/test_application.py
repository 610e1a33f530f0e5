"""What scripts can ask about the program and its user interface."""

import importlib
import json
import re
import sys

from .facts import disturbs, fact, raises, uses_undo_stack


@fact(46)
def test_the_program_tells_version_and_build(t):
    assert t.td.app.version == "099"
    assert re.fullmatch(r"20\d\d\.\d+", t.td.app.build)


@fact(46)
def test_the_bundled_python_is_told(t):
    assert t.td.app.pythonExecutable
    assert sys.version_info[:2] == (3, 11)


@fact(35)
@uses_undo_stack
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
@disturbs("the editor")
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


@fact(45)
def test_numpy_and_cv2_are_bundled(t):
    numpy, cv2 = importlib.import_module("numpy"), importlib.import_module("cv2")
    # 1.24 in builds of 2023 (fact 61).
    assert int(numpy.__version__.split(".")[0]) >= (2 if t.td.app.build >= "2025" else 1)
    assert cv2.cvtColor(numpy.zeros((1, 1, 3), "uint8"), cv2.COLOR_BGR2GRAY).shape == (1, 1)


@fact(2)
def test_debug_writes_to_the_textport_and_returns_nothing(t):
    assert t.td.debug("contract") is None


@fact(57)
def test_parmode_is_a_name_of_scripts_and_of_main_but_not_of_the_module(t):
    assert not hasattr(t.td, "ParMode")
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "found = (ParMode.EXPRESSION, PaneType.NETWORKEDITOR)"
    assert dat.module.found[0].name == "EXPRESSION"
    assert type(t.scratch.par.opshortcut.mode) is vars(sys.modules["__main__"])["ParMode"]


@fact(57)
def test_names_of_touchdesigner_are_builtins_of_scripts_and_not_of_imported_files(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = (
        "found = {}\n"
        "exec('found = (op is not None, me.name, parent().name, tdu.rand is not None)', found)\n"
        "import json\n"
        "exec('try:\\n    op\\n    seen = True\\nexcept NameError:\\n    seen = False\\n', vars(json))\n"
        "found = (found['found'], vars(json).pop('seen'))\n"
    )
    assert dat.module.found == ((True, dat.name, t.scratch.name, True), False)


@fact(57)
def test_a_script_of_run_imports_the_dats_beside_it(t):
    t.scratch.create(t.td.textDAT, "helper_of_run").text = "answer = 42"
    caller = t.scratch.create(t.td.textDAT, "caller")
    t.td.run("import helper_of_run; me.store('seen', helper_of_run.answer)", fromOP=caller, delayFrames=1)
    yield
    yield
    assert caller.fetch("seen", None) == 42


@fact(92)
def test_touchdesigners_own_networks_are_beside_the_project(t):
    names = [o.name for o in t.td.root.children]
    assert {"ui", "sys", "local", "perform"} <= set(names)
    assert t.td.op("/perform").OPType == "windowCOMP"
    assert t.td.op("/perform").par.winop.eval() is not None


@fact(45)
def test_there_is_help_on_every_type_as_json(t):
    help_dat = t.td.op("/ui/dialogs/parGrabber/offlineHelp")
    assert help_dat.isDAT
    assert json.loads(help_dat.text)
