"""Audio CHOPs without audio: a quiet, plainly artificial signal stands in for files and devices.

The channels have the right names, rate and length, so that a network can be built and looked at; the values are a
hum that nobody should take for sound. `is_placeholder` tells.
"""

from __future__ import annotations

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.nodes import Node

from . import waveforms
from .samples import Samples

_TYPES = frozenset({"audiofileinCHOP", "audiodeviceinCHOP"})
_HUM = 220.0


def is_placeholder(node: Node) -> bool:
    """Whether the channels are a stand-in for sound that is not there."""
    return node.type in _TYPES


def _slice(ctx: CookContext, rate: float) -> tuple[float, int]:
    """Start and number of the samples of the present frame."""
    count = max(1, round(rate / ctx.world.rate))
    return float(round(ctx.seconds * rate)), count


@cooks("audiofileinCHOP", "audiodeviceinCHOP", time_dependent=True)
def source(node: Node, ctx: CookContext) -> Samples:
    """A hum, one frame of samples; silence while not playing or not active."""
    rate = float(node.value("rate")) if node.par_info("rate") is not None else 44100.0
    start, count = _slice(ctx, rate)
    device = node.type == "audiodeviceinCHOP"
    mono = node.value("format") == "mono" if device else bool(node.value("mono"))
    names = ["chan1"] if mono else ["chan1", "chan2"]
    sounding = bool(node.value("active" if device else "play"))
    volume = 1.0 if device else float(node.value("volume"))
    at = (start + np.arange(count, dtype=np.float64)) * _HUM / rate
    wave = waveforms.wave("sin", at)
    assert wave is not None
    row = wave * np.float32(0.1 * volume if sounding else 0.0)
    return Samples(names, np.tile(row, (len(names), 1)), rate, start, time_slice=True)


@cooks("audiooscillatorCHOP", time_dependent=True)
def oscillator(node: Node, ctx: CookContext) -> Samples:
    """A tone, one frame of samples."""
    rate = float(node.value("rate")) or 44100.0
    start, count = _slice(ctx, rate)
    frequency = float(node.value("frequency"))
    at = (start + np.arange(count, dtype=np.float64)) * frequency / rate + float(node.value("phase"))
    kind = str(node.value("wavetype"))
    wave = waveforms.wave(kind, at, float(node.value("bias")))
    if wave is None:
        wave = np.asarray(
            waveforms.white(np.asarray(start + np.arange(count), dtype=np.int64), 1), dtype=np.float32
        )
    row = wave * np.float32(node.value("amp")) + np.float32(node.value("offset"))
    return Samples(["chan1"], row[None, :].astype(np.float32), rate, start, time_slice=True)


@cooks("audiospectrumCHOP", needs=1)
def spectrum(node: Node, ctx: CookContext) -> Samples:
    """Strength by frequency of the samples at the input: a plain transform, without TD's scaling."""
    given = ctx.inputs[0] if ctx.inputs else None
    if not isinstance(given, Samples) or not given.names:
        return Samples()
    length = int(node.value("outlength")) if node.value("outputmenu") == "setmanually" else 1024
    strength = np.abs(np.fft.rfft(given.values * np.hanning(given.count), axis=1)) / max(given.count / 2, 1)
    at = np.linspace(0, strength.shape[1] - 1, length)
    rows = [np.interp(at, np.arange(strength.shape[1]), row) for row in strength]
    return Samples(list(given.names), np.stack(rows).astype(np.float32), given.rate)


@cooks("audiofilterCHOP", needs=1)
def audio_filter(node: Node, ctx: CookContext) -> Samples:
    """Low, high or band pass by cutting the spectrum of each frame of samples: roughly what a filter lets through."""
    given = ctx.inputs[0] if ctx.inputs else None
    if not isinstance(given, Samples) or not given.names:
        return Samples()
    word = str(node.value("filter"))
    logarithmic = node.value("units") == "logarithmic"
    cutoff = 10.0 ** float(node.value("cutofflog")) if logarithmic else float(node.value("cutofffrequency"))
    frequencies = np.fft.rfftfreq(given.count, 1 / given.rate)
    passes = {
        "lowpass": frequencies <= cutoff,
        "highpass": frequencies >= cutoff,
        "bandpass": np.abs(frequencies - cutoff) <= cutoff / 4,
        "bandreject": np.abs(frequencies - cutoff) > cutoff / 4,
    }[word]
    values = np.fft.irfft(np.fft.rfft(given.values, axis=1) * passes, given.count, axis=1)
    mixed = given.values + (values - given.values) * float(node.value("drywet"))
    return given.with_values(np.asarray(mixed, dtype=np.float32))
