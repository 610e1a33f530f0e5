"""Pages of long lists: an opaque cursor that only fits the question it came from."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Annotated, Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools.tool import Arguments, Output

#: The argument by which a call asks for a later page.
Cursor = Annotated[str | None, Field(description="next_cursor of the page before.")]

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

    def paging_line(self) -> str:
        """How much of the list this is, and how to go on."""
        line = f"{self.returned} of {self.total}"
        return f"{line}; next_cursor: {self.next_cursor}" if self.next_cursor else line


def start_of(arguments: Arguments, cursor: str | None) -> int:
    """Where a page starts.

    Raises:
        ToolFailure: `value_invalid`, when the cursor is not one of ours or belongs to another question.
    """
    if not cursor:
        return 0
    try:
        start, question = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        if isinstance(start, int) and start >= 0 and question == _question(arguments):
            return start
    except (ValueError, TypeError, binascii.Error):
        pass
    raise ToolFailure(
        Code.VALUE_INVALID,
        "This cursor does not belong to this call.",
        hint="Repeat the call exactly as before with its next_cursor, or leave cursor out to start again.",
    )


def cursor_at(arguments: Arguments, start: int) -> str:
    """The cursor of the page that starts at `start` (0 is the first entry of the list)."""
    return base64.urlsafe_b64encode(json.dumps([start, _question(arguments)]).encode()).decode("ascii")


def _question(arguments: Arguments) -> str:
    asked: dict[str, Any] = arguments.model_dump(mode="json", exclude={"cursor", "limit"})
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:8]
