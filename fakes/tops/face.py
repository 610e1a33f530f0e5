"""What scripts can do with a TOP (`td.TOP`): read its size and pixels, and save them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fakes import builds
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.memory import listen, recall
from fakes.nodes import Node
from fakes.operators import OP, extends

from . import feedback, files, glsl, image
from .generators import words_of
from .image import Image
from .saving import FileSaveStatus, Saving


class _Download:
    """The picture that a delayed numpyArray() asked for last time."""

    __slots__ = ("array",)

    def __init__(self) -> None:
        self.array: Any = None


class TOP(OP):
    """A TOP: an operator that holds a picture."""

    __slots__ = ()

    @property
    def width(self) -> int:
        """Pixels across."""
        return self._image().width

    @property
    def height(self) -> int:
        """Pixels up."""
        return self._image().height

    @property
    def aspect(self) -> float:
        """Width by height, as the picture is meant to be shown."""
        return self.aspectWidth / self.aspectHeight

    @property
    def aspectWidth(self) -> float:
        return self._aspect()[0]

    @property
    def aspectHeight(self) -> float:
        return self._aspect()[1]

    @property
    def depth(self) -> int:
        """Slices; 1 for a two-dimensional picture, which all pictures here are."""
        self._image()
        return 1

    @property
    def gpuMemory(self) -> int:
        """Bytes that the picture takes on the graphics card."""
        return self._image().memory

    def numpyArray(self, delayed: bool = False, writable: bool = False) -> Any:
        """The pixels, float32 [height, width, channels]; `delayed`, those asked for the last time, at first None.

        Which row comes first is not established (fact 41): `image.NUMPY_BOTTOM_ROW_FIRST` decides here.
        """
        now = image.channels(self._image())
        if not image.NUMPY_BOTTOM_ROW_FIRST:
            now = np.ascontiguousarray(now[::-1])
        if delayed:
            download = recall(self._live(), _Download)
            now, download.array = download.array, now
            if now is None:
                return None
        if not writable:
            now.flags.writeable = False
        return now

    def sample(
        self,
        x: int | None = None,
        y: int | None = None,
        z: int | None = None,
        u: float | None = None,
        v: float | None = None,
        w: float | None = None,
    ) -> tuple[float, float, float, float]:
        """The colour of one pixel, by pixel (x, y) or by fraction (u, v), from the lower left.

        Raises:
            tdError: neither is given, or the place is outside.
            NotFaked: a third dimension.
        """
        if z is not None or w is not None:
            raise NotFaked("TOP.sample in three dimensions")
        pixels = self._image().pixels
        height, width = pixels.shape[:2]
        if x is None and u is not None:
            x = min(int(u * width), width - 1)
        if y is None and v is not None:
            y = min(int(v * height), height - 1)
        if x is None or y is None or not (0 <= int(x) < width and 0 <= int(y) < height):
            raise tdError("Invalid sample position.")
        r, g, b, a = (float(c) for c in pixels[int(y), int(x)])
        return r, g, b, a

    def saveByteArray(self, filetype: str = ".tiff", quality: float = 1.0, metadata: Any = ()) -> bytearray:
        """The picture as a file's bytes, by the file's suffix with its dot.

        Raises:
            tdError: no such kind of file.
        """
        _no_metadata(metadata)
        return bytearray(files.encode(self._image(), filetype, quality))

    def save(
        self,
        filepath: str,
        asynchronous: bool = False,
        createFolders: bool = False,
        quality: float = 1.0,
        metadata: Any = (),
    ) -> FileSaveStatus | str:
        """Write the picture to a file of the kind its suffix says.

        It is there when the call returns; if `asynchronous`, a thread of TD's own encodes and writes it, and
        the answer tells when it is there.

        Raises:
            tdError: no such kind of file.
            OSError: it cannot be written (if not `asynchronous`).
        """
        _no_metadata(metadata)
        target = files.target_of(str(filepath), createFolders)
        saving = Saving(self._image(), target, quality)
        if asynchronous:
            saving.write_beside()
        else:
            saving.write()
        if not builds.current().save_gives_status:
            return target
        return FileSaveStatus(self._live(), saving)

    def _image(self) -> Image:
        found = self._live().data()
        return found if isinstance(found, Image) else image.store(image.black())

    def _aspect(self) -> tuple[float, float]:
        picture = self._image()
        node = self._live()
        word = node.value("outputaspect") if node.par_info("outputaspect") is not None else "resolution"
        if word == "custom":
            return float(node.value("aspect1")), float(node.value("aspect2"))
        source = node.input(0) if word == "useinput" and node.inputs() else None
        if source is not None and source.family == "TOP":
            face = node.world.face(source)
            if isinstance(face, TOP):
                return face._aspect()
        return float(picture.width), float(picture.height)


def _no_metadata(metadata: Any) -> None:
    if metadata:
        raise NotFaked("metadata in a saved picture")


@extends("glslTOP", "glslmultiTOP")
class Shader(Guarded):
    """What a GLSL TOP has beside other TOPs."""

    __slots__ = ()
    _node: Node

    @property
    def compileResult(self) -> str:
        """What the compiler said of the shader last (fact 34)."""
        return glsl.compile_result(self._node)


@extends("textTOP")
class Words(Guarded):
    """What a Text TOP has beside other TOPs."""

    __slots__ = ()
    _node: Node

    @property
    def curText(self) -> str:
        """The text shown."""
        return words_of(self._node)

    @property
    def numLines(self) -> int:
        return words_of(self._node).count("\n") + 1


@extends("feedbackTOP")
class Loop(Guarded):
    """A Feedback TOP has nothing of its own for scripts, but a pulse that restarts it."""

    __slots__ = ()

    def __init__(self, node: Node) -> None:
        super().__init__(node)  # type: ignore[call-arg]  # OP comes next in the classes this is mixed into
        listen(node, feedback.pulse)
