"""How many requests a second the frames can spare, by what requests cost on this machine.

The setting says how many requests a second may come in. What one costs depends on the processor, on the tools that are
called and on what else goes on; the time it takes is missing in the frames, as both threads share one interpreter.
So the rate is cut down to where the server thread takes no more than a fixed share of the interpreter's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

#: Part of the time that the server thread may take under a lasting flood: 3.3 of a frame's 16.7 ms.
SHARE: Final = 0.2

#: Processor seconds a request is taken to cost before any was measured.
_AT_FIRST_S: Final = 0.0025

#: And what it is never taken to cost less than. Windows may see nothing of a thread that works between its ticks only, and
#: one window of that after the other would make the cost vanish.
_LEAST_S: Final = 0.0002

#: Requests a second that are let in however much they cost: a few large ones must not shut out everybody for long.
FLOOR: Final = 30.0

#: Seconds over which the cost is measured, and the requests it takes to say anything while the thread is within its
#: share. Windows tells a thread's time in steps of 15.6 ms, and an idle server's housekeeping must not be taken for what
#: requests cost.
_WINDOW_S: Final = 0.5
_ENOUGH: Final = 10


class InterpreterShare:
    """Learns the processor time of a request. Use it on the server thread only.

    Args:
        clock: seconds.
        used: processor seconds that the calling thread has taken so far.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, used: Callable[[], float] = time.thread_time
    ) -> None:
        self._clock = clock
        self._used = used
        self._since = clock()
        self._used_then = -1.0  # measured from the first request on: that thread is the one
        self._admitted = 0
        self._cost = _AT_FIRST_S

    def admitted(self) -> None:
        """Count a request that goes on now."""
        now, used = self._clock(), self._used()
        if self._used_then < 0 or now - self._since >= _WINDOW_S:
            over = used - self._used_then > SHARE * (now - self._since)
            if self._used_then >= 0 and (self._admitted >= _ENOUGH or over):
                # Half of what was known stays, so that one window of large requests is no lasting change.
                self._cost = max(_LEAST_S, (self._cost + (used - self._used_then) / self._admitted) / 2)
            self._since, self._used_then, self._admitted = now, used, 0
        self._admitted += 1

    def spared(self, wanted: float) -> float:
        """Requests a second to let in where `wanted` are allowed."""
        return min(wanted, max(FLOOR, SHARE / self._cost))
