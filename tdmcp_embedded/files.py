"""Small private files that others read while we write: whole or not at all, for this user's eyes only."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from tdmcp_embedded.file_modes import NotPrivate, make_private_folder, tighten, tighten_folder


def home() -> Path:
    """Where this user's servers keep what outlives them: `$TDMCP_HOME`, by default `~/.tdmcp`."""
    return Path(os.environ.get("TDMCP_HOME") or Path.home() / ".tdmcp")


def write_private(path: Path, content: dict[str, Any]) -> None:
    """Replace a JSON file in one go, readable by this user only (mode 0600; on Windows the profile's own rights).

    Raises:
        OSError: the folder cannot be made, or others can change what is in it (`NotPrivate`), the disk is full, or
            (Windows) the file stays open elsewhere.
    """
    write_private_bytes(path, json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8"))


def write_private_bytes(path: Path, content: bytes) -> None:
    """The same of any file of ours.

    Raises:
        OSError: as `write_private`.
    """
    make_private_folder(path.parent)
    tighten_folder(path.parent)
    remove_abandoned(path)
    # mkstemp makes the file with mode 0600: at no moment can anybody else read it.
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        replace(temporary, path)
    except BaseException:
        remove(Path(temporary))
        raise


#: Seconds after which nobody can still be writing a temporary file.
_ABANDONED_S: Final = 60.0


def remove_abandoned(path: Path) -> None:
    """Remove the temporary files that killed writers of a file have left, keys in them included."""
    # As mkstemp and the writers of client configurations call them; an editor's own files have other names.
    ours = re.compile(re.escape(f".{path.name}.") + r"([a-z0-9_]{8}|\d+\.part)")
    try:
        found = [entry for entry in path.parent.iterdir() if ours.fullmatch(entry.name)]
    except OSError:
        return
    for temporary in found:
        try:
            if time.time() - temporary.lstat().st_mtime > _ABANDONED_S:
                temporary.unlink()
        except OSError:
            pass  # somebody else has removed it


def read(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file; None if there is none, or not (yet) a whole one."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # a pipe, say, which would keep its reader waiting
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def read_private(path: Path) -> dict[str, Any] | None:
    """The same from a file of ours that only its user may see or change; one that is open to others is closed first.

    Raises:
        NotPrivate: that cannot be done; the sentence has the command that helps.
    """
    try:
        tighten(path)
    except NotPrivate:
        raise
    except OSError:
        return None
    return read(path)


def serial_of(content: dict[str, Any]) -> int:
    """How many changes a file that counts them has behind it; 0 for any other."""
    serial = content.get("serial")
    return serial if isinstance(serial, int) and not isinstance(serial, bool) else 0


def remove(path: Path) -> None:
    """Remove a file if it is there and nothing holds it."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        pass  # Windows: somebody reads it this moment; whoever lists the folder next cleans it up


#: Seconds for which a file is tried to be replaced that Windows says is held: access denied, sharing violation.
HELD_S: Final = 2.0
_HELD_ERRORS: Final = (5, 32)
_FIRST_PAUSE_S: Final = 0.01


def is_held(error: OSError) -> bool:
    """Whether Windows refuses because another program, mostly a virus scanner, has the file open this moment."""
    return getattr(error, "winerror", None) in _HELD_ERRORS


def replace(source: str | Path, target: Path) -> None:
    """`os.replace`, which Windows refuses while a reader or a virus scanner holds one of the files: mostly milliseconds.

    Raises:
        OSError: it stays held, or another reason.
    """
    until, pause = time.monotonic() + HELD_S, _FIRST_PAUSE_S
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError as error:
            if not is_held(error) or time.monotonic() >= until:
                raise
        time.sleep(pause)
        pause *= 1.5
