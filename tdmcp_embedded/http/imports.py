"""Heavy imports beside a running show: on the server thread, and in small bites.

The SDK and what it needs are some 600 modules and a second of Python. Two threads that both compute take turns of
5 ms, so a frame that needs 8 ms of Python would last 18 while this goes on. So this thread gives the interpreter away
every quarter of a millisecond: whoever wants it gets it at once, and if nobody does hardly anything is lost. Modules
are interrupted where they import others or make classes, which they do all the time.
"""

from __future__ import annotations

import builtins
import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

#: What serving needs; the application imports its own.
SERVING: Final = (
    "uvicorn",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.lifespan.on",
    "anyio._backends._asyncio",
)

#: Seconds of importing at a stretch, and of the nap after it.
_BITE_S: Final = 0.00025
_NAP_S: Final = 0.00005

#: A nap lasts until we have the interpreter and a processor again: beside a host that takes all its time, or on a
#: machine with too much to do, a hundred times as long as asked for. So naps together may last this many times as long
#: as the importing itself (plus a little at once, some frames that are busy throughout); then they become rarer. A
#: start thus takes at most three times as long as without manners, whatever the load.
_NAPS_PER_WORK: Final = 2.0
_NAPS_AHEAD_S: Final = 0.25

_frozen = False


def import_all(names: tuple[str, ...] = SERVING) -> None:
    """Import modules by name."""
    for name in names:
        import_module(name)


class Manners:
    """When to nap, and how much in all.

    Args:
        clock, sleep: seconds.
    """

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock, self._sleep = clock, sleep
        self._awake_since = clock()
        self._worked = self._napped = 0.0

    def breathe(self) -> None:
        """Nap, if it has been a bite since the last one and naps have not become too expensive."""
        now = self._clock()
        bite = now - self._awake_since
        if bite <= _BITE_S:
            return
        if self._napped > _NAPS_PER_WORK * (self._worked + bite) + _NAPS_AHEAD_S:
            return
        self._worked += bite
        self._sleep(_NAP_S)
        self._awake_since = self._clock()
        self._napped += self._awake_since - now


@contextmanager
def in_small_bites(*, last: bool = True) -> Iterator[None]:
    """While in here, this thread lets others run every quarter of a millisecond of importing (more rarely if that
    makes it last three times as long).

    For its time `__import__` and `__build_class__` are wrapped; for other threads these do what they always do. There
    is no garbage collection meanwhile: with so many new objects it would pause the frames for 20 to 50 ms, again and
    again. The first time, unless it is not the `last` of a start, the modules are then put out of the collector's sight for
    good, for the same reason.
    """
    global _frozen
    collecting = gc.isenabled()
    gc.disable()
    real_import, real_class = builtins.__import__, builtins.__build_class__
    me = threading.get_ident()
    breathe = Manners(time.perf_counter, time.sleep).breathe

    def polite_import(*args: Any, **options: Any) -> Any:
        if threading.get_ident() == me:
            breathe()
        return real_import(*args, **options)

    def polite_class(*args: Any, **options: Any) -> Any:
        if threading.get_ident() != me:
            return real_class(*args, **options)
        breathe()
        made = real_class(*args, **options)
        breathe()
        return made

    builtins.__import__ = polite_import
    builtins.__build_class__ = polite_class
    # In the full build this module, and all it imports, has built-ins of its own; their __import__ asks the one above.
    own: dict[str, Any] = globals()["__builtins__"]
    apart = own is not vars(builtins)
    if apart:
        own["__build_class__"] = polite_class
    try:
        yield
    finally:
        # If somebody has wrapped them in turn meanwhile, ours must stay inside theirs; they cost nothing.
        if builtins.__import__ is polite_import:
            builtins.__import__ = real_import
        if builtins.__build_class__ is polite_class:
            builtins.__build_class__ = real_class
        if apart:
            own["__build_class__"] = real_class
        if last and not _frozen:
            # Once only: what a former server has left behind must stay collectable.
            _frozen = True
            gc.freeze()
        if collecting:
            gc.enable()
