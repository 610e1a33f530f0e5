"""`tdu.FileInfo`: a path that is text and tells about its file."""

from __future__ import annotations

import os
from typing import NoReturn

from fakes.errors import NotFaked


class FileInfo(str):
    """A file path. What a relative one is relative to, and how backslashes are taken, is not established."""

    __slots__ = ()

    @property
    def path(self) -> str:
        """The path as it was given."""
        return str(self)

    @property
    def ext(self) -> str:
        """The text from the last dot of the name, with the dot."""
        return os.path.splitext(self._slashed())[1]

    @property
    def baseName(self) -> str:
        """The last element of the path, with its extension."""
        return self._slashed().rsplit("/", 1)[-1]

    @property
    def dir(self) -> str:
        """The folder that holds it."""
        return os.path.dirname(self._absolute())

    @property
    def absPath(self) -> str:
        """The absolute path."""
        return self._absolute()

    @property
    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(self._absolute())

    @property
    def isDir(self) -> bool:
        """Whether it is a folder."""
        return os.path.isdir(self._absolute())

    @property
    def isFile(self) -> bool:
        """Whether it is a file."""
        return os.path.isfile(self._absolute())

    @property
    def fileType(self) -> NoReturn:
        """The category of its extension; which extensions are of which is not faked."""
        raise NotFaked("tdu.FileInfo.fileType")

    def _slashed(self) -> str:
        if "\\" in self:
            raise NotFaked(f"tdu.FileInfo of a path with backslashes: {str(self)!r}")
        return str(self)

    def _absolute(self) -> str:
        text = self._slashed()
        if not os.path.isabs(text) or text != os.path.normpath(text).replace(os.sep, "/"):
            raise NotFaked(f"tdu.FileInfo of a path that is not absolute and plain: {text!r}")
        return text
