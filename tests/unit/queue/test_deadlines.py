"""Every caller is answered in time with what is true, and what was refused never happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tests.unit.queue.stage import Stage, refusal


def waits(stage: Stage, frames: int) -> Any:
    def work() -> Iterator[Any]:
        for _ in range(frames):
            yield NEXT_FRAME
        stage.log.append("finished")
        return "outcome"

    return work


def test_a_call_past_its_deadline_in_the_queue_is_told_not_started_and_never_runs(stage: Stage) -> None:
    stage.queue.submit(stage.writes("long", ms=600), session="a")
    job = stage.queue.submit(stage.writes("late"), session="b", deadline=0.5)
    stage.frame()  # the long one takes the frame
    stage.queue.check()
    assert refusal(job).code is Code.NOT_STARTED
    assert refusal(job).retryable
    stage.frame(5)
    assert stage.log == ["long"]
    assert job.state == "dropped"


def test_the_pump_itself_drops_a_late_call_if_the_watchdog_has_not_come_round(stage: Stage) -> None:
    job = stage.queue.submit(stage.writes("late"), deadline=0.5)
    stage.clock.now += 0.6
    stage.frame()
    assert refusal(job).code is Code.NOT_STARTED
    assert stage.log == []


def test_a_call_past_its_deadline_at_work_is_told_still_running_and_the_job_number(stage: Stage) -> None:
    job = stage.queue.submit(waits(stage, frames=60), label="capture", deadline=0.5)
    stage.frame(40)
    stage.queue.check()
    told = refusal(job)
    assert told.code is Code.STILL_RUNNING
    assert told.details == {"job": job.id}
    assert not told.retryable
    assert "do not repeat" in told.message


def test_the_outcome_of_a_job_that_outlived_its_call_is_kept(stage: Stage) -> None:
    job = stage.queue.submit(waits(stage, frames=60), deadline=0.5)
    stage.frame(40)
    stage.queue.check()
    with pytest.raises(ToolFailure, match="running"):
        job.outcome()
    stage.frame(40)
    kept = stage.queue.job(job.id)
    assert kept is not None
    assert kept.state == "done"
    assert kept.outcome() == "outcome"


def test_a_failure_that_outlived_its_call_is_kept_too(stage: Stage) -> None:
    def fails() -> Iterator[Any]:
        for _ in range(60):
            yield NEXT_FRAME
        raise ToolFailure(Code.VALUE_INVALID, "no good")

    job = stage.queue.submit(fails, deadline=0.5)
    stage.frame(40)
    stage.queue.check()
    stage.frame(40)
    kept = stage.queue.job(job.id)
    assert kept is not None
    with pytest.raises(ToolFailure, match="no good"):
        kept.outcome()


def test_a_delivered_result_is_not_hoarded(stage: Stage) -> None:
    job = stage.queue.submit(lambda: bytes(1000))
    stage.frame()
    remembered = stage.queue.job(job.id)
    assert remembered is not None
    assert remembered.state == "done"
    with pytest.raises(ToolFailure, match="given to its caller"):
        remembered.outcome()


def test_the_history_is_bounded(stage: Stage) -> None:
    jobs = []
    for _ in range(300):
        jobs.append(stage.queue.submit(lambda: None))
        stage.frame()
    assert stage.queue.job(jobs[0].id) is None
    assert stage.queue.job(jobs[-1].id) is not None
    assert sum(stage.queue.job(job.id) is not None for job in jobs) <= 160


def test_job_numbers_are_no_guessable_counter(stage: Stage) -> None:
    first, second = stage.queue.submit(lambda: None), stage.queue.submit(lambda: None)
    assert first.id != second.id
    assert len(first.id.partition("-")[2]) >= 6


def test_progress_can_be_read_while_the_job_runs(stage: Stage) -> None:
    def counts() -> Iterator[Any]:
        for number in range(3):
            current = stage.queue.current
            assert current is not None
            current.progress(number, 3, f"frame {number}")
            yield NEXT_FRAME

    job = stage.queue.submit(counts, label="watch")
    stage.frame(2)
    described = stage.queue.describe(job)
    assert described["state"] == "running"
    assert described["progress"] == {"done": 1, "total": 3, "message": "frame 1"}
    assert stage.queue.current is None


# Cancelling


def test_a_cancelled_call_that_has_not_begun_never_runs(stage: Stage) -> None:
    job = stage.queue.submit(stage.writes("work"))
    assert stage.queue.cancel(job.id)
    stage.frame(2)
    assert stage.log == []
    assert job.state == "cancelled"
    assert refusal(job).code is Code.CANCELLED


def test_a_cancelled_generator_is_closed_at_its_next_yield_and_may_tidy_up(stage: Stage) -> None:
    def tidy() -> Iterator[Any]:
        try:
            while True:
                stage.log.append("step")
                yield NEXT_FRAME
        finally:
            stage.log.append("tidied")

    job = stage.queue.submit(tidy)
    stage.frame(2)
    assert stage.queue.cancel(job.id, "The user has had enough.")
    assert stage.log == ["step", "step"], "closing is the main thread's business"
    stage.frame()
    assert stage.log == ["step", "step", "tidied"]
    assert job.state == "cancelled"
    assert refusal(job).message.startswith("The user has had enough.")


def test_cancelling_the_future_cancels_the_job(stage: Stage) -> None:
    job = stage.queue.submit(stage.writes("work"))
    assert job.future.cancel()
    stage.frame()
    assert stage.log == []
    assert job.state == "cancelled"


def test_a_scan_cancelled_in_mid_frame_stops_at_the_next_yield(stage: Stage) -> None:
    def scan() -> Iterator[None]:
        for number in range(100):
            stage.log.append(str(number))
            if number == 2:
                stage.queue.cancel(job.id)
            yield

    job = stage.queue.submit(scan)
    stage.frame(3)
    assert stage.log == ["0", "1", "2"]
    assert job.state == "cancelled"


def test_what_is_over_cannot_be_cancelled(stage: Stage) -> None:
    job = stage.queue.submit(lambda: 1)
    stage.frame()
    assert not stage.queue.cancel(job.id)
    assert not stage.queue.cancel("job0-nobody")
    assert job.future.result(timeout=0) == 1


def test_a_plain_function_at_work_cannot_be_cancelled(stage: Stage) -> None:
    told: list[bool] = []
    job = stage.queue.submit(lambda: told.append(stage.queue.cancel(job.id)))
    stage.frame()
    assert told == [False]
    assert job.state == "done"


def test_a_result_nobody_waits_for_is_kept_for_whoever_asks_later(stage: Stage) -> None:
    kept = stage.queue.submit(stage.writes("kept"), keep=True)
    given = stage.queue.submit(stage.writes("given"))
    stage.frame()
    assert stage.queue.job(kept.id).outcome() == "kept"  # type: ignore[union-attr]  # a missing job fails the test
    with pytest.raises(ToolFailure):
        stage.queue.job(given.id).outcome()  # type: ignore[union-attr]  # the same


def test_work_that_repeats_by_itself_does_not_push_a_clients_call_out_of_the_history(stage: Stage) -> None:
    call = stage.queue.submit(stage.writes("call"))
    stage.frame()
    for _ in range(300):
        look = stage.queue.submit(stage.writes("look"), remember=False)
        stage.frame()
        assert stage.queue.job(look.id) is None
    assert stage.queue.job(call.id) is not None
