"""What all TOPs share: the Common page (resolution, format, passes) and how inputs are fitted to the output."""

from __future__ import annotations

from typing import Any

import numpy as np

from fakes.cooking import CookContext
from fakes.errors import NotFaked
from fakes.memory import affordable
from fakes.nodes import Node

from . import blending, filters, resolution
from .image import CREATION_SIZE, DEFAULT_FORMAT, Image, Pixels, black, store


def has(node: Node, name: str) -> bool:
    """Whether the type has the parameter: listings of different builds disagree about some."""
    return node.par_info(name) is not None


def value(node: Node, name: str, otherwise: Any = None) -> Any:
    """A parameter's value; `otherwise` where the type lacks it."""
    return node.value(name) if has(node, name) else otherwise


# The Common page is the same on all TOPs: what a listing tells of most holds where a type is not in it.
_COMMON = {"outputresolution": "useinput", "resolutionw": 256, "resolutionh": 256, "format": "useinput"}
_COMMON |= {"chanmask": 15, "npasses": 1, "fillmode": "best", "inputfiltertype": "linear"}


def common(node: Node, name: str) -> Any:
    """A parameter of the Common page."""
    info = node.par_info(name)
    if info is None or (node.state(name) is None and info.creation is None):
        return _COMMON[name]
    return node.value(name)


def color(node: Node, *names: str) -> tuple[float, float, float, float]:
    """Four parameters as one colour."""
    r, g, b, a = (float(node.value(name)) for name in names)
    return r, g, b, a


def premultiplies(node: Node) -> bool:
    """Whether colours are multiplied by alpha.

    The switch is `multrgbbyalpha` in the documentation and `premultrgbbyalpha`, on, in a listing of a running build:
    either one turns it on.
    """
    return bool(value(node, "premultrgbbyalpha", False)) or bool(value(node, "multrgbbyalpha", False))


def output_size(node: Node, ctx: CookContext, source: resolution.Size | None) -> resolution.Size:
    """The output's resolution; `source` is what *Use Input* means, None for a generator without an input."""
    word = common(node, "outputresolution")
    custom = (1, 1)
    if word in ("custom", "fit", "limit"):
        custom = (int(common(node, "resolutionw")), int(common(node, "resolutionh")))
    width, height = resolution.choose(word, source or CREATION_SIZE, custom, ctx.world.licence.max_resolution)
    affordable(width * height, f"a picture of {width} × {height} pixels")
    return width, height


def output_format(node: Node, source: Image | None) -> str:
    """The output's pixel format word."""
    word = common(node, "format")
    if word in (None, "", "useinput"):
        return source.format if source is not None else DEFAULT_FORMAT
    return str(word)


def finish(node: Node, pixels: Pixels, source: Image | None) -> Image:
    """Store drawn pixels in the output's format."""
    if int(common(node, "chanmask")) != 15:
        raise NotFaked(f"channel mask of {node.type}")
    form = output_format(node, source)
    if source is not None and pixels is source.pixels and form == source.format:
        return source  # handed on untouched
    return store(pixels, form)


def first(ctx: CookContext) -> Image | None:
    """The picture at the first input, if there is one."""
    found = ctx.inputs[0] if ctx.inputs else None
    return found if isinstance(found, Image) else None


def fitted(image: Image, size: resolution.Size, node: Node) -> Pixels:
    """A filter's input at the filter's own resolution, by the Common page's fill mode."""
    if (image.width, image.height) == size:
        return image.pixels
    word = common(node, "fillmode")
    nearest = common(node, "inputfiltertype") == "nearest"
    return place(image.pixels, size, "fill" if word in (None, "", "useinput") else str(word), nearest=nearest)


def place(
    pixels: Pixels,
    size: resolution.Size,
    fit: str = "fill",
    justify: tuple[str, str] = ("center", "center"),
    extend: str = "zero",
    nearest: bool = False,
    moved: np.typing.NDArray[np.float64] | None = None,
) -> Pixels:
    """A picture put on a canvas of `size` by a fit word, then moved by a 3×3 matrix of output pixels."""
    height, width = pixels.shape[:2]
    sx, sy = resolution.fit_scale(fit, (width, height), size)
    if moved is None and (round(width * sx), round(height * sy)) == size:
        return filters.resize(pixels, *size, nearest=nearest)
    left = {"left": 0.0, "center": (size[0] - width * sx) / 2, "right": size[0] - width * sx}[justify[0]]
    low = {"bottom": 0.0, "center": (size[1] - height * sy) / 2, "top": size[1] - height * sy}[justify[1]]
    # From input to output in continuous coordinates, where pixel i covers i to i + 1.
    forward = np.array([[sx, 0, left], [0, sy, low], [0, 0, 1]])
    if moved is not None:
        forward = moved @ forward
    return warp(pixels, forward, size, extend, nearest)


def warp(
    pixels: Pixels,
    forward: np.typing.NDArray[np.float64],
    size: resolution.Size,
    extend: str,
    nearest: bool = False,
) -> Pixels:
    """A picture under a 3×3 matrix from input to output coordinates; one that flattens it leaves nothing."""
    if abs(np.linalg.det(forward)) < 1e-12:
        return black(*size)
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    inverse = np.linalg.inv(half) @ np.linalg.inv(forward) @ half
    return filters.affine(pixels, inverse[:2], size[0], size[1], extend, nearest)


def unit(word: str | None, amount: float, along: int, other: int) -> float:
    """A length in pixels along a side, by the word of a unit menu.

    Raises:
        NotFaked: an unknown word.
    """
    match word:
        case "pixels":
            return amount
        case None | "" | "fraction":
            return amount * along
        case "fractionaspect":
            return amount * other
    raise NotFaked(f"unit {word}")


def movement(
    size: resolution.Size,
    t: tuple[float, float] = (0.0, 0.0),
    rotate: float = 0.0,
    s: tuple[float, float] = (1.0, 1.0),
    pivot: tuple[float, float] = (0.5, 0.5),
    order: str = "srt",
) -> np.typing.NDArray[np.float64]:
    """3×3 matrix of output pixels: scale, turn (degrees, counter-clockwise) and move (pixels) about a pivot."""
    c, d = np.cos(np.radians(rotate)), np.sin(np.radians(rotate))
    steps = {
        "s": np.diag([s[0], s[1], 1.0]),
        "r": np.array([[c, -d, 0], [d, c, 0], [0, 0, 1]]),
        "t": np.array([[1, 0, t[0]], [0, 1, t[1]], [0, 0, 1]]),
    }
    px, py = pivot[0] * size[0], pivot[1] * size[1]
    matrix = np.array([[1, 0, -px], [0, 1, -py], [0, 0, 1.0]])
    for letter in order:
        matrix = steps[letter] @ matrix
    return np.asarray(np.array([[1, 0, px], [0, 1, py], [0, 0, 1]]) @ matrix, dtype=np.float64)


def operation(word: str) -> blending.Operation:
    """The blend operation of that name.

    Raises:
        NotFaked: nobody has described it publicly.
    """
    found = blending.OPERATIONS.get(word)
    if found is None:
        raise NotFaked(f"composite operation {word}")
    return found
