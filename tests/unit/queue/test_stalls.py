"""A main thread that has stopped coming: everybody is told within two seconds, and nothing happens afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tests.unit.queue.stage import Clock, Stage, refusal


def test_a_call_waiting_when_the_main_thread_stops_is_told_so_and_never_runs(stage: Stage) -> None:
    stage.frame()
    job = stage.queue.submit(stage.writes("work"))
    stage.freeze(1.1)
    told = refusal(job)
    assert told.code is Code.MAIN_THREAD_STALLED
    assert told.retryable
    assert told.details["retry_after_s"] > 0
    for reason in ("dialog", "power", "cook", "loaded"):
        assert reason in told.hint
    stage.frame(3)
    assert stage.log == []
    assert job.state == "dropped"


def test_a_call_submitted_just_before_the_stall_shows_is_told_with_the_others(stage: Stage) -> None:
    stage.frame()
    stage.clock.now += 0.98
    job = stage.queue.submit(stage.writes("work"))
    stage.freeze(0.2)
    assert refusal(job).code is Code.MAIN_THREAD_STALLED


def test_new_calls_are_refused_at_once_while_stalled_and_welcome_afterwards(stage: Stage) -> None:
    stage.frame()
    stage.freeze(30)
    with pytest.raises(ToolFailure) as told:
        stage.queue.submit(stage.writes("work"))
    assert told.value.code is Code.MAIN_THREAD_STALLED
    assert "30.0 s" in told.value.message
    stage.frame()
    assert stage.queue.submit(stage.writes("work")).state == "queued"
    stage.frame()
    assert stage.log == ["work"]


def test_if_a_job_of_ours_holds_the_main_thread_the_others_are_told_which(stage: Stage) -> None:
    stage.frame()
    told: list[ToolFailure] = []

    def long_script() -> str:
        stage.freeze(1.5)
        told.append(refusal(other))
        return "done"

    script = stage.queue.submit(long_script, label="execute_python", session="a")
    other = stage.queue.submit(stage.writes("read"), session="b")
    stage.frame()
    assert told[0].code is Code.MAIN_THREAD_STALLED
    assert "execute_python" in told[0].message
    assert told[0].details["running_job"] == script.id
    assert script.future.result(timeout=0) == "done", "the job at work is no victim of the stall"


def test_an_edit_whose_check_the_stall_cut_off_is_still_running_not_to_be_repeated(stage: Stage) -> None:
    def edit() -> Iterator[Any]:
        stage.log.append("edit")
        yield NEXT_FRAME
        return "checked"

    job = stage.queue.submit(edit)
    stage.frame()
    stage.freeze(2.2)
    assert refusal(job).code is Code.STILL_RUNNING
    assert "dialog" in refusal(job).hint
    stage.frame(2)
    kept = stage.queue.job(job.id)
    assert kept is not None
    assert kept.outcome() == "checked"
    assert stage.log == ["edit"]


def test_a_short_hiccup_is_no_stall(stage: Stage) -> None:
    stage.frame()
    job = stage.queue.submit(stage.writes("work"))
    stage.freeze(0.9)
    assert not job.answered
    stage.frame()
    assert job.state == "done"


def test_the_first_call_before_the_first_frame_has_its_grace(clock: Clock) -> None:
    stage = Stage(clock)
    job = stage.queue.submit(stage.writes("early"))
    stage.clock.now += 0.8
    stage.queue.check()
    assert not job.answered
    stage.frame()
    assert stage.log == ["early"]


def test_a_queue_nobody_ever_pumps_says_that_no_frame_has_run(stage: Stage) -> None:
    job = stage.queue.submit(stage.writes("work"))
    stage.freeze(1.2)
    assert "not run a single frame" in refusal(job).message


def test_stalled_for_is_zero_when_fine_and_the_age_when_not(stage: Stage) -> None:
    stage.frame()
    stage.clock.now += 0.5
    assert stage.queue.stalled_for == 0.0
    stage.clock.now += 2
    assert stage.queue.stalled_for == pytest.approx(2.5, abs=0.05)


def test_stalls_are_counted_once_each(stage: Stage) -> None:
    for _ in range(2):
        stage.frame()
        stage.freeze(3)
    assert stage.queue.stats()["stalls"] == 2
