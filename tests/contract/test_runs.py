"""run(): delays, their clock, groups, and killing."""

from .facts import disturbs, fact, later, raises, since


def marks(t):
    """A list that scheduled code can append to."""
    return []


@fact(8, 63)
@since(2025)
def test_a_callable_runs_after_so_many_frames(t):
    seen = marks(t)
    since = t.td.absTime.frame
    t.td.run(lambda: seen.append(t.td.absTime.frame), delayFrames=2)
    assert seen == []
    yield
    yield
    yield
    # Later than asked for only where TouchDesigner leaves frames out.
    assert len(seen) == 1 and seen[0] >= since + 2


@fact(8)
def test_a_string_finds_its_arguments_in_args_and_resolves_names_when_it_runs(t):
    t.td.run("op(args[0]).store('ran', args[1])", t.scratch.path, 7, delayFrames=1)
    yield
    yield
    assert t.scratch.fetch("ran") == 7


@fact(8)
def test_from_op_says_what_names_are_relative_to(t):
    inner = t.scratch.create(t.td.baseCOMP, "inner")
    t.td.run("me.store('ran', me.name)", delayFrames=1, fromOP=inner)
    yield
    yield
    assert inner.fetch("ran") == "inner"


@fact(8)
def test_a_dat_is_run_with_the_text_it_has_by_then(t):
    dat = t.scratch.create(t.td.textDAT, "script")
    pending = dat.run(7, delayFrames=1)
    assert pending.isDAT and not pending.isString and pending.source == dat
    dat.text = "parent().store('ran', (me.name, args[0]))"
    yield
    yield
    assert t.scratch.fetch("ran") == ("script", 7)


@fact(8)
def test_milliseconds_round_to_a_frame(t):
    seen = marks(t)
    pending = later(t, seen.append, "ran", delayMilliSeconds=1000 / t.td.root.time.rate)
    assert pending.remainingFrames == 1
    yield
    yield
    assert seen == ["ran"]


@fact(8)
def test_another_spelling_of_the_delay_is_refused(t):
    for wrong in ("delayMilliseconds", "delayMS", "delayframes"):
        try:
            t.td.run("pass", **{wrong: 1})
        except t.td.tdError:
            continue
        raise AssertionError(f"{wrong} was accepted")


@fact(8)
@disturbs("the timeline")
def test_a_delay_stands_still_while_the_timeline_is_paused(t):
    seen = marks(t)
    t.td.root.time.play = False
    try:
        yield
        pending = later(t, seen.append, "ran", delayFrames=1)
        yield
        yield
        yield
        assert seen == [] and pending.active
    finally:
        t.td.root.time.play = True
    yield
    yield
    assert seen == ["ran"]


@fact(8)
@disturbs("the timeline")
def test_a_delay_on_td_resources_runs_while_the_timeline_is_paused(t):
    seen = marks(t)
    t.td.root.time.play = False
    try:
        yield
        later(t, seen.append, "ran", delayFrames=1, delayRef=t.td.op.TDResources)
        yield
        yield
        assert seen == ["ran"]
    finally:
        t.td.root.time.play = True


@fact(8)
def test_a_delay_by_the_clock_on_the_wall_comes_about_then(t):
    seen = marks(t)
    later(t, seen.append, "ran", delayMilliSeconds=50, wallTime=True, delayRef=t.td.op.TDResources)
    assert seen == []
    since = t.td.absTime.seconds
    while t.td.absTime.seconds < since + 0.2:
        yield
    assert seen == ["ran"]


@fact(8)
def test_a_killed_run_never_runs(t):
    seen = marks(t)
    pending = later(t, seen.append, "ran", delayFrames=1)
    assert pending.active
    pending.kill()
    yield
    yield
    assert seen == []


@fact(8)
def test_runs_can_be_found_by_their_group(t):
    seen = marks(t)
    later(t, seen.append, "ours", delayFrames=1, group="contract")
    later(t, seen.append, "others", delayFrames=1)
    for pending in list(t.td.runs):
        if pending.group == "contract":
            pending.kill()
    yield
    yield
    assert seen == ["others"]


@fact(8)
def test_what_a_run_schedules_for_the_next_frame_waits_for_it(t):
    seen = marks(t)

    def again():
        seen.append(t.td.absTime.frame)
        if len(seen) < 3:
            later(t, again, delayFrames=1)

    later(t, again, delayFrames=1)
    for _ in range(5):
        yield
    assert len(seen) == 3
    assert len(set(seen)) == 3


@fact(8)
def test_an_exception_in_a_run_does_not_stop_the_others(t):
    seen = marks(t)
    t.td.run("1 / 0", delayFrames=1)
    later(t, seen.append, "ran", delayFrames=1)
    yield
    yield
    assert seen == ["ran"]


@fact(58)
def test_a_run_that_is_over_raises_when_touched_even_to_be_killed(t):
    seen = marks(t)
    pending = later(t, seen.append, "ran", delayFrames=1)
    yield
    yield
    assert seen == ["ran"]
    for touch in (
        lambda: pending.active,
        lambda: pending.group,
        lambda: pending.remainingFrames,
        pending.kill,
    ):
        with raises(Exception):
            touch()


@fact(63)
def test_text_with_the_function_among_its_arguments_runs_in_every_build(t):
    seen = marks(t)
    t.td.run("args[0](*args[1:])", seen.append, "ran", delayFrames=1, delayRef=t.td.op.TDResources)
    yield
    yield
    assert seen == ["ran"]
