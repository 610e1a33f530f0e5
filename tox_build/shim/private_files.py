"""Reading files of ours: only such as nobody else can have written."""

from __future__ import annotations

import errno
import os
import stat


class Unsafe(OSError):
    """A file that somebody else may have written, or that is no file; the text says what to do."""


def read_private(path: str, most: int = 1 << 20) -> bytes:
    """The content of a regular file that belongs to this user. Where others can read it, they no longer can.

    Raises:
        Unsafe: it is a link or a pipe, somebody else's, open to changes by others, or too large.
        OSError: it cannot be read.
    """
    # Without following links, and without waiting for the other end of a pipe.
    flags = os.O_RDONLY
    for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise Unsafe(f"{path} is a link; remove it") from None
        raise
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise Unsafe(f"{path} is no regular file; remove it")
        # Windows has no such modes; there the folder is private to the user.
        if hasattr(os, "geteuid"):
            if facts.st_uid != os.geteuid():
                raise Unsafe(f"{path} belongs to another user; remove it")
            if facts.st_mode & 0o022 and _has_modes(handle, facts.st_mode):
                raise Unsafe(f"others can change {path}; run: chmod 600 {path}")
            if facts.st_mode & 0o077:
                try:
                    os.fchmod(handle, 0o600)
                except OSError:
                    pass  # a file system without modes, of which the server's Status warns
        with open(handle, "rb", closefd=False) as file:
            content = file.read(most + 1)
    finally:
        os.close(handle)
    if len(content) > most:
        raise Unsafe(f"{path} is larger than {most} bytes; remove it")
    return content


def _has_modes(handle: int, mode: int) -> bool:
    """Whether the file system knows modes, so that a loose one is somebody's doing; the file's own is left as it is."""
    if not hasattr(os, "fchmod"):
        return False
    try:
        os.fchmod(handle, mode & 0o7755)
        tight = not os.fstat(handle).st_mode & 0o022
        os.fchmod(handle, mode & 0o7777)
    except OSError:
        return False
    return tight
