"""What Math, Merge, Filter and Lag do to channels: pure functions over `Samples`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from .samples import Samples, Values, hold, stretch, unique

PRE: dict[str, Callable[[Values], Values]] = {
    "off": lambda v: v,
    "negate": lambda v: -v,
    "pos": lambda v: np.abs(v),
    "root": lambda v: np.sqrt(np.maximum(v, 0)).astype(np.float32),
    "square": lambda v: v * v,
    "inverse": lambda v: np.divide(1.0, v, out=np.zeros_like(v), where=v != 0),
}

COMBINE: dict[str, Callable[[npt.NDArray[np.float32]], Values]] = {
    "add": lambda stack: stack.sum(axis=0),
    "sub": lambda stack: stack[0] - stack[1:].sum(axis=0),
    "mul": lambda stack: stack.prod(axis=0),
    "div": lambda stack: _divide(stack),
    "avg": lambda stack: stack.mean(axis=0),
    "min": lambda stack: stack.min(axis=0),
    "max": lambda stack: stack.max(axis=0),
    "len": lambda stack: np.sqrt((stack * stack).sum(axis=0)),
}


def _divide(stack: npt.NDArray[np.float32]) -> Values:
    out: Values = np.array(stack[0], dtype=np.float32)
    for other in stack[1:]:
        out = np.divide(out, other, out=np.zeros_like(out), where=other != 0)
    return out


def align(inputs: Sequence[Samples], how: str = "auto") -> list[Samples]:
    """The inputs brought to one length. Only what is certain: extend to the longest, trim, stretch."""
    longest = max((i.count for i in inputs), default=0)
    shortest = min((i.count for i in inputs if i.names), default=0)
    result = []
    for samples in inputs:
        match how:
            case "trim" | "squash":
                values = hold(samples.values, shortest)
            case "stretch" | "stretch1":
                values = stretch(samples.values, inputs[0].count if how == "stretch1" else longest)
            case "trim1":
                values = hold(samples.values, inputs[0].count)
            case _:
                values = hold(samples.values, longest)
        result.append(samples.with_values(values))
    return result


def merge(inputs: Sequence[Samples], how: str = "auto", duplicate: str = "unique") -> Samples:
    """All channels side by side; a name taken already is numbered, or one of the two is dropped."""
    inputs = [i for i in inputs if i.names]
    if not inputs:
        return Samples()
    ready = align(inputs, how)
    names = [name for samples in ready for name in samples.names]
    values = np.concatenate([samples.values for samples in ready])
    first = ready[0]
    joined = first.with_values(values, names)
    if duplicate == "unique":
        joined.names = unique(names)
    else:
        keep: dict[str, int] = {}
        for place, name in enumerate(names):
            if name not in keep or duplicate != "first":
                keep[name] = place
        joined = joined.take(sorted(keep.values()))
    return joined


def match_channels(inputs: Sequence[Samples], by_name: bool) -> list[tuple[str, list[Values]]]:
    """Which channels meet each other in a Math CHOP: those of the same index, or of the same name."""
    first = inputs[0]
    groups: list[tuple[str, list[Values]]] = []
    for place, name in enumerate(first.names):
        met = [first.values[place]]
        for other in inputs[1:]:
            index = other.index(name) if by_name else place
            if 0 <= index < len(other.names):
                met.append(other.values[index])
        groups.append((name, met))
    return groups


def rerange(values: Values, low: float, high: float, to_low: float, to_high: float) -> Values:
    """From one range to another, without clamping."""
    span = high - low
    part = (values - np.float32(low)) / np.float32(span) if span else np.zeros_like(values)
    return np.asarray(part * np.float32(to_high - to_low) + np.float32(to_low), dtype=np.float32)


def smooth(values: Values, width: int, kind: str) -> Values:
    """A filter `width` samples wide: gauss or box (and their halves, which look back only)."""
    if width <= 1 or not len(values):
        return values
    reach = width // 2
    at = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (at / max(reach / 2.5, 1e-6)) ** 2) if "gauss" in kind else np.ones(at.size)
    if kind.startswith("half"):
        weights = np.where(at <= 0, weights, 0.0)
    weights = weights / weights.sum()
    padded = np.pad(values, ((0, 0), (reach, reach)), mode="edge")
    # convolve turns the kernel round; turning it first makes "back" mean back.
    return np.stack([np.convolve(row, weights[::-1], mode="valid") for row in padded]).astype(np.float32)


def lag_step(value: Values, target: Values, lag_up: float, lag_down: float, seconds: float) -> Values:
    """One time step toward the target: nine tenths of the way are done after `lag` seconds."""
    lag = np.where(target > value, lag_up, lag_down)
    with np.errstate(divide="ignore"):
        keep = np.where(lag > 0, np.power(0.1, seconds / np.maximum(lag, 1e-9)), 0.0)
    return np.asarray(target + (value - target) * keep, dtype=np.float32)


def rounded(values: Values, word: str) -> Values:
    """Whole numbers by the words of the `integer` menus; `off` changes nothing."""
    match word:
        case "ceiling":
            values = np.ceil(values)
        case "floor":
            values = np.floor(values)
        case "round":
            values = np.round(values)
    return values


def limited(values: Values, word: str, low: float, high: float) -> Values:
    """Values brought within a range by clamping, looping or running to and fro; `off` changes nothing."""
    span = max(high - low, 1e-9)
    match word:
        case "clamp":
            values = np.clip(values, low, high)
        case "loop":
            values = (low + np.mod(values - low, span)).astype(np.float32)
        case "zigzag":
            values = (low + span - np.abs(np.mod(values - low, 2 * span) - span)).astype(np.float32)
    return values
