"""The clocks of Windows, on any system: steps of 15.6 ms, in which waiting ends as well.

CPython 3.11 reads `time.monotonic` and a thread's processor time there from clocks that the system moves on with each of
its ticks, and waits for locks and sockets end with one. `time.perf_counter` and `time.sleep` are fine there, and here.
"""

from __future__ import annotations

import math
import selectors
import threading
import time
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

#: Seconds between two ticks, unless a program asks Windows for more of them.
STEP = 1 / 64


def use(step: float = STEP) -> None:
    """Make the clocks of this process coarse, for its whole life. To be called before the server is imported."""
    ticks = time.perf_counter
    told = time.get_clock_info

    def info(name: Any) -> Any:
        facts = vars(told(name))
        return SimpleNamespace(
            **{**facts, "resolution": step if name == "monotonic" else facts["resolution"]}
        )

    for name in ("monotonic", "thread_time"):
        setattr(time, name, partial(in_steps, getattr(time, name), step))
    time.get_clock_info = info
    selector: Any = selectors.DefaultSelector
    selector.select = _ending_with_a_tick(selector.select, ticks, step)
    condition: Any = threading.Condition
    condition.wait = _ending_with_a_tick(condition.wait, ticks, step)


def in_steps(clock: Callable[[], float], step: float) -> float:
    """What a clock shows that moves on in steps."""
    return math.floor(clock() / step) * step


def until_tick(now: float, timeout: float, step: float) -> float:
    """How long a wait lasts that ends with the first tick after `timeout` seconds."""
    return math.ceil((now + timeout) / step) * step - now


def _ending_with_a_tick(
    wait: Callable[..., Any], ticks: Callable[[], float], step: float
) -> Callable[..., Any]:
    def waiting(self: Any, timeout: float | None = None) -> Any:
        if timeout is not None and timeout > 0:
            timeout = until_tick(ticks(), timeout, step)
        return wait(self, timeout)

    return waiting
