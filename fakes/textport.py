"""The Textport: where scripts' output and errors nobody catches end up."""

from __future__ import annotations

import sys
import traceback
from collections import deque
from typing import Any

from fakes import guard
from fakes.guard import guarded

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


class StandardOutput:
    """What `sys.stdout` is inside TouchDesigner: the Textport, which belongs to the main thread (fact 2).

    It has only `write` and `flush`, as on the builds that lack the rest of a file (fact 47).
    """

    def __init__(self, textport: Textport) -> None:
        self._textport = textport
        self._begun = ""

    def write(self, text: str) -> int:
        """Write to the Textport, line by line.

        Raises:
            ThreadConflict: on any other thread than the main one; it is counted.
        """
        guard.check("print()")
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._textport.write(line)
        return len(text)

    def flush(self) -> None:
        """Nothing: whole lines are out already."""


def make_debug(textport: Textport) -> Any:
    """The function `debug`: what is given, and where in which DAT that was said."""

    def debug(*args: Any) -> None:
        caller = sys._getframe(2)  # 1 is the guard; there is no other way to learn who called
        me = caller.f_globals.get("me")
        where = f"DAT:{me.path} " if me is not None else ""
        function = caller.f_code.co_name
        named = "" if function.startswith("<") else f"fn:{function} "
        said = " ".join(a if isinstance(a, str) else repr(a) for a in args)
        textport.write(f"{said} \n  (Debug - {where}{named}line:{caller.f_lineno})")

    return guarded(debug, "td.debug")
