"""Output to pipes and consoles whose code page lacks letters of a path: those become escapes, never a traceback."""

from __future__ import annotations

import codecs
import sys
from typing import Any, Final

#: The name of our way to deal with letters that an encoding lacks.
ERRORS: Final = "tdmcp.escape"


def escaped(error: UnicodeError) -> tuple[str, int]:
    """Letters as JSON, JavaScript and TOML write them (`\\u5c71`), so that a configuration stays one."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(*[iter(units)] * 2, strict=True)), error.end


codecs.register_error(ERRORS, escaped)


def prepare() -> None:
    """Have standard output and standard error take every letter, whatever their encoding (a pipe on Windows: cp1252)."""
    for stream in (sys.stdout, sys.stderr):
        # There may be none (pythonw), or one of somebody else's making.
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=ERRORS)
