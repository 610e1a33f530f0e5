"""The control lines of the stand-in's process: JSON in on standard input, JSON out on standard output.

Nothing but JSON lines may reach standard output, whoever prints: `take_standard_output` moves the real one aside and
points descriptor 1 at standard error, so that even a native library's `printf` cannot break the parser on the other
side.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

#: The longest control line that is read; a longer one is answered with an error and ends the conversation.
LONGEST_LINE = 16 * 1024 * 1024

Handler = Callable[[dict[str, Any]], Any]


def take_standard_output() -> int:
    """The descriptor of the real standard output; from now on descriptor 1 and `sys.stdout` go to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return kept


class Lines:
    """Writes JSON lines to a descriptor; every line whole, whatever thread it comes from."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def write(self, message: dict[str, Any]) -> None:
        """Write one message. A reader that went away is no reason to end: the line is dropped then."""
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=repr).encode() + b"\n"
        with self._lock:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                return


class Control(threading.Thread):
    """Reads control lines from the descriptor `source` and answers each, until end of input.

    `handle` takes a command (`{"do": ..., ...}`) and returns the result, or raises; what it raises becomes the error
    text. Commands are answered in their order, except those whose handler returns a `Later`: these are answered when
    their work is done, so that a blocked main thread does not keep the others waiting.
    """

    def __init__(self, source: int, lines: Lines, handle: Handler) -> None:
        super().__init__(name="stand-in control", daemon=True)
        self._source = source
        self._lines = lines
        self._handle = handle

    def run(self) -> None:
        # Straight from the descriptor: a thread that waits inside `sys.stdin` makes the interpreter's end fail.
        rest = b""
        while data := self._read():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                if line.strip():
                    self._answer(line)
            if len(rest) > LONGEST_LINE:
                self._lines.write(
                    failure(None, ValueError(f"a control line has at most {LONGEST_LINE} bytes"))
                )
                return

    def _read(self) -> bytes:
        try:
            return os.read(self._source, 65536)
        except OSError:  # There is no standard input at all.
            return b""

    def _answer(self, line: bytes) -> None:
        number: Any = None
        try:
            command = json.loads(line)
            if not isinstance(command, dict):
                raise TypeError("a control line is a JSON object with the key 'do'")
            number = command.get("id")
            result = self._handle(command)
        except Exception as problem:  # noqa: BLE001  Whatever went wrong is the answer.
            self._lines.write(failure(number, problem))
            return
        if isinstance(result, Later):
            result.tell(lambda outcome: self._lines.write({"id": number, **outcome}))
        else:
            self._lines.write({"id": number, "ok": True, "result": result})


class Later:
    """A result that the main thread will give; told to whoever asked once it is there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outcome: dict[str, Any] | None = None
        self._tell: Callable[[dict[str, Any]], None] | None = None

    def resolve(self, result: Any) -> None:
        self._settle({"ok": True, "result": result})

    def fail(self, problem: BaseException) -> None:
        self._settle({"ok": False, "error": sentence(problem)})

    def tell(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Call `callback` with the outcome, now or when it comes."""
        with self._lock:
            self._tell = callback
            outcome = self._outcome
        if outcome is not None:
            callback(outcome)

    def _settle(self, outcome: dict[str, Any]) -> None:
        with self._lock:
            if self._outcome is not None:
                return
            self._outcome = outcome
            callback = self._tell
        if callback is not None:
            callback(outcome)


def failure(number: Any, problem: BaseException) -> dict[str, Any]:
    """The answer line for a command that went wrong."""
    return {"id": number, "ok": False, "error": sentence(problem)}


def sentence(problem: BaseException) -> str:
    """`Type: message`, as Python's own tracebacks end."""
    return f"{type(problem).__name__}: {problem}"
