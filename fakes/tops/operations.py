"""TOPs that change or combine pictures: level, blur, transform, fit, crop, flip, composite and its kin, switches."""

from __future__ import annotations

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.memory import affordable
from fakes.nodes import Node

from . import filters, page
from .generators import blank
from .image import Image, Pixels, fill


def _filtered(node: Node, ctx: CookContext) -> tuple[Image, Pixels] | None:
    """The first input and its pixels at the output's resolution; None without an input."""
    source = page.first(ctx)
    if source is None:
        return None
    size = page.output_size(node, ctx, (source.width, source.height))
    return source, page.fitted(source, size, node)


_MOST_PASSES = 64


def _passes(node: Node) -> int:
    passes = int(page.common(node, "npasses"))
    if passes > _MOST_PASSES:
        raise NotFaked(f"{passes} passes of a {node.type}")
    return max(1, passes)


@cooks("nullTOP", "outTOP", "inTOP", "resolutionTOP", "moviefileoutTOP", needs=1)
def same(node: Node, ctx: CookContext) -> Image:
    """The input, at the resolution and in the format of the Common page."""
    found = _filtered(node, ctx)
    return blank(node, ctx) if found is None else page.finish(node, found[1], found[0])


@cooks("selectTOP")
def select(node: Node, ctx: CookContext) -> Image:
    """The picture of the TOP named in `top`."""
    target = node.value("top")
    picture = target.data() if isinstance(target, Node) and target.family == "TOP" else None
    if not isinstance(picture, Image):
        return blank(node, ctx)
    size = page.output_size(node, ctx, (picture.width, picture.height))
    return page.finish(node, page.fitted(picture, size, node), picture)


@cooks("levelTOP", needs=1)
def level(node: Node, ctx: CookContext) -> Image:
    """Brightness, gamma, contrast, ranges, steps and opacity."""
    found = _filtered(node, ctx)
    if found is None:
        return blank(node, ctx)
    source, pixels = found
    plain = (
        "invert", "blacklevel", "brightness1", "gamma1", "contrast", "inlow", "inhigh", "outlow", "outhigh",
        "stepsize", "threshold", "clamplow", "clamphigh", "gamma2", "opacity", "brightness2", "clamplow2",
        "clamphigh2",
    )  # fmt: skip
    numbers = {name: float(node.value(name)) for name in plain}
    lows, highs = (
        page.color(node, "lowr", "lowg", "lowb", "lowa"),
        page.color(node, "highr", "highg", "highb", "higha"),
    )
    settings = filters.Level(
        **numbers,
        lows=lows,
        highs=highs,
        stepping=bool(node.value("stepping")),
        clamp=bool(node.value("clamp")),
    )
    if float(node.value("soften")):
        raise NotFaked("levelTOP soften")
    for _ in range(_passes(node)):
        pixels = filters.level(pixels, settings)
    return page.finish(node, pixels, source)


@cooks("blurTOP", needs=1)
def blur(node: Node, ctx: CookContext) -> Image:
    """The picture softened by a filter of `size`."""
    found = _filtered(node, ctx)
    if found is None:
        return blank(node, ctx)
    source, pixels = found
    reach = int(node.value("size")) * int(node.value("preshrink"))
    kind, extend = str(node.value("type")), str(node.value("extend"))
    affordable((pixels.shape[0] + 2 * reach) * (pixels.shape[1] + 2 * reach), f"a blur of size {reach}")
    for _ in range(_passes(node)):
        pixels = filters.blur(pixels, reach, kind, extend)
    return page.finish(node, pixels, source)


def _background(node: Node, size: tuple[int, int]) -> Pixels:
    r, g, b, a = page.color(node, "bgcolorr", "bgcolorg", "bgcolorb", "bgcolora")
    if page.premultiplies(node):
        r, g, b = r * a, g * a, b * a
    return fill(*size, (r, g, b, a))


def _on_background(node: Node, pixels: Pixels) -> Pixels:
    back = _background(node, (pixels.shape[1], pixels.shape[0]))
    return page.operation("over")(pixels, back) if back.any() else pixels


