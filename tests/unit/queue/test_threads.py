"""The queue with real threads and its watchdog: nobody pumps, callers in crowds."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, FrameQueue


@pytest.fixture
def queue() -> Iterator[FrameQueue]:
    queue = FrameQueue(stall_after=0.1)
    yield queue
    queue.close("The test is over.")


def test_a_caller_is_answered_though_nobody_ever_pumps(queue: FrameQueue) -> None:
    job = queue.submit(lambda: None)
    error = job.future.exception(timeout=10)
    assert isinstance(error, ToolFailure)
    assert error.code is Code.MAIN_THREAD_STALLED


def test_a_deadline_passes_though_the_main_thread_keeps_coming(queue: FrameQueue) -> None:
    def endless() -> Iterator[object]:
        while True:
            yield NEXT_FRAME

    job = queue.submit(endless, deadline=0.2)
    for _ in range(2000):
        queue.pump()
        if job.answered:
            break
        threading.Event().wait(0.005)
    error = job.future.exception(timeout=5)
    assert isinstance(error, ToolFailure)
    assert error.code is Code.STILL_RUNNING


def test_every_call_from_many_threads_runs_once_on_the_pumping_thread() -> None:
    queue = FrameQueue(capacity=10_000, stall_after=60)
    here = threading.get_ident()
    runs: Counter[int] = Counter()
    elsewhere: list[int] = []

    def client(number: int) -> int:
        total = 0
        for call in range(50):
            key = number * 100 + call

            def work(key: int = key) -> int:
                runs[key] += 1
                if threading.get_ident() != here:
                    elsewhere.append(key)
                return key

            total += queue.submit(work, session=str(number)).future.result(timeout=30) == key
        return total

    with ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(client, number) for number in range(8)]
        while not all(future.done() for future in clients):
            queue.pump()
    queue.close("The test is over.")
    assert [future.result() for future in clients] == [50] * 8
    assert set(runs.values()) == {1}
    assert elsewhere == []


def test_cancelling_an_awaited_call_cancels_the_job(queue: FrameQueue) -> None:
    ran: list[str] = []

    async def call() -> str:
        job = queue.submit(lambda: ran.append("work"))
        waiting = asyncio.wrap_future(job.future)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.sleep(0)
        return job.state

    assert asyncio.run(call()) == "cancelled"
    queue.pump()
    assert ran == []


def test_closing_from_another_thread_leaves_generators_to_the_main_thread(queue: FrameQueue) -> None:
    closed_on: list[int] = []

    def begun() -> Iterator[object]:
        try:
            yield NEXT_FRAME
        finally:
            closed_on.append(threading.get_ident())

    job = queue.submit(begun)
    queue.pump()
    closer = threading.Thread(target=queue.close, args=("The server stopped.",))
    closer.start()
    closer.join()
    assert job.answered
    assert closed_on == []
    queue.pump()
    assert closed_on == [threading.get_ident()]


def test_queues_that_come_and_go_leave_no_thread_behind() -> None:
    before = set(threading.enumerate())
    for _ in range(20):
        queue = FrameQueue()
        queue.submit(lambda: None)
        queue.pump()
        queue.close("Done.")
    for thread in set(threading.enumerate()) - before:
        if thread.name == "tdmcp-watchdog":
            thread.join(timeout=10)
            assert not thread.is_alive()


def test_an_idle_queue_starts_no_thread() -> None:
    # By name: threads of other tests in this process may start and end meanwhile.
    before = set(threading.enumerate())
    queue = FrameQueue()
    queue.pump()
    started = set(threading.enumerate()) - before
    assert not [thread.name for thread in started if thread.name.startswith("tdmcp-")]
