"""An exclusive lock between processes, for a file that several of them change.

Reading needs none, since files are replaced whole. Whoever changes one holds its lock from reading the present content
until the new one is in place; otherwise the later of two writers would bring back what the earlier one has removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tdmcp_embedded.file_modes import make_private_folder
from tdmcp_embedded.files import is_held

#: Seconds to wait for another process, which holds a lock for milliseconds.
WAIT_S: Final = 2.0
_RETRY_S: Final = 0.001
_HELD_RETRY_S: Final = 0.02

#: What a file system says that has no locks (some network mounts). Nothing can be locked there, so nobody waits.
_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


def lock_path(path: Path) -> Path:
    """The file that is locked in place of `path`, which itself is replaced with each change."""
    return path.with_name(f".{path.name}.lock")


@contextlib.contextmanager
def locked(path: Path, wait: float = WAIT_S) -> Iterator[None]:
    """Hold the lock of a file. Excludes other processes, other threads, and a second use by the same thread.

    The system releases it when a process ends, however that happens. The folder is made if need be.

    Args:
        wait: seconds to wait at most, so that nobody waits for ever for a process that hangs.

    Raises:
        TimeoutError: another process has held it all the while.
        OSError: the lock's file cannot be made.
    """
    make_private_folder(path.parent)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    until = time.monotonic() + wait
    handle = _open(lock_path(path), flags, until)
    try:
        while not _try_lock(handle):
            if time.monotonic() >= until:
                raise TimeoutError(
                    errno.ETIMEDOUT, "Another process is changing it; try again in a moment", str(path)
                )
            time.sleep(_RETRY_S)
        try:
            yield
        finally:
            _unlock(handle)
    finally:
        os.close(handle)


def _open(path: Path, flags: int, until: float) -> int:
    """Open the lock's file, which Windows refuses while a virus scanner looks at it."""
    while True:
        try:
            return os.open(path, flags, 0o600)
        except PermissionError as error:
            if not is_held(error) or time.monotonic() >= until:
                raise
        time.sleep(_HELD_RETRY_S)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return True
            if error.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
                return False
            raise
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        with contextlib.suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return True
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EINTR):
                return False
            raise
        return True

    def _unlock(handle: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
