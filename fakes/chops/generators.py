"""CHOPs that make channels by themselves: constant, LFO, wave, noise, pattern."""

from __future__ import annotations

from typing import Any

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.memory import affordable, recall
from fakes.nodes import Node

from . import arithmetic, waveforms
from .names import channel_names
from .operations import first, inputs_of
from .samples import Samples, one, unique


def in_samples(node: Node, name: str, rate: float, base: float = 0.0) -> float:
    """A time parameter in samples, by its unit: samples, frames or seconds."""
    amount = float(node.value(name))
    word = node.value(f"{name}unit") if node.par_info(f"{name}unit") is not None else "seconds"
    match word or "seconds":
        case "samples":
            return amount
        case "frames":
            return (amount - base) * rate / node.world.rate
        case "seconds":
            return amount * rate
    raise NotFaked(f"unit {word}")


def sliced(node: Node) -> bool:
    """Whether the CHOP only makes the samples of the current frame."""
    return bool(node.value("timeslice")) if node.par_info("timeslice") is not None else False


def _range(node: Node) -> tuple[float, int, float]:
    """Start, count and rate from the Channel page."""
    rate = float(node.value("rate")) or 60.0
    start = in_samples(node, "start", rate)
    # The end in seconds is where the last sample stops.
    count = in_samples(node, "end", rate) - start
    if (node.value("endunit") or "seconds") == "samples":
        count += 1
    affordable(count, f"{count:g} samples")
    return start, max(1, round(count)), rate


@cooks("constantCHOP")
def constant(node: Node, ctx: CookContext) -> Samples:
    """One channel a named block, each with its value."""
    names, values = [], []
    for block in range(node.num_blocks("const")):
        name = str(node.value(f"const{block}name") or "")
        if name:
            names.append(name)
            values.append(float(node.value(f"const{block}value")))
    rate = float(node.value("rate")) or 60.0
    made = one(unique(names), values, rate) if names else Samples(rate=rate)
    if not node.value("single") and names:
        start, count, rate = _range(node)
        made = Samples(made.names, np.repeat(made.values, count, axis=1), rate, start)
    parts = [*inputs_of(ctx), made]
    return arithmetic.merge(parts) if len(parts) > 1 else made


def _named(node: Node, values: np.typing.NDArray[Any], rate: float, start: float = 0.0) -> Samples:
    names = channel_names(str(node.value("channelname") or "chan1"))
    return Samples(unique(names), np.tile(np.asarray(values, dtype=np.float32), (len(names), 1)), rate, start)


@cooks("lfoCHOP", time_dependent=True)
def lfo(node: Node, ctx: CookContext) -> Samples:
    """A wave at the present time; an input multiplies the frequency."""
    beat = first(ctx)
    state = recall(node, _Phase)
    seconds = ctx.seconds
    if node.value("play"):
        factor = float(beat.values[0, -1]) if beat.names else 1.0
        state.phase += (
            (seconds - state.at) * float(node.value("frequency")) * factor if state.at >= 0 else 0.0
        )
    if state.at < 0 and not beat.names:
        state.phase = seconds * float(node.value("frequency"))
    state.at = seconds
    if node.value("reset"):
        state.phase = 0.0
    phase = np.array([state.phase + float(node.value("phase"))])
    wave = waveforms.wave(str(node.value("wavetype")), phase, float(node.value("bias")))
    if wave is None:
        raise NotFaked(f"lfoCHOP wave {node.value('wavetype')}")
    out = wave * np.float32(node.value("amp")) + np.float32(node.value("offset"))
    return _named(node, out, float(node.value("rate")) or 60.0)


class _Phase:
    """How far an LFO has come, in cycles, and when that was."""

    __slots__ = ("at", "phase")

    def __init__(self) -> None:
        self.phase = 0.0
        self.at = -1.0


@cooks("waveCHOP")
def wave(node: Node, ctx: CookContext) -> Samples:
    """A wave over the range of the Channel page."""
    start, count, rate = _range(node)
    period = max(in_samples(node, "period", rate), 1e-6)
    at = np.arange(count, dtype=np.float64)
    kind = str(node.value("wavetype"))
    made = waveforms.wave(kind, at / period + float(node.value("phase")), float(node.value("bias")))
    if made is None:
        raise NotFaked(f"waveCHOP wave {kind}")
    if float(node.value("decay")) or float(node.value("ramp")):
        raise NotFaked("waveCHOP decay and ramp")
    out = made * np.float32(node.value("amp")) + np.float32(node.value("offset"))
    return _named(node, out, rate, start)


