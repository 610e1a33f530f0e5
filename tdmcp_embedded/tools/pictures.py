"""Decoding, judging, resizing and encoding pictures. Worker threads only: none of this touches TouchDesigner."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools.tool import Picture

#: Largest encoded picture: as base64 it leaves room for the rest of a message of 1 MB.
MOST_BYTES = 600_000

Format = Literal["png", "jpeg"]
Verdict = Literal["ok", "black", "flat", "transparent", "unknown"]

#: 8-bit steps below which a channel counts as empty, and as having no variation.
_DARK = 2.0
_FLAT = 0.75


@dataclass
class Developed:
    """A picture ready to send, and what can be said of it."""

    picture: Picture
    native: tuple[int, int]
    size: tuple[int, int]
    verdict: Verdict = "unknown"
    mean: list[float] = field(default_factory=list)
    """Mean colour, red green blue alpha, 0 to 1."""
    notes: list[str] = field(default_factory=list)
    moves: bool | None = None
    """Whether the frames differ; None of a single one, or where nothing can decode."""


def develop(pngs: list[bytes], native: tuple[int, int], max_size: int, wanted: Format) -> Developed:
    """One picture of one or several frames (side by side, first at top left), within `max_size` and `MOST_BYTES`.

    Args:
        pngs: frames as PNG at native size.
        native: width and height in pixels as TD states them, used where nothing can decode.
        max_size: longest side of the result in pixels.

    Raises:
        ToolFailure: `too_large`, when OpenCV is missing and the PNG cannot be sent as it is.
    """
    try:
        import cv2
        import numpy
    except ImportError:
        return _as_it_is(pngs, native, max_size)
    frames = [_decode(cv2, numpy, png) for png in pngs]
    height, width = frames[0].shape[:2]
    developed = Developed(Picture(b"", "image/png"), (width, height), (width, height))
    developed.verdict, developed.mean = _judge(frames)
    if len(frames) > 1:
        developed.moves = any(_differ(numpy, frames[0], frame) for frame in frames[1:])
        developed.notes.append(
            "the frames differ"
            if developed.moves
            else f"all {len(frames)} frames are the same: nothing moves"
        )
    image = _reduced(cv2, frames[0] if len(frames) == 1 else _grid(cv2, numpy, frames, max_size), max_size)
    _encode(cv2, image, wanted, developed)
    return developed


def _decode(cv2: Any, numpy: Any, png: bytes) -> Any:
    image = cv2.imdecode(numpy.frombuffer(png, numpy.uint8), cv2.IMREAD_UNCHANGED)
    if image is None:
        raise ToolFailure(Code.TD_ERROR, "TouchDesigner's picture cannot be decoded.")
    if image.dtype == numpy.uint16:
        image = (image >> 8).astype(numpy.uint8)
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return image


def _differ(numpy: Any, one: Any, other: Any) -> bool:
    """Whether two frames are different pictures, in any pixel."""
    return bool(one.shape != other.shape or not numpy.array_equal(one, other))


def _judge(frames: list[Any]) -> tuple[Verdict, list[float]]:
    """The verdict on all frames together: only what holds for each of them counts."""
    verdicts = [_judge_one(frame) for frame in frames]
    mean = [sum(values) / len(values) / 255 for values in zip(*(m for _, m in verdicts), strict=True)]
    words = {word for word, _ in verdicts}
    verdict: Verdict = words.pop() if len(words) == 1 else "ok"
    return verdict, [round(value, 4) for value in mean]


def _judge_one(image: Any) -> tuple[Verdict, list[float]]:
    flat = image.reshape(-1, image.shape[2])
    low, high = flat.min(axis=0), flat.max(axis=0)
    blue, green, red, *alpha = (float(value) for value in flat.mean(axis=0))
    mean = [red, green, blue, alpha[0] if alpha else 255.0]
    if alpha and high[3] <= _DARK:
        return "transparent", mean
    if max(int(value) for value in high[:3]) <= _DARK:
        return "black", mean
    if max(int(h) - int(l) for h, l in zip(high, low, strict=True)) <= _FLAT:
        return "flat", mean
    return "ok", mean


def _reduced(cv2: Any, image: Any, longest: int) -> Any:
    height, width = image.shape[:2]
    scale = longest / max(width, height)
    if scale >= 1:
        return image
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def _grid(cv2: Any, numpy: Any, frames: list[Any], max_size: int) -> Any:
    columns = math.ceil(math.sqrt(len(frames)))
    rows = math.ceil(len(frames) / columns)
    tiles = [_reduced(cv2, frame, max(1, max_size // columns)) for frame in frames]
    height, width, depth = tiles[0].shape
    # A TOP may change its size or its channels between two frames.
    sheet = numpy.zeros((rows * height, columns * width, depth), numpy.uint8)
    for index, tile in enumerate(tiles):
        if tile.shape != (height, width, depth):
            tile = cv2.resize(tile[:, :, :3], (width, height), interpolation=cv2.INTER_AREA)
            if depth == 4:
                tile = cv2.cvtColor(tile, cv2.COLOR_BGR2BGRA)
        y, x = index // columns * height, index % columns * width
        sheet[y : y + height, x : x + width] = tile[:, :, :depth]
    return sheet


def _encode(cv2: Any, image: Any, wanted: Format, developed: Developed) -> None:
    """Encode within `MOST_BYTES`: a JPEG first loses quality, then both lose pixels."""
    asked = image.shape[:2]
    if wanted == "jpeg" and image.shape[2] == 4:
        image = _over_black(image)
        developed.notes.append("JPEG has no alpha: shown over black")
    for quality in (90, 80, 65):
        data = _bytes(cv2, image, wanted, quality)
        if len(data) <= MOST_BYTES or wanted == "png":
            break
    for _ in range(16):
        if len(data) <= MOST_BYTES:
            break
        factor = max(0.4, min(0.9, math.sqrt(MOST_BYTES / len(data)) * 0.95))
        image = _reduced(cv2, image, max(1, int(max(image.shape[:2]) * factor)))
        data = _bytes(cv2, image, wanted, 65)
    if image.shape[:2] != asked:
        developed.notes.append(f"reduced to stay within {MOST_BYTES // 1000} kB")
    developed.size = (image.shape[1], image.shape[0])
    developed.picture = Picture(data, f"image/{wanted}")


def _over_black(image: Any) -> Any:
    alpha = image[:, :, 3:4].astype("uint16")
    return (image[:, :, :3].astype("uint16") * alpha // 255).astype("uint8")


def _bytes(cv2: Any, image: Any, wanted: Format, quality: int) -> bytes:
    options = [cv2.IMWRITE_JPEG_QUALITY, quality] if wanted == "jpeg" else []
    done, data = cv2.imencode(".jpg" if wanted == "jpeg" else ".png", image, options)
    if not done:
        raise ToolFailure(Code.INTERNAL_ERROR, "The picture could not be encoded.")
    return bytes(data)


def _as_it_is(pngs: list[bytes], native: tuple[int, int], max_size: int) -> Developed:
    if len(pngs) > 1 or len(pngs[0]) > MOST_BYTES or max(native) > max_size:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"The picture ({native[0]} x {native[1]}, {len(pngs[0])} bytes) must be reduced, and this Python has no OpenCV.",
            hint="Ask for one frame, raise max_size, or capture a TOP of lower resolution.",
        )
    return Developed(
        Picture(pngs[0], "image/png"), native, native, notes=["sent as it is: this Python has no OpenCV"]
    )
