"""TOPs that draw by themselves: constant, noise, ramp, circle, rectangle, text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.nodes import Node

from . import drawing, noise_field, page
from .image import Image, Pixels, black, fill, premultiply


def _size(node: Node, ctx: CookContext) -> tuple[int, int]:
    source = page.first(ctx)
    return page.output_size(node, ctx, (source.width, source.height) if source else None)


def _done(node: Node, ctx: CookContext, pixels: Pixels) -> Image:
    """Composite over the input where asked, and store."""
    source = page.first(ctx)
    if source is not None and page.value(node, "compoverinput", False):
        under = page.fitted(source, (pixels.shape[1], pixels.shape[0]), node)
        operate = page.operation(str(node.value("operand")))
        pixels = operate(under, pixels) if node.value("swaporder") else operate(pixels, under)
    return page.finish(node, pixels, source)


@cooks("constantTOP")
def constant(node: Node, ctx: CookContext) -> Image:
    """One colour all over."""
    if node.value("rgbaunit") != "u1":
        raise NotFaked(f"constantTOP in units of {node.value('rgbaunit')}")
    rgba = page.color(node, "colorr", "colorg", "colorb", "alpha")
    if page.premultiplies(node):
        rgba = premultiply(rgba)
    return _done(node, ctx, fill(*_size(node, ctx), rgba))


@cooks("noiseTOP")
def noise(node: Node, ctx: CookContext) -> Image:
    """Noise about `offset` by `amp`, grey or in colour, over whatever is at the input."""
    width, height = _size(node, ctx)
    fields = [_noise_field(node, width, height, 0)]
    if not node.value("mono"):
        fields += [_noise_field(node, width, height, 1), _noise_field(node, width, height, 2)]
    amp, offset = np.float32(node.value("amp")), np.float32(node.value("offset"))
    pixels = np.ones((height, width, 4), dtype=np.float32)
    drawn = [field * amp + offset for field in fields]
    for channel in range(3):
        pixels[..., channel] = drawn[channel % len(drawn)]
    source = page.first(ctx)
    under = page.fitted(source, (width, height), node) if source is not None else None
    if under is not None:
        scaled = pixels[..., :3] * np.float32(node.value("noisescale"))
        base = under[..., :3] * np.float32(node.value("inputscale"))
        match node.value("rgb"):
            case "multiply":
                pixels[..., :3] = base * scaled
            case "add":
                pixels[..., :3] = base + scaled
            case "subtract":
                pixels[..., :3] = base - scaled
    match node.value("alpha"):
        case "zero":
            pixels[..., 3] = 0
        case "random":
            pixels[..., 3] = _noise_field(node, width, height, 3) * amp + offset
        case "input" if under is not None:
            pixels[..., 3] = under[..., 3]
        case "one" | "input":
            pass
        case other:
            raise NotFaked(f"noiseTOP alpha {other}")
    return page.finish(node, pixels, source)


def _noise_field(node: Node, width: int, height: int, layer: int) -> noise_field.Floats:
    seed = float(node.value("seed")) + layer * 101.0
    if node.value("type") in ("random", "randomgpu"):
        return noise_field.white(height, width, seed)
    fractal = noise_field.Fractal(
        int(node.value("harmon")),
        float(node.value("spread")),
        float(node.value("gain")),
        float(node.value("exp")),
    )
    period = np.float32(max(float(node.value("period")), 1e-4))
    xs, ys = drawing.pixel_centres(width, height)
    xs, ys = xs - np.float32(0.5), ys - np.float32(0.5)
    if node.value("aspectcorrect"):
        xs = xs * np.float32(width / height)
    t, r, s, p = (tuple(float(v) for v in node.values(group)) for group in ("t", "r", "s", "p"))
    s = tuple(v if v else 1e-6 for v in s)
    depth = float(node.value("t4d")) if str(node.value("type")).endswith("4d") else 0.0
    if not any(r):
        # The grid stays straight: the fast way.
        x = ((xs - p[0]) / np.float32(s[0]) + p[0] + t[0]) / period
        y = ((ys - p[1]) / np.float32(s[1]) + p[1] + t[1]) / period
        z = ((-p[2]) / s[2] + p[2] + t[2]) / float(period) + depth
        return noise_field.on_grid(x.astype(np.float32), y.astype(np.float32), z, seed, fractal)
    from fakes.sops.geometry import transform

    gx, gy = np.meshgrid(xs, ys)
    matrix = transform(
        t, r, (1 / s[0], 1 / s[1], 1 / s[2]), p, str(node.value("xord")), str(node.value("rord"))
    )
    axes = [
        ((matrix[i, 0] * gx + matrix[i, 1] * gy + matrix[i, 3]) / period).astype(np.float32) for i in range(3)
    ]
    return noise_field.at_points(axes[0], axes[1], axes[2] + np.float32(depth), seed, fractal)


@cooks("rampTOP")
def ramp(node: Node, ctx: CookContext) -> Image:
    """A gradient between the keys of the table at `dat`; black to white where there is none."""
    width, height = _size(node, ctx)
    xs, ys = drawing.pixel_centres(width, height)
    gx, gy = np.meshgrid(xs, ys)
    match node.value("type"):
        case "vertical":
            at = gy
        case "horizontal":
            at = gx
        case "radial":
            at = np.arctan2(gy - 0.5, (gx - 0.5) * np.float32(width / height)) / np.float32(2 * np.pi)
            at = np.mod(at, 1.0)
        case _:
            at = np.hypot((gx - 0.5) * np.float32(width / height), gy - 0.5) * 2
    period = max(float(node.value("period")), 1e-6)
    at = ((at - np.float32(float(node.value("phase")))) / np.float32(period)).astype(np.float32)
    left, right = str(node.value("extendleft")), str(node.value("extendright"))
    right = left if right == "sameasleft" else right
    wrapped = drawing.wrap(at, left, right)
    pixels = drawing.gradient(wrapped, _ramp_keys(node), _ramp_interpolation(node))
    for outside, word in ((wrapped < 0, left), (wrapped > 1, right)):
        pixels[outside] = 0.0
        if word in ("black", "blockclamptoblack"):
            pixels[outside, 3] = 1.0
    if page.premultiplies(node):
        pixels[..., :3] *= pixels[..., 3:4]
    return _done(node, ctx, pixels)


def _ramp_interpolation(node: Node) -> str:
    # The documentation calls it `interp`, the listing of a running build `interpnotches` with default linear.
    if node.state("interp") is None and page.has(node, "interpnotches"):
        return str(node.value("interpnotches"))
    return str(node.value("interp"))


def _ramp_keys(node: Node) -> list[tuple[float, drawing.Color]]:
    from fakes.dats.content import rows_of

    plain: list[tuple[float, drawing.Color]] = [(0.0, (0.0, 0.0, 0.0, 1.0)), (1.0, (1.0, 1.0, 1.0, 1.0))]
    source = node.value("dat")
    if not isinstance(source, Node):
        return plain
    rows = rows_of(source.data())
    if len(rows) < 2 or rows[0][:5] != ["pos", "r", "g", "b", "a"]:
        return plain
    keys = []
    for row in rows[1:]:
        at, r, g, b, a = (_number(cell) for cell in row[:5])
        keys.append((at, (r, g, b, a)))
    return sorted(keys)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return 0.0


def _lengths(node: Node, name: str, size: tuple[int, int]) -> tuple[float, float]:
    """A pair of lengths such as `radius` in picture heights, by its unit."""
    word = page.value(node, f"{name}unit") or "fractionaspect"
    x, y = (float(v) for v in node.values(name))
    width, height = size
    return page.unit(word, x, width, height) / height, page.unit(word, y, height, height) / height


def _length(node: Node, name: str, height: int) -> float:
    """One length such as `softness` in picture heights."""
    word = page.value(node, f"{name}unit") or "fractionaspect"
    return page.unit(word, float(node.value(name)), height, height) / height


def _center(node: Node, size: tuple[int, int]) -> tuple[float, float]:
    if (node.value("justifyh"), node.value("justifyv")) != ("center", "center"):
        raise NotFaked(f"justification of {node.type}")
    word = page.value(node, "centerunit")
    x, y = (float(v) for v in node.values("center"))
    return page.unit(word, x, *size) / size[0], page.unit(word, y, size[1], size[1]) / size[1]


def _shape(node: Node, ctx: CookContext, cover: Callable[[float], drawing.Floats]) -> Image:
    """Border, filling and background; `cover` gives the shape's coverage, grown by a distance."""
    width, height = _size(node, ctx)
    filled, border, back = (
        page.color(node, f"{name}r", f"{name}g", f"{name}b", alpha)
        for name, alpha in (("fillcolor", "fillalpha"), ("border", "borderalpha"), ("bgcolor", "bgalpha"))
    )
    if page.premultiplies(node):
        filled, border, back = premultiply(filled), premultiply(border), premultiply(back)
    pixels = fill(width, height, back)
    line = _length(node, "borderwidth", height)
    if line > 0:
        share = float(node.value("borderoffset"))
        pixels = drawing.paint(cover(line * (1 - share)), border, pixels)
        pixels = drawing.paint(cover(-line * share), filled, pixels)
    else:
        pixels = drawing.paint(cover(0.0), filled, pixels)
    return _done(node, ctx, pixels)


