"""A frame queue whose time and frames the test moves by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import FrameQueue, Job


class Clock:
    """Seconds that pass only when told so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def spend(self, ms: float) -> None:
        self.now += ms / 1000


class Stage:
    """A queue on a hand-driven clock; `frame()` is one frame of a 60 fps timeline."""

    def __init__(self, clock: Clock, **options: Any) -> None:
        self.clock = clock
        self.queue = FrameQueue(clock=clock, watch=False, **options)
        self.log: list[str] = []

    def frame(self, count: int = 1) -> None:
        for _ in range(count):
            start = self.clock.now
            self.queue.pump()
            self.clock.now = max(self.clock.now, start + 1 / 60)

    def freeze(self, seconds: float) -> None:
        """The main thread does not come by for so long; the watchdog looks ten times a second."""
        end = self.clock.now + seconds
        while self.clock.now < end:
            self.clock.now = min(end, self.clock.now + 0.1)
            self.queue.check()

    def writes(self, word: str, ms: float = 0.0) -> Callable[[], str]:
        """Work that notes that it ran, and takes so long."""

        def work() -> str:
            self.log.append(word)
            self.clock.spend(ms)
            return word

        return work

    def scan(self, word: str, steps: int, ms: float = 1.0) -> Callable[[], Iterator[None]]:
        """Work of several steps which offers the frame back after each."""

        def work() -> Iterator[None]:
            for number in range(steps):
                self.log.append(f"{word}{number}")
                self.clock.spend(ms)
                yield

        return work


def refusal(job: Job) -> ToolFailure:
    """What the caller was told instead of a result; fails if there is no answer yet."""
    error = job.future.exception(timeout=5)
    assert isinstance(error, ToolFailure)
    return error
