"""Frames and time: what stands still within a callback, and what a paused timeline stops."""

from .facts import disturbs, fact, send_to

COUNTS_FRAMES = """
def onFrameStart(frame):
    me.parent().store('frames', me.parent().fetch('frames', 0) + 1)
"""


def frame_counter(t):
    """An Execute DAT that counts its onFrameStart calls in the storage of its parent."""
    dat = t.scratch.create(t.td.executeDAT, "counter")
    dat.text = COUNTS_FRAMES
    dat.par.framestart = True
    dat.par.active = True
    return dat


def counted(t):
    return t.scratch.fetch("frames", 0)


@fact(10)
def test_abs_time_stands_still_within_a_callback(t):
    before = (t.td.absTime.frame, t.td.absTime.seconds)
    sum(range(200_000))
    assert (t.td.absTime.frame, t.td.absTime.seconds) == before


@fact(10)
def test_abs_time_moves_from_frame_to_frame(t):
    frame, seconds = t.td.absTime.frame, t.td.absTime.seconds
    yield
    assert t.td.absTime.frame > frame
    assert t.td.absTime.seconds > seconds


@fact(10)
def test_abs_time_offers_frame_seconds_and_their_steps_only(t):
    for name in ("frame", "seconds", "step", "stepSeconds"):
        assert isinstance(getattr(t.td.absTime, name), float)
    for name in ("rate", "play"):
        try:
            getattr(t.td.absTime, name)
        except t.td.tdAttributeError:
            continue
        raise AssertionError(f"absTime.{name} should not exist")


@fact(10)
@disturbs("the timeline")
def test_abs_time_pauses_with_the_root_timeline(t):
    clock = t.td.root.time
    clock.play = False
    try:
        yield
        frame = t.td.absTime.frame
        yield
        yield
        assert t.td.absTime.frame == frame
    finally:
        clock.play = True


@fact(10)
def test_the_projects_clock_is_the_time_component_at_local_time(t):
    assert t.td.root.time.path == "/local/time"
    frame = t.td.root.time.frame
    yield
    assert t.td.root.time.frame != frame
    assert t.td.root.time.rate > 0


@fact(10, 89)
@disturbs("the timeline")
def test_the_timeline_can_be_sent_to_a_frame(t):
    clock = t.td.root.time
    clock.play = False
    try:
        yield
        send_to(clock, 100)
        yield
        assert clock.frame == 100
        assert abs(clock.seconds - 99 / clock.rate) < 1e-6
    finally:
        clock.play = True


@fact(6)
def test_a_new_execute_dat_has_every_toggle_off(t):
    dat = t.scratch.create(t.td.executeDAT, "fresh")
    for name in (
        "start", "create", "exit", "framestart", "frameend", "playstatechange", "devicechange",
        "projectpresave", "projectpostsave",
    ):  # fmt: skip
        assert dat.par[name] is not None, name
        assert not dat.par[name].eval(), name


@fact(6)
def test_on_frame_start_comes_once_a_frame_once_its_toggle_is_on(t):
    frame_counter(t)
    yield
    before = counted(t)
    yield
    yield
    assert counted(t) >= before + 2


@fact(7)
@disturbs("the timeline")
def test_on_frame_start_does_not_come_while_the_timeline_is_paused(t):
    frame_counter(t)
    yield
    t.td.root.time.play = False
    try:
        yield
        before = counted(t)
        yield
        yield
        assert counted(t) == before
    finally:
        t.td.root.time.play = True
    yield
    yield
    assert counted(t) > before
