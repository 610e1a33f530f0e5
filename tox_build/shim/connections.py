"""HTTP as far as it is needed: connections, event streams, and a few connections kept for later."""

from __future__ import annotations

import re
import socket
import threading
import time
from typing import TYPE_CHECKING

from tox_build.shim.constants import (
    ANSWER_LIMIT,
    CONNECT_TIMEOUT,
    FIRST_ANSWER,
    HEAD_LIMIT,
    IDLE_CONNECTION,
    MOST_ANSWER,
    MOST_HEAD,
    PATIENCE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# On Python 3.9 this is not yet TimeoutError.
TimedOut = socket.timeout


class Unreachable(OSError):
    """No connection: nothing was sent."""


class Dropped(OSError):
    """The connection ended before the answer was complete: what was sent may have been carried out."""


class TooMuch(OSError):
    """The server sends more than anybody asked for."""


class Impostor(Unreachable):
    """Something else answers where a server should be: it is shown no key."""


class Untrusted(Unreachable):
    """The server's certificate is not accepted: nothing was sent. The text says why."""


class Unresponsive(OSError):
    """The connection stands but nobody speaks; `seconds` long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no sign of life for {seconds:.0f} s")
        self.seconds = seconds


class Url:
    """The parts of an http(s) URL. Raises ValueError for anything else."""

    def __init__(self, url: str) -> None:
        match = re.match(r"^(https?)://(\[[^\]/]+\]|[^:/?#@\s]+)(?::(\d{1,5}))?(/[^#\s]*)?$", url.strip())
        if match is None or int(match[3] or 0) > 65535:
            raise ValueError(f"{url!r} is not a URL like http://127.0.0.1:9988/mcp")
        scheme, host, port, path = match.groups()
        self.tls = scheme == "https"
        # localhost may mean ::1 first, where nobody listens: on Windows that costs two seconds a connection.
        self.host = {"localhost": "127.0.0.1", "0.0.0.0": "127.0.0.1"}.get(host.lower(), host.strip("[]"))
        self.port = int(port) if port else (443 if self.tls else 80)
        self.path = path or "/"
        shown = f"[{self.host}]" if ":" in self.host else self.host
        self.authority = f"{shown}:{self.port}"
        self.text = f"{scheme}://{self.authority}{self.path}"


class Connection:
    """One HTTP/1.1 connection. `patience` is called whenever `PATIENCE` seconds pass without a byte; it may raise.

    `deadline` is when whatever is being read must be complete, in seconds of the monotonic clock; 0 for no such time.
    """

    def __init__(self, url: Url, timeout: float = CONNECT_TIMEOUT) -> None:
        self.url = url
        self.patience: Callable[[], None] = lambda: None
        self.reused = False
        #: The instance that has shown itself at the other end.
        self.instance_id = ""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.heard = 0.0
        self.deadline = 0.0
        self._buffer = bytearray()
        self._whole = True
        try:
            self.sock: socket.socket = socket.create_connection((url.host, url.port), timeout)
            # Without this a small request waits for the acknowledgement of the one before: 40 ms a call.
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if url.tls:
                import ssl

                self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=url.host)
        except (OSError, UnicodeError) as error:  # no host is called like that
            fault = getattr(error, "verify_message", "")
            if fault:
                raise Untrusted(fault) from error
            raise Unreachable(str(error)) from error

    def request(
        self,
        method: str,
        headers: dict[str, str],
        body: bytes = b"",
        *,
        path: str = "",
        patience: Callable[[], None] | None = None,
        timeout: float = PATIENCE,
        sent: Callable[[], None] | None = None,
        deadline: float = 0.0,
    ) -> None:
        """Send a request, say so, and read the head of its answer into `status` and `headers`."""
        self.deadline = deadline
        self.patience = patience or (lambda: None)
        self.sock.settimeout(timeout)
        head = [f"{method} {path or self.url.path} HTTP/1.1", f"Host: {self.url.authority}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        if body or method == "POST":
            head.append(f"Content-Length: {len(body)}")
        self._whole = False
        try:
            self._send("\r\n".join([*head, "", ""]).encode("ascii") + body)
        except (BrokenPipeError, ConnectionError):
            # A server may refuse a body by its size and hang up; its answer is there to be read all the same.
            pass
        if sent is not None:
            sent()
        if not self._buffer:
            self.deadline = deadline or time.monotonic() + FIRST_ANSWER
            self._fill()
        self.deadline = min(deadline or float("inf"), time.monotonic() + HEAD_LIMIT)
        self._read_head()
        self.deadline = deadline

    def body(self) -> Iterator[bytes]:
        """The answer's body, piece by piece as it comes."""
        if self.status in (204, 304):
            self._whole = True
        elif "chunked" in self.headers.get("transfer-encoding", "").lower():
            while True:
                size = _number(self._line().split(b";")[0].strip(), 16)
                if size == 0:
                    break
                yield from self._exactly(size)
                if self._line():
                    raise Dropped("the server does not speak HTTP")
            trailers = 0
            while line := self._line():
                trailers += len(line)
                if trailers > MOST_HEAD:
                    raise TooMuch("the trailers of the answer")
            self._whole = True
        elif "content-length" in self.headers:
            yield from self._exactly(_number(self.headers["content-length"].encode("latin-1"), 10))
            self._whole = True
        else:
            while True:
                if self._buffer:
                    yield bytes(self._buffer)
                    self._buffer.clear()
                try:
                    self._fill()
                except Dropped:
                    return

    def read(self, most: int = MOST_ANSWER) -> bytes:
        """The whole body. Raises TooMuch, Dropped, Unresponsive."""
        self.deadline = min(self.deadline or float("inf"), time.monotonic() + ANSWER_LIMIT)
        pieces: list[bytes] = []
        size = 0
        for piece in self.body():
            size += len(piece)
            if size > most:
                raise TooMuch(f"an answer of more than {most} bytes")
            pieces.append(piece)
        self.deadline = 0.0
        return b"".join(pieces)

    def reusable(self) -> bool:
        return (
            self._whole
            and not self._buffer
            and "close" not in self.headers.get("connection", "").lower()
            and (
                "content-length" in self.headers or "transfer-encoding" in self.headers or self.status == 204
            )
        )

    def stale(self) -> bool:
        """Whether the server has hung up on an idle connection, or said something nobody asked for."""
        if self.url.tls:
            return False  # TLS sockets cannot be peeked into; age alone decides
        try:
            self.sock.setblocking(False)
            self.sock.recv(1, socket.MSG_PEEK)
            return True
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True

    def abort(self) -> None:
        """Wake whoever reads, from any thread, and tell the server that nobody does."""
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        try:
            self.sock.close()
        except OSError:
            pass

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self.sock.send(view) :]
            except TimedOut:
                self.patience()

    def _fill(self) -> None:
        while True:
            if self.deadline and time.monotonic() > self.deadline:
                raise Unresponsive(max(0.0, time.monotonic() - (self.heard or time.monotonic())))
            try:
                data = self.sock.recv(1 << 16)
                break
            except TimedOut:
                self.patience()
            except OSError as error:
                raise Dropped(str(error)) from error
        if not data:
            raise Dropped("the server closed the connection")
        self.heard = time.monotonic()
        self._buffer += data

    def _line(self) -> bytes:
        start = 0
        while True:
            end = self._buffer.find(b"\n", start)
            if end >= 0:
                line = bytes(self._buffer[:end]).rstrip(b"\r")
                del self._buffer[: end + 1]
                return line
            start = len(self._buffer)
            if start > 1 << 16:
                raise Dropped("the server does not speak HTTP")
            self._fill()

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            if not self._buffer:
                self._fill()
            piece = bytes(self._buffer[:size])
            del self._buffer[: len(piece)]
            size -= len(piece)
            yield piece

    def _read_head(self) -> None:
        size = 0
        while True:
            line = self._line()
            size += len(line)
            words = line.split(None, 2)
            if (
                len(words) < 2
                or not words[0].startswith(b"HTTP/1.")
                or not re.match(rb"[1-5]\d\d$", words[1])
            ):
                raise Dropped("the server does not speak HTTP")
            if size > MOST_HEAD:
                raise TooMuch("the head of the answer")
            self.status = int(words[1])
            self.headers = {}
            while True:
                line = self._line()
                if not line:
                    break
                size += len(line)
                if size > MOST_HEAD:
                    raise TooMuch("the head of the answer")
                name, _, value = line.partition(b":")
                self.headers[name.decode("latin-1").strip().lower()] = value.decode("latin-1").strip()
            if self.status >= 200:
                if words[0] == b"HTTP/1.0" and "keep-alive" not in self.headers.get("connection", "").lower():
                    self.headers["connection"] = "close"
                return


