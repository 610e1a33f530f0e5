"""`op.TDResources.ThreadManager`: tasks on worker threads with hooks on the main thread (fact 5).

Plain Python objects, as in TouchDesigner, where the manager is an extension: what must stay on the main thread is the
operator one reaches it through.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

#: Worker threads of the pool.
POOL = 4


class Task:
    """Work for a thread, and what to call on the main thread about it.

    `target` runs on a worker. `SuccessHook(result)` or `ExceptHook(exception)` runs on the main thread afterwards,
    `RefreshHook()` on the main thread every frame meanwhile.
    """

    def __init__(
        self,
        target: Callable[..., Any],
        SuccessHook: Callable[..., Any] | None = None,
        ExceptHook: Callable[..., Any] | None = None,
        RefreshHook: Callable[..., Any] | None = None,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.target = target
        self.SuccessHook = SuccessHook
        self.ExceptHook = ExceptHook
        self.RefreshHook = RefreshHook
        self.args = args
        self.kwargs = dict(kwargs or {})


class ThreadManager:
    """The pool. Its threads start with the first task and end with the process."""

    TDTask = Task

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = (
            call  # Runs a hook as TouchDesigner runs a callback: an exception is reported, not raised.
        )
        self._waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[tuple[Task, Any, BaseException | None]] = queue.SimpleQueue()
        self._running: list[Task] = []
        self._workers: list[threading.Thread] = []

    def EnqueueTask(self, task: Task, standalone: bool = False) -> Any:
        """Run `task` on the pool, or on a thread of its own; the thread, or None from the pool."""
        self._running.append(task)
        if standalone:
            thread = threading.Thread(target=self._work, args=(task,), name="TDTask", daemon=True)
            thread.start()
            return thread
        if len(self._workers) < POOL:
            worker = threading.Thread(
                target=self._serve, name=f"ThreadManager {len(self._workers) + 1}", daemon=True
            )
            self._workers.append(worker)
            worker.start()
        self._waiting.put(task)
        return None

    def each_frame(self) -> None:
        """Call the hooks that are due; main thread, once a frame."""
        for task in list(self._running):
            if task.RefreshHook is not None:
                self._call(task.RefreshHook)
        while not self._finished.empty():
            task, result, problem = self._finished.get()
            if task in self._running:
                self._running.remove(task)
            if problem is None:
                if task.SuccessHook is not None:
                    self._call(task.SuccessHook, *(() if result is None else (result,)))
            elif task.ExceptHook is not None:
                self._call(task.ExceptHook, problem)

    def _serve(self) -> None:
        while True:
            self._work(self._waiting.get())

    def _work(self, task: Task) -> None:
        try:
            result = task.target(*task.args, **task.kwargs)
        except BaseException as problem:  # noqa: BLE001  It is handed to ExceptHook.
            self._finished.put((task, None, problem))
        else:
            self._finished.put((task, result, None))
