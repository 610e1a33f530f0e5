"""watch_values: how parameters and channels move over a number of frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import describe, lookup, project
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import clean, cut, rounded, weight
from tdmcp_embedded.wording import counted

#: Samples of one value that an answer shows, and of all; of more, every n-th.
_SHOWN = 60
_SHOWN_IN_ALL = 600
#: Bytes of one sample that is text, of one where there are many, and of an answer, its text included.
_LONGEST = 200
_SHORTEST = 25
_ROOM = 19_500
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
    notes: list[str] | None = None

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
        return "\n".join([*lines, *(self.notes or [])])


@dataclass(frozen=True)
class _Watching:
    """One value while it is watched: whose it is and how it is read. Main thread only."""

    series: Series
    owner: Any
    read: Callable[[], Any]


@dataclass
class Series:
    """One value over time; plain, for any thread."""

    head: dict[str, str]
    samples: list[Any] = field(default_factory=list)

    def row(self, shown: int, longest: int) -> dict[str, Any]:
        """What was seen; `shown` samples at most, texts of `longest` bytes."""
        samples = self.samples
        row: dict[str, Any] = self.head | {"count": len(samples)}
        if not samples:
            return row
        row["changes"] = sum(a != b for a, b in pairwise(samples))
        texts = {s: cut(s, longest) for s in samples if isinstance(s, str)}
        seen = [texts.get(s, s) if isinstance(s, str) else s for s in samples]
        row |= {"first": seen[0], "last": seen[-1]}
        numbers = [s for s in samples if isinstance(s, (int, float)) and not isinstance(s, bool)]
        if len(numbers) == len(samples):
            row |= {"min": min(numbers), "max": max(numbers), "mean": rounded(sum(numbers) / len(numbers))}
        step = -(-len(samples) // shown)
        if row["changes"]:
            row["samples"] = seen[::step]
            if step > 1:
                row["samples_every"] = step
        return row


@dataclass(frozen=True)
class _Seen:
    """What was seen on the main thread."""

    series: list[Series]
    paused: str
    """In words, if the timeline did not play at the end."""


def watch_values(call: Call, given: WatchValues) -> Steps[_Seen]:
    """Reads each value once every few frames. A value nobody uses cooks because it is watched."""
    watching: list[_Watching] = []
    for watched in given.watch:
        watching += _watching(call, watched)
        yield
    if len(watching) > _MOST_VALUES:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"These are {len(watching)} values; one call watches {_MOST_VALUES} at most.",
            hint="Name the channels that matter, or watch the others in a second call.",
        )
    pace = Pace()
    for frame in range(given.frames):
        if frame % given.every == 0:
            for one in watching:
                if pace.due():
                    # Where others have taken much of the frame, a sample may come of two.
                    yield
                if one.owner.valid:
                    one.series.samples.append(one.read())
        if frame + 1 < given.frames:
            yield NEXT_FRAME
        if frame % 30 == 29:
            call.progress(frame + 1, given.frames, f"{frame + 1} of {given.frames} frames")
    return _Seen([one.series for one in watching], project.paused(call.td))


def finish(call: Call, given: WatchValues, seen: _Seen) -> Values:
    """What was seen, as much of it as a small answer holds."""
    series = seen.series
    notes = [seen.paused] if seen.paused and given.frames > 1 else None
    shown = max(2, min(_SHOWN, _SHOWN_IN_ALL // max(1, len(series))))
    longest = _LONGEST
    while True:
        values = Values(frames=given.frames, values=[one.row(shown, longest) for one in series], notes=notes)
        size = weight(values.structured()) + weight(values.text())
        if size <= _ROOM or (shown == 2 and longest == _SHORTEST):
            return values
        shown, longest = max(2, shown // 2), max(_SHORTEST, longest // 2)


def _watching(call: Call, watched: Watched) -> list[_Watching]:
    op = lookup.operator(call.td, watched.path)
    path = str(op.path)
    if watched.param is not None:
        name = str(lookup.parameter(op, watched.param).name)
        # A Par held over frames goes stale when any parameter of its owner is destroyed (fact 19): fetch it anew.
        return [_Watching(Series({"path": path, "param": name}), op, lambda: _parameter(op, name))]
    if not op.isCHOP:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{path} is a {op_type(op)}: say which param to watch.",
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
    return [
        _Watching(Series({"path": path, "channel": name}), op, _channel_reader(op, name)) for name in names
    ]


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
        finish=finish,
        deadline=_deadline,
    )
]
