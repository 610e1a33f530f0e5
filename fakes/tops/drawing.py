"""Shapes, ramps and letters as coverage and colour arrays: pure drawing, no operators.

Coordinates run from the lower left corner; arrays are float32 [height, width], bottom row first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Color = tuple[float, float, float, float]


def pixel_centres(width: int, height: int) -> tuple[Floats, Floats]:
    """x [width] and y [height] of the pixel centres, 0 to 1 over the picture."""
    xs = (np.arange(width, dtype=np.float32) + np.float32(0.5)) / np.float32(width)
    ys = (np.arange(height, dtype=np.float32) + np.float32(0.5)) / np.float32(height)
    return xs, ys


def _placed(width: int, height: int, center: tuple[float, float], rotate: float) -> tuple[Floats, Floats]:
    """Pixel centres relative to `center`, turned by `rotate` degrees; all in units of the picture's height."""
    xs, ys = pixel_centres(width, height)
    x = (xs - np.float32(0.5 + center[0])) * np.float32(width / height)
    y = ys - np.float32(0.5 + center[1])
    gx, gy = np.meshgrid(x, y)
    if rotate:
        c, s = math.cos(math.radians(rotate)), math.sin(math.radians(rotate))
        gx, gy = gx * np.float32(c) + gy * np.float32(s), gy * np.float32(c) - gx * np.float32(s)
    return gx, gy


def _edge(distance: Floats, softness: float, pixel: float) -> Floats:
    """Coverage 1 inside (negative distance) to 0 outside, over `softness` or, if that is less, one pixel."""
    ramp = max(softness, pixel)
    if ramp <= 0:
        return np.asarray(distance <= 0, dtype=np.float32)
    return np.asarray(np.clip(np.float32(0.5) - distance / np.float32(ramp), 0, 1), dtype=np.float32)


def circle(
    width: int,
    height: int,
    radius: tuple[float, float],
    center: tuple[float, float] = (0.0, 0.0),
    rotate: float = 0.0,
    softness: float = 0.0,
    antialias: bool = True,
    sides: int = 0,
    grow: float = 0.0,
) -> Floats:
    """Coverage of an ellipse (or of a regular polygon of `sides`), radii and softness in picture heights.

    `center` is in fractions of the picture, from its middle; `grow` widens the shape by that distance (borders).
    """
    x, y = _placed(width, height, center, rotate)
    rx, ry = max(radius[0] + grow, 1e-6), max(radius[1] + grow, 1e-6)
    u, v = x / np.float32(rx), y / np.float32(ry)
    if sides >= 3:
        # A polygon's distance is that to its nearest side; the first corner points up.
        angle = np.arctan2(u, v)
        step = 2 * math.pi / sides
        off = np.mod(angle + step / 2, step) - step / 2
        reach = np.hypot(u, v) * np.cos(step / 2 - np.abs(off)) / np.float32(math.cos(step / 2))
    else:
        reach = np.hypot(u, v)
    distance = (reach - 1) * np.float32(min(rx, ry))
    return _edge(distance, softness, 1.0 / height if antialias else 0.0)


def rectangle(
    width: int,
    height: int,
    size: tuple[float, float],
    center: tuple[float, float] = (0.0, 0.0),
    rotate: float = 0.0,
    softness: float = 0.0,
    antialias: bool = True,
    corner: float = 0.0,
    grow: float = 0.0,
) -> Floats:
    """Coverage of a rectangle with rounded corners; sizes in picture heights, `center` in fractions."""
    x, y = _placed(width, height, center, rotate)
    corner = min(corner, size[0] / 2, size[1] / 2)
    qx = np.abs(x) - np.float32(size[0] / 2 + grow - corner)
    qy = np.abs(y) - np.float32(size[1] / 2 + grow - corner)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
    distance = outside + np.minimum(np.maximum(qx, qy), 0) - np.float32(corner)
    return _edge(distance, softness, 1.0 / height if antialias else 0.0)


