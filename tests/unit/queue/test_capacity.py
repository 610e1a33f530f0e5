"""A full queue says so, fairly; a closed one answers everybody."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue
from tests.unit.queue.stage import Clock, Stage, refusal


def forever() -> Iterator[Any]:
    while True:
        yield NEXT_FRAME


def test_a_full_queue_is_busy_and_says_with_what_for_how_long_and_when_to_retry(clock: Clock) -> None:
    stage = Stage(clock, capacity=2)
    stage.frame()
    stage.queue.submit(forever, label="capture_image")
    stage.frame(20)
    stage.queue.submit(stage.writes("a"), label="read_network")
    with pytest.raises(ToolFailure) as told:
        stage.queue.submit(stage.writes("b"))
    busy = told.value
    assert busy.code is Code.BUSY
    assert busy.retryable
    assert "capture_image" in busy.message
    assert "0.3 s" in busy.message
    assert busy.details["retry_after_s"] > 0


def test_room_comes_back_as_work_is_done(clock: Clock) -> None:
    stage = Stage(clock, capacity=1)
    stage.queue.submit(stage.writes("a"))
    stage.frame()
    stage.queue.submit(stage.writes("b"))
    stage.frame()
    assert stage.log == ["a", "b"]


def test_one_flooding_session_cannot_lock_the_others_out(clock: Clock) -> None:
    stage = Stage(clock, capacity=16)
    flood = [stage.queue.submit(stage.writes(f"flood{n}"), session="flood") for n in range(16)]
    single = stage.queue.submit(stage.writes("single"), session="other")
    assert refusal(flood[-1]).code is Code.BUSY
    stage.frame()
    assert single.state == "done"
    assert "flood15" not in stage.log
    assert "flood14" in stage.log


def test_a_bigger_capacity_can_be_set_while_running(clock: Clock) -> None:
    stage = Stage(clock, capacity=1)
    stage.queue.submit(stage.writes("a"))
    stage.queue.capacity = 2
    stage.queue.submit(stage.writes("b"))
    stage.frame()
    assert stage.log == ["a", "b"]


# Closing


def test_closing_answers_everybody_and_runs_nothing_more(stage: Stage) -> None:
    def begun() -> Iterator[Any]:
        try:
            yield NEXT_FRAME
        finally:
            stage.log.append("tidied")

    running = stage.queue.submit(begun)
    stage.frame()
    waiting = stage.queue.submit(stage.writes("never"))
    stage.queue.close("The server is stopping.")
    assert refusal(waiting).code is Code.NOT_STARTED
    assert refusal(running).code is Code.CANCELLED
    assert refusal(running).message.startswith("The server is stopping.")
    assert stage.log == ["tidied"], "on the main thread, generators are closed at once"
    stage.frame(3)
    assert stage.log == ["tidied"]


def test_a_closed_queue_takes_no_more(stage: Stage) -> None:
    stage.queue.close("The component was deleted.")
    with pytest.raises(ToolFailure, match="The component was deleted") as told:
        stage.queue.submit(stage.writes("never"))
    assert told.value.code is Code.NOT_STARTED


def test_closing_from_within_a_job_ends_that_job_at_its_next_yield(stage: Stage) -> None:
    def reloads_the_component() -> Iterator[Any]:
        stage.queue.close("The component was reloaded.")
        stage.log.append("closed")
        yield
        stage.log.append("never")

    job = stage.queue.submit(reloads_the_component)
    stage.frame(2)
    assert stage.log == ["closed"]
    assert refusal(job).code is Code.CANCELLED


def test_closing_twice_is_harmless(stage: Stage) -> None:
    stage.queue.close("Once.")
    stage.queue.close("Twice.")


# Figures


def test_stats_are_json_and_tell_what_happened(stage: Stage) -> None:
    stage.queue.submit(stage.writes("a", ms=2))
    stage.frame()
    stage.queue.submit(stage.writes("b", ms=30))
    dropped = stage.queue.submit(stage.writes("c"))
    stage.queue.cancel(dropped.id)
    stage.frame()
    stage.queue.submit(forever, label="capture_image")
    stage.frame()
    stats = json.loads(json.dumps(stage.queue.stats()))
    assert stats["done"] == 2
    assert stats["cancelled"] == 1
    assert stats["depth"] == 1
    assert stats["running"][0]["label"] == "capture_image"
    assert stats["frames_over_budget"] == 1
    assert stats["step_ms"]["max"] == 30
    assert stats["total_pump_ms"] == 32


def test_what_an_idle_pump_costs_is_counted_too() -> None:
    ticks = itertools.count(step=0.0005)
    queue = FrameQueue(clock=lambda: next(ticks), watch=False)
    for _ in range(10):
        queue.pump()
    stats = queue.stats()
    assert (stats["frames"], stats["busy_frames"]) == (10, 0)
    assert stats["total_pump_ms"] == 5 and stats["max_pump_ms"] == 0.5


def test_exceptions_cross_threads_without_tracebacks_or_causes() -> None:
    # Their frames would hold TouchDesigner objects.
    queue = FrameQueue(watch=False)

    def fails() -> None:
        try:
            raise KeyError("inner")
        except KeyError as error:
            raise ToolFailure(Code.VALUE_INVALID, "outer") from error

    job = queue.submit(fails)
    queue.pump()
    error = job.future.exception(timeout=0)
    assert isinstance(error, ToolFailure)
    assert error.__traceback__ is error.__cause__ is error.__context__ is None


def test_an_error_of_touchdesigner_is_named_as_such() -> None:
    class tdError(Exception):
        pass

    queue = FrameQueue(watch=False)

    def fails() -> None:
        raise tdError("Invalid or duplicate operator name.")

    job = queue.submit(fails)
    queue.pump()
    assert refusal(job).code is Code.TD_ERROR
    assert "Invalid or duplicate operator name." in refusal(job).message
