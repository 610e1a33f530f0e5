"""Execute DATs and Parameter Execute DATs: which callback comes, when, and with what."""

from .facts import disturbs, fact

REMEMBERS_EVERYTHING = """
def remember(*what):
    me.parent().store('heard', me.parent().fetch('heard', []) + [what])

def onStart():
    remember('start')

def onCreate():
    remember('create', me.name)

def onPlayStateChange(state):
    remember('play', bool(state))

def onValueChange(par, prev):
    remember('value', par.name, par.eval(), prev)

def onValuesChanged(changes):
    remember('values', sorted((c.par.name, c.par.eval(), c.prev) for c in changes))

def onPulse(par):
    remember('pulse', par.name)
"""


def heard(t):
    return t.scratch.fetch("heard", [])


def listener(t, kind, **toggles):
    """A DAT of the execute family that writes what it hears into the storage of its parent."""
    dat = t.scratch.create(kind, "listener")
    dat.text = REMEMBERS_EVERYTHING
    for name, value in toggles.items():
        setattr(dat.par, name, value)
    return dat


def knobs(t):
    """A component with one number and one pulse, heard by a Parameter Execute DAT."""
    comp = t.scratch.create(t.td.baseCOMP, "knobs")
    page = comp.appendCustomPage("Knobs")
    page.appendFloat("Speed")
    page.appendPulse("Go")
    listener(
        t, t.td.parameterexecuteDAT, op="knobs", pars="*", custom=True, builtin=False, valuechange=True,
        onpulse=True, active=True,
    )  # fmt: skip
    return comp


#: Type -> what is on in a new one beside `active`.
ON_AT_CREATION = {
    "executeDAT": (),
    "chopexecuteDAT": ("valuechange",),
    "datexecuteDAT": (),
    "opexecuteDAT": (),
    "panelexecuteDAT": ("offtoon",),
    "parameterexecuteDAT": ("onpulse", "custom", "valuechange", "builtin"),
}


@fact(71)
def test_a_new_dat_of_the_execute_family_is_active(t):
    for kind, on in ON_AT_CREATION.items():
        dat = t.scratch.create(kind)
        assert dat.par.active.eval(), kind
        for name in on:
            assert dat.par[name].eval(), (kind, name)


@fact(71)
def test_a_new_parameter_execute_dat_hears_without_being_switched_on(t):
    comp = t.scratch.create(t.td.baseCOMP, "knobs")
    comp.appendCustomPage("Knobs").appendFloat("Speed")
    listener(t, t.td.parameterexecuteDAT, op="knobs", pars="*")
    yield
    t.scratch.store("heard", [])
    comp.par.Speed = 2
    yield
    yield
    assert heard(t) == [("value", "Speed", 2.0, 0.0)]


@fact(6)
def test_on_create_comes_when_a_copy_comes_to_be(t):
    original = listener(t, t.td.executeDAT, create=True, active=True)
    yield
    t.scratch.store("heard", [])
    t.scratch.copy(original, name="copied")
    yield
    yield
    assert heard(t) == [("create", "copied")]


@fact(6)
def test_on_start_does_not_come_for_an_operator_made_while_running(t):
    listener(t, t.td.executeDAT, start=True, active=True)
    yield
    yield
    assert heard(t) == []


@fact(6)
def test_an_inactive_execute_dat_hears_nothing(t):
    original = listener(t, t.td.executeDAT, create=True, active=False)
    t.scratch.copy(original, name="copied")
    yield
    yield
    assert heard(t) == []


@fact(6)
@disturbs("the timeline")
def test_the_play_state_is_told(t):
    listener(t, t.td.executeDAT, playstatechange=True, active=True)
    yield
    t.td.root.time.play = False
    try:
        yield
        yield
        assert ("play", False) in heard(t)
    finally:
        t.td.root.time.play = True
    yield
    yield
    assert heard(t)[-1] == ("play", True)


@fact(33)
def test_an_exception_in_a_callback_is_a_script_error_of_the_dat(t):
    dat = t.scratch.create(t.td.executeDAT, "broken")
    dat.text = "def onFrameStart(frame):\n    raise ValueError('out of tune')\n"
    dat.par.framestart = True
    dat.par.active = True
    yield
    yield
    assert "out of tune" in dat.scriptErrors()
    dat.par.active = False


@fact(29)
def test_a_parameter_callback_comes_at_the_next_frame_for_a_scripts_write(t):
    comp = knobs(t)
    yield
    comp.par.Speed = 0.5
    assert heard(t) == []
    yield
    yield
    assert heard(t) == [("value", "Speed", 0.5, 0.0)]


@fact(29)
def test_a_pulse_is_told_at_the_next_frame(t):
    comp = knobs(t)
    yield
    comp.par.Go.pulse()
    assert heard(t) == []
    yield
    yield
    assert heard(t) == [("pulse", "Go")]


@fact(29)
def test_built_in_parameters_are_not_told_unless_asked_for(t):
    comp = knobs(t)
    yield
    comp.par.parentshortcut = "Knobs"
    yield
    yield
    assert heard(t) == []


@fact(29)
def test_a_value_that_an_expression_changes_is_told(t):
    comp = knobs(t)
    source = t.scratch.create(t.td.constantCHOP, "source")
    source.par.const0value = 1
    comp.par.Speed.expr = "op('source').par.const0value * 2"
    yield
    yield
    t.scratch.store("heard", [])
    source.par.const0value = 4
    yield
    yield
    assert ("value", "Speed", 8.0, 2.0) in heard(t)


@fact(29)
def test_all_changes_of_a_frame_come_together(t):
    comp = knobs(t)
    comp.customPages[0].appendFloat("Size")
    dat = t.scratch.op("listener")
    dat.par.valuechange, dat.par.valueschanged = False, True
    yield
    comp.par.Speed, comp.par.Size = 2, 3
    assert heard(t) == []
    yield
    yield
    assert heard(t) == [("values", [("Size", 3.0, 0.0), ("Speed", 2.0, 0.0)])]
