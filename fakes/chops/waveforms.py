"""Periodic functions of a phase in cycles: the words of the `wavetype` menus. Pure maths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]
Phase = npt.NDArray[np.float64]


def wave(kind: str, phase: Phase, bias: float = 0.0, seed: float = 1.0) -> Values | None:
    """Values of -1 to 1 (ramp, pulse and cyclic ramp 0 to 1) over `phase`; None for a word without a form here.

    `bias` (-1 to 1) moves the middle of triangle, square and pulse, as it does in the Wave and LFO CHOPs.
    """
    cycle = np.mod(phase, 1.0)
    middle = float(np.clip(0.5 + bias / 2, 1e-6, 1 - 1e-6))
    match kind:
        case "const":
            out = np.ones_like(cycle)
        case "sin":
            out = np.sin(2 * np.pi * cycle)
        case "cos":
            out = np.cos(2 * np.pi * cycle)
        case "tri":
            # Rises from 0 to 1, falls through 0 to -1, and comes back: in step with the sine.
            shifted = np.mod(cycle + middle / 2, 1.0)
            out = np.where(
                shifted < middle, 2 * shifted / middle - 1, 1 - 2 * (shifted - middle) / (1 - middle)
            )
        case "ramp" | "rampcyclic":
            out = cycle
        case "square":
            out = np.where(cycle < middle, 1.0, -1.0)
        case "pulse":
            # One at the very start of each cycle, else nothing.
            step = float(np.abs(np.diff(phase)).min()) if phase.size > 1 else 1e-9
            out = (cycle < max(step, 1e-9)).astype(np.float64)
        case "normal":
            out = np.exp(-0.5 * ((cycle - middle) * 8) ** 2)
        case _:
            return None
    return np.asarray(out, dtype=np.float32)


def noise(at: Phase, seed: float, harmonics: int, spread: float, rough: float, exponent: float) -> Values:
    """Smooth noise of about -1 to 1 along one dimension; `at` in periods."""
    total = np.zeros(at.shape, dtype=np.float64)
    weight, scale = 1.0, 1.0
    for layer in range(max(0, min(harmonics, 8)) + 1):
        total += weight * _smooth(at * scale, round(seed * 1000) * 31 + layer * 7919)
        weight *= rough
        scale *= spread
    if exponent != 1.0:
        total = np.sign(total) * np.abs(total) ** exponent
    return np.asarray(total, dtype=np.float32)


def white(at: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.float64]:
    """Independent values of -1 to 1, one an integer."""
    h = at.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64((seed * 0xD6E8FEB86659FD93) % 2**64)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x9FB21C651E98DF25)
    h ^= h >> np.uint64(32)
    return (h >> np.uint64(11)).astype(np.float64) / float(1 << 52) - 1.0


def _smooth(at: Phase, seed: int) -> npt.NDArray[np.float64]:
    cell = np.floor(at).astype(np.int64)
    part = at - cell
    blend = part * part * (3 - 2 * part)
    low, high = white(cell, seed), white(cell + 1, seed)
    return low + (high - low) * blend
