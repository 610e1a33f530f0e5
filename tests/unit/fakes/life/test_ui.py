"""The user interface: dialogs that must not open, panes, Perform mode, copy and paste."""

import pytest

from fakes.errors import NotFaked, tdError
from fakes.ui import DialogOpened
from tests.contract.facts import fact


@fact(9)
def test_a_message_box_fails_the_test_unless_it_was_allowed(td, alive):
    with pytest.raises(DialogOpened, match="Really"):
        td.ui.messageBox("Delete", "Really?", buttons=["Yes", "No"])
    alive.display.dialogs.allow(1)
    assert td.ui.messageBox("Delete", "Really?", buttons=["Yes", "No"]) == 1
    assert len(alive.display.dialogs.opened) == 2


@fact(9)
def test_a_message_box_blocks_its_own_script_while_scheduled_callbacks_go_on(td, alive, scratch, frames):
    seen = []
    td.run(lambda: seen.append("another run"), delayFrames=2)
    dat = scratch.create(td.executeDAT)
    dat.text = (
        "def onFrameStart(frame):\n\top('/project1').store('ticks', op('/project1').fetch('ticks', 0) + 1)"
    )
    dat.par.active = dat.par.framestart = True
    alive.display.dialogs.allow(1, frames=5)

    def ask():
        frame = td.absTime.frame
        seen.append(td.ui.messageBox("Delete", "Really?", buttons=["Yes", "No"]))
        seen.append(td.absTime.frame - frame)

    td.run(ask, delayFrames=1)
    frames()
    assert seen == ["another run", 1, 5]
    assert td.op("/project1").fetch("ticks") >= 5


@fact(9, 35)
def test_what_happens_while_a_message_box_is_open_is_no_part_of_its_scripts_undo_step(td, alive, scratch):
    alive.display.dialogs.allow(0, frames=2)
    td.run(lambda: scratch.create(td.noiseTOP, "theirs"), delayFrames=1)
    td.ui.undo.startBlock("mine")
    scratch.create(td.nullTOP, "mine")
    td.ui.messageBox("Delete", "Really?")
    td.ui.undo.endBlock()
    td.ui.undo.undo()
    assert [o.name for o in scratch.children] == ["theirs"]


def test_a_message_box_stays_open_until_somebody_answers(td, alive):
    alive.display.dialogs.expect()
    td.run(lambda: alive.display.dialogs.press(2), delayFrames=3)
    before = td.absTime.frame
    assert td.ui.messageBox("Delete", "Really?", buttons=["a", "b", "c"]) == 2
    assert td.absTime.frame == before + 3
    assert alive.display.dialogs.open == []


def test_what_waits_behind_a_message_box_in_the_same_frame_comes_while_it_is_open(td, world, alive, frames):
    seen = []
    alive.display.dialogs.allow(0)
    world.at_next_frame(lambda: seen.append(("answer", td.ui.messageBox("a", "b"))))
    world.at_next_frame(lambda: seen.append("the next in line"))
    frames()
    assert seen == ["the next in line", ("answer", 0)]


def test_a_file_dialog_fails_as_well(td):
    with pytest.raises(DialogOpened):
        td.ui.chooseFile()


def test_the_current_pane_shows_a_network_and_can_show_another(td, scratch):
    pane = td.ui.panes.current
    assert pane.owner == td.op("/project1")
    pane.owner = scratch
    assert td.ui.panes.current.owner == scratch
    with pytest.raises(tdError):
        pane.owner = scratch.create(td.noiseTOP)


def test_there_can_be_several_panes_and_closing_one_leaves_the_others(td):
    first = td.ui.panes.current
    second = first.splitRight()
    assert len(td.ui.panes) == 2
    assert td.ui.panes[second.name] == second
    second.close()
    assert [pane.id for pane in td.ui.panes] == [first.id]


def test_a_pane_whose_network_is_gone_falls_back_to_what_is_left(td, scratch):
    td.ui.panes.current.owner = scratch
    scratch.destroy()
    assert td.ui.panes.current.owner == td.op("/project1")


def test_home_brings_operators_into_view(td, scratch):
    for x in (0, 400):
        scratch.create(td.noiseTOP).nodeX = x
    pane = td.ui.panes.current
    pane.owner = scratch
    pane.home()
    assert pane.x == 200 + 65


def test_copied_operators_are_pasted_with_their_wires(td, scratch):
    noise, null = scratch.create(td.noiseTOP, "a"), scratch.create(td.nullTOP, "b")
    null.inputConnectors[0].connect(noise)
    target = td.op("/project1").create(td.baseCOMP, "target")
    td.ui.copyOPs([noise, null])
    td.ui.pasteOPs(target, x=1000, y=500)
    assert [o.name for o in target.op("b").inputs] == ["a"]
    assert (target.op("a").nodeX, target.op("a").nodeY) == (1000, 500)


def test_what_is_not_established_says_so(td):
    with pytest.raises(NotFaked):
        td.ui.openPreferences()
    with pytest.raises(AttributeError):
        td.ui.openEverything()


@fact(9, 46)
def test_the_program_tells_its_build_and_power(td, alive, frames):
    assert (td.app.version, td.app.product) == ("099", "TouchDesigner")
    assert td.app.build.startswith("2025.")
    before = td.absTime.frame
    td.app.power = False
    frames(3)
    assert td.absTime.frame == before
    td.app.power = True
    frames()
    assert td.absTime.frame == before + 1


@fact(44)
def test_the_licence_is_told(td, world):
    assert not td.licenses.isNonCommercial
    world.licence.type = "Non-Commercial"
    assert td.licenses.isNonCommercial and td.licenses.type == "Non-Commercial"


@fact(12)
def test_moving_the_editor_right_after_a_create_is_noted_as_a_risk(td, alive, scratch, frames):
    frames(3)
    td.ui.panes.current.home()
    assert alive.risks == []
    scratch.create(td.noiseTOP)
    td.ui.panes.current.home()
    assert len(alive.risks) == 1
    frames(2)
    td.ui.panes.current.home()
    assert len(alive.risks) == 1


@fact(68)
def test_several_annotations_in_one_frame_are_noted_as_a_risk(td, alive, scratch, frames):
    for name in ("one", "two"):
        scratch.create(td.annotateCOMP, name)
        frames(1)
    assert alive.risks == []
    scratch.create(td.annotateCOMP, "three")
    scratch.create(td.annotateCOMP, "four")
    assert len(alive.risks) == 1
