"""measure_performance: how the frames go, and which operators cost the most."""

from __future__ import annotations

import time
from typing import Any

from pydantic import Field

from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, operators, project
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import rounded
from tdmcp_embedded.wording import counted


class MeasurePerformance(Arguments):
    """For how long, and where to look for slow operators."""

    frames: int = Field(default=60, ge=2, le=1800, description="Frames to measure.")
    path: str = Field(default="/", description="Below this COMP.")
    slowest: int = Field(default=10, ge=0, le=100, description="How many operators to name.")


class Performance(Output):
    """Milliseconds unless said otherwise. Frame times are those between two frames as this server sees them."""

    frames: int
    fps: float
    fps_target: float
    frame_ms: dict[str, float]
    """min, mean, p95, max."""
    dropped_frames: int
    """Whole frame periods missed."""
    operators: int
    """Operators below path."""
    cooked: int
    """Of those, how many cooked meanwhile."""
    slowest: list[dict[str, Any]]
    """path, type, ms_per_frame (time of its last cook by how often it cooked), cook_ms, cooks."""
    gpu_memory_mb: float | None = None
    """Of the TOPs that cooked."""
    notes: list[str] | None = None

    def text(self) -> str:
        times = ", ".join(f"{name} {value:g}" for name, value in self.frame_ms.items())
        lines = [
            f"{self.fps:g} fps of {self.fps_target:g} over {self.frames} frames; ms {times}; {self.dropped_frames} dropped",
            f"{self.cooked} of {self.operators} operators cooked"
            + (f"; GPU memory {self.gpu_memory_mb:g} MB" if self.gpu_memory_mb is not None else ""),
        ]
        lines += [
            f"{row['path']} {row['type']}: {row['ms_per_frame']:g} ms a frame ({counted(row['cooks'], 'cook')} of {row['cook_ms']:g} ms)"
            for row in self.slowest
        ]
        return "\n".join([*lines, *(self.notes or [])])


def measure_performance(call: Call, given: MeasurePerformance) -> Steps[Performance]:
    """Counts cooks before and after; in between it only looks at the clock."""
    top = lookup.component(call.td, given.path)
    target = float(call.td.project.cookRate)
    counted = yield from _count(top)
    yield NEXT_FRAME
    times: list[float] = []
    before = time.perf_counter()
    for frame in range(given.frames):
        yield NEXT_FRAME
        now = time.perf_counter()
        times.append((now - before) * 1000)
        before = now
        if frame % 30 == 29:
            call.progress(frame + 1, given.frames, f"{frame + 1} of {given.frames} frames")
    rows, memory = yield from _costs(counted, given.frames)
    ordered = sorted(times)
    period = 1000 / target
    return Performance(
        frames=given.frames,
        fps=round(1000 * len(times) / sum(times), 2),
        fps_target=target,
        frame_ms={
            "min": round(ordered[0], 3),
            "mean": round(sum(times) / len(times), 3),
            "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 3),
            "max": round(ordered[-1], 3),
        },
        dropped_frames=sum(max(0, round(t / period) - 1) for t in times),
        operators=len(counted),
        cooked=len(rows),
        slowest=sorted(rows, key=lambda row: -row["ms_per_frame"])[: given.slowest],
        gpu_memory_mb=round(memory / 1e6, 2),
        notes=[note] if (note := project.paused(call.td)) else None,
    )


def _count(top: Any) -> Steps[list[tuple[Any, int]]]:
    pace = Pace()
    counted: list[tuple[Any, int]] = []
    for current, _ in operators.walk(top):
        if pace.due():
            yield
        if current.valid:
            counted.append((current, int(current.totalCooks)))
    return counted


def _costs(counted: list[tuple[Any, int]], frames: int) -> Steps[tuple[list[dict[str, Any]], int]]:
    pace = Pace()
    rows: list[dict[str, Any]] = []
    memory = 0
    for current, before in counted:
        if pace.due():
            yield
        if not current.valid:
            continue
        cooks = int(current.totalCooks) - before
        if cooks <= 0:
            continue
        if current.isTOP:
            # Only of those that cook anyway: the question must not make the others cook.
            memory += int(current.gpuMemory)
        cost = operators.cook_cost(current)
        rows.append(
            {
                "path": str(current.path),
                "type": op_type(current),
                "ms_per_frame": rounded(cost * cooks / frames, 4),
                "cook_ms": rounded(cost, 4),
                "cooks": cooks,
            }
        )
    return rows, memory


def _deadline(given: MeasurePerformance) -> float:
    """Seconds: half a minute, and the frames asked for at a slow twenty a second."""
    return 30.0 + given.frames / 20


TOOLS = [
    Tool(
        name="measure_performance",
        title="Measure performance",
        description=(
            "Over n frames: fps, frame times in milliseconds, dropped frames, the slowest operators below a path by "
            "milliseconds a frame, GPU memory. Use it before and after an optimisation."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        own_progress=True,
        arguments=MeasurePerformance,
        output=Performance,
        run=measure_performance,
        deadline=_deadline,
    )
]
