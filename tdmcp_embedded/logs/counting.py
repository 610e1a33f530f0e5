"""How many calls there were, how they ended, and how long they took: counted from the log."""

from __future__ import annotations

import threading
from typing import Final

from tdmcp_embedded.logs.records import Record

#: Upper bounds, in seconds, of the classes of duration.
BUCKETS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

#: Pairs of tool and outcome; calls of tools that do not exist have names without end.
_KINDS: Final = 500


class Calls:
    """A listener of the log. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[tuple[str, str], int] = {}
        self._classes = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0

    def note(self, record: Record) -> None:
        """Count a record, if it is a call."""
        if not record.tool or record.ms is None:
            return
        seconds = record.ms / 1000
        # What was refused as a whole may carry any name.
        kind = (record.tool if record.outcome != "refused" else "unknown", record.outcome)
        with self._lock:
            if kind not in self._kinds and len(self._kinds) >= _KINDS:
                kind = ("other", "other")
            self._kinds[kind] = self._kinds.get(kind, 0) + 1
            self._classes[next((i for i, top in enumerate(BUCKETS) if seconds <= top), len(BUCKETS))] += 1
            self._seconds += seconds

    def kinds(self) -> dict[tuple[str, str], int]:
        """How many calls by tool and outcome."""
        with self._lock:
            return dict(self._kinds)

    def durations(self) -> tuple[list[tuple[str, float]], float]:
        """How many calls took at most each bound (seconds, as text; the last is +Inf), and the seconds of all."""
        with self._lock:
            classes, seconds = list(self._classes), self._seconds
        rising, total = [], 0
        for bound, count in zip([*map(str, BUCKETS), "+Inf"], classes, strict=True):
            total += count
            rising.append((bound, float(total)))
        return rising, seconds
