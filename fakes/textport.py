"""The Textport: where scripts' output and errors nobody catches end up."""

from __future__ import annotations

import sys
import traceback
from collections import deque

#: Lines that are kept for whoever wants to look.
KEPT = 500


class Textport:
    """Keeps the last lines and writes them to standard error."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=KEPT)

    def write(self, text: str) -> None:
        self.lines.extend(text.rstrip("\n").split("\n"))
        print(text.rstrip("\n"), file=sys.stderr, flush=True)

    def error(self, problem: BaseException) -> None:
        """Show an exception as Python does."""
        self.write("".join(traceback.format_exception(problem)))