def wrap(at: Floats, left: str, right: str) -> Floats:
    """Bring positions outside 0–1 back in by the extend words: hold, repeat, mirror; others stay outside."""
    out = at.copy()
    for side, word in ((at < 0, left), (at > 1, right)):
        if word == "repeat":
            out[side] = np.mod(at[side], 1.0)
        elif word == "mirror":
            out[side] = 1 - np.abs(np.mod(at[side], 2.0) - 1)
        elif word == "hold":
            out[side] = np.clip(at[side], 0, 1)
    return out


def gradient(at: Floats, keys: Sequence[tuple[float, Color]], interp: str = "linear") -> Floats:
    """Colours [..., 4] at positions by keys sorted by position; before the first and after the last it holds."""
    positions = np.array([key[0] for key in keys], dtype=np.float32)
    colors = np.array([key[1] for key in keys], dtype=np.float32)
    right = np.searchsorted(positions, at, side="right")
    low = np.clip(right - 1, 0, len(keys) - 1)
    high = np.clip(right, 0, len(keys) - 1)
    span = np.maximum(positions[high] - positions[low], np.float32(1e-9))
    t = np.clip((at - positions[low]) / span, 0, 1).astype(np.float32)
    if interp == "step":
        t = np.zeros_like(t)
    elif interp in ("easeineaseout", "hermite"):
        t = t * t * (3 - 2 * t)
    mixed = colors[low] + (colors[high] - colors[low]) * t[..., None]
    return np.asarray(mixed, dtype=np.float32)


def text(
    width: int,
    height: int,
    words: str,
    pixels: float,
    align: tuple[str, str] = ("center", "center"),
    bold: bool = False,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Floats:
    """Coverage of `words`, about `pixels` high, in the one vector font at hand; lines end at a line break."""
    lines = words.split("\n")
    face = cv2.FONT_HERSHEY_SIMPLEX
    scale = max(pixels, 1.0) / 30.0
    thick = max(1, round(scale * (3 if bold else 1.6)))
    canvas = np.zeros((height, width), dtype=np.uint8)
    step = pixels * 1.2
    block = step * (len(lines) - 1) + pixels
    match align[1]:
        case "top":
            top = 0.0
        case "bottom":
            top = height - block
        case _:
            top = (height - block) / 2
    for number, line in enumerate(lines):
        (wide, _), _ = cv2.getTextSize(line, face, scale, thick)
        match align[0]:
            case "left":
                x = 0.0
            case "right":
                x = float(width - wide)
            case _:
                x = (width - wide) / 2
        at = (round(x + shift[0]), round(top + pixels * 0.85 + number * step - shift[1]))
        cv2.putText(canvas, line, at, face, scale, 255, thick, cv2.LINE_AA)
    return np.ascontiguousarray(canvas[::-1]).astype(np.float32) / np.float32(255)


def placeholder(width: int, height: int, label: str) -> Floats:
    """A slanted grey pattern naming what is not drawn here: nobody should take it for the real picture."""
    xs, ys = np.meshgrid(np.arange(width), np.arange(height))
    stripe = ((xs + ys) // max(8, height // 16)) % 2
    grey = np.where(stripe, np.float32(0.32), np.float32(0.22)).astype(np.float32)
    size = max(8.0, min(24.0, width / (0.62 * max(len(label), 1))))
    ink = text(width, height, f"{label}\nplaceholder", size)
    pixels = np.ones((height, width, 4), dtype=np.float32)
    pixels[..., :3] = grey[..., None]
    pixels[..., :3] += ink[..., None] * np.array([0.7, 0.55, 0.1], dtype=np.float32)
    return pixels


def paint(coverage: Floats, color: Color, under: Floats) -> Floats:
    """`color` (premultiplied) laid over `under` where `coverage` says."""
    layer = coverage[..., None] * np.array(color, dtype=np.float32)
    return np.asarray(layer + under * (1 - layer[..., 3:4]), dtype=np.float32)