@cooks("circleTOP")
def circle(node: Node, ctx: CookContext) -> Image:
    """A filled ellipse or polygon on a background."""
    size = _size(node, ctx)
    radius, center = _lengths(node, "radius", size), _center(node, size)
    sides = int(node.value("sides")) if node.value("ispolygon") else 0
    soft, smooth = _length(node, "softness", size[1]), bool(node.value("antialias"))
    rotate = float(node.value("rotate"))
    return _shape(
        node, ctx, lambda grow: drawing.circle(*size, radius, center, rotate, soft, smooth, sides, grow)
    )


@cooks("rectangleTOP")
def rectangle(node: Node, ctx: CookContext) -> Image:
    """A filled rectangle on a background."""
    size = _size(node, ctx)
    sides, center = _lengths(node, "size", size), _center(node, size)
    soft, smooth = _length(node, "softness", size[1]), bool(node.value("antialias"))
    rotate = float(node.value("rotate"))
    corner = _length(node, "cornerradius", size[1])
    return _shape(
        node, ctx, lambda grow: drawing.rectangle(*size, sides, center, rotate, soft, smooth, corner, grow)
    )


@cooks("textTOP")
def text(node: Node, ctx: CookContext) -> Image:
    """Words in the one font at hand: the letters are legible, their shapes are not TD's."""
    width, height = _size(node, ctx)
    back = page.color(node, "bgcolorr", "bgcolorg", "bgcolorb", "bgalpha")
    ink = page.color(node, "fontcolorr", "fontcolorg", "fontcolorb", "fontalpha")
    if page.premultiplies(node):
        back, ink = premultiply(back), premultiply(ink)
    align = (str(node.value("alignx")), str(node.value("aligny")))
    shift = (float(page.value(node, "positionx", 0)), float(page.value(node, "positiony", 0)))
    cover = drawing.text(
        width, height, words_of(node), float(node.value("fontsizex")), align, bool(node.value("bold")), shift
    )
    return _done(node, ctx, drawing.paint(cover, ink, fill(width, height, back)))


def words_of(node: Node) -> str:
    """What a Text TOP writes: the DAT's text or cell if it names one, else its own text."""
    from fakes.dats.content import DatContent

    source = node.value("dat")
    if isinstance(source, Node):
        content = source.data()
        if isinstance(content, DatContent) and content.rows is not None:
            row, col = int(node.value("rowindex")), int(node.value("colindex"))
            inside = row < len(content.rows) and col < len(content.rows[row])
            return content.rows[row][col] if inside else ""
        return content.text if isinstance(content, DatContent) else ""
    return str(node.value("text") or "").replace("\\n", "\n")


def blank(node: Node, ctx: CookContext) -> Image:
    """Transparent black at the output's size."""
    return page.finish(node, black(*_size(node, ctx)), None)
