"""Undo blocks: one name, and everything inside really is undone and redone."""

from .facts import UNDO_STACK, disturbs, fact, raises, uses_undo_stack


class Block:
    def __init__(self, t, name):
        self.undo, self.name = t.td.ui.undo, name

    def __enter__(self):
        self.undo.startBlock(self.name)

    def __exit__(self, *exc):
        self.undo.endBlock()


@fact(35)
@uses_undo_stack
def test_a_block_is_one_step_with_its_name(t):
    with Block(t, "make two"):
        t.scratch.create(t.td.noiseTOP)
        t.scratch.create(t.td.levelTOP)
    assert t.td.ui.undo.undoStack[0] == "make two"
    t.td.ui.undo.undo()
    assert t.scratch.children == []
    t.td.ui.undo.redo()
    assert [c.name for c in t.scratch.children] == ["noise1", "level1"]


@fact(35)
@uses_undo_stack
def test_parameters_come_back_with_their_mode(t):
    noise = t.scratch.create(t.td.noiseTOP)
    noise.par.period.expr = "me.digits + 1"
    with Block(t, "set"):
        noise.par.period = 5
        noise.par.seed = 6
    t.td.ui.undo.undo()
    assert noise.par.period.mode.name == "EXPRESSION"
    assert noise.par.period.eval() == 2
    assert noise.par.seed == 1
    t.td.ui.undo.redo()
    assert (noise.par.period.eval(), noise.par.seed.eval()) == (5, 6)


@fact(35)
@uses_undo_stack
def test_wires_come_back(t):
    one, two, level = (t.scratch.create(c) for c in (t.td.noiseTOP, t.td.rampTOP, t.td.levelTOP))
    level.inputConnectors[0].connect(one)
    with Block(t, "rewire"):
        level.inputConnectors[0].connect(two)
    t.td.ui.undo.undo()
    assert level.inputs == [one]
    assert two.outputs == []


@fact(35)
@uses_undo_stack
def test_a_destroyed_operator_comes_back_with_what_was_in_and_around_it(t):
    noise, base, level = (t.scratch.create(c) for c in (t.td.noiseTOP, t.td.baseCOMP, t.td.levelTOP))
    base.create(t.td.inTOP)
    base.create(t.td.outTOP)
    base.create(t.td.rampTOP).par.phase = 0.5
    base.cook(force=True)  # It may bring the connectors only now (fact 69).
    base.inputConnectors[0].connect(noise)
    base.outputConnectors[0].connect(level)
    with Block(t, "destroy"):
        base.destroy()
    assert level.inputs == []
    t.td.ui.undo.undo()
    back = t.scratch.op("base1")
    assert back.op("ramp1").par.phase == 0.5
    assert back.inputs == [noise]
    assert level.inputs == [back]


@fact(35)
@uses_undo_stack
def test_names_flags_and_places_come_back(t):
    noise = t.scratch.create(t.td.noiseTOP)
    with Block(t, "change"):
        noise.name = "other"
        noise.bypass = True
        noise.nodeX = 250
    t.td.ui.undo.undo()
    assert (noise.name, noise.bypass, noise.nodeX) == ("noise1", False, 0)


@fact(35)
@uses_undo_stack
def test_text_comes_back(t):
    dat = t.scratch.create(t.td.textDAT)
    dat.text = "before"
    with Block(t, "write"):
        dat.text = "after"
    t.td.ui.undo.undo()
    assert dat.text == "before"
    t.td.ui.undo.redo()
    assert dat.text == "after"


@fact(35)
@uses_undo_stack
def test_custom_parameters_go_and_come_back(t):
    base = t.scratch.create(t.td.baseCOMP)
    page = base.appendCustomPage("Show")
    page.appendFloat("Keep")
    with Block(t, "define"):
        page.appendFloat("Speed")
    t.td.ui.undo.undo()
    assert [p.name for p in base.customPars] == ["Keep"]
    t.td.ui.undo.redo()
    assert [p.name for p in base.customPars] == ["Keep", "Speed"]


@fact(35)
@uses_undo_stack
def test_ending_a_block_that_an_annotation_tore_down_raises(t):
    t.td.ui.undo.startBlock("annotate")
    t.scratch.create(t.td.noiseTOP)
    t.scratch.create(t.td.annotateCOMP)
    with raises(t.td.tdError):
        t.td.ui.undo.endBlock()


@fact(56)
@uses_undo_stack
def test_making_an_annotation_is_a_step_of_its_own(t):
    depth = len(t.td.ui.undo.undoStack)
    t.td.ui.undo.startBlock("annotate")
    t.scratch.create(t.td.noiseTOP)
    t.scratch.create(t.td.annotateCOMP, "note1")
    assert t.td.ui.undo.undoStack[:2] == ["Add Annotate", "annotate"]
    assert len(t.td.ui.undo.undoStack) == depth + 2
    t.td.ui.undo.undo()
    assert t.scratch.op("note1", includeUtility=True) is None and t.scratch.op("noise1") is not None


@fact(56)
@uses_undo_stack
def test_an_annotation_made_with_undo_off_is_not_recorded(t):
    depth = len(t.td.ui.undo.undoStack)
    t.td.ui.undo.globalState = False
    try:
        t.scratch.create(t.td.annotateCOMP, "note1")
    finally:
        t.td.ui.undo.globalState = True
    assert len(t.td.ui.undo.undoStack) == depth


@fact(35)
@disturbs(UNDO_STACK)
def test_a_block_left_open_ends_with_the_callback(t):
    t.td.ui.undo.startBlock("left open")
    t.scratch.create(t.td.noiseTOP)
    yield
    t.scratch.create(t.td.levelTOP)
    t.td.ui.undo.undo()
    assert [c.name for c in t.scratch.children] == ["level1"]


@fact(35)
@uses_undo_stack
def test_a_change_that_is_recorded_takes_what_could_be_redone(t):
    noise = t.scratch.create(t.td.noiseTOP)
    with Block(t, "move"):
        noise.nodeX = 100
    t.td.ui.undo.undo()
    assert t.td.ui.undo.redoStack == ["move"]
    with Block(t, "move up"):
        noise.nodeY = 100
    assert t.td.ui.undo.redoStack == []


@fact(35)
@uses_undo_stack
def test_a_block_within_a_block_belongs_to_the_outer_one(t):
    noise = t.scratch.create(t.td.noiseTOP)
    depth = len(t.td.ui.undo.undoStack)
    with Block(t, "outer"):
        noise.nodeX = 100
        with Block(t, "inner"):
            noise.nodeY = 100
        noise.nodeX = 200
    assert t.td.ui.undo.undoStack[0] == "outer" and len(t.td.ui.undo.undoStack) == depth + 1
    t.td.ui.undo.undo()
    assert (noise.nodeX, noise.nodeY) == (0, 0)


@fact(56)
@uses_undo_stack
def test_the_newest_step_is_listed_first(t):
    noise = t.scratch.create(t.td.noiseTOP)
    for name in ("first", "second"):
        with Block(t, name):
            noise.nodeX = noise.nodeX + 50
    assert t.td.ui.undo.undoStack[:2] == ["second", "first"]
    t.td.ui.undo.undo()
    t.td.ui.undo.undo()
    assert t.td.ui.undo.redoStack[:2] == ["first", "second"]
