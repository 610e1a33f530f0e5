"""Runs a program in a terminal of its own, since some sign in only there."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

_IN_GOOD_ORDER_S: Final = 10


def run(
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    timeout: float,
    heard: Callable[[str], None] = lambda said: None,
    replies: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Exit code and output; the program and what it has started are ended after so many seconds. Not on Windows.

    Args:
        heard: is given all output so far, whenever there is more.
        replies: what is typed, once, when the program has written a question.

    Raises:
        OSError: it cannot be started here.
    """
    if sys.platform == "win32":
        raise OSError("a terminal of this kind needs Linux or macOS")
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, env=dict(env), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    unasked = dict(replies or {})
    said, ends = b"", time.monotonic() + timeout
    try:
        while time.monotonic() < ends:
            ready, _, _ = select.select([ours], [], [], 0.2)
            if ready:
                try:
                    piece = os.read(ours, 65536)
                except OSError:
                    break  # nobody holds the other end any more
                if not piece:
                    break
                said += piece
                for question in [one for one in unasked if one.encode() in said]:
                    os.write(ours, unasked.pop(question).encode())
                heard(said.decode("utf-8", "replace"))
            elif process.poll() is not None:
                break
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(5.0, ends - time.monotonic())))
        return process.poll() if process.poll() is not None else -1, said.decode("utf-8", "replace")
    finally:
        # First in good order, so that it ends what it has started in sessions of their own.
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
                process.wait(_IN_GOOD_ORDER_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)