def _number(text: bytes, base: int) -> int:
    """A length as HTTP writes it: neither signs nor underscores, which `int` takes as well."""
    if not re.match(rb"[0-9a-fA-F]{1,15}$" if base == 16 else rb"\d{1,15}$", text):
        raise Dropped("the server does not speak HTTP")
    return int(text, base)


class Event:
    """One server-sent event."""

    __slots__ = ("data", "id", "retry")

    def __init__(self, data: bytes, event_id: str, retry: float | None) -> None:
        self.data = data
        self.id = event_id
        self.retry = retry


def events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """Server-sent events out of a body; events without data come through for their ids. Raises TooMuch."""
    buffer = bytearray()
    start = size = 0
    data: list[bytes] = []
    event_id = ""
    retry: float | None = None
    fields = False
    for piece in pieces:
        buffer += piece
        while True:
            end = buffer.find(b"\n", start)
            if end < 0:
                start = len(buffer)
                if size + start > MOST_ANSWER:
                    raise TooMuch(f"an event of more than {MOST_ANSWER} bytes")
                break
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            start = 0
            if line.endswith(b"\r"):
                line = line[:-1]
            if not line:
                if fields:
                    yield Event(b"\n".join(data), event_id, retry)
                data, event_id, retry, fields = [], "", None, False
                size = 0
                continue
            name, _, value = line.partition(b":")
            if value.startswith(b" "):
                value = value[1:]
            if name == b"data":
                data.append(value)
                size += len(value) + 1
                if size > MOST_ANSWER:
                    raise TooMuch(f"an event of more than {MOST_ANSWER} bytes")
                fields = True
            elif name == b"id":
                event_id = value.decode("utf-8", "replace")
                fields = True
            elif name == b"retry" and value.isdigit() and len(value) < 9:
                retry = int(value) / 1000
                fields = True


class Pool:
    """Idle connections, to be used again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[float, Connection]] = []

    def take(
        self, url: Url, instance_id: str = "", connect: Callable[[], Connection] | None = None
    ) -> Connection:
        """An idle connection to this instance at `url`, else a new one, made by `connect`. Raises Unreachable."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            same = connection.url.text == url.text and connection.instance_id == instance_id
            if same and time.monotonic() - since < IDLE_CONNECTION and not connection.stale():
                connection.reused = True
                return connection
            connection.close()
        return connect() if connect is not None else Connection(url)

    def keep(self, urls: list[str]) -> None:
        """Close what is idle to any other server: on Windows it would keep the port from the next one."""
        with self._lock:
            over = [idle for idle in self._idle if idle[1].url.text not in urls]
            self._idle = [idle for idle in self._idle if idle not in over]
        for _, connection in over:
            connection.close()

    def give_back(self, connection: Connection) -> None:
        if not connection.reusable():
            connection.close()
            return
        with self._lock:
            self._idle.append((time.monotonic(), connection))
            surplus = self._idle[:-8]
            del self._idle[:-8]
        for _, old in surplus:
            old.close()
