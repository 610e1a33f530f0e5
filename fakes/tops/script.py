"""The Script TOP: pixels that a callback hands over (fact 41)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.memory import recall
from fakes.nodes import Node
from fakes.operators import extends
from fakes.scripted import only_while_cooking, run_on_cook

from . import image, page
from .generators import blank
from .image import Image, Pixels, store

_FORMATS = {1: "mono", 2: "rg", 3: "rgba", 4: "rgba"}
_DEPTHS = {"uint8": ("8fixed", 255.0), "uint16": ("16fixed", 65535.0), "float32": ("32float", 1.0)}


class _Given:
    """The picture that the callback gave last."""

    __slots__ = ("image",)

    def __init__(self) -> None:
        self.image: Image | None = None


@cooks("scriptTOP")
def script(node: Node, ctx: CookContext) -> Image:
    """What onCook gave with copyNumpyArray, as large as it came; blank until then."""
    given = recall(node, _Given)
    run_on_cook(node)
    if given.image is None:
        return blank(node, ctx)
    size = page.output_size(node, ctx, (given.image.width, given.image.height))
    return page.finish(node, page.fitted(given.image, size, node), given.image)


def as_image(array: Any) -> Image:
    """A numpy array [height, width, channels] as a picture.

    Raises:
        tdError: the shape or the type of its numbers does not fit.
    """
    values = np.asarray(array)
    if values.ndim == 2:
        values = values[..., None]
    depth = _DEPTHS.get(str(values.dtype))
    if values.ndim != 3 or values.shape[2] not in _FORMATS or depth is None or not values.size:
        raise tdError("Invalid shape or data type of the numpy array.")
    count = values.shape[2]
    pixels: Pixels = np.ones((*values.shape[:2], 4), dtype=np.float32)
    scaled = values.astype(np.float32) / np.float32(depth[1])
    pixels[..., :count] = scaled
    if count == 1:
        pixels[..., :3] = scaled
    if not image.NUMPY_BOTTOM_ROW_FIRST:
        pixels = np.ascontiguousarray(pixels[::-1])
    return store(pixels, _FORMATS[count] + depth[0])


@extends("scriptTOP")
class Scripted(Guarded):
    """What the callback of a Script TOP can do with it."""

    __slots__ = ()
    _node: Node

    def copyNumpyArray(self, numpyArray: Any, is3D: bool = False, isCube: bool = False) -> None:
        """Take over pixels; only inside onCook."""
        only_while_cooking(self._node, "copyNumpyArray")
        if is3D or isCube:
            raise NotFaked("copyNumpyArray of 3D and cube textures")
        recall(self._node, _Given).image = as_image(numpyArray)
