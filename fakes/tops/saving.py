"""Saving a picture to a file, and what tells when it is there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

from fakes import builds
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.module import provide_class
from fakes.nodes import Node
from fakes.operators import OP

from . import files
from .image import Image

_begun: list[Saving] = []


class Saving:
    """A picture on its way into a file; `over` is set once it is there, or cannot be."""

    def __init__(self, image: Image, path: str, quality: float) -> None:
        self.path = path
        self.over = Event()
        # A cook makes a new picture and leaves the old one as it was, so this is the one of the moment of the call.
        self._image, self._quality = image, quality

    def write(self) -> None:
        """Encode and write, on this thread.

        Raises:
            tdError: the suffix means no kind of picture.
            OSError: it cannot be written.
        """
        files.save(self._image, self.path, self._quality)
        self.over.set()

    def write_beside(self) -> None:
        """Encode and write on a thread of its own. What TD tells of a failure there is not established: nothing."""
        _begun[:] = [*(other for other in _begun if not other.over.is_set()), self]
        Thread(target=self._try, name="fake-td-save", daemon=True).start()

    def _try(self) -> None:
        with suppress(OSError, tdError, NotFaked):
            self.write()
        self.over.set()


def settle(seconds: float = 10.0) -> None:
    """Wait for the files that are being written; for who makes frames by hand, and they last no time."""
    for saving in _begun:
        saving.over.wait(seconds)
    _begun.clear()


class FileSaveStatus(Guarded):
    """What `TOP.save()` answers: the file, and whether it is complete. As text it is the file's path."""

    __slots__ = ("_node", "_saving")

    def __init__(self, node: Node, saving: Saving) -> None:
        self._node, self._saving = node, saving

    @property
    def filePath(self) -> str:
        """The file being saved."""
        return self._saving.path

    @property
    def op(self) -> OP:
        """The operator whose picture it is."""
        return self._node.world.face(self._node)

    @property
    def isCompleted(self) -> Callable[[], bool]:
        """The method that says whether the file is complete; not all builds need have it (fact 70)."""
        if builds.lacks("FileSaveStatus", "isCompleted"):
            raise tdAttributeError("'td.FileSaveStatus' object has no attribute 'isCompleted'")
        return self._saving.over.is_set

    def __str__(self) -> str:
        return self._saving.path


provide_class(FileSaveStatus)
