"""The picture a TOP holds: pixels plus the texture format they are stored in.

Pixels are always four floating-point channels, **bottom row first** (row 0 is v = 0, as on the graphics card);
the format says how many of them exist and how finely they are stored. Storing really rounds and clamps, because
users meet it: a level above 1 is lost in an 8-bit texture and kept in a float one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.float32]

# numpyArray() of a real TOP is understood to begin with the bottom row, but nobody has established it (fact 41),
# so this one switch decides for the stand-in, and the product must find out with a test image.
NUMPY_BOTTOM_ROW_FIRST = True

CREATION_SIZE = (256, 256)
DEFAULT_FORMAT = "rgba8fixed"


class Format(NamedTuple):
    """What one word of a TOP's `format` menu means: channel letters, bits of each, fixed or float."""

    channels: str
    bits: int
    fixed: bool


@lru_cache(maxsize=64)
def format_of(word: str) -> Format:
    """The meaning of a `format` menu word such as `rgba16float`; `ValueError` for one that is no pixel format."""
    if word == "rgb10a2fixed":
        return Format("rgba", 10, True)
    if word == "rgba11float":
        return Format("rgb", 11, False)
    text = word.removeprefix("s") if word.startswith("srgba") else word
    for prefix, channels in (
        ("rgba", "rgba"),
        ("rgb", "rgb"),
        ("rg", "rg"),
        ("monoalpha", "ma"),
        ("mono", "m"),
        ("a", "a"),
    ):
        rest = text.removeprefix(prefix)
        if rest != text and rest.endswith(("fixed", "float")) and rest[:-5].isdigit():
            return Format(channels, int(rest[:-5]), rest.endswith("fixed"))
    raise ValueError(f"{word} is no pixel format")


@dataclass(slots=True)
class Image:
    """One cooked texture: `pixels` float32 [height, width, 4] bottom row first, and its `format` word."""

    pixels: Pixels
    format: str = DEFAULT_FORMAT

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def memory(self) -> int:
        """Bytes such a texture takes on the card."""
        form = format_of(self.format)
        bits = 32 if self.format in ("rgb10a2fixed", "rgba11float") else form.bits * len(form.channels)
        return self.width * self.height * bits // 8


def store(pixels: npt.NDArray[Any], format: str = DEFAULT_FORMAT) -> Image:
    """Round and clamp `pixels` as a texture of `format` does, and drop the channels that it lacks.

    Missing colour reads back as 0 and missing alpha as 1; one-channel formats read back as grey.
    """
    form = format_of(format)
    kept = np.array(pixels, dtype=np.float32, copy=True)
    if form.fixed:
        steps = np.float32((1 << form.bits) - 1)
        # fmax and fmin, unlike clip, turn what is no number into 0.
        np.fmax(kept, 0.0, out=kept)
        np.fmin(kept, 1.0, out=kept)
        kept *= steps
        np.rint(kept, out=kept)
        kept /= steps
    elif form.bits == 16:
        with np.errstate(over="ignore"):
            kept = kept.astype(np.float16).astype(np.float32)
    match form.channels:
        case "rgb":
            kept[..., 3] = 1.0
        case "rg":
            kept[..., 2] = 0.0
            kept[..., 3] = 1.0
        case "m":
            kept[..., 1:3] = kept[..., 0:1]
            kept[..., 3] = 1.0
        case "ma":
            kept[..., 1:3] = kept[..., 0:1]
        case "a":
            kept[..., 0:3] = 0.0
    return Image(kept, format)


def channels(image: Image) -> Pixels:
    """The stored channels alone, float32 [height, width, c]: what numpyArray() hands out, before its row order."""
    picks = {"rgba": (0, 1, 2, 3), "rgb": (0, 1, 2), "rg": (0, 1), "m": (0,), "ma": (0, 3), "a": (3,)}
    index = picks[format_of(image.format).channels]
    return np.ascontiguousarray(image.pixels[..., list(index)])


def fill(width: int, height: int, color: tuple[float, float, float, float] | Any) -> Pixels:
    """A picture of one colour."""
    pixels = np.empty((height, width, 4), dtype=np.float32)
    pixels[...] = np.asarray(color, dtype=np.float32)
    return pixels


def premultiply(color: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The colour with red, green and blue multiplied by its alpha."""
    r, g, b, a = color
    return (r * a, g * a, b * a, a)


def black(width: int = CREATION_SIZE[0], height: int = CREATION_SIZE[1]) -> Pixels:
    """Transparent black: what a filter shows that has nothing to filter."""
    return np.zeros((height, width, 4), dtype=np.float32)
