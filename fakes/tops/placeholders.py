"""TOPs whose pictures come from cameras, files, renderers and devices: an honest pattern of the right size."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from fakes.cooking import CookContext, cooks, cooks_family
from fakes.nodes import Node

from . import drawing, page
from .image import Image, Pixels

_STILL = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"})


@lru_cache(maxsize=16)
def _pattern(width: int, height: int, label: str) -> Pixels:
    return drawing.placeholder(width, height, label)


@cooks_family("TOP")
def placeholder(node: Node, ctx: CookContext) -> Image:
    """A pattern that names the operator's type, at the resolution and in the format it would have."""
    source = page.first(ctx)
    size = page.output_size(node, ctx, (source.width, source.height) if source else None)
    return page.finish(node, _pattern(*size, node.type), source)


@cooks("moviefileinTOP")
def movie(node: Node, ctx: CookContext) -> Image:
    """A still image if the file is one that exists; a placeholder for movies and missing files."""
    file = str(node.value("file") or "")
    pixels = _still(file) if Path(file).suffix.lower() in _STILL and Path(file).is_file() else None
    if pixels is None:
        return placeholder(node, ctx)
    size = page.output_size(node, ctx, (pixels.shape[1], pixels.shape[0]))
    from .filters import resize

    return page.finish(node, resize(pixels, *size), None)


def _still(file: str) -> Pixels | None:
    raw = cv2.imdecode(np.fromfile(file, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None:
        return None
    most = {"uint8": 255.0, "uint16": 65535.0}.get(str(raw.dtype), 1.0)
    image = raw.astype(np.float32) / np.float32(most)
    if image.ndim == 2:
        image = np.repeat(image[..., None], 3, axis=2)
    pixels = np.ones(image.shape[:2] + (4,), dtype=np.float32)
    pixels[..., :3] = image[..., 2::-1]
    if image.shape[2] == 4:
        pixels[..., 3] = image[..., 3]
        pixels[..., :3] *= pixels[..., 3:4]
    return np.ascontiguousarray(pixels[::-1])
