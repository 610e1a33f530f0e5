"""Time limits for Python somebody else wrote: an endless loop on the main thread is broken off.

CPython can raise an exception in another thread (`PyThreadState_SetAsyncExc`). It is a blunt tool: the exception
arrives at some later bytecode, wherever that thread is by then. Everything here serves one promise: it arrives inside
the `with` block or not at all. It cannot arrive while the thread is inside C code (`time.sleep(1000)`, a cook).
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Final

#: Seconds until code that swallowed the exception gets it again; doubled each time up to the second figure.
_AGAIN_S: Final = 0.25
_AGAIN_MAX_S: Final = 2.0


class _InForce(threading.local):
    """The limits this thread is under, outermost first."""

    def __init__(self) -> None:
        self.limits: list[Limit] = []


_in_force = _InForce()


class TimeLimitExceeded(BaseException):
    """Raised in the main thread in code that ran past its limit. No `Exception`: `except Exception` lets it pass."""

    def __init__(self) -> None:
        super().__init__("the time limit was reached")
        # CPython makes the instance when the first handler on the way up is found (3.11), or where it is raised
        # (3.12), and in that very frame. If this is where the block itself stands, or the block's own end, the code
        # under the limit is gone, even if `__exit__` was hit before its first line: it must not be raised again.
        try:
            frame = sys._getframe(1)
        except (
            ValueError
        ):  # made with no frame of Python around it: nothing is known, so it may be sent again
            return
        for limit in _in_force.limits:
            if frame is limit.owner or frame.f_code is Limit.__exit__.__code__:
                limit.due = float("inf")


_set_async_exc = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_async_exc.argtypes = (ctypes.c_ulong, ctypes.py_object)
_set_async_exc.restype = ctypes.c_int


class _Taken(BaseException):
    """Sent in place of an exception that has not arrived yet, and caught at once: see `_take_back`."""


def _take_back(thread: int) -> None:
    """Make sure that no exception sent to this very thread is still on its way.

    Sending nothing (NULL) would do that too, but leaves CPython 3.11's interrupt flag raised for good: every loop of
    the process is then slower, and generators hang under a profiler. So one of ours takes its place and is caught.
    """
    try:
        _set_async_exc(thread, ctypes.py_object(_Taken))
        for _ in range(1_000_000):  # it arrives at the first jump back; bounded all the same
            pass
    except _Taken:
        return


class Limit:
    """One `with limits.limit(seconds):` block in progress."""

    def __init__(self, limits: Limits, seconds: float) -> None:
        self._limits = limits
        self.seconds = seconds
        self.due = float("inf")
        self.raised = 0
        self.thread = 0
        self.owner: FrameType | None = None
        """The frame the block stands in."""

    def __enter__(self) -> None:
        self.owner = sys._getframe(1)
        try:
            self._limits.arm(self)
        except BaseException:
            self._limits.disarm(self)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The exception may be on its way already and arrive in these very lines: take it and start over. Once
        # disarmed nothing new is sent, so this ends.
        while True:
            try:
                self._limits.disarm(self)
                return
            except TimeLimitExceeded:
                continue


class Limits:
    """The limits in force, and the hand that enforces them.

    Args:
        clock: seconds.
        watch: called when a limit is set with the time it ends, so that somebody calls `enforce` then.
    """

    def __init__(self, clock: Callable[[], float], watch: Callable[[float], None]) -> None:
        self._clock = clock
        self._watch = watch
        # Held while the exception is sent and while a block ends: it is never sent to a block that has ended.
        self._gate = threading.Lock()
        self._armed: list[Limit] = []

    def limit(self, seconds: float) -> Limit:
        return Limit(self, seconds)

    def arm(self, limit: Limit) -> None:
        """The limit's clock starts."""
        limit.thread = threading.get_ident()
        limit.due = self._clock() + limit.seconds
        # A block whose very end was hit could not take itself off the lists (see TimeLimitExceeded).
        _in_force.limits[:] = [*(other for other in _in_force.limits if other.due != float("inf")), limit]
        with self._gate:
            self._armed[:] = [*(other for other in self._armed if other.due != float("inf")), limit]
        self._watch(limit.due)

    def disarm(self, limit: Limit) -> None:
        """End a limit, and take back an exception that was sent and has not arrived. On the limit's thread."""
        with self._gate:
            if limit in self._armed:
                self._armed.remove(limit)
        if limit.raised:
            _take_back(limit.thread)
        if limit in _in_force.limits:
            _in_force.limits.remove(limit)
        limit.owner = None

    def disarm_all(self) -> None:
        """After a step of work, whatever happened in it: no limit outlives the step it was set in."""
        while self._armed:
            try:
                self.disarm(self._armed[-1])
            except TimeLimitExceeded:
                continue

    def next_due(self) -> float | None:
        """When `enforce` will have something to do."""
        with self._gate:
            due = min((limit.due for limit in self._armed), default=float("inf"))
        return None if due == float("inf") else due

    def enforce(self) -> None:
        """Raise `TimeLimitExceeded` in code past its limit. On another thread than that code's."""
        with self._gate:
            now = self._clock()
            for limit in self._armed:
                if now >= limit.due:
                    limit.due = now + min(_AGAIN_S * 2**limit.raised, _AGAIN_MAX_S)
                    limit.raised += 1
                    _set_async_exc(limit.thread, ctypes.py_object(TimeLimitExceeded))
