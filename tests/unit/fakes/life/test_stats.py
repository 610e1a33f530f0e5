"""Frame figures mean what they say."""

import socket

import pytest

from fakes.stats import LATE_AFTER, FrameStats, open_sockets, percentile


def test_a_frame_that_starts_a_little_behind_is_not_late():
    stats = FrameStats()
    stats.begin(behind=LATE_AFTER / 2, missed=0)
    assert stats.report()["late_frames"] == 0


def test_a_frame_that_starts_well_behind_is_late_but_nothing_is_dropped():
    stats = FrameStats()
    stats.begin(behind=LATE_AFTER * 2, missed=0)
    report = stats.report()
    assert (report["late_frames"], report["dropped_frames"]) == (1, 0)


def test_periods_that_went_by_without_a_frame_are_dropped():
    stats = FrameStats()
    stats.begin(behind=0.0, missed=0)
    stats.begin(behind=0.0, missed=3)
    report = stats.report()
    assert (report["frames"], report["dropped_frames"]) == (2, 3)


def test_frame_times_are_milliseconds():
    stats = FrameStats()
    for took in (0.001, 0.002, 0.050):
        stats.end(took)
    assert stats.report()["frame_ms"] == {"p50": 2.0, "p99": 50.0, "max": 50.0}


def test_a_reset_forgets_everything():
    stats = FrameStats()
    stats.begin(behind=1.0, missed=5)
    stats.end(0.1)
    stats.reset()
    assert stats.report() == FrameStats().report()


@pytest.mark.parametrize(("percent", "expected"), [(50, 5), (99, 10), (1, 1), (100, 10)])
def test_percentiles_are_values_that_occurred(percent, expected):
    assert percentile(list(range(1, 11)), percent) == expected


def test_open_sockets_counts_a_new_socket():
    before = open_sockets()
    with socket.socket():
        assert open_sockets() == before + 1
    assert open_sockets() == before
