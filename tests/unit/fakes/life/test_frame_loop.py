"""The frame loop skips frames it missed, and ends when told."""

import pytest

from fakes.frames import Pacer, burn
from fakes.stats import FrameStats


class Time:
    """A clock that moves only when somebody sleeps or works."""

    def __init__(self):
        self.now = 100.0

    def sleep(self, seconds):
        self.now += seconds


def run_loop(work, *, fps=50.0, between=None):
    """The periods each frame was told, and the figures, of frames whose work takes so many milliseconds."""
    time, stats, told = Time(), FrameStats(), []

    def step(periods):
        told.append(periods)
        time.sleep(work[len(told) - 1] / 1000)
        if len(told) == len(work):
            loop.stop()

    loop = Pacer(step, fps, stats, between=between, clock=lambda: time.now, sleep=time.sleep)
    loop.run()
    return told, stats.report()


def test_a_quick_project_gets_every_frame_in_time():
    told, report = run_loop([1, 5, 1, 19])
    assert told == [1, 1, 1, 1]
    assert (report["frames"], report["late_frames"], report["dropped_frames"]) == (4, 0, 0)


def test_work_of_one_and_a_half_periods_makes_the_next_frame_late_and_drops_none():
    told, report = run_loop([1, 30, 1, 1])
    assert told == [1, 1, 1, 1]
    assert (report["late_frames"], report["dropped_frames"]) == (1, 0)


def test_periods_missed_as_a_whole_are_skipped_and_counted_not_played_later():
    told, report = run_loop([1, 90, 1, 1])
    assert told == [1, 1, 4, 1]  # The work ended within the fourth period after its own.
    assert (report["late_frames"], report["dropped_frames"]) == (1, 3)


def test_frame_times_leave_out_the_waiting():
    _, report = run_loop([2, 2, 2, 8])
    assert report["frame_ms"] == {"p50": 2.0, "p99": 8.0, "max": 8.0}


def test_a_stop_between_frames_ends_the_loop_before_another_frame():
    stats, frames = FrameStats(), []
    loop = Pacer(frames.append, 60.0, stats, between=lambda: loop.stop())
    loop.run()
    assert frames == [] and stats.report()["frames"] == 0


def test_a_new_rate_counts_from_the_frame_in_which_it_was_set():
    time, stats, told, starts = Time(), FrameStats(), [], []

    def step(periods):
        told.append(periods)
        starts.append(round(time.now - 100, 3))
        if len(told) == 2:
            loop.period = 0.1
        if len(told) == 4:
            loop.stop()

    loop = Pacer(step, 50.0, stats, clock=lambda: time.now, sleep=time.sleep)
    loop.run()
    assert starts == [0.0, 0.02, 0.12, 0.22]
    assert told == [1, 1, 1, 1]


def test_frames_within_a_frame_keep_the_pace_and_count_for_themselves():
    time, stats, starts = Time(), FrameStats(), []

    def step(periods):
        starts.append((round(time.now - 100, 3), periods))
        time.sleep(0.003)
        if len(starts) == 1:
            loop.frame()
            loop.frame()
        if len(starts) == 4:
            loop.stop()

    loop = Pacer(step, 50.0, stats, clock=lambda: time.now, sleep=time.sleep)
    loop.run()
    assert starts == [(0.0, 1), (0.02, 1), (0.04, 1), (0.06, 1)]
    assert stats.report()["frame_ms"]["max"] == 3.0


@pytest.mark.parametrize("milliseconds", [1.0, 4.0])
def test_a_frame_takes_as_long_as_the_work_in_it(milliseconds):
    stats, seen = FrameStats(), []

    def step(periods):
        seen.append(periods)
        burn(milliseconds)
        if len(seen) == 3:
            loop.stop()

    loop = Pacer(step, 100.0, stats)
    loop.run()
    assert stats.report()["frame_ms"]["p50"] >= milliseconds


def test_what_holds_the_loop_while_it_waits_for_a_frame_holds_that_frame():
    order = []

    def step(periods):
        order.append("frame")
        if order.count("frame") == 2:
            loop.stop()

    loop = Pacer(
        step, 100.0, FrameStats(), sleep=lambda s: order.append("wait"), held=lambda: order.append("held")
    )
    loop.run()
    assert order == ["frame", "wait", "held", "frame"]
