"""Reaching the main thread when no frame comes: a call between two instructions of whatever Python it runs next.

After *File > Open* a project without the component runs nothing of ours any more, while our thread goes on. The
interpreter itself can still have the main thread call a function (`Py_AddPendingCall`), as long as that runs any Python,
as TouchDesigner's own user interface does all the time. Behind a dialog, or with the power off, it runs none, and
nothing happens. That such a call comes in TouchDesigner is not established: `unanswered` says how long one has been waited
for, and whoever asks has another way.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

_lock = threading.Lock()
_waiting: list[Callable[[], None]] = []
_clock = time.monotonic
_since = 0.0
"""When the call that is waited for was asked for; infinite where this Python cannot be asked at all."""
_entry: Any = None
"""The function that the interpreter calls. Made once, since it must never be freed."""


def call_soon(function: Callable[[], None]) -> bool:
    """Have the main thread call a function, which must be short and raise nothing of importance. Any thread.

    Returns:
        False while the call before it has not come yet, or where this Python cannot do it.
    """
    global _entry, _since
    try:
        import ctypes

        with _lock:
            if _waiting:
                return False
            if _entry is None:
                _entry = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_called)
            _waiting.append(function)
            _since = _clock()
            if ctypes.pythonapi.Py_AddPendingCall(_entry, None) != 0:
                _waiting.clear()
                return False
    except (ImportError, AttributeError):
        _waiting.clear()
        _since = -math.inf
        return False
    return True


def unanswered() -> float:
    """Seconds for which the last call has been waited for: 0 when it came, infinite where none can be asked for."""
    if _since == -math.inf:
        return math.inf
    return _clock() - _since if _waiting else 0.0


def _called(argument: Any) -> int:
    functions = list(_waiting)
    _waiting.clear()
    for function in functions:
        try:
            function()
        except Exception:  # noqa: BLE001, S110 - nobody is above us but somebody else's script
            pass
    return 0
