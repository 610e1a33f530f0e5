"""Lines in a file that never grows beyond bounds: when it is full it becomes `.1`, the former `.1` becomes `.2` …

Each write opens the file anew and closes it again, so that several servers of one user can share it, and so that on
Windows, where an open file can not be renamed, it is hardly ever in anybody's way.
"""

from __future__ import annotations

import errno
import itertools
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tdmcp_embedded import threads
from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.file_modes import make_private_folder, tighten, tighten_folder

#: Lines waiting for the disk; beyond that the newest are dropped and counted.
_WAITING: Final = 10_000
_AT_ONCE: Final = 500
#: Seconds without a line after which the thread ends; the next line starts another. A server that is switched off in a
#: project that is closed has nobody to end it.
_IDLE: Final = 20.0

Line = tuple["RotatingFile", str]


class RotatingFile:
    """A file of lines, for this user's eyes only.

    Args:
        path: the file; its folder is made.
        max_bytes: size beyond which it is put away.
        keep: how many full files are kept beside it.
    """

    def __init__(self, path: Path, max_bytes: int = 1_000_000, keep: int = 5) -> None:
        self.path = path
        self._max_bytes, self._keep = max_bytes, keep

    def append(self, lines: list[str]) -> None:
        """Write lines at the end.

        Raises:
            OSError: the folder cannot be made, the disk is full, or others can change the file (`NotPrivate`).
        """
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        make_private_folder(self.path.parent)
        tighten_folder(self.path.parent)
        tighten(self.path)
        if self._size() + len(data) > self._max_bytes:
            self._make_room(len(data))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        handle = os.open(self.path, flags, 0o600)
        try:
            # One call for all of it: lines of other servers then stand before or behind, never in between.
            written = os.write(handle, data)
        finally:
            os.close(handle)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def _make_room(self, size: int) -> None:
        try:
            with locked(self.path):
                # Another process may have put it away since: doing so again would push out the oldest file for nothing.
                if self._size() + size > self._max_bytes:
                    self._put_away()
        except TimeoutError:
            return  # another process is at it; the file grows by these lines

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _put_away(self) -> None:
        names = [self.path, *(self.path.with_name(f"{self.path.name}.{n}") for n in range(1, self._keep + 1))]
        for source, target in reversed(list(itertools.pairwise(names))):
            try:
                os.replace(source, target)
            except FileNotFoundError:
                continue
            except OSError:
                # Another program reads it this moment (Windows): go on writing, and try again with the next line.
                return


class Writer:
    """Writes lines to files on a thread of its own, since a disk may take its time.

    Args:
        on_trouble: told a sentence when writing fails, once until it works again, and "" then; on the writer's thread.
        idle: seconds without a line after which the thread ends, until there is one.
    """

    def __init__(
        self, on_trouble: Callable[[str], None] = lambda sentence: None, idle: float = _IDLE
    ) -> None:
        self._on_trouble, self._idle = on_trouble, idle
        self._lines: queue.SimpleQueue[Line | threading.Event | None] = queue.SimpleQueue()
        self._troubled = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.dropped = 0
        """Lines lost since the disk did not keep up."""

    def write(self, file: RotatingFile, line: str) -> None:
        """Have a line written; returns at once. Any thread."""
        with self._lock:
            if self._closed:
                return
            if self._lines.qsize() >= _WAITING:
                self.dropped += 1
                return
            self._lines.put((file, line))
            if self._thread is None:
                self._thread = threads.start(self._run, "log")

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything given so far is written; whether it was."""
        done = threading.Event()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                return True
            self._lines.put(done)
        return done.wait(timeout)

    def close(self) -> None:
        """Write what is waiting, and end the thread; returns at once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._thread is not None:
                self._lines.put(None)

    def join(self, timeout: float = 2.0) -> None:
        """Wait for the end, after `close`."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _run(self) -> None:
        while True:
            try:
                batch: list[Line | threading.Event | None] = [self._lines.get(timeout=self._idle)]
            except queue.Empty:
                with self._lock:
                    # Lines are put under this lock: what is not there now starts the next thread.
                    if self._lines.empty():
                        self._thread = None
                        return
                continue
            while len(batch) < _AT_ONCE and not self._lines.empty():
                batch.append(self._lines.get())
            self._write([entry for entry in batch if isinstance(entry, tuple)])
            for entry in batch:
                if isinstance(entry, threading.Event):
                    entry.set()
            if None in batch:
                return

    def _write(self, entries: list[Line]) -> None:
        by_file: dict[RotatingFile, list[str]] = {}
        for file, line in entries:
            by_file.setdefault(file, []).append(line)
        for file, lines in by_file.items():
            try:
                file.append(lines)
            except Exception as error:  # noqa: BLE001 - whatever it is, the lines that follow want to be written
                if not self._troubled:
                    self._troubled = True
                    reason = getattr(error, "strerror", None) or error
                    self._tell(f"The log {file.path} cannot be written: {reason}.")
            else:
                if self._troubled:
                    self._troubled = False
                    self._tell("")

    def _tell(self, sentence: str) -> None:
        threads.guarded(self._on_trouble, "Telling of trouble with the log", sentence)
