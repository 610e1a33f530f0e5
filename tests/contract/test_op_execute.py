"""OP Execute DATs: scripts that hear of what happens to operators."""

from .facts import fact

CALLBACKS = """
def log(*what):
    me.parent().store('log', me.parent().fetch('log', []) + [what])

def onPreCook(changeOp):
    log('precook', changeOp.name, changeOp.totalCooks)

def onPostCook(changeOp):
    log('postcook', changeOp.name, changeOp.totalCooks)

def onDestroy():
    log('destroy')

def onFlagChange(changeOp, flag):
    log('flag', changeOp.name, flag)

def onWireChange(changeOp):
    log('wire', changeOp.name, [o.name for o in changeOp.inputs])

def onNameChange(changeOp):
    log('name', changeOp.name)

def onPathChange(changeOp):
    log('path', changeOp.name)

def onUIChange(changeOp):
    log('ui', changeOp.name)

def onNumChildrenChange(changeOp):
    log('children', changeOp.name, len(changeOp.children))

def onChildRename(changeOp):
    log('child', changeOp.name)
"""


def watching(t, what, *toggles):
    """An OP Execute DAT that watches these operators; gives what it heard so far."""
    dat = t.scratch.create(t.td.opexecuteDAT)
    dat.text = CALLBACKS
    dat.par.op = what
    for toggle in toggles:
        setattr(dat.par, toggle, True)
    dat.par.active = True
    return lambda: t.scratch.fetch("log", [])


@fact(71)
def test_a_new_op_execute_dat_is_active_and_has_every_other_toggle_off(t):
    dat = t.scratch.create(t.td.opexecuteDAT)
    on = [p.name for p in dat.pars() if p.isToggle and p.page.name == "OP Execute" and p.eval()]
    assert on == ["active"]


@fact(11)
def test_flags_wires_and_names_are_told(t):
    noise, null = t.scratch.create(t.td.noiseTOP, "noise"), t.scratch.create(t.td.nullTOP, "null")
    heard = watching(t, "null other", "flagchange", "wirechange", "namechange", "pathchange", "uichange")
    yield
    null.inputConnectors[0].connect(noise)
    yield
    yield
    null.bypass = True
    yield
    yield
    null.nodeX = 300
    yield
    yield
    null.name = "other"
    yield
    yield
    log = heard()
    assert ("wire", "null", ["noise"]) in log
    assert ("flag", "null", "bypass") in log
    assert ("ui", "null") in log
    assert ("name", "other") in log and ("path", "other") in log
    assert not t.scratch.op("opexecute1").scriptErrors()


@fact(11)
def test_a_component_tells_of_its_children(t):
    box = t.scratch.create(t.td.baseCOMP, "box")
    heard = watching(t, "box", "numchildrenchange", "childrename")
    yield
    inside = box.create(t.td.noiseTOP)
    yield
    yield
    assert ("children", "box", 1) in heard()
    inside.name = "wave"
    yield
    yield
    assert ("child", "box") in heard()
    inside.destroy()
    yield
    yield
    assert ("children", "box", 0) in heard()


@fact(11)
def test_the_end_of_an_operator_is_told_without_it(t):
    t.scratch.create(t.td.noiseTOP, "noise")
    heard = watching(t, "noise", "opdelete")
    yield
    t.scratch.op("noise").destroy()
    yield
    yield
    assert heard() == [("destroy",)]


@fact(11)
def test_a_cook_is_told_before_and_after(t):
    noise = t.scratch.create(t.td.noiseTOP, "noise")
    heard = watching(t, "noise", "precook", "postcook")
    yield
    t.scratch.store("log", [])
    noise.cook(force=True)
    (before, after) = heard()[:2]
    assert (before[0], after[0]) == ("precook", "postcook")
    assert after[2] == before[2] + 1


def test_what_is_not_watched_is_not_told(t):
    t.scratch.create(t.td.noiseTOP, "noise")
    other = t.scratch.create(t.td.nullTOP, "null")
    heard = watching(t, "noise", "flagchange", "namechange")
    yield
    other.bypass = True
    other.name = "else"
    yield
    yield
    assert heard() == []
