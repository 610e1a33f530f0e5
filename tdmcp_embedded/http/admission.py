"""How fast requests are let in: the server thread shares the interpreter with the frames.

Every request costs about a millisecond of Python, which the main thread then lacks. A token bucket spreads them:
short bursts pass at once, a steady flood waits its turn, and only who would wait for seconds is sent away. Keys take
turns, so that none waits for the flood of another (`fair_turns.py`). Where requests cost more than the frames can spare,
fewer pass a second (`interpreter_share.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, refuse
from tdmcp_embedded.http.credentials import key_of
from tdmcp_embedded.http.endpoints import Endpoints, find
from tdmcp_embedded.http.fair_turns import FairTurns
from tdmcp_embedded.http.hosts import caller_address
from tdmcp_embedded.http.interpreter_share import InterpreterShare
from tdmcp_embedded.http.keys import Key

#: Longest wait (seconds) before a request is sent away instead.
MAX_WAIT_S: Final = 5.0

#: Requests a second and burst of `/health` and its like, and of callers without a valid key: these must not be able to
#: use up the turns of those who have one.
_OWN_PACE: Final = (30.0, 20)
_OWN_PACES: Final = 256
_STRANGERS: Final = (20.0, 20)
_STRANGERS_WAIT_S: Final = 0.5

#: Seconds after which a request goes on though no frame has come by: then none can suffer.
_GAP_WAIT_S: Final = 0.1


class Bucket:
    """A token bucket that takes bookings: each caller learns how long to wait for its turn.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tokens = math.inf
        self._filled = clock()

    def book(self, rate: float, burst: int, max_wait: float) -> float:
        """Take a turn.

        Args:
            rate: turns a second.
            burst: turns that may be taken at once after a quiet time.
            max_wait: seconds beyond which no turn is taken.

        Returns:
            Seconds to wait before going on; if that is more than `max_wait`, the turn was not taken.
        """
        now = self._clock()
        self._tokens = min(float(burst), self._tokens + (now - self._filled) * rate)
        self._filled = now
        wait = max(0.0, (1.0 - self._tokens) / rate)
        if wait <= max_wait:
            self._tokens -= 1.0
        return wait


class Admission:
    """429 with Retry-After for requests over the rate which would wait too long; the others wait their turn.

    Args:
        pace: requests a second and burst of the moment, for callers who hold a valid key.
        known: whether a caller does.
        gap: has a function called, on any thread, when the frames can best spare the interpreter. Those who had to wait
            wait for that as well.
    """

    def __init__(
        self,
        app: ASGIApp,
        endpoints: Endpoints,
        pace: Callable[[], tuple[float, int]],
        known: Callable[[Scope], bool],
        gap: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self._app = app
        self._endpoints = endpoints
        self._pace = pace
        self._known = known
        self._callers = FairTurns()
        self._strangers = FairTurns()
        #: By key; callers without one share theirs.
        self._own_pace: dict[str, Bucket] = {}
        self._share = InterpreterShare()
        self._gap = gap

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = find(self._endpoints, scope["path"])
        key = key_of(scope)
        if endpoint is not None and endpoint.own_pace:
            taken, wait = await self._booked(self._own_bucket(key), _OWN_PACE, MAX_WAIT_S)
        elif self._known(scope):
            rate, burst = self._pace()
            # Where no key is asked for, callers are told apart by their machine.
            caller = f"key {key.name}" if key is not None else f"from {(scope.get('client') or ('',))[0]}"
            taken, wait = await self._callers.take(caller, self._share.spared(rate), burst, MAX_WAIT_S)
        else:
            # Addresses take turns as well, so that a flood from one does not keep others from signing in.
            taken, wait = await self._strangers.take(caller_address(scope), *_STRANGERS, _STRANGERS_WAIT_S)
        if not taken:
            seconds = max(1, math.ceil(wait))
            sentence = f"Too many requests; call again in {seconds} s, one call at a time."
            refusal = Refusal(429, "too_many_requests", sentence, {"retry-after": str(seconds)})
            await refuse(scope, receive, send, refusal)
            return
        if wait > 0:
            await self._await_gap()
        self._share.admitted()
        await self._app(scope, receive, send)

    def _own_bucket(self, key: Key | None) -> Bucket:
        name = key.name if key is not None else ""
        if name not in self._own_pace:
            if len(self._own_pace) >= _OWN_PACES:
                self._own_pace.clear()
            self._own_pace[name] = Bucket(time.monotonic)
        return self._own_pace[name]

    async def _booked(self, bucket: Bucket, pace: tuple[float, int], max_wait: float) -> tuple[bool, float]:
        """As `FairTurns.take`, of callers that all count as one."""
        wait = bucket.book(*pace, max_wait)
        if wait > max_wait:
            return False, wait
        if wait > 0:
            await asyncio.sleep(wait)
        return True, wait

    async def _await_gap(self) -> None:
        if self._gap is None:
            return
        loop = asyncio.get_running_loop()
        reached = asyncio.Event()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(reached.set)

        self._gap(tell)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(reached.wait(), _GAP_WAIT_S)
