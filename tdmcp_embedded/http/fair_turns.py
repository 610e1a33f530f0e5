"""A token bucket whose waiting callers get their turns fairly: one of each key, then the next of each.

Within a key it is first in, first out. So a key that sends a flood waits for itself; a single request with another key
goes on after at most one of each.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable


class FairTurns:
    """Use it on the server's event loop only.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens = math.inf
        self._filled = clock()
        self._rate, self._burst = 1.0, 1
        #: Who waits, by key; the key whose turn is next comes first.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def take(self, key: str, rate: float, burst: int, max_wait: float) -> tuple[bool, float]:
        """Wait for a turn.

        Args:
            key: whose turn it is.
            rate: turns a second, of all keys together.
            burst: turns that may be taken at once after a quiet time.
            max_wait: seconds to wait at most.

        Returns:
            Whether the turn was taken, and the seconds that it took, or after which another try may succeed.
        """
        self._rate, self._burst = rate, burst
        self._fill()
        if not self._waiting and self._tokens >= 1.0:
            self._tokens -= 1.0
            return True, 0.0
        expected = self._expected(key)
        if expected > max_wait:
            return False, expected
        began = self._clock()
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        self._set_timer()
        try:
            async with asyncio.timeout(max_wait):
                await turn
        except TimeoutError:
            # Other keys have come since, and had their turns.
            return False, self._expected(key)
        return True, self._clock() - began

    def _expected(self, key: str) -> float:
        """Seconds until a newcomer with this key would have its turn, if no other key comes."""
        own = len(self._waiting.get(key, ()))
        others = sum(min(len(line), own + 1) for name, line in self._waiting.items() if name != key)
        return max(0.0, (own + others + 1 - self._tokens) / self._rate)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(float(self._burst), self._tokens + (now - self._filled) * self._rate)
        self._filled = now

    def _set_timer(self) -> None:
        if self._timer is None and self._waiting:
            pause = max(0.0, (1.0 - self._tokens) / self._rate)
            self._timer = asyncio.get_running_loop().call_later(pause, self._serve)

    def _serve(self) -> None:
        self._timer = None
        self._fill()
        # The loop's clock and ours may differ by a little.
        while self._waiting and self._tokens > 1.0 - 1e-6:
            key = next(iter(self._waiting))
            line = self._waiting.pop(key)
            turn = line.popleft()
            if line:
                self._waiting[key] = line  # behind the other keys
            if not turn.done():  # else it has given up
                turn.set_result(None)
                self._tokens -= 1.0
        self._set_timer()
