"""CHOP and DAT Execute DATs, and the toggles nobody can honour."""

HEARS = """
def remember(*what):
    me.parent().store('heard', me.parent().fetch('heard', []) + [what])

def onValueChange(channel, sampleIndex, val, prev):
    remember('value', channel.name, val, prev)

def onOffToOn(channel, sampleIndex, val, prev):
    remember('on', channel.name)

def onTableChange(dat):
    remember('table', dat.name, dat.text)
"""


def listener(scratch, kind, **values):
    dat = scratch.create(kind, "listener")
    dat.text = HEARS
    for name, value in values.items():
        setattr(dat.par, name, value)
    dat.par.active = True
    return dat


def test_a_channel_that_changes_is_told_with_both_values(td, scratch, frames):
    chop = scratch.create(td.constantCHOP, "source")
    chop.par.const0name, chop.par.const0value = "level", 0
    listener(scratch, td.chopexecuteDAT, chop="source", valuechange=True, offtoon=True)
    frames(2)
    assert scratch.fetch("heard", []) == []
    chop.par.const0value = 2
    frames(2)
    assert scratch.fetch("heard") == [("on", "level"), ("value", "level", 2.0, 0.0)]


def test_only_the_channels_asked_for_are_told(td, scratch, frames):
    chop = scratch.create(td.constantCHOP, "source")
    chop.par.const0name, chop.par.const0value = "level", 0
    listener(scratch, td.chopexecuteDAT, chop="source", channel="other*", valuechange=True)
    frames(2)
    chop.par.const0value = 2
    frames(2)
    assert scratch.fetch("heard", []) == []


def test_a_changed_table_is_told(td, scratch, frames):
    table = scratch.create(td.tableDAT, "cues")
    listener(scratch, td.datexecuteDAT, dat="cues", tablechange=True)
    frames(2)
    table.appendRow(["a", "b"])
    frames(3)
    assert scratch.fetch("heard") == [("table", "cues", "a\tb")]


def test_a_toggle_that_cannot_be_honoured_says_so_once(td, scratch, frames):
    for kind, toggle in (
        (td.opexecuteDAT, "extensionchange"),
        (td.pargroupexecuteDAT, "valuechange"),
        (td.parameterexecuteDAT, "enablechange"),
    ):
        dat = scratch.create(kind)
        setattr(dat.par, toggle, True)
        dat.par.active = True
        frames(4)
        assert dat.scriptErrors().count("NotFaked") == 1, kind
