"""Who runs when: order, fairness between sessions, the budget of a frame."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tests.unit.queue.stage import Clock, Stage, refusal


def test_a_job_runs_in_the_next_pump_and_its_caller_gets_the_result(stage: Stage) -> None:
    job = stage.queue.submit(lambda: 42, label="answer")
    assert job.state == "queued"
    stage.frame()
    assert job.future.result(timeout=0) == 42
    assert job.state == "done"


def test_nothing_runs_on_the_thread_that_submits(stage: Stage) -> None:
    stage.queue.submit(stage.writes("work"))
    assert stage.log == []


def test_jobs_of_one_session_run_in_the_order_they_came(stage: Stage) -> None:
    for word in "abcdef":
        stage.queue.submit(stage.writes(word), session="s")
    stage.frame()
    assert stage.log == list("abcdef")


def test_sessions_take_turns_however_many_calls_one_of_them_sends(stage: Stage) -> None:
    for number in range(4):
        stage.queue.submit(stage.writes(f"flood{number}"), session="flood")
    stage.queue.submit(stage.writes("single"), session="other")
    stage.frame()
    assert stage.log == ["flood0", "single", "flood1", "flood2", "flood3"]


def test_three_sessions_are_served_evenly_over_many_frames(stage: Stage) -> None:
    for session in ("a", "b", "c"):
        for _ in range(10):
            stage.queue.submit(stage.writes(session, ms=1.9), session=session)
    stage.frame(9)
    assert [stage.log.count(session) for session in ("a", "b", "c")] == [6, 6, 6]


def test_work_stops_when_the_budget_of_the_frame_is_spent(stage: Stage) -> None:
    stage.queue.budget_ms = 4.5
    for number in range(10):
        stage.queue.submit(stage.writes(str(number), ms=1.0))
    stage.frame()
    assert stage.log == list("0123")
    stage.frame()
    assert stage.log == list("01234567")


def test_a_budget_set_while_running_counts_from_the_next_frame(stage: Stage) -> None:
    for number in range(10):
        stage.queue.submit(stage.writes(str(number), ms=1.0))
    stage.queue.budget_ms = 2.5
    stage.frame()
    assert stage.log == list("01")


def test_one_step_runs_per_frame_however_dear_it_is(stage: Stage) -> None:
    for number in range(3):
        stage.queue.submit(stage.writes(str(number), ms=50))
    stage.frame()
    assert stage.log == ["0"]
    stage.frame(2)
    assert stage.log == ["0", "1", "2"]


def test_a_kind_of_job_known_to_be_dear_is_not_begun_at_the_end_of_a_frame(stage: Stage) -> None:
    stage.queue.submit(stage.writes("dear", ms=3), label="edit")
    stage.frame()
    stage.queue.submit(stage.writes("cheap", ms=2), label="read")
    stage.queue.submit(stage.writes("dear", ms=3), label="edit")
    stage.frame()
    assert stage.log == ["dear", "cheap"]
    stage.frame()
    assert stage.log == ["dear", "cheap", "dear"]


def test_a_scan_gives_the_frame_back_before_the_budget_is_overrun(stage: Stage) -> None:
    stage.queue.submit(stage.scan("s", steps=40, ms=0.3))
    stage.frame()
    assert len(stage.log) == 13, "13 × 0.3 ms fit into 4 ms, 14 do not"
    assert stage.queue.stats()["frames_over_budget"] == 0
    stage.frame(3)
    assert len(stage.log) == 40


def test_one_step_that_was_long_by_accident_does_not_leave_one_step_a_frame_to_the_others(
    stage: Stage,
) -> None:
    stage.queue.budget_ms = 4

    def scan() -> Iterator[None]:
        for number in range(1000):
            stage.clock.spend(50 if number == 100 else 0.02)
            yield

    stage.queue.submit(scan)
    stage.frame(12)
    stats = stage.queue.stats()
    assert stats["done"] == 1 and stats["frames_over_budget"] == 1


def test_a_dear_step_among_cheap_ones_is_foreseen_from_the_second_on(stage: Stage) -> None:
    stage.queue.budget_ms = 4

    def uneven() -> Iterator[None]:
        for number in range(300):
            stage.clock.spend(1.5 if number % 36 == 35 else 0.1)
            yield

    stage.queue.submit(uneven)
    stage.frame(200)
    stats = stage.queue.stats()
    assert stats["done"] == 1 and stats["frames_over_budget"] == 1


def test_young_garbage_is_collected_when_a_turn_begins_and_not_near_its_end(stage: Stage) -> None:
    heap: list[list[int]] = []
    seen: list[int] = []

    def scan() -> Iterator[None]:
        for _ in range(60):
            # Each step makes enough objects for two collections of the youngest.
            heap.extend([number] for number in range(1500))
            seen.append(gc.get_count()[1])
            stage.clock.spend(4)  # a step a frame
            yield

    stage.queue.submit(scan)
    gc.collect()
    stage.frame(61)
    assert len(seen) == 60
    # The collection that comes by itself would come at ten.
    assert max(seen) < 10


def test_next_frame_means_the_next_frame_even_with_budget_left(stage: Stage) -> None:
    def edit() -> Iterator[Any]:
        stage.log.append("edit")
        yield NEXT_FRAME
        stage.log.append("look again")

    stage.queue.submit(edit)
    stage.frame()
    assert stage.log == ["edit"]
    stage.frame()
    assert stage.log == ["edit", "look again"]


def test_while_one_job_waits_for_the_next_frame_others_of_its_session_run(stage: Stage) -> None:
    def waits() -> Iterator[Any]:
        stage.log.append("before")
        yield NEXT_FRAME
        stage.log.append("after")

    stage.queue.submit(waits)
    stage.queue.submit(stage.writes("other"))
    stage.frame()
    assert stage.log == ["before", "other"]


def test_a_job_that_fills_every_frame_does_not_starve_its_own_session(stage: Stage) -> None:
    def hungry() -> Iterator[Any]:
        while True:
            stage.clock.spend(6)
            yield NEXT_FRAME

    stage.queue.submit(hungry)
    stage.frame()
    job = stage.queue.submit(stage.writes("read"))
    stage.frame(2)
    assert job.state == "done"


def test_a_long_scan_does_not_hold_up_a_short_read_of_the_same_session(stage: Stage) -> None:
    stage.queue.submit(stage.scan("s", steps=1000))
    stage.frame()
    read = stage.queue.submit(stage.writes("read"))
    stage.frame()
    assert read.state == "done"


def test_a_long_scan_does_not_hold_up_another_session_within_the_frame(stage: Stage) -> None:
    stage.queue.submit(stage.scan("s", steps=1000, ms=0.5), session="scan")
    stage.queue.submit(stage.writes("read"), session="other")
    stage.frame()
    assert "read" in stage.log[:3]


def test_two_scans_share_the_frames(stage: Stage) -> None:
    first = stage.queue.submit(stage.scan("a", steps=20), session="a")
    second = stage.queue.submit(stage.scan("b", steps=20), session="b")
    stage.frame(16)
    assert first.state == second.state == "done"
    halfway = stage.log[:20]
    assert 8 <= sum(entry.startswith("a") for entry in halfway) <= 12


def test_what_a_generator_returns_is_the_result(stage: Stage) -> None:
    def work() -> Iterator[None]:
        yield
        return "found"

    job = stage.queue.submit(work)
    stage.frame()
    assert job.future.result(timeout=0) == "found"


def test_a_function_may_return_a_generator_it_made(stage: Stage) -> None:
    job = stage.queue.submit(lambda: stage.scan("s", steps=2)())
    stage.frame(2)
    assert job.state == "done"
    assert stage.log == ["s0", "s1"]


def test_a_generator_that_yields_something_else_is_told_so_where_it_did(stage: Stage) -> None:
    def forgot_from() -> Iterator[Any]:
        yield [1, 2, 3]

    job = stage.queue.submit(forgot_from)
    stage.frame()
    assert "NEXT_FRAME, not list" in refusal(job).message
    assert "forgot_from" in job.traceback


def test_pump_called_from_within_a_step_does_nothing(stage: Stage) -> None:
    def opens_a_message_box() -> None:
        stage.queue.pump()  # the host lets its callbacks run meanwhile
        stage.log.append("closed")

    stage.queue.submit(opens_a_message_box)
    stage.queue.submit(stage.writes("next"))
    stage.frame()
    assert stage.log == ["closed", "next"]


def test_a_failing_job_harms_nobody_else(stage: Stage) -> None:
    def broken() -> None:
        raise ZeroDivisionError("by nothing")

    bad = stage.queue.submit(broken, label="broken")
    good = stage.queue.submit(stage.writes("good"))
    stage.frame()
    assert refusal(bad).code is Code.INTERNAL_ERROR
    assert "ZeroDivisionError: by nothing" in refusal(bad).message
    assert good.state == "done"


@pytest.mark.parametrize("fatal", [SystemExit, GeneratorExit])
def test_not_even_a_system_exit_in_a_job_reaches_the_frame_loop(
    stage: Stage, fatal: type[BaseException]
) -> None:
    def leaves() -> None:
        raise fatal

    job = stage.queue.submit(leaves)
    stage.frame()
    assert job.state == "failed"


def test_control_c_still_reaches_the_host(stage: Stage) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    job = stage.queue.submit(interrupted)
    with pytest.raises(KeyboardInterrupt):
        stage.queue.pump()
    assert job.state == "failed"
    stage.queue.submit(stage.writes("later"))
    stage.frame()
    assert stage.log == ["later"]


def test_an_idle_queue_keeps_no_jobs_and_counts_frames(stage: Stage, clock: Clock) -> None:
    stage.frame(60)
    stats = stage.queue.stats()
    assert stats["frames"] == 60
    assert stats["busy_frames"] == 0
    assert stats["total_pump_ms"] == 0