@cooks("noiseCHOP", time_dependent=lambda node: sliced(node))
def noise(node: Node, ctx: CookContext) -> Samples:
    """Noise along time, one field a channel; time sliced, only its present value."""
    rate = float(node.value("rate")) or 60.0
    period = max(in_samples(node, "period", rate), 1e-6)
    names = unique(channel_names(str(node.value("channelname") or "chan1")))
    start, count = 0.0, 1
    if sliced(node):
        at = np.array([ctx.seconds * rate])
    else:
        start, count, rate = _range(node)
        at = start + np.arange(count, dtype=np.float64)
    shift = sum(float(v) for v in node.values("t")) * rate
    seed, harmonics = float(node.value("seed")), int(node.value("harmon"))
    spread, rough, exponent = (float(node.value(n)) for n in ("spread", "rough", "exp"))
    rows = []
    for place in range(len(names)):
        phase = (at + shift) / period
        if node.value("type") == "random":
            made = waveforms.white(np.asarray(at, dtype=np.int64), int(seed * 1000) + place).astype(
                np.float32
            )
        else:
            made = waveforms.noise(phase, seed + place * 17.0, harmonics, spread, rough, exponent)
        rows.append(made * np.float32(node.value("amp")))
    return Samples(names, np.stack(rows).astype(np.float32), rate, start, time_slice=sliced(node))


@cooks("patternCHOP")
def pattern(node: Node, ctx: CookContext) -> Samples:
    """A number of samples over a number of cycles."""
    count, cycles = int(node.value("length")), float(node.value("numcycles"))
    rate = float(node.value("rate")) or 60.0
    names = unique(channel_names(str(node.value("channelname") or "chan1")))
    affordable(count * len(names), f"{count} samples")
    kind = str(node.value("wavetype"))
    rows = []
    for place in range(len(names)):
        shift = float(node.value("phase")) + place * float(node.value("phasestep"))
        rows.append(_pattern_row(node, kind, count, cycles, shift, place))
    values = np.stack(rows) * _taper(node, count)
    values = values * np.float32(node.value("amp")) + np.float32(node.value("offset"))
    low, high = (float(v) for v in node.values("fromrange"))
    to_low, to_high = (float(v) for v in node.values("torange"))
    if (low, high) != (to_low, to_high):
        values = arithmetic.rerange(values, low, high, to_low, to_high)
    if node.value("reverse"):
        values = values[:, ::-1]
    values = arithmetic.rounded(values, str(node.value("integer")))
    if node.value("combine") != "off" and inputs_of(ctx):
        raise NotFaked("patternCHOP combined with an input")
    return Samples(names, values.astype(np.float32), rate)


def _taper(node: Node, count: int) -> np.typing.NDArray[np.float32]:
    """What the samples are multiplied by: a line from one value at the start to another at the end."""
    start, end = (float(v) for v in node.values("taper"))
    if (start, end) != (1.0, 1.0) and float(node.value("taperdecay")):
        raise NotFaked("patternCHOP taper decay")
    return np.linspace(start, end, count, dtype=np.float32)


def _pattern_row(
    node: Node, kind: str, count: int, cycles: float, shift: float, place: int
) -> np.typing.NDArray[np.float32]:
    at = np.arange(count, dtype=np.float64)
    if kind == "ramp":
        # Reaches its end at the last sample; the cyclic ramp leaves that to the next cycle's first.
        return np.asarray(np.mod(at * cycles / max(count - 1, 1) + shift, 1.0 + 1e-12), dtype=np.float32)
    if kind == "rampsamples":
        return at.astype(np.float32)
    if kind == "random":
        seed = int(float(node.value("seed")) * 1000) + place
        return np.asarray((waveforms.white(at.astype(np.int64), seed) + 1) / 2, dtype=np.float32)
    made = waveforms.wave(kind, at * cycles / count + shift, float(node.value("bias")))
    if made is None:
        raise NotFaked(f"patternCHOP type {kind}")
    return made
