"""Files packed into text, and back: a tar, compressed, in base64, cut into parts."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

#: Characters of one part. A DAT of this size opens, copies and saves without a pause.
PART = 512 * 1024
_LINE = 120


@dataclass(frozen=True)
class Packed:
    """`size` and `files` of what was packed, in bytes; `sha256` is of the packed bytes that the parts give together."""

    parts: tuple[str, ...]
    sha256: str
    size: int
    files: int

    def facts(self) -> dict[str, int | str]:
        return {"sha256": self.sha256, "size": self.size, "parts": len(self.parts)}


def pack(files: Mapping[str, bytes], level: int = 9) -> Packed:
    """Pack files; the same files give the same text, in whatever order they come.

    Args:
        level: zlib's, from 1 (quick) to 9. Not lzma, which would save a fifth: whether TouchDesigner's Python has it is
            not established (fact 61).
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        # Like beside like, which compresses better.
        for path in sorted(files, key=lambda path: (PurePosixPath(path).suffix, path)):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            tar.addfile(entry, io.BytesIO(files[path]))
    packed = zlib.compress(buffer.getvalue(), level)
    text = base64.b64encode(packed).decode("ascii")
    # A whole number of groups of four, so that every part can be decoded by itself.
    lines = [text[at : at + _LINE] for at in range(0, len(text), _LINE)]
    room = PART // (_LINE + 1)
    parts = tuple("\n".join([*lines[at : at + room], ""]) for at in range(0, len(lines), room))
    size = sum(len(data) for data in files.values())
    return Packed(parts, hashlib.sha256(packed).hexdigest(), size, len(files))
