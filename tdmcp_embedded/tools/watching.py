"""watch_values: how parameters and channels move over a number of frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import describe, lookup
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import clean, rounded
from tdmcp_embedded.wording import counted

#: Samples of one value that an answer shows, and of all; of more, every n-th.
_SHOWN = 60
_SHOWN_IN_ALL = 600
_MOST_CHANNELS = 20
#: Values in all: they are read in one frame, and must not take more than their share of it.
_MOST_VALUES = 200


class Watched(BaseModel):
    """One parameter or one channel; of a CHOP with neither, all channels."""

    model_config = ConfigDict(extra="forbid")

    path: str
    param: str | None = None
    channel: str | None = None


class WatchValues(Arguments):
    """What to watch, how often."""

    watch: list[Watched] = Field(
        min_length=1, max_length=50, description="Parameters or channels, by operator."
    )
    frames: int = Field(default=60, ge=1, le=1800, description="Frames to watch.")
    every: int = Field(default=1, ge=1, le=120, description="Frames between two samples.")


class Values(Output):
    """What was seen of each value, in the order asked for."""

    frames: int
    values: list[dict[str, Any]]
    """path, param or channel, count, changes, first and last; of numbers min, max, mean; samples, every n-th."""

    def text(self) -> str:
        lines = [f"over {counted(self.frames, 'frame')}"]
        for row in self.values:
            what = row.get("param") or row.get("channel")
            rest = " ".join(
                f"{key}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
                for key, value in row.items()
                if key not in ("path", "param", "channel")
            )
            lines.append(f"{row['path']} {what}: {rest}")
        return "\n".join(lines)


class _Series:
    """One value over time."""

    def __init__(self, path: str, kind: str, name: str, owner: Any, read: Callable[[], Any]) -> None:
        self.head = {"path": path, kind: name}
        self.owner = owner
        self.read = read
        self.samples: list[Any] = []

    def row(self, shown: int) -> dict[str, Any]:
        """What was seen; `shown` samples at most."""
        samples = self.samples
        row: dict[str, Any] = dict(self.head) | {"count": len(samples)}
        if not samples:
            return row
        row["changes"] = sum(a != b for a, b in pairwise(samples))
        row |= {"first": samples[0], "last": samples[-1]}
        numbers = [s for s in samples if isinstance(s, (int, float)) and not isinstance(s, bool)]
        if len(numbers) == len(samples):
            row |= {"min": min(numbers), "max": max(numbers), "mean": rounded(sum(numbers) / len(numbers))}
        step = -(-len(samples) // shown)
        if row["changes"]:
            row["samples"] = samples[::step]
            if step > 1:
                row["samples_every"] = step
        return row


def watch_values(call: Call, given: WatchValues) -> Steps[Values]:
    """Reads each value once every few frames. A value nobody uses cooks because it is watched."""
    series: list[_Series] = []
    for watched in given.watch:
        series += _series(call, watched)
        yield
    if len(series) > _MOST_VALUES:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"These are {len(series)} values; one call watches {_MOST_VALUES} at most.",
            hint="Name the channels that matter, or watch the others in a second call.",
        )
    pace = Pace()
    for frame in range(given.frames):
        if frame % given.every == 0:
            for one in series:
                if pace.due():
                    # Where others have taken much of the frame, a sample may come of two.
                    yield
                if one.owner.valid:
                    one.samples.append(one.read())
        if frame + 1 < given.frames:
            yield NEXT_FRAME
        if frame % 30 == 29:
            call.progress(frame + 1, given.frames, f"{frame + 1} of {given.frames} frames")
    shown = max(2, min(_SHOWN, _SHOWN_IN_ALL // max(1, len(series))))
    return Values(frames=given.frames, values=[one.row(shown) for one in series])


def _series(call: Call, watched: Watched) -> list[_Series]:
    op = lookup.operator(call.td, watched.path)
    path = str(op.path)
    if watched.param is not None:
        name = str(lookup.parameter(op, watched.param).name)
        # A Par held over frames goes stale when any parameter of its owner is destroyed (fact 19): fetch it anew.
        return [_Series(path, "param", name, op, lambda: _parameter(op, name))]
    if not op.isCHOP:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{path} is a {op.opType}: say which param to watch.",
            hint="Only CHOPs have channels.",
        )
    known = [clean(str(channel.name)) for channel in op.chans()]
    if watched.channel is not None and watched.channel not in known:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{path} has no channel {watched.channel!r}.",
            suggestions=near(watched.channel, known) or known[:5],
        )
    names = known[:_MOST_CHANNELS] if watched.channel is None else [watched.channel]
    return [_Series(path, "channel", name, op, _channel_reader(op, name)) for name in names]


def _parameter(op: Any, name: str) -> Any:
    par = op.par[name]
    return None if par is None else describe.effective(par)


def _channel_reader(op: Any, name: str) -> Callable[[], Any]:
    def read() -> Any:
        channel = op.chan(name)
        return None if channel is None else rounded(channel.eval())

    return read


def _deadline(given: WatchValues) -> float:
    """Seconds: half a minute, and the frames asked for at a slow twenty a second."""
    return 30.0 + given.frames / 20


TOOLS = [
    Tool(
        name="watch_values",
        title="Watch values",
        description=(
            "Parameters or CHOP channels sampled over n frames: minimum, maximum, mean, number of changes and the samples. "
            "Use it to see whether something moves, and how far."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        own_progress=True,
        arguments=WatchValues,
        output=Values,
        run=watch_values,
        deadline=_deadline,
    )
]
