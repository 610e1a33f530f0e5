"""The newest records, in memory."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from tdmcp_embedded.logs.records import Record, clean, severity

Listener = Callable[[Record], None]

#: Listeners that failed, which are remembered.
_FAILED: Final = 20


class Ring:
    """The last records, oldest first. Any thread.

    Args:
        capacity: how many are kept.
        clock: seconds since 1970.
    """

    def __init__(self, capacity: int = 1000, clock: Callable[[], float] = time.time) -> None:
        self._records: deque[Record] = deque(maxlen=capacity)
        self._clock = clock
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._failed: list[Listener] = []
        self.last = 0
        """The number of the newest record; 0 before the first."""

    def add(self, level: str, event: str, **facts: Any) -> Record:
        """Keep a record and tell the listeners, on this thread. `facts` are further fields of `Record`."""
        kept: dict[str, Any] = {
            name: clean(value) if isinstance(value, str) else value for name, value in facts.items()
        }
        with self._lock:
            self.last += 1
            record = Record(self.last, self._clock(), level, clean(event), **kept)
            self._records.append(record)
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener(record)
            except Exception as error:  # noqa: BLE001 - whoever logs must not suffer from whoever listens
                self._note_failure(listener, error)
        return record

    def _note_failure(self, listener: Listener, error: Exception) -> None:
        """A record that no listener hears of, once for each: they would fail again, without end."""
        with self._lock:
            if listener in self._failed:
                return
            self._failed = [*self._failed[-_FAILED:], listener]
            self.last += 1
            text = clean(f"A listener of the log failed: {type(error).__name__}: {error}")
            self._records.append(Record(self.last, self._clock(), "error", text))

    def since(self, number: int, level: str = "debug") -> list[Record]:
        """Those kept that came after a number, at or above a level."""
        if number >= self.last:
            return []
        least = severity(level)
        with self._lock:
            return [r for r in self._records if r.number > number and severity(r.level) >= least]

    def newest(self, limit: int, level: str = "debug") -> list[Record]:
        """The newest at or above a level, oldest first."""
        return self.since(0, level)[-limit:] if limit > 0 else []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Be told every new record, on the thread it comes from, at once; call what is returned to end that."""
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end
