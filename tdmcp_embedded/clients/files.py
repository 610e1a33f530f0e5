"""Replacing somebody's configuration file: whole or not at all, with a backup beside it, and a way back.

What we did to which file is kept in `clients.json` of our own folder, so that removing can restore the former bytes
when nobody has changed the file since.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tdmcp_embedded.clients.jsonc import place
from tdmcp_embedded.clients.machine import Refused
from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.files import read as read_json
from tdmcp_embedded.files import read_private, remove_abandoned, replace, serial_of, write_private
from tdmcp_embedded.files import remove as remove_file

BACKUP = ".tdmcp-backup"
_MARK = b"\xef\xbb\xbf"
#: A client may write its file the moment we do: then it is read and edited again.
_TRIES = 5


@dataclass
class Change:
    """What was (or, in a dry run, would be) done to a file; None stands for no file."""

    path: Path
    before: str | None
    after: str | None
    backup: Path | None = None
    restored: bool = False
    """Whether the file is, byte for byte, what it was before the first `add`."""

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass
class _Content:
    raw: bytes | None
    text: str = ""
    mark: bytes = field(default=b"", repr=False)


def read(path: Path) -> str | None:
    """The text of a file, without byte order mark; None if there is none.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
    """
    content = _load(path)
    return None if content.raw is None else content.text


def edit(
    path: Path,
    change: Callable[[str], str],
    *,
    journal: Path,
    undo: bool = False,
    private: bool = False,
    dry_run: bool = False,
) -> Change:
    """Put the text of a file through `change` and keep the result.

    Args:
        path: the file; a link is followed. It and its folder are made if need be.
        change: gives the new text; may be called again if the file changes meanwhile.
        journal: where to note what was done.
        undo: this takes out what we put in: the former bytes are restored if the file is as we left it.
        private: a new file is for this user only, since it holds a key.
        dry_run: change nothing.

    Raises:
        Refused: the file cannot be read or written.
    """
    path = Path(os.path.realpath(path))
    if dry_run:
        return _edited(path, change, journal, undo, private, dry_run)
    try:
        with locked(journal):
            return _edited(path, change, journal, undo, private, dry_run)
    except OSError as error:
        raise Refused(f"{journal} cannot be changed: {_reason(error)}.") from None


def _edited(
    path: Path, change: Callable[[str], str], journal: Path, undo: bool, private: bool, dry_run: bool
) -> Change:
    for _ in range(_TRIES):
        content = _load(path)
        notes = _notes(journal)
        note = notes.get(str(path))
        if undo and note and content.raw is not None and _hash(content.raw) == note.get("after"):
            restored = _former(note)
            # A backup made after somebody had changed the file holds an entry of ours: no good as a way back.
            text = None if restored is None else restored.removeprefix(_MARK).decode("utf-8", "replace")
            if restored is not None and text is not None and (not text or change(text) == text):
                return _restore(path, content, note, restored, notes, journal, dry_run)
        before = None if content.raw is None else content.text
        after = change(content.text)
        done = Change(path, before, after if before is not None or after else None)
        if not done.changed or dry_run:
            return done
        if _load(path).raw != content.raw:
            continue
        try:
            return _write(done, content, note, notes, journal, undo, private)
        except (OSError, UnicodeEncodeError) as error:
            raise Refused(f"{path} cannot be written: {_reason(error)}.") from None
    raise Refused(f"{path} keeps being changed by another program.", "Close the client, then try again.")


def _write(
    done: Change,
    content: _Content,
    note: dict[str, Any] | None,
    notes: dict[str, Any],
    journal: Path,
    undo: bool,
    private: bool,
) -> Change:
    path, backup = done.path, done.path.with_name(done.path.name + BACKUP)
    assert done.after is not None
    raw = content.mark + done.after.encode("utf-8")
    made = [] if note is None else list(note.get("made", []))
    if content.raw is None:
        missing = [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        made += [str(folder) for folder in missing]
    # A backup from before our first change is worth more than one with our own entry in it.
    ours = note is not None and content.raw is not None and _hash(content.raw) == note.get("after")
    mode = _mode(path)
    if content.raw is not None and not (ours and not undo):
        _replace(backup, content.raw, mode if mode is not None else 0o600)
        done.backup = backup
    elif ours and note is not None and note.get("existed"):
        done.backup = backup
    _replace(path, raw, mode if mode is not None else (0o600 if private else None))
    if undo:
        notes.pop(str(path), None)
    elif ours and note is not None:
        notes[str(path)] = {**note, "after": _hash(raw)}
    else:
        existed = content.raw is not None
        before = _hash(content.raw) if content.raw is not None else ""
        notes[str(path)] = {"existed": existed, "before": before, "after": _hash(raw), "backup": str(backup)}
        if made:
            notes[str(path)]["made"] = made
    _keep(notes, journal)
    return done


def _restore(
    path: Path,
    content: _Content,
    note: dict[str, Any],
    former: bytes,
    notes: dict[str, Any],
    journal: Path,
    dry_run: bool,
) -> Change:
    """Put back what was there before our first change."""
    text = former.removeprefix(_MARK).decode("utf-8", "replace") if note["existed"] else None
    done = Change(path, content.text, text, restored=True)
    if dry_run:
        return done
    try:
        if note["existed"]:
            _replace(path, former, _mode(path))
            remove_file(Path(note["backup"]))
        else:
            path.unlink()
            for folder in note.get("made", []):
                try:
                    os.rmdir(folder)
                except OSError:
                    break  # somebody else has put something there
        notes.pop(str(path), None)
        _keep(notes, journal)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {_reason(error)}.") from None
    return done


def _former(note: dict[str, Any]) -> bytes | None:
    """The bytes from before our first change, if they are still to be had."""
    if not note.get("existed"):
        return b""
    try:
        raw = Path(str(note.get("backup"))).read_bytes()
    except OSError:
        return None
    return raw if _hash(raw) == note.get("before") else None


def _load(path: Path) -> _Content:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return _Content(None)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {_reason(error)}.") from None
    mark = _MARK if raw.startswith(_MARK) else b""
    try:
        return _Content(raw, raw[len(mark) :].decode("utf-8"), mark)
    except UnicodeDecodeError as error:
        line, column = place(raw[: error.start].decode("utf-8", "replace"), error.start)
        raise Refused(
            f"{path} is not UTF-8: line {line}, column {column}.",
            "Save it as UTF-8 in a text editor, then try again.",
        ) from None


def _replace(path: Path, raw: bytes, mode: int | None) -> None:
    """Write beside it, then put it in its place. `mode` None leaves a new file to the system's default."""
    remove_abandoned(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    remove_file(part)
    handle = os.open(part, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        if mode is not None:
            os.chmod(part, mode)
        replace(part, path)
    except BaseException:
        remove_file(part)
        raise


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _keep(notes: dict[str, Any], journal: Path) -> None:
    """Holding the journal's lock."""
    serial = serial_of(read_private(journal) or {})
    write_private(journal, {"serial": serial + 1, "files": notes})


def _notes(journal: Path) -> dict[str, Any]:
    files = (read_json(journal) or {}).get("files")
    return {k: v for k, v in files.items() if isinstance(v, dict)} if isinstance(files, dict) else {}


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
