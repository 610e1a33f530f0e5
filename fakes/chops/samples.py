"""The channels a CHOP holds: names, values, sample rate and the index of the first sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]


def _none() -> Values:
    return np.zeros((0, 1), dtype=np.float32)


@dataclass(slots=True)
class Samples:
    """`values` is float32 [channels, samples]; `rate` in samples a second; `start` the first sample's index."""

    names: list[str] = field(default_factory=list)
    values: Values = field(default_factory=_none)
    rate: float = 60.0
    start: float = 0.0
    time_slice: bool = False

    @property
    def count(self) -> int:
        """Samples in each channel; 0 when there is no channel."""
        return int(self.values.shape[1]) if self.names else 0

    @property
    def end(self) -> float:
        """Index of the last sample."""
        return self.start + max(self.count - 1, 0)

    def index(self, name: str) -> int:
        """Place of the channel of that name, -1 where there is none."""
        return self.names.index(name) if name in self.names else -1

    def with_values(self, values: Values, names: Sequence[str] | None = None) -> Samples:
        """The same range and rate over other values."""
        kept = list(self.names if names is None else names)
        return Samples(kept, np.asarray(values, dtype=np.float32), self.rate, self.start, self.time_slice)

    def take(self, picks: Iterable[int]) -> Samples:
        """Some of the channels, in the order given."""
        picks = list(picks)
        return self.with_values(self.values[picks], [self.names[i] for i in picks])


def one(names: Sequence[str], values: Sequence[float], rate: float = 60.0, start: float = 0.0) -> Samples:
    """Single-sample channels."""
    array = np.asarray(values, dtype=np.float32).reshape(len(names), 1)
    return Samples(list(names), array, rate, start)


def at(values: Values, index: float) -> Values:
    """Every channel's value at a fractional sample index, held beyond both ends."""
    last = values.shape[1] - 1
    index = min(max(index, 0.0), float(last))
    low = int(index)
    high = min(low + 1, last)
    part = np.float32(index - low)
    return np.asarray(values[:, low] * (1 - part) + values[:, high] * part, dtype=np.float32)


def stretch(values: Values, count: int) -> Values:
    """The channels drawn out (or squeezed) to `count` samples, linearly."""
    if values.shape[1] == count or not len(values):
        return values
    if count == 1 or values.shape[1] == 1:
        return np.repeat(values[:, :1], count, axis=1)
    old, new = np.linspace(0, 1, values.shape[1]), np.linspace(0, 1, count)
    return np.stack([np.interp(new, old, row) for row in values]).astype(np.float32)


def hold(values: Values, count: int) -> Values:
    """The channels cut to `count` samples, or drawn out by holding the last one."""
    have = values.shape[1]
    if have >= count or not len(values):
        return values[:, :count]
    return np.concatenate([values, np.repeat(values[:, -1:], count - have, axis=1)], axis=1)


def unique(names: Iterable[str]) -> list[str]:
    """Names with a number appended (or counted on) where one is taken already."""
    taken: set[str] = set()
    result = []
    for name in names:
        stem = name.rstrip("0123456789")
        number = int(name[len(stem) :] or 0)
        candidate = name
        while candidate in taken:
            number += 1
            candidate = f"{stem}{number}"
        taken.add(candidate)
        result.append(candidate)
    return result
