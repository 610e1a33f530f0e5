"""Panels: values of controls, and scripts that hear of them."""

from .facts import fact, raises

CALLBACKS = """
def log(*what):
    me.parent().store('log', me.parent().fetch('log', []) + [what])

def onOffToOn(panelValue):
    log('on', panelValue.owner.name, panelValue.name)

def onOnToOff(panelValue):
    log('off', panelValue.owner.name, panelValue.name)

def onValueChange(panelValue, prev):
    log('value', panelValue.name, panelValue.val, float(prev))
"""


def hearing(t, panels, values, *toggles):
    dat = t.scratch.create(t.td.panelexecuteDAT)
    dat.text = CALLBACKS
    dat.par.panels, dat.par.panelvalue = panels, values
    for toggle in toggles:
        setattr(dat.par, toggle, True)
    dat.par.active = True
    return lambda: t.scratch.fetch("log", [])


def test_a_panel_value_is_used_as_its_value(t):
    panel = t.scratch.create(t.td.containerCOMP).panel
    panel.u.val = 0.25
    panel.v = 0.5
    assert panel.u + panel.v == 0.75
    assert (float(panel.u), panel.v.val) == (0.25, 0.5)
    assert (panel.u.name, panel.u.owner, panel.u.valid) == ("u", panel.owner, True)
    with raises(AttributeError):
        panel.nosuchvalue  # noqa: B018  The look-up is the test.


def test_a_click_turns_a_toggle_over(t):
    button = t.scratch.create(t.td.buttonCOMP)
    button.par.buttontype = "toggledown"
    assert button.panel.state == 0
    button.click()
    assert button.panel.state == 1
    button.click(0)
    assert button.panel.state == 0


@fact(11)
def test_an_expression_follows_a_panel_value(t):
    slider = t.scratch.create(t.td.containerCOMP, "slider")
    level = t.scratch.create(t.td.levelTOP)
    level.par.opacity.expr = "op('slider').panel.u"
    slider.panel.u = 0.5
    assert level.par.opacity.eval() == 0.5
    slider.panel.u = 0.125
    assert level.par.opacity.eval() == 0.125


@fact(11)
def test_a_panel_execute_dat_hears_of_on_and_off_and_of_values(t):
    button, slider = t.scratch.create(t.td.buttonCOMP, "button"), t.scratch.create(t.td.sliderCOMP, "slider")
    heard = hearing(t, "button slider", "state u", "offtoon", "ontooff", "valuechange")
    yield
    button.panel.state = 1
    yield
    yield
    assert heard() == [("on", "button", "state")]
    button.panel.state = 0
    yield
    yield
    slider.panel.u = 0.5
    yield
    yield
    slider.panel.u = 0.75
    yield
    yield
    assert heard()[1:] == [("off", "button", "state"), ("on", "slider", "u"), ("value", "u", 0.75, 0.5)]


@fact(11)
def test_values_that_are_not_watched_are_not_told(t):
    button = t.scratch.create(t.td.buttonCOMP, "button")
    heard = hearing(t, "button", "lselect", "offtoon", "valuechange")
    yield
    button.panel.state = 1
    yield
    yield
    assert heard() == []
