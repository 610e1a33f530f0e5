"""Requests on their way, and the way back to the client."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.background import guarded, start_thread
from tox_build.shim.connections import Connection
from tox_build.shim.constants import HANDSHAKE_LIMIT, LIST_LIMIT, LISTS
from tox_build.shim.messages import as_error, as_response, dumps, params_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Flight:
    """A request of the client's that is being answered."""

    def __init__(
        self, message: dict[str, Any], raw: bytes, version: Any, reply: Callable[[bytes], None]
    ) -> None:
        self.id = message["id"]
        self.method = str(message["method"])
        self.params = params_of(message)
        self.raw = raw
        self.version = version
        self.modern = version is not None
        self.started = time.monotonic()
        self.cancelled = False
        self.sent = False
        self.answered = False
        #: Of a subscription: whether the client has its acknowledgement.
        self.acknowledged = False
        self.connection: Connection | None = None
        self.target_key: Any = None
        self._reply = reply

    @property
    def key(self) -> tuple[bool, Any]:
        return (isinstance(self.id, str), self.id)

    @property
    def limit(self) -> float:
        """Seconds after which we would rather give what we know than wait; 0 for no such limit."""
        if self.method == "server/discover":
            return HANDSHAKE_LIMIT
        return LIST_LIMIT if self.method in LISTS else 0.0

    def answer(self, raw: bytes) -> None:
        """Answer the client, once; and not at all if it does not want to know any more."""
        if self.answered:
            return
        self.answered = True
        # Who waits for the answers of a batch has to know that this one is not to come.
        self._reply(b"" if self.cancelled else raw)

    def result(self, result: dict[str, Any]) -> None:
        self.answer(dumps(as_response(self.id, result)))

    def error(self, code: int, message: str, data: Any = None) -> None:
        self.answer(dumps(as_error(self.id, code, message, data)))

    def abort(self) -> None:
        connection = self.connection
        if connection is not None:
            connection.abort()


class Batch:
    """The answers to an array of requests, sent as one array when the last is there."""

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._waiting = 1  # released by `close`, so that quick answers do not end it early
        self._answers: list[bytes] = []

    def expect(self) -> Callable[[bytes], None]:
        with self._lock:
            self._waiting += 1
        return self._take

    def close(self) -> None:
        self._done()

    def _take(self, raw: bytes) -> None:
        if raw:
            with self._lock:
                self._answers.append(raw)
        self._done()

    def _done(self) -> None:
        with self._lock:
            self._waiting -= 1
            if self._waiting or not self._answers:
                return
        self._emit(b"[" + b",".join(self._answers) + b"]")


class Outlet:
    """The way to the client: one message at a time; and a place for work that must not stand in anybody's way."""

    def __init__(self, write: Callable[[bytes], None], log: Callable[[str], None]) -> None:
        self.log = log
        self._write = write
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._working = False

    def emit(self, raw: bytes) -> None:
        """One message to the client, or none; waits while the client does not read."""
        if not raw:
            return
        line = raw.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
        with self._lock:
            self._write(line)

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": f"notifications/{method}"}
        if params is not None:
            message["params"] = params
        self.emit(dumps(message))

    def later(self, work: Callable[[], None]) -> None:
        """Do this next on a thread of its own, in the order asked for."""
        if not self._working:
            self._working = True
            start_thread(self._work_off, "Posting notifications", self.log)
        self._work.put(work)

    def _work_off(self) -> None:
        while True:
            # One lost notification must not stop those behind it.
            guarded(self._work.get(), "Posting a notification", self.log)
