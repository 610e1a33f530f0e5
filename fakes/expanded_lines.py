"""Lines and words of the expanded form's text files."""

from __future__ import annotations

import re
from pathlib import Path


class ExpandedError(ValueError):
    """The expanded form holds something that is not established, or contradicts itself."""


def words_of(path: Path, line: str) -> list[str]:
    """The words of a line; `"..."` holds empty or spaced ones. How TD escapes quotes is not established."""
    words: list[str] = []
    for found in re.finditer(r'"([^"]*)"(?= |$)|([^" ][^ ]*)|(\S)', line):
        if found[3] is not None or (found[2] is not None and '"' in found[2]):
            raise ExpandedError(f"{path.name}: how quotes are written in {line!r} is not established")
        words.append(found[1] if found[1] is not None else str(found[2]))
    return words


def between_marks(path: Path) -> list[str]:
    """The lines between the two `?` of a `.parm` or `.cparm`."""
    found = lines(path)
    if len(found) < 2 or found[0] != "?" or found[-1] != "?":
        raise ExpandedError(f"{path.name}: the lines do not stand between two '?'")
    return found[1:-1]


def lines(path: Path) -> list[str]:
    """The lines of a file, which must end in a line feed and hold no carriage return."""
    data = path.read_bytes()
    if b"\r" in data:
        raise ExpandedError(f"{path.name}: holds carriage returns; lines end with a line feed")
    if not data.endswith(b"\n"):
        raise ExpandedError(f"{path.name}: does not end with a line feed")
    return data.decode("utf-8").split("\n")[:-1]