def _moved(
    node: Node, size: tuple[int, int], angle: str, order: str = "srt"
) -> np.typing.NDArray[np.float64] | None:
    """The Transform page's movement in output pixels; None where it moves nothing."""
    tx, ty = (float(v) for v in node.values("t"))
    sx, sy = (float(v) for v in node.values("s"))
    rotate = float(node.value(angle))
    if (tx, ty, sx, sy, rotate) == (0, 0, 1, 1, 0):
        return None
    word, pivot_word = page.value(node, "tunit"), page.value(node, "punit")
    shift = (page.unit(word, tx, *size), page.unit(word, ty, size[1], size[1]))
    px, py = (float(v) for v in node.values("p"))
    pivot = (
        page.unit(pivot_word, px, *size) / size[0],
        page.unit(pivot_word, py, size[1], size[1]) / size[1],
    )
    return page.movement(size, shift, rotate, (sx, sy), pivot, order)


@cooks("transformTOP", needs=1)
def transform(node: Node, ctx: CookContext) -> Image:
    """The picture moved, turned and scaled; what is uncovered extends or shows the background."""
    found = _filtered(node, ctx)
    if found is None:
        return blank(node, ctx)
    source, pixels = found
    size = (pixels.shape[1], pixels.shape[0])
    if any(float(v) for v in node.values("growshrink")) or node.value("limittiles"):
        raise NotFaked("transformTOP grow/shrink and limited tiles")
    matrix = _moved(node, size, "rotate", str(node.value("xord")))
    nearest = page.common(node, "inputfiltertype") == "nearest"
    moved = pixels if matrix is None else page.warp(pixels, matrix, size, str(node.value("extend")), nearest)
    moved = _on_background(node, moved)
    if node.value("compover"):
        moved = page.operation("over")(moved, pixels)
    return page.finish(node, moved, source)


@cooks("fitTOP", needs=1)
def fit(node: Node, ctx: CookContext) -> Image:
    """The picture fitted into the resolution of the Common page."""
    source = page.first(ctx)
    if source is None:
        return blank(node, ctx)
    size = page.output_size(node, ctx, (source.width, source.height))
    justify = (str(node.value("justifyh")), str(node.value("justifyv")))
    matrix = _moved(node, size, "r", str(node.value("xord")))
    pixels = page.place(source.pixels, size, str(node.value("fit")), justify, "zero", moved=matrix)
    return page.finish(node, _on_background(node, pixels), source)


@cooks("cropTOP", needs=1)
def crop(node: Node, ctx: CookContext) -> Image:
    """A part of the picture, in its own pixels; beyond the rim the picture extends."""
    source = page.first(ctx)
    if source is None:
        return blank(node, ctx)
    width, height = source.width, source.height

    def edge(name: str, along: int) -> int:
        return round(page.unit(page.value(node, f"{name}unit"), float(node.value(name)), along, height))

    left, right = edge("cropleft", width), edge("cropright", width)
    low, high = edge("cropbottom", height), edge("croptop", height)
    cut = (max(1, right - left), max(1, high - low))
    shift = np.array([[1, 0, -left], [0, 1, -low], [0, 0, 1]], dtype=np.float64)
    pixels = page.warp(source.pixels, shift, cut, str(node.value("extend")), nearest=True)
    size = page.output_size(node, ctx, cut)
    return page.finish(node, filters.resize(pixels, *size), source)


@cooks("flipTOP", needs=1)
def flip(node: Node, ctx: CookContext) -> Image:
    """The picture mirrored left to right and upside down."""
    found = _filtered(node, ctx)
    if found is None:
        return blank(node, ctx)
    source, pixels = found
    if node.value("flop") != "noflop":
        raise NotFaked(f"flipTOP flop {node.value('flop')}")
    if node.value("flipx"):
        pixels = pixels[:, ::-1]
    if node.value("flipy"):
        pixels = pixels[::-1]
    return page.finish(node, pixels, source)


_SINGLE = {
    "overTOP": "over",
    "underTOP": "under",
    "addTOP": "add",
    "subtractTOP": "subtract",
    "multiplyTOP": "multiply",
    "differenceTOP": "difference",
    "insideTOP": "inside",
    "outsideTOP": "outside",
}


