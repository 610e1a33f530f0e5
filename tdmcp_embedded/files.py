"""Small private files that others read while we write: whole or not at all, for this user's eyes only."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any


def home() -> Path:
    """Where this user's servers keep what outlives them: `$TDMCP_HOME`, by default `~/.tdmcp`."""
    return Path(os.environ.get("TDMCP_HOME") or Path.home() / ".tdmcp")


def write_private(path: Path, content: dict[str, Any]) -> None:
    """Replace a JSON file in one go, readable by this user only (mode 0600; on Windows the profile's own rights).

    Raises:
        OSError: the folder cannot be made, the disk is full, or (Windows) the file stays open elsewhere.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file with mode 0600: at no moment can anybody else read it.
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
        _replace(temporary, path)
    except BaseException:
        remove(Path(temporary))
        raise


def read(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file; None if there is none, or not (yet) a whole one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def remove(path: Path) -> None:
    """Remove a file if it is there and nothing holds it."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        pass  # Windows: somebody reads it this moment; whoever lists the folder next cleans it up


def _replace(source: str, target: Path) -> None:
    # Windows refuses while a reader or a virus scanner holds the file, which lasts for milliseconds.
    for _ in range(20):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(0.02)
    os.replace(source, target)
