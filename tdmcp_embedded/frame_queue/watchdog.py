"""The thread that keeps deadlines while nobody pumps: asleep unless somebody waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from tdmcp_embedded import threads

#: Seconds until the next look after one that raised.
_RETRY_S: Final = 0.25


class Watchdog:
    """Calls `look` whenever something is due, on a thread of its own that starts with the first thing to watch.

    Args:
        look: does what is due and returns when it wants to be called again (None: when told so).
        clock: the seconds those times are in.
        enabled: without it there is no thread, and somebody else calls `look`.
    """

    def __init__(
        self,
        look: Callable[[], float | None],
        clock: Callable[[], float] = time.perf_counter,
        enabled: bool = True,
    ) -> None:
        self._look = look
        self._clock = clock
        self._enabled = enabled
        self._wake = threading.Condition()
        self._at: float | None = None
        """When it looks next."""
        self._thread: threading.Thread | None = None
        self._ending = False

    def look_by(self, when: float) -> None:
        """Look at `when` at the latest. Any thread; cheap if it would look by then anyway."""
        if not self._enabled or (self._at is not None and self._at <= when and self._thread is not None):
            return
        with self._wake:
            if self._at is None or when < self._at:
                self._at = when
                self._wake.notify()
            if self._thread is None:
                self._thread = threads.start(self._guard, "watchdog")

    def end(self) -> None:
        """Let the thread end as soon as there is nothing left to watch."""
        with self._wake:
            self._ending = True
            self._at = self._clock()
            self._wake.notify()

    def _guard(self) -> None:
        while True:
            with self._wake:
                if self._at is None:
                    if self._ending:
                        self._thread = None
                        return
                    self._wake.wait()
                elif (left := self._at - self._clock()) > 0:
                    self._wake.wait(left)
                if self._at is None or self._clock() < self._at:
                    continue
                self._at = None
            again = self._look_guarded()
            if again is not None:
                with self._wake:
                    # Two looks within a millisecond would be a busy loop.
                    again = max(again, self._clock() + 0.001)
                    self._at = again if self._at is None else min(self._at, again)

    def _look_guarded(self) -> float | None:
        """When it wants to look again. A look that raises is taken again: deadlines are kept by nobody else."""
        found: list[float | None] = []
        if threads.guarded(lambda: found.append(self._look()), "Keeping deadlines"):
            return found[0]
        return self._clock() + _RETRY_S