@cooks(*_SINGLE, needs=2)
def combine(node: Node, ctx: CookContext) -> Image:
    """Two (or more) pictures by the one operation of the type."""
    return _composite(node, ctx, [i for i in ctx.inputs if isinstance(i, Image)], _SINGLE[node.type], False)


@cooks("compositeTOP", needs=1)
def composite(node: Node, ctx: CookContext) -> Image:
    """All inputs and the TOPs named in `top`, first with second, the result with the third, and so on."""
    layers = [i for i in ctx.inputs if isinstance(i, Image)]
    layers += [i for i in (n.data() for n in node.nodes("top")) if isinstance(i, Image)]
    if node.value("previewgrid"):
        raise NotFaked("compositeTOP preview grid")
    if node.value("selectinput") and layers:
        layers = [layers[min(int(node.value("inputindex")), len(layers) - 1)]]
    return _composite(node, ctx, layers, str(node.value("operand")), bool(node.value("swaporder")))


def _composite(node: Node, ctx: CookContext, layers: list[Image], word: str, swap: bool) -> Image:
    if not layers:
        return blank(node, ctx)
    fixed = 1 if str(node.value("size")) == "input2" and len(layers) > 1 else 0
    source = layers[fixed]
    size = page.output_size(node, ctx, (source.width, source.height))
    result: Pixels | None = None
    operate = page.operation(word) if len(layers) > 1 else None
    for place, layer in enumerate(layers):
        # The Transform page moves the overlay, never the fixed layer.
        pixels = page.fitted(layer, size, node) if place == fixed else _overlay(node, layer, size)
        if result is None or operate is None:
            result = pixels
        else:
            result = operate(pixels, result) if swap else operate(result, pixels)
    assert result is not None
    return page.finish(node, result, layers[0])


def _overlay(node: Node, layer: Image, size: tuple[int, int]) -> Pixels:
    matrix = _moved(node, size, "r")
    justify = (str(node.value("justifyh")), str(node.value("justifyv")))
    return page.place(
        layer.pixels, size, str(node.value("prefit")), justify, str(node.value("extend")), moved=matrix
    )


@cooks("crossTOP", needs=2)
def cross(node: Node, ctx: CookContext) -> Image:
    """From input 1 (0) to input 2 (1)."""
    layers = [i for i in ctx.inputs if isinstance(i, Image)]
    if len(layers) < 2:
        return same(node, ctx)
    fixed = 1 if str(node.value("size")) == "input2" else 0
    size = page.output_size(node, ctx, (layers[fixed].width, layers[fixed].height))
    first, second = (
        page.fitted(layer, size, node) if place == fixed else _overlay(node, layer, size)
        for place, layer in enumerate(layers[:2])
    )
    part = np.float32(float(node.value("cross")))
    return page.finish(node, first * (1 - part) + second * part, layers[0])


@cooks("switchTOP", needs=1, own_inputs=True)
def switch(node: Node, ctx: CookContext) -> Image:
    """One of the inputs, or with `blend` a mix of two neighbours. Inputs not shown do not cook."""
    inputs = node.inputs()
    if not inputs:
        return blank(node, ctx)
    last = len(inputs) - 1
    index = _extended(float(node.value("index")), last, str(node.value("extend")))
    low = min(int(index), last)
    part = index - low if node.value("blend") else 0.0
    shown = [inputs[low], inputs[min(low + 1, last)]] if part else [inputs[low]]
    pictures = [p for p in (n.data() if n is not None else None for n in shown) if isinstance(p, Image)]
    if not pictures:
        return blank(node, ctx)
    size = page.output_size(node, ctx, (pictures[0].width, pictures[0].height))
    layers = [page.fitted(picture, size, node) for picture in pictures]
    mixed = layers[0] * np.float32(1 - part) + layers[-1] * np.float32(part) if part else layers[0]
    return page.finish(node, mixed, pictures[0])


def _extended(index: float, last: int, word: str) -> float:
    """An index brought into 0 to `last` by clamping, looping or running to and fro."""
    if word == "loop":
        return index % (last + 1)
    if word == "zigzag" and last:
        return last - abs(index % (2 * last) - last)
    return min(max(index, 0.0), float(last))
