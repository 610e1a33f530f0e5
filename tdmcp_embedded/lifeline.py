"""A second way to get a frame while the timeline is paused, for when a script has cancelled every `run()`.

TouchDesigner's Thread Manager calls a task's RefreshHook on the main thread in every frame for as long as the task
lives. So a task that does nothing lives while the timeline is paused, one for the whole process. Nobody has established
that the hooks come then: where they do not, it is merely of no use, and touching the component (any of its parameters)
or playing the timeline brings the frames back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

#: Seconds between two looks at whether the process is about to end, which must not wait for the task.
_LOOK = 1.0

_let_go: threading.Event | None = None


def hold(td: Any, look: Callable[[], None]) -> None:
    """Have `look` called in every frame until `drop`. Main thread; the second call of several changes nothing."""
    global _let_go
    if _let_go is not None:
        return
    _let_go = threading.Event()
    try:
        manager = td.op.TDResources.ThreadManager
        task = manager.TDTask(target=_wait, args=(_let_go,), RefreshHook=look)
        manager.EnqueueTask(task, standalone=True)
    except Exception:  # noqa: BLE001, S110 - builds before 2023 have none, and no reason to do without is worse than that
        pass


def drop() -> None:
    """No more calls."""
    global _let_go
    if _let_go is not None:
        _let_go.set()
        _let_go = None


def _wait(let_go: threading.Event) -> None:
    # No operator is touched here. The thread is not ours and may not be a daemon.
    while not let_go.wait(_LOOK):
        if not threading.main_thread().is_alive():
            return
