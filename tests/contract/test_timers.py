"""Timer CHOPs: cycles, segments, and the callbacks they tell."""

CALLBACKS = """
def log(*what):
    me.parent().store('log', me.parent().fetch('log', []) + [what])

def onInitialize(timerOp, callCount):
    log('initialize')
    return 0

def onStart(timerOp):
    log('start')

def onSegmentEnter(timerOp, segment, interrupt):
    log('enter', segment.index)

def onSegmentExit(timerOp, segment, interrupt):
    log('exit', segment + 0, interrupt)

def onCycle(timerOp, segment, cycle):
    log('cycle', int(segment), cycle)

def whileTimerActive(timerOp, segment, cycle, fraction):
    me.parent().store('fraction', fraction)

def onDone(timerOp, segment, interrupt):
    log('done', interrupt)
"""


def timer(t, **parameters):
    chop = t.scratch.create(t.td.timerCHOP, "timer")
    for name, value in parameters.items():
        setattr(chop.par, name, value)
    return chop


def callbacks(t, chop):
    dat = t.scratch.create(t.td.textDAT, "callbacks")
    dat.text = CALLBACKS
    chop.par.callbacks = dat
    return lambda: t.scratch.fetch("log", [])


def after(t, seconds):
    """Frames until so much time has gone by."""
    until = t.td.absTime.seconds + seconds
    while t.td.absTime.seconds < until:
        yield


def test_a_timer_tells_that_it_started_and_that_it_is_done(t):
    chop = timer(t, length=0.1)
    heard = callbacks(t, chop)
    chop.par.start.pulse()
    yield from after(t, 0.2)
    names = [entry[0] for entry in heard() if entry[0] not in ("initialize", "cycle")]
    assert names == ["start", "enter", "exit", "done"]
    assert ("done", False) in heard()
    assert 0 < t.scratch.fetch("fraction") <= 1


def test_a_timer_that_is_sent_to_its_end_tells_that_it_was_interrupted(t):
    chop = timer(t, length=100)
    heard = callbacks(t, chop)
    chop.par.start.pulse()
    yield from after(t, 0.05)
    chop.par.gotodone.pulse()
    yield from after(t, 0.05)
    assert heard()[-1] == ("done", True)
    assert chop["done"].eval() == 1


def test_cycles_are_counted_up_to_their_limit(t):
    chop = timer(t, length=0.1, cycle=True, cyclelimit=True, maxcycles=3, outcycle=True)
    heard = callbacks(t, chop)
    chop.par.start.pulse()
    yield from after(t, 0.15)
    assert chop["cycles"].eval() == 1
    yield from after(t, 0.3)
    assert [entry for entry in heard() if entry[0] == "cycle"] == [
        ("cycle", 0, 0),
        ("cycle", 0, 1),
        ("cycle", 0, 2),
    ]
    assert (chop["cycles"].eval(), chop["done"].eval()) == (3, 1)


def test_segments_follow_one_another(t):
    table = t.scratch.create(t.td.tableDAT, "segments")
    table.clear()
    for row in (["length", "delay"], [0.1, 0], [0.2, 0.1]):
        table.appendRow(row)
    chop = timer(t, segdat=table, outseg=True, outtimeractive=True, outtimercount="seconds")
    heard = callbacks(t, chop)
    chop.par.start.pulse()
    yield from after(t, 0.05)
    assert (chop["segment"].eval(), chop["running"].eval()) == (0, 1)
    yield from after(t, 0.1)
    # Within the delay of the second segment, the timer runs without counting.
    assert (chop["segment"].eval(), chop["running"].eval(), chop["timer_active"].eval()) == (1, 1, 0)
    assert chop["timer_seconds"].eval() == 0
    yield from after(t, 0.15)
    assert 0 < chop["timer_fraction"].eval() < 1
    yield from after(t, 0.2)
    assert chop["done"].eval() == 1
    told = [entry for entry in heard() if entry[0] in ("enter", "exit")]
    assert told == [("enter", 0), ("exit", 0, False), ("enter", 1), ("exit", 1, False)]


def test_speed_counts_for_the_timer_and_not_for_the_clock_on_the_wall(t):
    chop = timer(t, length=10, speed=2, outcumulativecount="seconds", outrunningcount="seconds")
    chop.par.start.pulse()
    yield from after(t, 0.2)
    chop.cook()
    assert abs(chop["cumulative_seconds"].eval() - 2 * chop["running_seconds"].eval()) < 1e-5
    assert abs(chop.runningSeconds - chop["running_seconds"].eval()) < 1e-5


def test_a_timer_starts_again_when_it_is_told_to(t):
    chop = timer(t, length=0.1, ondone="restart")
    heard = callbacks(t, chop)
    chop.par.start.pulse()
    yield from after(t, 0.25)
    assert [entry[0] for entry in heard()].count("start") >= 2
    assert chop["running"].eval() == 1
