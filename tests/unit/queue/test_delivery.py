"""Answers are given when the frame's own Python is over, and late rather than never."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tdmcp_embedded.frame_queue import FrameQueue
from tests.unit.queue.stage import Clock


class Frames:
    """A host that tells of the end of its frames, or forgets to."""

    def __init__(self, watch: bool = False) -> None:
        self.clock = Clock()
        self.asked: list[Callable[[], None]] = []
        self.queue = FrameQueue(clock=self.clock, watch=watch, frame_end=self.asked.append)

    def end_frame(self) -> None:
        asked, self.asked[:] = list(self.asked), []
        for tell in asked:
            tell()


def test_an_answer_comes_with_the_end_of_its_frame() -> None:
    frames = Frames()
    job = frames.queue.submit(lambda: 42)
    frames.queue.pump()
    assert job.state == "done" and not job.answered
    frames.end_frame()
    assert job.future.result(timeout=0) == 42


def test_one_end_of_a_frame_answers_everybody_in_order() -> None:
    frames, order = Frames(), []
    for number in range(3):
        job = frames.queue.submit(lambda: None)
        job.future.add_done_callback(lambda _, number=number: order.append(number))
    frames.queue.pump()
    assert len(frames.asked) == 1, "the host is asked once a frame"
    frames.end_frame()
    assert order == [0, 1, 2]


def test_where_the_end_of_the_frame_is_not_told_the_next_frame_answers() -> None:
    frames = Frames()
    job = frames.queue.submit(lambda: 42)
    frames.queue.pump()
    frames.queue.pump()
    assert job.answered


def test_in_a_frame_that_does_not_end_the_watchdog_answers() -> None:
    frames = Frames()
    job = frames.queue.submit(lambda: 42)
    frames.queue.pump()
    frames.clock.spend(100)
    again = frames.queue.check()
    assert not job.answered and again is not None
    frames.clock.now = again + 0.001
    frames.queue.check()
    assert job.answered


def test_whoever_asks_for_the_end_of_a_frame_gets_the_next_one() -> None:
    frames, came = Frames(), []
    frames.queue.at_frame_end(lambda: came.append("now"))
    assert not came
    frames.queue.pump()
    assert not came
    frames.end_frame()
    assert came == ["now"]


def test_after_the_queue_was_closed_nobody_waits_for_a_frame() -> None:
    frames, came = Frames(), []
    frames.queue.close("The server is stopping.")
    frames.queue.at_frame_end(lambda: came.append("now"))
    assert came == ["now"]


def test_answers_that_were_held_are_given_when_the_queue_is_closed() -> None:
    frames = Frames()
    job = frames.queue.submit(lambda: 42)
    frames.queue.pump()
    frames.queue.close("The server is stopping.")
    assert job.future.result(timeout=0) == 42


def test_the_main_thread_does_not_give_answers_itself() -> None:
    queue = FrameQueue()
    answered_by: list[str] = []
    done = threading.Event()

    def note(_: object) -> None:
        answered_by.append(threading.current_thread().name)
        done.set()

    job = queue.submit(lambda: 42)
    job.future.add_done_callback(note)
    queue.pump()
    assert done.wait(10)
    queue.close("The test is over.")
    assert answered_by == ["tdmcp-answers"]


def test_closing_ends_the_thread_that_gives_answers() -> None:
    queue = FrameQueue()
    queue.submit(lambda: 42)
    carriers = [t for t in threading.enumerate() if t.name == "tdmcp-answers"]
    assert carriers
    queue.pump()
    queue.close("The test is over.")
    for thread in carriers:
        thread.join(10)
        assert not thread.is_alive()
