"""Pages of long lists: an opaque cursor that only fits the question it came from.

A project changes while it is read. A cursor knows the last entries it has shown, so that what comes or goes before them
neither hides an entry nor shows one twice.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools.tool import Arguments, Output

#: The argument by which a call asks for a later page.
Cursor = Annotated[str | None, Field(description="next_cursor of the last page.")]

#: Bytes of structured content after which a page of default size ends early: with its text it stays below 20 kB.
PAGE_BYTES = 9_000

#: The same where the caller asked for so many.
LARGE_PAGE_BYTES = 300_000


class Page(Output):
    """Base of outputs that are a page of a longer list."""

    total: int
    """How many there are in all."""
    returned: int
    """How many are in this answer."""
    next_cursor: str | None = None
    """Give it back as `cursor` for the next page; absent on the last."""

    def paging_line(self, what: str = "") -> str:
        """How much of the list this is, of what, and how to go on."""
        line = f"{self.returned} of {self.total} {what}".rstrip()
        return f"{line}; next_cursor: {self.next_cursor}" if self.next_cursor else line


#: How many of the last entries shown a cursor knows again.
_MARKS = 4


@dataclass(frozen=True)
class Place:
    """Where a page begins: what a cursor says."""

    at: int = 0
    """Entries shown before."""
    also: int = 0
    """The same of a second list that pages along with the first."""
    total: int = 0
    """Entries there were."""
    marks: tuple[int, ...] = ()
    """The last entries shown, latest first."""

    def find(self, count: int, key: Callable[[int], str]) -> int:
        """Where to go on in the list as it is now: entries may have come and gone since the page before.

        Args:
            count: entries there are now.
            key: what an entry is known by, by its index.
        """
        if not self.marks or (0 < self.at <= count and _mark(key(self.at - 1)) == self.marks[0]):
            return self.at
        now = [_mark(key(index)) for index in range(count)]
        for mark in self.marks:
            found = [index + 1 for index, each in enumerate(now) if each == mark]
            if found:
                return min(found, key=lambda index: abs(index - self.at))
        # None of them is left: as if everything that went had been shown.
        return max(0, min(self.at, self.at - (self.total - count)))


def place_of(arguments: Arguments, cursor: str | None) -> Place:
    """Where a page begins.

    Raises:
        ToolFailure: `value_invalid`, when the cursor is not one of ours or belongs to another question.
    """
    if not cursor:
        return Place()
    try:
        question, at, also, total, marks = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        numbers = [at, also, total, *marks]
        if question == _question(arguments) and all(isinstance(n, int) and n >= 0 for n in numbers):
            return Place(at, also, total, tuple(marks))
    except (ValueError, TypeError, binascii.Error):
        pass
    raise ToolFailure(
        Code.VALUE_INVALID,
        "This cursor does not belong to this call.",
        hint="Repeat the call exactly as before with its next_cursor, or leave cursor out to start again.",
    )


def start_of(arguments: Arguments, cursor: str | None) -> int:
    """Where a page of a list without names for its entries begins; raises what `place_of` does."""
    return place_of(arguments, cursor).at


def cursor_at(
    arguments: Arguments, start: int, *, total: int = 0, shown: Sequence[str] = (), also: int = 0
) -> str:
    """The cursor of the page that starts at `start` (0 is the first entry of the list).

    Args:
        total: entries there are.
        shown: what the entries of the page before are known by.
        also: where the page starts in a second list.
    """
    marks = [_mark(key) for key in reversed(shown[-_MARKS:])]
    parts = [_question(arguments), start, also, total, marks]
    return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).decode("ascii")


def _mark(key: str) -> int:
    return zlib.crc32(key.encode("utf-8", "replace"))


def _question(arguments: Arguments) -> str:
    asked: dict[str, Any] = arguments.model_dump(mode="json", exclude={"cursor", "limit"})
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:8]
