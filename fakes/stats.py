"""Frame statistics of the stand-in, and what the operating system says of its process.

Two words are used strictly:

* a frame is **late** when it starts more than `LATE_AFTER` after the moment its period began;
* a frame is **dropped** when its whole period went by without it starting.

A frame that takes one and a half periods thus makes the next one late; one that takes three makes two be dropped.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

#: Seconds a frame may start behind its period before it counts as late. An idle loop on a desktop system starts
#: within half a millisecond; two milliseconds are an eighth of a frame at 60 fps.
LATE_AFTER = 0.002

#: Frame times kept for the percentiles: ten minutes at 60 fps. Older ones leave, the maximum stays.
KEPT_FRAMES = 36_000


class FrameStats:
    """Counts frames. Written by the main thread only, read by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forget everything counted so far."""
        with self._lock:
            self.frames = 0
            self.late = 0
            self.dropped = 0
            self.longest = 0.0
            self._took: deque[float] = deque(maxlen=KEPT_FRAMES)

    def begin(self, *, behind: float, missed: int) -> None:
        """A frame starts `behind` seconds after its period began, `missed` whole periods having gone by."""
        with self._lock:
            self.frames += 1
            self.late += behind > LATE_AFTER
            self.dropped += missed

    def end(self, took: float) -> None:
        """The frame's work ended after `took` seconds (waiting for the next frame not included)."""
        with self._lock:
            self._took.append(took)
            self.longest = max(self.longest, took)

    def report(self) -> dict[str, Any]:
        """`frames, late_frames, dropped_frames, frame_ms {p50, p99, max}`, JSON-ready, milliseconds."""
        with self._lock:
            took = sorted(self._took)
            frames, late, dropped, longest = self.frames, self.late, self.dropped, self.longest
        return {
            "frames": frames,
            "late_frames": late,
            "dropped_frames": dropped,
            "frame_ms": {
                "p50": _milliseconds(percentile(took, 50)),
                "p99": _milliseconds(percentile(took, 99)),
                "max": _milliseconds(longest),
            },
        }


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile of ascending `ordered` values; 0.0 of none."""
    if not ordered:
        return 0.0
    rank = max(1, -(-len(ordered) * percent // 100))
    return ordered[min(len(ordered), int(rank)) - 1]


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def open_sockets() -> int | None:
    """How many sockets this process holds open; None where the system does not tell."""
    if sys.platform == "win32":
        return None  # Sockets are no file descriptors there, and the standard library cannot list handles.
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    return sum(_is_socket(int(name)) for name in names if name.isdigit())


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:  # The descriptor that listed the folder is closed by now.
        return False
