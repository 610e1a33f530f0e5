"""Frames by hand for tests, and the pacing of frames in a running process.

The order inside a frame: time moves on; callbacks about what changed in the frame before; `onFrameStart`; runs that
are due; `onFrameEnd`; runs with `endFrame`. Within a frame, time stands still (fact 10).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fakes.stats import FrameStats

if TYPE_CHECKING:
    from fakes.world import World

#: Seconds below which the loop does not sleep: waking up takes about as long.
SHORTEST_SLEEP = 0.0002


class FrameLoop:
    """Frames by hand: what tests advance a world with."""

    def __init__(self, world: World) -> None:
        from fakes import life

        self._life = life.of(world)

    def step(self, frames: int = 1) -> None:
        """So many frames, one period after the other."""
        for _ in range(frames):
            self._life.step()


class Pacer:
    """Calls `step(periods)` once a frame period on the calling thread until `stop()`.

    `periods` is 1, or more when whole periods were missed: TouchDesigner in real time skips frames rather than play
    them later. `between` is called before each frame, outside every statistic, and may block; `held` after the wait for the frame, and may block as well (a native dialog does).
    """

    def __init__(
        self,
        step: Callable[[int], None],
        fps: float,
        stats: FrameStats,
        *,
        between: Callable[[], None] | None = None,
        held: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._step = step
        self.period = 1.0 / fps
        """Seconds a frame; may change while running."""
        self.stats = stats
        self._between = between
        self._held = held
        self._clock = clock
        self._sleep = sleep
        self._stopping = threading.Event()
        self._start = self._began = 0.0
        self._slot = -1
        self._period = self.period
        self._inner = 0.0
        """Seconds that frames within the frame in progress have taken, with their waiting."""

    @property
    def stopping(self) -> bool:
        """Whether the loop is about to end."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """End the loop after the frame in progress; any thread, also a signal handler."""
        self._stopping.set()

    def run(self) -> None:
        """Run frames until `stop()`."""
        self._start = self._began = self._clock()
        self._slot = -1
        while not self._stopping.is_set():
            self.frame()

    def frame(self) -> None:
        """Wait for the next frame and run it; also from within a frame, by a script that waits for a message box."""
        entered, outer = self._clock(), self._inner
        if self._between is not None:
            self._between()
            if self._stopping.is_set():
                return
        if self.period != self._period:
            # Count from the last frame on: it was the first of the new rate.
            self._period, self._start, self._slot = self.period, self._began, 0
        period, start = self._period, self._start
        due = int((self._clock() - start) / period)
        if due <= self._slot:
            pause = start + (self._slot + 1) * period - self._clock()
            if pause > SHORTEST_SLEEP:
                self._sleep(pause)
            if self._held is not None:
                self._held()
                if self._stopping.is_set():
                    return
            due = max(self._slot + 1, int((self._clock() - start) / period))
        self._began = began = self._clock()
        missed = due - self._slot - 1
        self.stats.begin(behind=max(0.0, began - start - due * period), missed=missed)
        self._slot = due
        self._inner = 0.0
        self._step(missed + 1)
        ended = self._clock()
        self.stats.end(ended - began - self._inner)
        self._inner = outer + ended - entered


def burn(milliseconds: float) -> int:
    """Keep Python busy for so long, as a real project's scripts and expressions do; the rounds it took."""
    until = time.perf_counter() + milliseconds / 1000
    rounds = 0
    while time.perf_counter() < until:
        for _ in range(50):
            rounds += 1
    return rounds
