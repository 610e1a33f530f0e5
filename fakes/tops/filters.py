"""Level, blur and resampling: pure functions over pictures, float32 [h, w, 4], bottom row first."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_BORDERS = {"hold": cv2.BORDER_REPLICATE, "repeat": cv2.BORDER_WRAP, "mirror": cv2.BORDER_REFLECT}


@dataclass(slots=True, frozen=True)
class Level:
    """The settings of a Level TOP, under its own parameter names."""

    invert: float = 0.0
    blacklevel: float = 0.0
    brightness1: float = 1.0
    gamma1: float = 1.0
    contrast: float = 1.0
    inlow: float = 0.0
    inhigh: float = 1.0
    outlow: float = 0.0
    outhigh: float = 1.0
    lows: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    highs: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    stepping: bool = False
    stepsize: float = 0.0
    threshold: float = 0.0
    clamplow: float = 0.0
    clamphigh: float = 1.0
    gamma2: float = 1.0
    opacity: float = 1.0
    brightness2: float = 1.0
    clamp: bool = False
    clamplow2: float = 0.0
    clamphigh2: float = 1.0


def _gamma(values: Floats, gamma: float) -> None:
    """Raise to 1/gamma in place, keeping signs."""
    if gamma != 1.0:
        np.copysign(np.abs(values) ** np.float32(1.0 / max(gamma, 1e-4)), values, out=values)


def level(pixels: Floats, s: Level) -> Floats:
    """Pages Pre, Range, RGBA, Step and Post applied in their order; colour only, but opacity dims alpha too."""
    out = pixels.copy()
    rgb, alpha = out[..., :3], out[..., 3:4]
    if s.invert:
        rgb += (1 - 2 * rgb) * np.float32(s.invert)
    if s.blacklevel:
        np.maximum(rgb - np.float32(s.blacklevel), 0, out=rgb)
        rgb /= np.float32(max(1 - s.blacklevel, 1e-6))
    if s.brightness1 != 1.0:
        rgb *= np.float32(s.brightness1)
    _gamma(rgb, s.gamma1)
    if s.contrast != 1.0:
        rgb -= np.float32(0.5)
        rgb *= np.float32(s.contrast)
        rgb += np.float32(0.5)
    if (s.inlow, s.inhigh, s.outlow, s.outhigh) != (0.0, 1.0, 0.0, 1.0):
        span = s.inhigh - s.inlow
        rgb -= np.float32(s.inlow)
        rgb *= np.float32((s.outhigh - s.outlow) / (span if abs(span) > 1e-6 else 1e-6))
        rgb += np.float32(s.outlow)
    if s.lows != (0.0,) * 4 or s.highs != (1.0,) * 4:
        lows, highs = np.array(s.lows, dtype=np.float32), np.array(s.highs, dtype=np.float32)
        out *= highs - lows
        out += lows
    if s.stepping and s.stepsize > 0:
        steps = np.floor((rgb - np.float32(s.threshold)) / np.float32(s.stepsize)) * np.float32(s.stepsize)
        np.clip(steps + np.float32(s.threshold), s.clamplow, s.clamphigh, out=rgb)
    _gamma(rgb, s.gamma2)
    if s.opacity * s.brightness2 != 1.0:
        rgb *= np.float32(s.opacity * s.brightness2)
    if s.opacity != 1.0:
        alpha *= np.float32(s.opacity)
    if s.clamp:
        np.clip(rgb, s.clamplow2, s.clamphigh2, out=rgb)
    return out


def _kernel(size: int, kind: str) -> Floats:
    """Weights of a filter `size` pixels to either side, adding up to one."""
    at = np.linspace(-1, 1, 2 * size + 1)
    match kind:
        case "box":
            weights = np.ones_like(at)
        case "bartlette":
            weights = 1 - np.abs(at) * size / (size + 1)
        case "hanning":
            weights = 0.5 + 0.5 * np.cos(np.pi * at * size / (size + 1))
        case "blackman":
            at = at * size / (size + 1)
            weights = 0.42 + 0.5 * np.cos(np.pi * at) + 0.08 * np.cos(2 * np.pi * at)
        case "sinc":
            weights = np.sinc(at * size / (size + 1))
        case _:
            weights = np.exp(-0.5 * (at * 2.5) ** 2)
    return np.asarray(weights / weights.sum(), dtype=np.float32)


def blur(pixels: Floats, size: int, kind: str = "gaussian", extend: str = "hold", dims: str = "xy") -> Floats:
    """Blur by a filter reaching `size` - 1 pixels to either side; size 1 changes nothing."""
    reach = max(0, int(size) - 1)
    if reach == 0:
        return pixels
    kernel, one = _kernel(reach, kind), np.ones(1, dtype=np.float32)
    border = _BORDERS.get(extend, cv2.BORDER_REPLICATE)
    padded = cv2.copyMakeBorder(pixels, reach, reach, reach, reach, border)
    soft = cv2.sepFilter2D(padded, -1, kernel if "x" in dims else one, kernel if "y" in dims else one)
    return np.ascontiguousarray(soft[reach:-reach, reach:-reach], dtype=np.float32)


def resize(pixels: Floats, width: int, height: int, nearest: bool = False) -> Floats:
    """The picture stretched to another resolution."""
    if pixels.shape[:2] == (height, width):
        return pixels
    smaller = width < pixels.shape[1] and height < pixels.shape[0]
    how = cv2.INTER_NEAREST if nearest else cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=how), dtype=np.float32)


def affine(
    pixels: Floats,
    inverse: npt.NDArray[np.float64],
    width: int,
    height: int,
    extend: str,
    nearest: bool = False,
) -> Floats:
    """The picture seen through a movement: `inverse` [2, 3] takes output pixel centres to input pixel centres."""
    if extend == "repeat" or extend == "mirror":
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        m = inverse.astype(np.float32)
        sx, sy = m[0, 0] * x + m[0, 1] * y + m[0, 2], m[1, 0] * x + m[1, 1] * y + m[1, 2]
        border = cv2.BORDER_WRAP if extend == "repeat" else cv2.BORDER_REFLECT
        how = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
        return np.asarray(cv2.remap(pixels, sx, sy, how, borderMode=border), dtype=np.float32)
    border = cv2.BORDER_REPLICATE if extend == "hold" else cv2.BORDER_CONSTANT
    how = (cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(pixels, inverse, (width, height), flags=how, borderMode=border)
    return np.asarray(moved, dtype=np.float32)
