"""Our own files are for their user only: looser modes are tightened, or the file is refused with the command that helps.

Only for POSIX; on Windows a user's profile has rights of its own. There a mode of 0o700 even does harm: from it Python
3.11.10 makes a protected list of rights, which after one start as administrator keeps the same user out. So folders are
made here only, and without it.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import stat
import sys
import tempfile
import weakref
from pathlib import Path, PureWindowsPath
from typing import Self


def make_private_folder(path: Path, *, system: str = sys.platform) -> None:
    """Make a folder of ours, and those above it; it may be there already.

    Raises:
        OSError: it cannot be made.
    """
    if system == "win32":
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


class TemporaryFolder:
    """A new folder for temporary files with a name nobody can guess, removed by `cleanup` or with this object.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, prefix: str, *, system: str = sys.platform) -> None:
        self.path = Path(tempfile.gettempdir(), prefix + secrets.token_hex(8))
        if system == "win32":
            self.path.mkdir()
        else:
            self.path.mkdir(mode=0o700)
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, True)

    def cleanup(self) -> None:
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.cleanup()


class NotPrivate(PermissionError):
    """A file that holds secrets and that others can read or change, which could not be cured here."""


def tighten(path: Path) -> None:
    """Make sure that a file, if it is there, is a regular one of this user and closed to everybody else.

    Raises:
        NotPrivate: it is not and cannot be made so; the sentence has the command to run.
        OSError: it cannot be looked at.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise NotPrivate(f"{path} is not a file: remove it, then start again.")
    _tighten(path, found, 0o077, 0o600)


def tighten_folder(path: Path) -> None:
    """Make sure that nobody else can change what is in a folder of ours. Who may list it is left to its user.

    Raises:
        NotPrivate: others can, and that cannot be changed here; the sentence has the command to run.
        OSError: it cannot be looked at.
    """
    found = os.stat(path)
    # In a folder with the sticky bit, like /tmp, nobody can remove or rename what belongs to others.
    if not found.st_mode & stat.S_ISVTX:
        _tighten(path, found, 0o022, stat.S_IMODE(found.st_mode) & ~0o022)


#: Places of ours on file systems that know no modes, like some Windows drives and exFAT sticks.
_without_modes: set[Path] = set()


def warning() -> str:
    """What a person must know of our files: a sentence if some are where they cannot be closed to others; else nothing."""
    if not _without_modes:
        return ""
    folder = min(_without_modes)
    return (
        f"The file system of {folder} knows no file modes, so other users of this computer may be able to read the access "
        "keys in it: set TDMCP_HOME to a folder on a disk that has them."
    )


def outside_profile(folder: str, profile: str, *, system: str = sys.platform) -> str:
    """A sentence where Windows does not keep the access keys from other users, since only a profile has rights of its own;
    else nothing."""
    if system != "win32" or PureWindowsPath(folder).is_relative_to(PureWindowsPath(profile)):
        return ""
    return (
        f"The access keys in {folder} are outside of your user profile, so other users of this computer may be able to read "
        "them: set TDMCP_HOME to a folder of your profile, or to nothing."
    )


def _tighten(path: Path, found: os.stat_result, loose: int, wanted: int) -> None:
    if sys.platform == "win32":
        return
    # What belongs to the system's administrator is as safe as the system.
    if found.st_uid not in (os.geteuid(), 0):
        raise NotPrivate(
            f"{path} belongs to another user, who can change it: "
            f"run  sudo chown {os.geteuid()} {shlex.quote(str(path))}  or remove it."
        )
    if not found.st_mode & loose:
        return
    try:
        os.chmod(path, wanted)
        closed = not os.stat(path).st_mode & loose
    except OSError:
        closed = False
    if not closed and found.st_uid == os.geteuid():
        # Its own user may change any mode there is: this file system has none.
        _without_modes.add(path if stat.S_ISDIR(found.st_mode) else path.parent)
    elif not closed:
        raise NotPrivate(
            f"{path} can be read or changed by other users: run  chmod {wanted:o} {shlex.quote(str(path))}"
        )
