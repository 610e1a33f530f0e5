"""Gradient noise over a picture, fast enough for the main thread.

The look is that of TD's noise (smooth, as lively, moving through a third dimension); the values are not: TD's
hashes are not public. Every noise type but *random* draws from this one field, each with its own seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
_SCALE = 1.5  # plain gradient noise stays within about ±0.7: stretched so that amplitude means amplitude

_NOTHING = np.empty((0, 0), dtype=np.float32)  # added to a product: nothing


@dataclass(slots=True, frozen=True)
class Fractal:
    """Sum of `harmonics` + 1 layers, each `spread` times finer and `gain` times weaker than the last."""

    harmonics: int = 0
    spread: float = 2.0
    gain: float = 0.7
    exponent: float = 1.0


def _hash(ix: npt.NDArray[np.int64], iy: npt.NDArray[np.int64], iz: int, seed: int) -> npt.NDArray[np.uint64]:
    h = ix.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    h ^= iy.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= np.uint64((iz * 0x165667B19E3779F9) & 0xFFFFFFFFFFFFFFFF)
    h ^= np.uint64((seed * 0xD6E8FEB86659FD93) & 0xFFFFFFFFFFFFFFFF)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x9FB21C651E98DF25)
    h ^= h >> np.uint64(32)
    return h


def _gradients(ix: npt.NDArray[np.int64], iy: npt.NDArray[np.int64], iz: int, seed: int) -> list[Floats]:
    h = _hash(ix, iy, iz, seed)
    parts = [((h >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.float32) for shift in (0, 16, 32)]
    vectors = [part / np.float32(32767.5) - np.float32(1.0) for part in parts]
    length = np.sqrt(sum(v * v for v in vectors)) + np.float32(1e-6)
    return [v / length for v in vectors]


def _fade(t: Floats) -> Floats:
    return t * t * t * (t * (t * 6 - 15) + 10)


def _weights(at: Floats) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
    """Lattice columns met by the coordinates, the blend matrix onto them, and the same times the offset."""
    cell = np.floor(at).astype(np.int64)
    first = int(cell.min())
    count = int(cell.max()) - first + 2
    offset = (at - cell).astype(np.float32)
    blend = _fade(offset)
    plain = np.zeros((at.size, count), dtype=np.float32)
    moved = np.zeros_like(plain)
    rows = np.arange(at.size)
    near = cell - first
    plain[rows, near] = 1 - blend
    plain[rows, near + 1] = blend
    moved[rows, near] = (1 - blend) * offset
    moved[rows, near + 1] = blend * (offset - 1)
    return np.arange(first, first + count), plain, moved


def _cells(at: Floats) -> float:
    """Lattice lines that the coordinates span."""
    return float(at.max()) - float(at.min()) + 2


def _layer(xs: Floats, ys: Floats, z: float, seed: int) -> Floats:
    """One layer over the grid ys × xs at depth z.

    On a straight grid every corner's weight is a product of one along x and one along y, so the whole blend of
    gradients is two matrix products over the few lattice points that the picture covers.
    """
    if _cells(xs) * _cells(ys) > 4 * xs.size * ys.size:
        # More lattice points than pixels: the products would be larger than the picture.
        gx, gy = np.meshgrid(xs, ys)
        return _scattered(gx, gy, np.full_like(gx, z), seed)
    cols, px, mx = _weights(xs)
    rows, py, my = _weights(ys)
    ix, iy = np.meshgrid(cols, rows)
    floor = int(np.floor(z))
    depth = z - floor
    blend = float(_fade(np.asarray([depth], dtype=np.float32))[0])
    tall, wide = ix.shape
    lattice = np.zeros((2 * tall, 2 * wide), dtype=np.float32)
    for iz, weight, away in ((floor, 1 - blend, depth), (floor + 1, blend, depth - 1)):
        gx, gy, gz = _gradients(ix, iy, iz, seed)
        lattice[:tall, :wide] += gx * np.float32(weight)
        lattice[:tall, wide:] += gz * np.float32(weight * away)
        lattice[tall:, wide:] += gy * np.float32(weight)
    left, right = np.concatenate([py, my], axis=1), np.concatenate([mx, px], axis=1)
    # numpy hands products of this size to a pool of threads, which beside a busy core costs more than the product.
    half = cv2.gemm(left, lattice, 1, _NOTHING, 0)
    drawn = cv2.gemm(half, right, 1, _NOTHING, 0, flags=cv2.GEMM_2_T)
    return np.asarray(drawn, dtype=np.float32)


def _scattered(xs: Floats, ys: Floats, zs: Floats, seed: int) -> Floats:
    """The same layer at scattered points: for grids turned in space."""
    cells = [np.floor(axis).astype(np.int64) for axis in (xs, ys, zs)]
    offsets = [(axis - cell).astype(np.float32) for axis, cell in zip((xs, ys, zs), cells, strict=True)]
    blends = [_fade(offset) for offset in offsets]
    total = np.zeros(xs.shape, dtype=np.float32)
    for iz in np.unique(np.concatenate([cells[2].ravel(), cells[2].ravel() + 1])):
        here = (cells[2] == iz) | (cells[2] + 1 == iz)
        back = np.where(cells[2][here] == iz, 1 - blends[2][here], blends[2][here])
        for dx in (0, 1):
            for dy in (0, 1):
                gx, gy, gz = _gradients(cells[0][here] + dx, cells[1][here] + dy, int(iz), seed)
                wx = blends[0][here] if dx else 1 - blends[0][here]
                wy = blends[1][here] if dy else 1 - blends[1][here]
                dot = gx * (offsets[0][here] - dx) + gy * (offsets[1][here] - dy)
                dot += gz * (zs[here].astype(np.float32) - np.float32(iz))
                total[here] += wx * wy * back * dot
    return total


def on_grid(xs: Floats, ys: Floats, z: float, seed: float, fractal: Fractal) -> Floats:
    """Noise of about -1 to 1 over the grid [len(ys), len(xs)] at depth `z`. Not to be written to."""
    return _drawn(xs.tobytes(), ys.tobytes(), xs.dtype.str, z, seed, fractal)


@lru_cache(maxsize=32)
def _drawn(xs_bytes: bytes, ys_bytes: bytes, kind: str, z: float, seed: float, fractal: Fractal) -> Floats:
    """The same; a still noise that is cooked again, or many alike, are drawn once."""
    xs, ys = np.frombuffer(xs_bytes, dtype=kind), np.frombuffer(ys_bytes, dtype=kind)
    drawn = _sum(fractal, lambda k, s: _layer(xs * np.float32(s), ys * np.float32(s), z * s, _seed(seed, k)))
    drawn.setflags(write=False)
    return drawn


def at_points(xs: Floats, ys: Floats, zs: Floats, seed: float, fractal: Fractal) -> Floats:
    """Noise at the points given by three arrays of one shape."""
    f = np.float32
    return _sum(fractal, lambda k, s: _scattered(xs * f(s), ys * f(s), zs * f(s), _seed(seed, k)))


def white(height: int, width: int, seed: float) -> Floats:
    """Independent values of -1 to 1, one a pixel."""
    ix, iy = np.meshgrid(np.arange(width), np.arange(height))
    h = _hash(ix, iy, 0, _seed(seed, 0))
    return ((h >> np.uint64(40)).astype(np.float32) / np.float32((1 << 23) - 0.5)) - np.float32(1.0)


def _seed(seed: float, layer: int) -> int:
    # Seeds are floats in TD: a fraction must matter, so thousandths count.
    return round(seed * 1000) * 31 + layer * 7919


def _sum(fractal: Fractal, draw: Callable[[int, float], Floats]) -> Floats:
    total: Floats | None = None
    weight, scale = 1.0, 1.0
    for k in range(max(0, min(fractal.harmonics, 8)) + 1):
        part = draw(k, scale) * np.float32(weight)
        total = part if total is None else total + part
        weight *= fractal.gain
        scale *= fractal.spread
    assert total is not None
    total = total * np.float32(_SCALE)
    if fractal.exponent != 1.0:
        total = (np.sign(total) * np.abs(total) ** np.float32(fractal.exponent)).astype(np.float32)
    return total
