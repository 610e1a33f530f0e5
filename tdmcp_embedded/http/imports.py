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
from collections.abc import Iterator
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

_BITE_S: Final = 0.00025
_LARGEST_BITE_S: Final = 0.005
_NAP_S: Final = 0.00005

#: A host whose frames take all its time would keep us waiting for minutes: after this long (seconds) the bites grow,
#: twice as large every so often.
_PATIENCE_S: Final = 4.0
_DOUBLED_EVERY_S: Final = 1.5

_frozen = False


def import_all(names: tuple[str, ...] = SERVING) -> None:
    """Import modules by name."""
    for name in names:
        import_module(name)


def bite_after(seconds: float) -> float:
    """How long (seconds) to go on at a stretch when importing has taken so long already."""
    return min(_LARGEST_BITE_S, _BITE_S * 2 ** max(0.0, (seconds - _PATIENCE_S) / _DOUBLED_EVERY_S))


@contextmanager
def in_small_bites() -> Iterator[None]:
    """While in here, this thread lets others run every quarter of a millisecond of importing (more if it drags on).

    For its time `__import__` and `__build_class__` are wrapped; for other threads these do what they always do. There
    is no garbage collection meanwhile: with so many new objects it would pause the frames for 20 to 50 ms, again and
    again. The first time the modules are then put out of the collector's sight for good, for the same reason.
    """
    global _frozen
    collecting = gc.isenabled()
    gc.disable()
    real_import, real_class = builtins.__import__, builtins.__build_class__
    me = threading.get_ident()
    began = last = time.perf_counter()
    bite = _BITE_S

    def breathe() -> None:
        nonlocal last, bite
        if time.perf_counter() - last > bite:
            time.sleep(_NAP_S)
            last = time.perf_counter()
            bite = bite_after(last - began)

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
    try:
        yield
    finally:
        # If somebody has wrapped them in turn meanwhile, ours must stay inside theirs; they cost nothing.
        if builtins.__import__ is polite_import:
            builtins.__import__ = real_import
        if builtins.__build_class__ is polite_class:
            builtins.__build_class__ = real_class
        if not _frozen:
            # Once only: what a former server has left behind must stay collectable.
            _frozen = True
            gc.freeze()
        if collecting:
            gc.enable()
