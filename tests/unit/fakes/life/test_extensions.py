"""Extensions, seen from inside the stand-in."""


def test_a_failing_extension_is_not_built_again_at_every_asking(td, scratch, frames):
    scratch.create(td.textDAT, "Ext").text = "class Ext:\n    def __init__(self, comp):\n        1 / 0\n"
    scratch.par.ext0object = "op('./Ext').module.Ext(me)"
    scratch.par.ext0promote = True
    for _ in range(5):
        assert not hasattr(scratch, "Play")
        frames()
    assert scratch.scriptErrors().count("ZeroDivisionError") == 1


def test_building_inside_an_undo_block_leaves_the_block_open(td, scratch, frames):
    scratch.create(
        td.textDAT, "Ext"
    ).text = (
        "class Ext:\n    def __init__(self, comp):\n        pass\n    def Play(self):\n        return 1\n"
    )
    scratch.par.ext0object = "op('./Ext').module.Ext(me)"
    scratch.par.ext0promote = True
    frames()
    seen = []

    def script():
        td.ui.undo.startBlock("edit")
        scratch.Play()
        scratch.create(td.noiseTOP, "noise1")
        td.ui.undo.endBlock()
        seen.append(td.ui.undo.undoStack[0])

    td.run(script, delayFrames=1)
    frames(2)
    assert seen == ["edit"]


def test_reinitialising_by_index_gives_the_new_instance(td, scratch, frames):
    scratch.create(td.textDAT, "Ext").text = "class Ext:\n    def __init__(self, comp):\n        pass\n"
    scratch.par.ext0object = "op('./Ext').module.Ext(me)"
    frames()
    before = scratch.extensions[0]
    after = scratch.initializeExtensions(0)
    assert after is scratch.extensions[0] is not before
    assert scratch.extensionsReady
