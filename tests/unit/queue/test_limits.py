"""User Python that never returns is broken off, and nothing else ever is. Real threads, real time."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tdmcp_embedded.errors import Code
from tdmcp_embedded.frame_queue import FrameQueue, TimeLimitExceeded
from tdmcp_embedded.frame_queue.limits import Limits
from tests.unit.queue.stage import refusal


@pytest.fixture
def queue() -> Iterator[FrameQueue]:
    queue = FrameQueue()
    queue.pump()
    yield queue
    queue.close("The test is over.")


def loop_for(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(20))


def test_an_endless_loop_is_broken_off(queue: FrameQueue) -> None:
    def endless() -> str:
        try:
            with queue.limit(0.05):
                while True:
                    pass
        except TimeLimitExceeded:
            return "broken off"

    job = queue.submit(endless)
    queue.pump()
    assert job.future.result(timeout=5) == "broken off"


def test_an_endless_loop_nobody_catches_fails_its_call_and_the_frames_go_on(queue: FrameQueue) -> None:
    def endless() -> None:
        with queue.limit(0.05):
            while True:
                pass

    job = queue.submit(endless)
    queue.pump()
    assert refusal(job).code is Code.TIME_LIMIT
    after = queue.submit(lambda: "next")
    queue.pump()
    assert after.future.result(timeout=5) == "next"


def test_code_within_its_limit_notices_nothing(queue: FrameQueue) -> None:
    with queue.limit(30):
        loop_for(0.02)


def test_code_that_swallows_it_gets_it_again(queue: FrameQueue) -> None:
    swallowed = 0

    def stubborn() -> None:
        nonlocal swallowed
        while swallowed < 2:
            try:
                loop_for(30)
            except BaseException:  # noqa: BLE001 - the very thing under test
                swallowed += 1

    with queue.limit(0.05):
        stubborn()
    assert swallowed == 2


def test_a_plain_except_exception_does_not_swallow_it(queue: FrameQueue) -> None:
    def careless() -> None:
        while True:
            try:
                loop_for(30)
            except Exception:  # noqa: BLE001, S110 - the very thing under test
                pass

    with pytest.raises(TimeLimitExceeded), queue.limit(0.05):
        careless()


def test_finally_blocks_of_the_code_run(queue: FrameQueue) -> None:
    log: list[str] = []

    def careful() -> None:
        try:
            loop_for(30)
        finally:
            log.append("tidied")

    with pytest.raises(TimeLimitExceeded), queue.limit(0.05):
        careful()
    assert log == ["tidied"]


def test_it_is_not_raised_again_in_the_code_that_deals_with_it(queue: FrameQueue) -> None:
    def user() -> None:
        loop_for(30)

    try:
        with queue.limit(0.02):
            user()
    except TimeLimitExceeded:
        loop_for(0.6)  # longer than the pause before code that swallows it would get it again


def test_it_is_raised_once_though_it_comes_as_the_code_fails_by_itself(queue: FrameQueue) -> None:
    # The limit passes while C code waits; that then raises, and the next Python to run is the end of the block.
    here, there = socket.socketpair()
    here.settimeout(0.2)
    with here, there:
        with pytest.raises(TimeLimitExceeded) as told, queue.limit(0.05):
            here.recv(1)
        assert isinstance(told.value.__context__, TimeoutError)
        loop_for(0.6)  # and it is not raised again out here


def test_nested_limits_end_at_the_sooner_of_the_two(queue: FrameQueue) -> None:
    ended = False
    with pytest.raises(TimeLimitExceeded), queue.limit(0.05), queue.limit(3600):
        loop_for(60)
        ended = True
    assert not ended


def race(limit: Callable[[float], object], seconds: float, work: float) -> bool:
    """Run code about as long as its limit, then be vulnerable; whether it was broken off inside its block."""
    try:
        with limit(seconds):  # type: ignore[attr-defined]
            loop_for(work)
    except TimeLimitExceeded:
        return True
    return False


def test_it_never_arrives_outside_the_block(queue: FrameQueue) -> None:
    # Code that ends at about the moment its limit does, many times over; with threads switching as often as they
    # can. Whatever leaked would be raised in the loop of this test.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    broken_off = 0
    try:
        for number in range(300):
            broken_off += race(queue.limit, 0.001, 0.0009 + (number % 10) * 0.00005)
            for _ in range(50):
                sum(range(10))
    finally:
        sys.setswitchinterval(interval)
    assert queue._limits.next_due() is None
    assert 0 < broken_off < 300, "the race was no race"


def test_a_limit_left_open_by_a_job_ends_with_its_step(queue: FrameQueue) -> None:
    def leaves_it_open() -> None:
        queue.limit(0.02).__enter__()

    queue.submit(leaves_it_open)
    queue.pump()
    loop_for(0.1)


def test_a_limit_holds_for_code_that_runs_while_the_queue_is_being_closed(queue: FrameQueue) -> None:
    def closes_and_loops() -> None:
        with queue.limit(0.05):
            queue.close("Reloaded.")
            while True:
                pass

    queue.submit(closes_and_loops)
    queue.pump()


def test_an_exception_taken_back_leaves_no_trace_in_the_interpreter() -> None:
    """CPython 3.11 keeps its interrupt flag raised if the pending exception is simply removed: generators then hang
    under a profiler."""
    limits = Limits(time.perf_counter, lambda when: None)
    for _ in range(3):
        limit = limits.limit(60.0)
        with contextlib.suppress(TimeLimitExceeded), limit:
            limit.due = 0.0
            watchdog = threading.Thread(target=limits.enforce)
            watchdog.start()
            watchdog.join()
    sys.setprofile(lambda *event: None)
    try:
        assert sum(number for number in range(1000)) == 499_500
    finally:
        sys.setprofile(None)
