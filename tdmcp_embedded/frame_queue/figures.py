"""What the queue counts: plain numbers, cheap enough for every frame."""

from __future__ import annotations

from collections import deque
from typing import Any

#: A pump may end this much past its budget (ms) before the frame counts as over budget: clocks and locks wobble.
TOLERANCE_MS = 0.5

_KEPT = 240


class Figures:
    """Counters since start, and the last few waits and steps for their spread. Times in ms unless named otherwise."""

    def __init__(self) -> None:
        self.frames = 0
        self.busy_frames = 0
        self.frames_over_budget = 0
        # These two are kept by the pump itself, which comes by in every frame: what the show pays for having us there.
        self.total_pump_ms = 0.0
        self.max_pump_ms = 0.0
        self.submitted = 0
        self.steps = 0
        self.outcomes = {"done": 0, "failed": 0, "cancelled": 0, "dropped": 0}
        self.refused_busy = 0
        self.refused_stalled = 0
        self.answered_still_running = 0
        self.stalls = 0
        self._waits: deque[float] = deque(maxlen=_KEPT)
        self._steps: deque[float] = deque(maxlen=_KEPT)
        self._expected: dict[str, float] = {}

    def pumped(self, ms: float, budget_ms: float) -> None:
        """A pump that had something to do."""
        self.busy_frames += 1
        if ms > budget_ms + TOLERANCE_MS:
            self.frames_over_budget += 1

    def started(self, waited_ms: float) -> None:
        self._waits.append(waited_ms)

    def stepped(self, label: str, ms: float, first: bool) -> None:
        """A step took `ms`; first steps of each kind of job are remembered, to foresee the next one's."""
        self.steps += 1
        self._steps.append(ms)
        if first and (label in self._expected or len(self._expected) < 128):
            self._expected[label] = 0.7 * self._expected.get(label, ms) + 0.3 * ms

    def expected_ms(self, label: str) -> float:
        """What the first step of such a job has lately taken; 0 for an unknown kind."""
        return self._expected.get(label, 0.0)

    def drain_s(self, jobs: int, frame_budget_ms: float) -> float:
        """Roughly how long `jobs` more jobs will take, at 60 frames a second."""
        step = sum(self._steps) / len(self._steps) if self._steps else 1.0
        per_frame = max(1.0, frame_budget_ms / max(step, 0.01))
        return min(10.0, max(0.5, jobs / per_frame / 60))

    def stats(self) -> dict[str, Any]:
        return {
            "frames": self.frames,
            "busy_frames": self.busy_frames,
            "frames_over_budget": self.frames_over_budget,
            "total_pump_ms": round(self.total_pump_ms, 3),
            "max_pump_ms": round(self.max_pump_ms, 3),
            "submitted": self.submitted,
            "steps": self.steps,
            **self.outcomes,
            "refused_busy": self.refused_busy,
            "refused_stalled": self.refused_stalled,
            "answered_still_running": self.answered_still_running,
            "stalls": self.stalls,
            "wait_ms": _spread(self._waits),
            "step_ms": _spread(self._steps),
        }


def _spread(values: deque[float]) -> dict[str, float]:
    # The main thread appends meanwhile: copy in one go, then sort.
    ordered = sorted(values.copy())
    if not ordered:
        return {"p50": 0.0, "p99": 0.0, "max": 0.0}
    last = len(ordered) - 1
    return {
        "p50": round(ordered[last // 2], 3),
        "p99": round(ordered[round(last * 0.99)], 3),
        "max": round(ordered[-1], 3),
    }
