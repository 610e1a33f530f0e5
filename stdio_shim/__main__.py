"""The stdio shim: MCP on standard input and output for clients that speak nothing else, forwarded to TouchDesigner.

Desktop clients start their servers first, never restart them, and cannot reach a local URL. So this program is always
there: it answers the handshake, `ping` and the lists whether or not TouchDesigner runs, passes everything else on to
the MCP server inside TouchDesigner, and says in words what is wrong when it cannot. It ends at the end of its input.

    python -m stdio_shim [--instance NAME|PID|PATH] [--project PATH] [--url URL] [--token KEY] [--log-file FILE]
        [--contract NUMBER] [--allow-open]

Environment: TDMCP_URL and TDMCP_TOKEN stand for the options; TDMCP_HOME (default ~/.tdmcp) holds `instances/`, one
JSON file for each running server, and `cache/`, the lists that were last seen.

A client's entry says with --contract for which shim it was written. With --allow-open the tool `open_project` starts TouchDesigner with a project that was open before.

One file and the standard library only (Python 3.9 or newer), so that a client can start it by its path with whatever
Python there is. It starts often and must start fast: `argparse`, `http.client`, `typing` and `dataclasses` would take
as long to import as everything else together, so they are not used.

Threads: the main one reads standard input; each request being forwarded has one; one looks after sessions and tells
the client when TouchDesigner comes or changes; one posts notifications and answers in their order; one notices when
the client is gone.
"""

# Made of the modules in tox_build/shim by `python -m tox_build.join_shim`. Change those.

from __future__ import annotations

import errno
import json
import os
import queue
import re
import socket
import stat
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn


# ---------------------------------------------------------------------------------------------------------- constants
# What the shim goes by: the contract it keeps, names of the protocol, and how long it waits for what.

#: What this shim and a server agree on; a server writes its own number in its registry entry.
CONTRACT = 1
#: The oldest contract of a server that this shim still understands.
OLDEST_CONTRACT = 1
#: The oldest contract of a client's entry that this shim still understands.
OLDEST_ENTRY = 1
MODERN = ["2026-07-28"]
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
INSTANCE_KEY = "tdmcp/instance"
#: Seconds until the connection must stand.
CONNECT_TIMEOUT = 3.0
#: Seconds without a byte after which we ask whether the server is alive at all.
PATIENCE = 3.0
#: Seconds without any sign of life after which a call is given up.
GIVE_UP = 8.0
#: Seconds a list or a handshake may take before the last known one is given instead.
LIST_LIMIT = 3.0
HANDSHAKE_LIMIT = 1.0
#: Seconds a call waits for a server that was there a moment ago and is probably restarting.
RESTART_GAP = 1.5
#: Seconds that answers under way may take after the end of input; clients kill us after two.
FLUSH = 1.5
#: Tasks whose tools are remembered.
TASKS_KEPT = 64
#: Seconds a connection may lie idle and be used again: less than any server's keep-alive.
IDLE_CONNECTION = 20.0
#: Seconds between looks at the registry, and at whether the client is still there.
LOOK_EVERY = 1.0
#: Bytes that the head of an answer may have, and a whole answer or one event of a stream.
MOST_HEAD = 64 << 10
MOST_ANSWER = 32 << 20
#: Seconds until the head of an answer must have begun, however alive the server is; and until it must be complete then.
FIRST_ANSWER = 120.0
HEAD_LIMIT = 10.0
#: Seconds until an answer must be complete that is no stream.
ANSWER_LIMIT = 60.0
#: Seconds after which nobody can still be writing a part of a file.
ABANDONED = 60.0
MAX_REQUESTS = 256
MAX_LISTENS = 32
#: List method -> the key of its items, which is also their name in the cache.
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
#: Method -> the parameter that the header `Mcp-Name` repeats.
NAMED = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
#: Kind of change -> the field of a subscription filter that asks for it.
CHANGES = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
#: What hosts add to the arguments of every call; tdmcp_embedded/tools/host_arguments.py says which and why.
HOST_ARGUMENTS = {"toolCallId", "tool", "sessionId", "action", "chatInput", "random_string"}


# --------------------------------------------------------------------------------------------------------- background
# Threads of the shim: an exception ends none of them unseen.


def start_thread(work: Callable[..., Any], what: str, log: Callable[[str], None], *args: Any) -> None:
    """Do something on a thread of its own; what it raises is reported.

    Args:
        what: names it in the log.
    """
    threading.Thread(target=guarded, args=(work, what, log, *args), daemon=True).start()


def guarded(work: Callable[..., Any], what: str, log: Callable[[str], None], *args: Any) -> bool:
    """Do something whose failure must not end who does it; returns whether it succeeded."""
    try:
        work(*args)
    except Exception as error:  # noqa: BLE001 - whatever it is, the thread has more to do
        report(what, log, error)
        return False
    return True


def report(what: str, log: Callable[[str], None], error: BaseException) -> None:
    """Say on standard error and in the log what failed; standard output belongs to the protocol."""
    import traceback

    try:
        log(f"{what} failed: {error!r}")
        print(f"stdio_shim: {what} failed:", file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    except Exception:  # noqa: BLE001, S110 - nobody reads standard error (any more), or the disk is full
        pass


# ----------------------------------------------------------------------------------------------------------- messages
# JSON-RPC messages: reading and writing them, and refusals as an agent can use them.


class Refusal(Exception):
    """What a call is answered when it cannot be forwarded: the same shape as every failed tool call of the server."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        suggestions: Iterable[str] = (),
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.suggestions = list(suggestions)
        self.retryable = retryable

    def structured(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "suggestions": self.suggestions,
            "retryable": self.retryable,
        }

    def text(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.hint:
            lines.append(self.hint)
        if self.suggestions:
            lines.append("Did you mean: " + ", ".join(self.suggestions))
        if self.retryable:
            lines.append("The same call may succeed later.")
        return "\n".join(lines)

    def result(self) -> dict[str, Any]:
        """As the result of `tools/call`."""
        return {
            "content": [{"type": "text", "text": self.text()}],
            "structuredContent": self.structured(),
            "isError": True,
        }


def dumps(message: Any) -> bytes:
    """One line of ASCII: no locale, code page or lone surrogate can spoil it."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def parse(raw: bytes) -> Any:
    """Strict JSON in UTF-8. Raises ValueError or RecursionError."""
    return json.loads(raw.decode("utf-8"), parse_constant=_no_constant)


def as_response(request_id: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def as_error(request_id: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def valid_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def params_of(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def modern_version(message: dict[str, Any]) -> Any:
    """The version a request of the modern era carries in itself; None in the handshake era."""
    meta = params_of(message).get("_meta")
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


#: How the SDK writes an answer: seen without parsing what may be megabytes.
_ANSWER = re.compile(rb'\{"jsonrpc":\s*"2\.0",\s*"id":\s*(?:-?\d+|"[^"\\]*"),\s*"(?:result|error)":')


def is_answer(data: bytes) -> bool:
    """Whether a message from the server is an answer, rather than a request or a notification."""
    if _ANSWER.match(data):
        return True
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)
    )


def plain(text: str) -> bool:
    """Whether a text goes into a header as it is."""
    return text.isascii() and text.isprintable() and text == text.strip()


def header_value(text: str) -> str:
    """A header's value that survives HTTP: anything but plain printable ASCII goes as the protocol's base64 form."""
    if plain(text) and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    import binascii

    coded = binascii.b2a_base64(text.encode("utf-8", "surrogatepass"), newline=False)
    return f"=?base64?{coded.decode('ascii')}?="


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def said(body: bytes) -> str:
    """The sentence in the body of an HTTP error."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip()[:1] in (b"<", b"{") else body[:300].decode("utf-8", "replace").strip()
    for _ in range(2):
        if isinstance(value, dict):
            value = next(
                (value[key] for key in ("error", "message", "detail", "sentence") if value.get(key)), ""
            )
    return value if isinstance(value, str) else ""


# -------------------------------------------------------------------------------------------------------- connections
# HTTP as far as it is needed: connections, event streams, and a few connections kept for later.

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


# ---------------------------------------------------------------------------------------------------------- processes
# Our folder, this computer, and other processes: whether they live and since when, when they end, how one is started.


def home_folder(program: str = __file__, paths: Any = os.path) -> str:
    """Where the registry is. Some clients pass hardly any environment; but the copy that they start lies in that folder."""
    place = paths.dirname(paths.abspath(program))
    if [paths.basename(paths.dirname(place)), paths.basename(place)] == ["shim", "stdio_shim"]:
        own = paths.dirname(paths.dirname(place))
    else:
        own = paths.join(paths.expanduser("~"), ".tdmcp")
    return os.environ.get("TDMCP_HOME") or own


def make_private_folder(path: str, system: str = sys.platform) -> None:
    """Make a folder, and those above it, that only this user may read; it may be there already.

    On Windows without a mode: from 0o700 Python 3.11.10 makes access rights of their own, which keep the user out after
    one start as administrator. There the rights of the profile protect.
    """
    if system == "win32":
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(path, mode=0o700, exist_ok=True)


_host_of: list[str] = []


def host_id(system: str = sys.platform) -> str:
    """This computer, as entries in the registry name it; the same as `tdmcp_embedded.processes.host_id`.

    The host name and the system, which a home can be shared with (WSL has the host name of its Windows). A Mac's host
    name changes with the network, so there it is the id of the hardware.
    """
    if system != sys.platform:
        return _read_host_id(system)
    if not _host_of:
        _host_of.append(_read_host_id(system))
    return _host_of[0]


def _read_host_id(system: str) -> str:
    if system == "darwin":
        import ctypes

        try:
            library = ctypes.CDLL(None)
            uuid, patience = ctypes.create_string_buffer(16), (ctypes.c_long * 2)(1, 0)
            if library.gethostuuid(uuid, ctypes.byref(patience)) == 0:
                return f"{uuid.raw.hex()}/{system}"
        except (OSError, AttributeError):
            pass
    return f"{socket.gethostname().casefold()}/{system}"


def process_alive(pid: int) -> bool:
    """Whether a process of this id exists."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        # os.kill(pid, 0) would end the process there.
        return windows_alive(pid, windows_kernel())
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    if sys.platform.startswith("linux"):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # A process that ended but was not collected by its parent still has its id.
                return file.read().rpartition(b")")[2].split()[:1] != [b"Z"]
        except OSError:
            pass
    return True


def process_start(pid: int, system: str = sys.platform) -> float:
    """When a process started, in seconds since 1970, good to a second; 0.0 where the system does not say."""
    if system == "win32":
        return windows_start_time(pid, windows_kernel())
    if system == "darwin":
        import ctypes

        try:
            return mac_start_time(pid, ctypes.CDLL("/usr/lib/libproc.dylib"))
        except OSError:
            return 0.0
    if system.startswith("linux"):
        return _linux_start_time(pid)
    return 0.0


def _linux_start_time(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        with open("/proc/stat", "rb") as file:
            boot = next(int(line.split()[1]) for line in file if line.startswith(b"btime "))
        return boot + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return 0.0


def mac_start_time(pid: int, library: Any) -> float:
    """The same by macOS' proc_pidinfo: seconds and microseconds at byte 120 of `struct proc_bsdinfo` (136 bytes)."""
    import ctypes
    import struct

    facts = ctypes.create_string_buffer(136)
    # PROC_PIDTBSDINFO is 3.
    if library.proc_pidinfo(pid, 3, ctypes.c_uint64(0), facts, 136) != 136:
        return 0.0
    seconds, micro = struct.unpack_from("=QQ", facts.raw, 120)
    return float(seconds) + float(micro) / 1e6


def windows_start_time(pid: int, kernel: Any) -> float:
    """The same by the Windows API, which counts tenths of microseconds since 1601."""
    import ctypes

    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return 0.0
    try:
        # Pairs of 32 bits, the low one first.
        times = [(ctypes.c_uint32 * 2)() for _ in range(4)]
        if not kernel.GetProcessTimes(handle, *[ctypes.byref(one) for one in times]):
            return 0.0
        return float(((times[0][1] << 32) | times[0][0]) / 10_000_000 - 11_644_473_600)
    finally:
        kernel.CloseHandle(handle)


def same_process(pid: int, started: Any) -> bool:
    """Whether the process of this id, which lives, is the one that had it at that time: ids are used again.

    Args:
        started: seconds since 1970; anything that is no figure says nothing.
    """
    if isinstance(started, bool) or not isinstance(started, (int, float)) or not started:
        return True
    now = process_start(pid)
    # Clocks tick coarsely: two seconds apart is the same process.
    return not now or abs(now - started) < 2.0


def windows_kernel() -> Any:
    """What is used of the Windows API; `last_error()` is of the call before."""
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # Windows
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_ulong)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    kernel.GetProcessTimes.argtypes = (ctypes.c_void_p,) * 5
    kernel.last_error = ctypes.get_last_error  # type: ignore[attr-defined,unused-ignore]  # Windows
    return kernel


def windows_alive(pid: int, kernel: Any) -> bool:
    """Whether a process of this id exists, by the Windows API."""
    import ctypes

    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return bool(kernel.last_error() == 5)  # ERROR_ACCESS_DENIED: it exists, and is somebody else's
    code = ctypes.c_ulong()
    told = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return bool(told) and code.value == 259  # STILL_ACTIVE


def packaged(kernel: Any) -> bool:
    """Whether Windows runs us inside a package (the client is one): what we start then shares its private AppData."""
    import ctypes

    size = ctypes.c_uint32(0)
    try:
        # ERROR_INSUFFICIENT_BUFFER: there is a name, which we do not need.
        return bool(kernel.GetCurrentPackageFullName(ctypes.byref(size), None) == 122)
    except AttributeError:  # Windows 7
        return False


def start_outside(program: str, path: str, folder: str) -> tuple[list[str], dict[str, Any]]:
    """How Windows' management service starts a program for us: outside our package, and outside the client's job."""
    import subprocess

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    line = quoted(subprocess.list2cmdline([program, path]))
    script = (
        "$ErrorActionPreference = 'Stop'; $made = Invoke-CimMethod -ClassName Win32_Process -MethodName Create "
        f"-Arguments @{{CommandLine = {line}; CurrentDirectory = {quoted(folder)}}}; exit $made.ReturnValue"
    )
    shell = os.environ.get("SystemRoot", r"C:\Windows") + r"\System32\WindowsPowerShell\v1.0\powershell.exe"
    command = [shell, "-NoProfile", "-NonInteractive", "-Command", script]
    return command, {"creationflags": 0x08000000}  # CREATE_NO_WINDOW


def start_command(program: str, path: str, system: str) -> tuple[list[str], dict[str, Any]]:
    """How TouchDesigner is started with a project so that it outlives us: the command, and options of Popen."""
    if system == "win32":
        # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP, CREATE_BREAKAWAY_FROM_JOB: a client may end its job with itself.
        return [program, path], {"creationflags": 0x01000208}
    if system == "darwin" and ".app/" in program:
        bundle = program.partition(".app/")[0] + ".app"
        # -n: a second one, if another project is open in this build.
        return ["/usr/bin/open", "-n", "-a", bundle, path], {"start_new_session": True}
    return [program, path], {"start_new_session": True}


def windows_ended(pid: int, kernel: Any) -> bool:
    """Wait for the end of a process, by the Windows API. False: it cannot be watched."""
    handle = kernel.OpenProcess(0x00100000, False, pid)  # SYNCHRONIZE
    if not handle:
        return False  # not ours to watch
    try:
        return bool(kernel.WaitForSingleObject(handle, 0xFFFFFFFF) == 0)  # INFINITE; WAIT_OBJECT_0
    finally:
        kernel.CloseHandle(handle)


# ------------------------------------------------------------------------------------------------------ private_files
# Reading files of ours: only such as nobody else can have written.


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


# ------------------------------------------------------------------------------------------------------------ targets
# A server to talk to, and telling it from others.


class Target:
    """A server to talk to: its URL and key, and its registry entry if that is where it was found."""

    def __init__(self, url: str, token: str, entry: dict[str, Any] | None = None) -> None:
        self.url = Url(url)
        self.token = token if plain(token) else ""
        self.entry = entry or {}
        #: What the server itself says of its contract, where no entry does.
        self.terms: dict[str, Any] = {}
        #: Whether a key goes no further than this machine when it is sent there.
        self.is_local = on_this_machine(self.url.host)
        self.pid = _whole(self.entry.get("pid"))
        #: What its `/health` must say before it is shown a key: the port may have gone to another program.
        self.instance_id = str(self.entry.get("instance_id") or "")
        #: What it must answer a nonce with; servers before this have none, and say their id only.
        self.instance_secret = str(self.entry.get("instance_secret") or "")
        self.name = str(self.entry.get("name") or "")
        #: Its whole path, where the entry tells the folder.
        self.project = _joined(
            str(self.entry.get("project_folder") or ""), str(self.entry.get("project") or "")
        )
        self.component = str(self.entry.get("component") or "")
        #: Changes when the server behind it is another one, or the same one started again.
        self.key = (self.url.text, self.pid, str(self.entry.get("started") or ""))
        #: Stays the same over a restart, which may come with the project's next version.
        self.identity = (_stem(self.name), _folder_of(self.project), _stem(self.project), self.component)

    def is_proven(self, facts: dict[str, Any], nonce: str) -> bool:
        """Whether `/health` answers a nonce as only this very server can; those before that are taken at their word."""
        if not self.instance_secret:
            return True
        import hashlib
        import hmac

        words = f"tdmcp health 1\n{self.url.port}\n{nonce}"
        wanted = hmac.new(self.instance_secret.encode(), words.encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(str(facts.get("proof") or "").encode(), wanted.encode())

    def __str__(self) -> str:
        if not self.entry:
            return self.url.text
        project = os.path.basename(self.project.replace("\\", "/"))
        facts = ", ".join(fact for fact in (project, f"pid {self.pid}" if self.pid else "") if fact)
        return f"{self.name or self.component or self.url.text} ({facts})"

    @property
    def called(self) -> str:
        """For sentences."""
        return f"TouchDesigner {self}" if self.entry else f"TouchDesigner at {self}"

    def answers_to(self, word: str) -> bool:
        """Whether a user who says `word` means this one: its name, process id, component or project."""
        project = self.project.replace("\\", "/")
        names = (self.name, self.component, project, os.path.basename(project), self.url.text)
        return word == str(self.pid) or word.replace("\\", "/").casefold() in [
            n.casefold() for n in names if n
        ]

    def contract_notice(self) -> str:
        """Empty when shim and server are of the same age; a sentence when one is older; a Refusal if they don't fit.

        Judged by the contract alone: package versions say nothing about what fits.
        """
        facts = self.entry or self.terms
        theirs = facts.get("contract")
        if not isinstance(theirs, int) or isinstance(theirs, bool) or theirs == CONTRACT:
            return ""
        component = f"the tdmcp component {'in' if self.entry else 'at'} {self}"
        accepts = _whole(facts.get("accepts")) or OLDEST_CONTRACT
        if theirs < OLDEST_CONTRACT:
            raise Refusal(
                "precondition_failed",
                f"T{component[1:]} is too old for this client's shim "
                f"(contract {theirs}, needed {OLDEST_CONTRACT} or newer).",
                "Replace the component in the project with the current tdmcp.tox; the shim needs no restart.",
            )
        if theirs > CONTRACT and accepts > CONTRACT:
            raise Refusal(
                "precondition_failed",
                f"This client's shim is too old for {component} "
                f"(contract {CONTRACT}, needed {accepts} or newer).",
                "Pulse Install Client on the component's Clients page, then restart this client.",
            )
        if theirs < CONTRACT:
            return f"T{component[1:]} is older than this shim; update it with the current tdmcp.tox."
        return (
            "This client's shim is older than the tdmcp component; pulse Install Client on its Clients page."
        )


def lives(target: Target) -> bool:
    """Whether the process that wrote an entry lives: not only one that has its process id by now."""
    return process_alive(target.pid) and same_process(target.pid, target.entry.get("process_started"))


def on_this_machine(host: str) -> bool:
    """Whether an address is loopback, or another one of this machine; a name is not, since names can be moved."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            packed = socket.inet_pton(family, host)
        except (OSError, ValueError):
            continue
        if (family == socket.AF_INET and packed[0] == 127) or packed == bytes(15) + b"\1":
            return True
        try:
            # Only an address of this machine can be listened at.
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind((host, 0))
        except OSError:
            return False
        return True
    return False


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _joined(folder: str, name: str) -> str:
    if not folder or not name or "/" in name or "\\" in name:
        return name
    return f"{folder.rstrip('/')}/{name}"


def _folder_of(project: str) -> str:
    path = project.replace("\\", "/") if os.name != "nt" else project
    return os.path.dirname(path) if path.lower().endswith((".toe", ".tox")) else path


def _stem(project: str) -> str:
    """The name of a project without its version: `show.12.toe` is `show`."""
    name = os.path.basename(project.replace("\\", "/")).casefold()
    return re.sub(r"(\.\d+)?(\.toe)?$", "", name)


def path_form(path: str, paths: Any = os.path, system: str = sys.platform) -> str:
    """A path as the system compares it, without links. On a Mac neither letter case nor the Unicode form matters."""
    try:
        found = str(paths.normcase(paths.realpath(path)))
    except ValueError:  # no path has such characters
        return path
    if system == "darwin":
        import unicodedata

        found = unicodedata.normalize("NFC", found).casefold()
    return found


def _inside(path: str, folder: str) -> bool:
    path, folder = path_form(path), path_form(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _same(wanted: Target, found: list[Target]) -> Target | None:
    """The entry of the same server: the very one, or what it is after a restart."""
    for target in found:
        if target.key == wanted.key or (target.pid, target.component) == (wanted.pid, wanted.component):
            return target
    alike = [target for target in found if target.identity == wanted.identity]
    return alike[0] if len(alike) == 1 else None


def _near(project: str, folder: str) -> bool:
    """Whether a project's folder is around the folder that the client works in, or in it."""
    return (_inside(folder, project) and not broad(project)) or (
        _inside(project, folder) and not broad(folder)
    )


def broad(folder: str, home: str = "", paths: Any = os.path) -> bool:
    """Whether a folder is the root of a drive, the home or around it. Clients that have no project work there (macOS
    starts programs in `/`), so it says nothing of which project is meant.

    Args:
        home: this user's by default.
        paths: the rules of paths.
    """
    try:
        place, own = path_form(folder, paths), path_form(home or paths.expanduser("~"), paths)
    except OSError:
        return False
    return bool(
        paths.dirname(place) == place or own == place or own.startswith(place.rstrip(paths.sep) + paths.sep)
    )


# ---------------------------------------------------------------------------------------------------------- instances
# The running servers of this user, and which of them the calls go to.


class Instances:
    """The running servers, and which of them the calls go to."""

    def __init__(
        self,
        home: str,
        url: str = "",
        token: str = "",
        instance: str = "",
        project: str = "",
        folder: str = "",
    ) -> None:
        self.home = home
        self.fixed_url = url
        self.fixed_token = token
        self.instance = instance
        self.project = project
        self.folder = folder
        self._lock = threading.RLock()
        self._looked = 0.0
        self._entries: list[Target] = []
        self._files: dict[str, tuple[tuple[int, ...], Target | None]] = {}
        #: Why an entry is not used, by its file.
        self._unsafe: dict[str, str] = {}
        #: Entries of servers on other machines: used only where the user gave that address.
        self._remote: list[Target] = []
        #: Entries of other computers that share this home: theirs to use and to remove.
        self._elsewhere: list[Target] = []
        self._reached: dict[str, tuple[float, bool]] = {}
        self._selected: Target | None = None
        #: The last one there was, for what is said when it is gone.
        self.last: Target | None = None
        #: The last one that a tool call reached: further calls stay with it when others appear.
        self._reached_last: Target | None = None
        #: Those that ran beside it: none of them takes its place without being asked for.
        self._beside: set[Any] = set()

    def forget(self) -> None:
        """Look again at the next question; what was known has just proved wrong."""
        self._looked = 0.0

    def running(self) -> list[Target]:
        """Servers whose process lives, oldest first."""
        with self._lock:
            now = time.monotonic()
            if self._looked and now - self._looked < 0.2:
                return self._entries
            alive = [target for target in self._read() if lives(target)]
            if len(alive) > 1:
                # A process id may have been used again since a crash: do not call that a choice.
                answering = [target for target in alive if self._answers(target, now)]
                alive = answering or alive
            self._entries = sorted(alive, key=lambda t: (str(t.entry.get("started") or ""), t.pid))
            self._looked = now
            return self._entries

    def fitting(self) -> list[Target]:
        """Those of them that the options allow."""
        found = self.running()
        if self.instance:
            found = [target for target in found if target.answers_to(self.instance)]
        if self.project:
            found = [target for target in found if self._is_of_project(target)]
        return found

    def several(self) -> bool:
        if self.fixed_url:
            return False
        found = self.fitting()
        return len(found) > 1 or (len(found) == 1 and self._takes_over(found[0]))

    def _takes_over(self, target: Target) -> bool:
        """Whether this one is only left over from several, and not the one that calls went to."""
        last = self._reached_last
        return last is not None and target.key in self._beside and _same(last, [target]) is None

    def choose(self) -> Target:
        """The server that calls go to now. Raises Refusal."""
        with self._lock:
            if self.fixed_url:
                return self._fixed()
            looked = self._looked
            try:
                target = self._pick(self.fitting())
            except Refusal:
                if self._looked != looked:
                    raise
                # Refused on the strength of an older look: it may have come up in this very moment.
                self.forget()
                target = self._pick(self.fitting())
            self.last = target
            return target

    def reached(self, target: Target) -> bool:
        """Note that a tool call got there; returns whether that is another instance than the call before reached."""
        before, self._reached_last = self._reached_last, target
        return before is not None and before.identity != target.identity

    def select(self, word: str) -> Target:
        """Send calls to the instance of this name from now on. Raises Refusal."""
        with self._lock:
            self.forget()
            found = [target for target in self.fitting() if target.answers_to(word)]
            if len(found) == 1:
                self._selected = found[0]
                return found[0]
            if found:
                raise Refusal(
                    "value_invalid",
                    f"{len(found)} instances answer to {word!r}.",
                    "Name one by its process id: " + ", ".join(f"{t.pid} is {t}" for t in found) + ".",
                    [str(t.pid) for t in found],
                )
            raise Refusal(
                "value_invalid",
                f"No running TouchDesigner answers to {word!r}.",
                "list_instances shows those that run.",
                self.names(),
            )

    def names(self) -> list[str]:
        """A word for each fitting instance that means it alone."""
        found = self.fitting()
        names = [target.name for target in found]
        return [t.name if t.name and names.count(t.name) == 1 else str(t.pid) for t in found]

    def listing(self) -> list[dict[str, Any]]:
        try:
            chosen = self.choose().key
        except Refusal:
            chosen = None
        return [
            {
                "name": target.name,
                "project": target.project,
                "component": target.component,
                "pid": target.pid,
                "url": target.url.text,
                "build": str(target.entry.get("build") or ""),
                "started": str(target.entry.get("started") or ""),
                "selected": target.key == chosen,
            }
            for target in self.fitting()
        ]

    # -- reading the registry

    def _read(self) -> list[Target]:
        folder = os.path.join(self.home, "instances")
        seen: dict[str, tuple[tuple[int, ...], Target | None]] = {}
        unsafe: dict[str, str] = {}
        try:
            with os.scandir(folder) as listing:
                files = [entry for entry in listing if entry.name.endswith(".json")]
        except PermissionError:
            files = []
            unsafe[folder] = kept_out(folder)
        except OSError:
            files = []
        for file in files[:1000]:
            try:
                # Not the listing's own figures: Windows keeps those of an open directory entry late.
                facts = os.lstat(file.path)
                stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                known = self._files.get(file.path)
                seen[file.path] = known if known and known[0] == stamp else (stamp, self._load(file.path))
            except Unsafe as error:
                unsafe[file.path] = str(error)
            except PermissionError:
                known = self._files.get(file.path)
                if known is not None:
                    seen[file.path] = known  # it is being replaced this moment
                else:
                    unsafe[file.path] = kept_out(file.path)
            except OSError:
                continue  # removed meanwhile
        found = [target for _, target in seen.values() if target is not None]
        self._elsewhere = [target for target in found if is_elsewhere(target)]
        found = [target for target in found if not is_elsewhere(target)]
        self._remote = [target for target in found if not target.is_local]
        for target in self._remote:
            unsafe[target.url.text] = (
                f"{target} says that it is at {target.url.authority}, which is not this machine; to send it a key, start "
                f"the shim with --url {target.url.text}"
            )
        self._files, self._unsafe = seen, unsafe
        return [target for target in found if target.is_local]

    @staticmethod
    def _load(path: str) -> Target | None:
        try:
            entry = json.loads(read_private(path).decode("utf-8"))
            whole = json.dumps(entry, ensure_ascii=False).encode("utf-8")
            if rb"\u0000" in whole:
                return None  # half a character, or this one, would go wrong anywhere later
            return Target(str(entry["url"]), str(entry.get("token") or ""), entry)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _answers(self, target: Target, now: float) -> bool:
        known = self._reached.get(target.url.text)
        if known and now - known[0] < 2.0:
            return known[1]
        try:
            Connection(target.url, 0.3).close()
            answers = True
        except OSError:
            answers = False
        self._reached[target.url.text] = (now, answers)
        return answers

    # -- choosing

    def _fixed(self) -> Target:
        url = Url(self.fixed_url)
        for target in [*self.running(), *self._remote]:
            if target.url.text == url.text:
                # A key that the user gave for this address goes there, whatever an entry says of it.
                entry = (
                    {**target.entry, "instance_id": "", "instance_secret": ""}
                    if self.fixed_token
                    else target.entry
                )
                return Target(url.text, self.fixed_token or target.token, entry)
        return Target(url.text, self.fixed_token)

    def _pick(self, found: list[Target]) -> Target:
        if not found:
            self._refuse_absent()
        if self._selected is not None:
            again = _same(self._selected, found)
            if again is None:
                raise Refusal(
                    "precondition_failed",
                    f"The selected instance, {self._selected}, has ended; the call went to no other.",
                    "Call select_instance with one that runs.",
                    self.names(),
                )
            self._selected = again
            return again
        if len(found) == 1:
            if self._takes_over(found[0]):
                raise Refusal(
                    "precondition_failed",
                    f"{self._reached_last}, where calls went so far, has ended; the call went to no other.",
                    f"Still running: {found[0]}. Call select_instance to go on with it.",
                    self.names(),
                )
            return found[0]
        if self._reached_last is not None:
            again = _same(self._reached_last, found)
            if again is not None:
                self._beside = {target.key for target in found if target is not again}
                return again
        if self.folder:
            near = [t for t in found if t.project and _near(_folder_of(t.project), self.folder)]
            if len(near) == 1:
                return near[0]
        raise Refusal(
            "precondition_failed",
            f"{len(found)} TouchDesigner instances are running: {', '.join(str(t) for t in found)}.",
            "Call select_instance with the name of the one you mean; list_instances tells more about them.",
            self.names(),
        )

    def _is_of_project(self, target: Target) -> bool:
        project = target.project
        if not project:
            return False
        if _stem(project) == _stem(self.project):
            return True
        wanted = os.path.join(self.folder, os.path.expanduser(self.project))
        if wanted.lower().endswith(".toe"):
            return path_form(project) == path_form(wanted)
        return _inside(project, wanted)

    def _refuse_absent(self) -> NoReturn:
        others = self.running()
        if others:
            asked = f"--instance {self.instance}" if self.instance else f"--project {self.project}"
            raise Refusal(
                "precondition_failed",
                f"No running TouchDesigner is what {asked} asks for.",
                "Open that project, or change the option in the client's configuration. "
                f"Running: {', '.join(str(t) for t in others)}.",
                [t.name or str(t.pid) for t in others],
                retryable=True,
            )
        if self._unsafe:
            raise Refusal(
                "precondition_failed",
                f"A TouchDesigner may be running, but its entry is not used: {'; '.join(list(self._unsafe.values())[:3])}.",
                "Then repeat the call. Nothing needs to be restarted here.",
                retryable=True,
            )
        last = self.last
        if last is not None and lives(last):
            raise Refusal(
                "not_started",
                f"TouchDesigner is running ({last}), but the tdmcp component in it is off, restarting or deleted.",
                "Switch the component's Active parameter on, or put the component back; then repeat the call.",
                retryable=True,
            )
        crashed = [
            target for _, target in self._files.values() if target is not None and not is_elsewhere(target)
        ]
        if crashed:
            dead = max(crashed, key=lambda t: str(t.entry.get("started") or ""))
            raise Refusal(
                "not_started",
                f"TouchDesigner isn't running: {dead} ended without closing its server, so it probably crashed.",
                "Open the project again (look for a CrashAutoSave .toe beside it); then repeat the call. "
                "Nothing needs to be restarted here.",
                retryable=True,
            )
        other = (
            f" {self._elsewhere[0]} is entered by another computer that shares this home."
            if self._elsewhere
            else ""
        )
        raise Refusal(
            "not_started",
            f"TouchDesigner isn't running, or no open project has the tdmcp component switched on.{other}",
            "Open your project in TouchDesigner; then repeat the call. Nothing needs to be restarted here.",
            retryable=True,
        )


def is_elsewhere(target: Target) -> bool:
    """Whether an entry is of another computer, whose process ids and loopback address are not ours."""
    host = target.entry.get("host")
    return isinstance(host, str) and bool(host) and host != host_id()


def kept_out(path: str) -> str:
    """What to do about a file or folder of ours that is there but may not be read."""
    if sys.platform == "win32":
        return (
            f"{path} may not be read by this user: TouchDesigner probably ran as administrator once; quit it, run  "
            f'icacls "{path}" /reset /T  in a prompt opened as administrator, and start it without that'
        )
    return f"{path} may not be read by this user: it belongs to another one, or its mode forbids it"


# ----------------------------------------------------------------------------------------------------------- built_in
# The lists for the time before any server was seen: generated by `python -m tox_build.shim_tools`.

# BUILT-IN BEGIN
BUILT_IN = (
    "eNrtXXlz20aW/ypd3K2KNMOVZTuTmlC1tSXLiaNZ65hYmSSOXawm0SJhgQAGDYhivPru+45uoEE0eEiyYzv4xxZxNPp4/d7vnf2+"
    "lydJpHuD3973YjlTvUFvovKhzmVe6F6/l4d5hBdfqFyUFwOlx1mY5mESw61XcFmJ5FJcJMV4+lzpcBKrTMg4EPk01EKr7FplA5Fm"
    "yTs1zvtCy2sV9MWoCCP47zKDz4oM2uiLPJypKIzhr3OVXSbZTMySAH7J8VhpLSJ1raK++HehCrxIH4AvF/k4mVEP6HtXavEVPCt1"
    "LlQQ5lrswFMhdkjPVabFTC7ESIko0fnunjg0V+chvBwLCd0dJ9AyfCoW4fKgcDh5Mb7q0/P0+Si8UtFCZErqJN6D2QnjtMhfjadq"
    "JnuD9z0YdqqyPFQwye9vYUYXKU5oMsLJ6MEF6H/7C72ZDONhPoXmA/wpAxgSzLuMzte1K/UwucR3zB2dZ2E8wTtmJbZszy7Ott1I"
    "0ygcSyaWrd5kwtnyJSKOLd/J1FjF+ZCoBV8NczXT284OX5BZJhe9W98TIdAVbzSdjeFOIHM5CGdyoh7p68lfb2bRwUhq9c3X/fMf"
    "Tp+8Xjz7evTzTTH+fT+UP/y4P36eXL98GjwNFn97erL42/V4Nr4+eXc4Pzn69vdgNg6Pf3idvv4lOBo9nXx7/O5wcnJ0+PXx80l4"
    "/u5m/usvPybHL16noxfzb4/Dk/2zFyeh+Z2P43/p1xf74etfXkej2bdXr4+OJ6+f74cXF4eT0x++23958evk7Ohw/vLin5PTcB/a"
    "fHZ6enS4ePnuX9OTV18/Pn7+XXH66nAO/+M3ixP8O/z7X8+5X3+FDTEDwrng2agNF27p8Hec0d96Ml703t6+BXKJ4yQnaqEVQLo/"
    "i6PFD2EM9JpnsPGR/cAf4zy8Vnz5UkYaroeBmqVJDkvpPg3rFv+cZFHgPAvrU7K7yzAOhri4Mk8yl+V9DzeEe6PO9l6GwGDK28BR"
    "omQO7COVwBdGC4GtA0ODYQOLk7MwWsAvOYEfEf6bqxvghKlE5pcDY7mWUQEsLBPqJs2A18E3+vQzy6D1AyGjSExC5EmzAr47TaJg"
    "T5zDZGr8WBTOwpwY4rjIdJIdiEdFSL8f6YUWMlPA1mQGLAZGBLMppKaOrmNXPXwI/w/UpSwimL7eo+ZEJMmVGT7x36Ozk3NsuMF2"
    "eMKX+dFyc6coDmDk8GmYmFjs/EX8zy5yeximwktiDLtkr9pz6xqMk1Cri7Nzmk9p26UGeGGwCRUXM6RD7Dy0AI/Dv0c/0H+v6N9z"
    "+vf54QX8ewL/vvWMEBZ4fX8OkQ4ErNdUau5FxK/VHzuLFcynzHnBQWAl8QDWOpVa90UQ6jSSQFKZigOV9UGaja/Em+LJ/pNvfFOP"
    "5La+Z+cyy1GMSgHDBBmKb+Gk0SWQsTPYWtRjotvtl5LaqWjemQIi//UNHoM0p0f73Cx3F2V8tW0OSDSDUOUvDeirQDzjqYwnRP9M"
    "PLyzhrgdfJMPm4REPD+Gn5vLLIZOaYe2R4CdlIyxuUClvFXMLWA2agLSq7FbEMNYdoHb60CYzTXATc4EEaooqEsiS5+0h8z3S/ol"
    "wkMOhZSE/5u1gr/SRJMEsxsd7zLg0Ib90uPJVY9gwSjC73lJ25Vvy4P6Xo5hDWCilRwD9wO0FKjlwWEDNDpiVjWm8rf95QbPSr6K"
    "BDNROOczeRPOcBYe7+/v95fnGRpm3rcBQwCyHvLDDBoVo0X+0O32GC0HiRV51p6gRV5ksQr8d52eeIFaJX0eBJXAgl+Facq9KZtb"
    "vdQdlPl8oEwY6xRWqEQzDpg55lsr8Mx3gLUXqANNhBwh+0xQACUin0MvFtWLg4qDs9ZkOTKrai5+MRscpBSyXsIjwJYKMU+yQCOf"
    "zhi+ANBSNweEjOCyhTxwM4mKnFpC5h0j34QtmyVzuIs8i/RFeFvM4IKGzsGKoPoHAnIMQjOZ0ZbW2CmYSuyT3hMEV6YKINFIgYqJ"
    "yCjPcdRFTOw0lJkzwo0Qkm6R3nbyqJENt5sRrvTxOvIyAqyxcG/snTc9sQMUJwAzmLcAN73pgVR506uDH2R7SDOgzYJ2i2jwTS//"
    "H5zxv7zpebAbMbJ/F7BeAVI4j/nt1nzywdlZpC6B2ou842dfJD/DLwxjlQO/uHJ42Y9wGWi5ulHfDxdoEyrxA/BEBCOS1JLSahNm"
    "Ik7i/zLbxNnvfeZKoJoZ4KRZY9OssrHRSQJMggvAeBA7kJ2KjFm2r/DElQJWQ5gQLUOBht7qHNAn9gKAdZIA+0NwH6JV6zJHIxb+"
    "jQMPKtvSGNU+UgImCgBWmG+hsC1PCY9/mmglym4m1Dmvslbi2ZIBPV6e6McDgt7lXB+IJ4hhdWInPcevHVRqiYvgfADuOlTzOs+7"
    "LKLIw/DwMnA7mDCaRM/kw1eRGaG9Ch4kXsfauKYlpEXGZ2Yqm8kQWacEpUpOgA5wOizcNk0gtOaemOe9ELkEtuU4n/iQ6jqs6yoE"
    "aK2MSV3XuVwIPbMqwsNh3WXGvhFf/0/oItHbYckTmrTo1/dvy438flM9FW4guPDbMq2C4xEBsIgjpixYkWO++QSZXlz9aCBkVIke"
    "qK1xEvEabdLYU7expy2wYJXAREZ9dklSjN/9rdRP+/aLfTtzb5HNViJ42zf/M1PwfO8/HhEhPDq3/PN74IU9fKAcKOya27dN0b2u"
    "ibc+MX1Hce9SONGkj8KPCDCiRW0LQq5DtbJLS0OzTZtn799H29DmHdX5omXHRXKkIv87Zic0+XTJn+9Dcxs9vzRReAU2ie/D1Z5a"
    "td08zcmbh2wuRup9IPaButI2pM5vDGlF9R1e1EmRjf1UMlVR6r1BEM3a0JpWMQ2Ua5hz86aKEUgNUWP0tO3bFJaQfZvjlMW/labb"
    "iCOvGbljubyA/y5UPFYrZ6HJIZoaFhsfBytmoJr4Rk9/BirYaIxo+UyHH+tjnzL2YFPw+kVz9mNT3W5DY6QB1Xq6OavxrBjZqn3v"
    "PiiAys2EbN7VIBlf+ftFgngTmT9R3jFPQWHJVLyqhWV+5mlmSSFva8nB6L5G9NAGFzRJ4kMirjr7abDrFrHQ743COGiRRVrl/nGk"
    "RaSV75aP7IkBNPpzmSUzv5GedKOa3urRbpdmhVprzgoHZ3wM14I1FGwuDf3Wuz+Iaq0e7uvofJp4wW5n+fu0LX/93hD4AdkXipC/"
    "w5D0pwx+wrXBo0c5dD99ZE1/tw1rIa7fsqnQXKsbRn5Gw5GMS+sVhVToQenzJhFXOsMrk9xU6qmYZ0C19C0xl3GO7ojSQYFvYOAA"
    "vwISqS9ARsE/wG/I9qTlLI3Q+pQmMHi2R8kcaHRU5Mo08Areh06cn52jpyOCWTA3LvAGhqlNstAYCjEsL9R5ONZORAhczNhaSVYp"
    "Mv8zN7iHCdHOlddgSF9c5oJLbuIw07ngAL8smffNVJAvH+fCadfhZH6z2nq72g/JnK1nZPdKTMwImQK3EGd9X2QAEIJWuDDFDA3E"
    "rneqWkn6HC5TbVL+3jBXn50PeDVtACN1erRwfhgSqHnBgSV9UB/4neyCf7TwumrDBiV1enSVj4Fy22QSqNbAUPxwRubKC3ktuT2U"
    "F822N3TRnoe0mNzXPMVMbcsepRnucRAdLepkm2LU1Dgr3Sy8WZ6ixh8brFtDRSuZ7VZD7KDHZ+N0HMsUWJMaUtccKHHE1xEz2FvL"
    "cX1pOKZHrKTu2+C5uIqf+EoLdHNhzB5Jb/SgxRL7LnDwjAbEtcoCaGwgkqu+GEUSI85Bo2dkkslYpzLDYDzxSsGjMuIoei30FIVe"
    "cq1QpUa3EQOFPXGacGgHupG09VyaOPA7IoJDHOJBOT5oMKvQFA6Lx+kFCyDFhnZTVw7G/SdfN4NLY0A0uSB/InSbt3VNEH69/+03"
    "pPob3+I3Prk4l2E+5Ela7dT8nicyTzjCJMzFJaKWA1x3DBCnKYZ5vcQIRgyRwRWZJ3XR7HdvoqNY1iFSLyXZbN2N/OtdqiZeB+Mm"
    "/T9JcOlpibF3hiQxzSKZwahScjfXevutr69IVoul1WmZqhGAcYWByfzlWttP99erwq3gomOQX4xuBoxlfDXkyC6Xp+JlDKAQ5a2l"
    "oDS63C9jb0FloLs2LJf0qakMYC/uvHj56uUuhimnIegUQJmalCHiTxVjkpzbY0PdOA4XFSQKXS3VvCqAhMIvphL4cwj89ieN/4v5"
    "FAheA8FzKxGwCg1aITCrA5N0lKk0AQ2MY02SefwgofYXqBGsG8rqcI77hScfiP0BpzjIyAZSN+N5nzZYxYldDU8479/+8GjeMprh"
    "nCOgX2RJkfpj+gxZLc+9IRIbolNfWY0Phnktz4DoF/czES/+QR8a2uuG4L1iwPShxWJexG3I3EYq3tGQWw6j6oH9Xr81JPDjGTST"
    "K7/pl1hPW6OjxdBdnXs4uMrg+RUmzRp5eZSLGLsyRNyhgnX25C6W+8tWQ2ZKalRDUk6ElfHYVUZO+K6o311iV0BMIjaawUBcptom"
    "22LYNCHEWRhFISe8YlIR0DwQlHmjT6xUgxxQKxPd3DbgMr3cFy/OfwJeOUuyRSkzTbg1KTiEnkksQ19CTRO7VkJ64O83++343cxg"
    "PXXk7yhsSl3hSb+FT64TxM82SHczU7cGRFdWygpxJBSwuLc2YnL7TJVqCj3qSer3sML1YS6zSc235tzGJoezTXzNjcCZqtuG9oar"
    "OlhzQPnsU0krn3fW4iEsZpO0GDJ1D2cj7wCBWyjdseYvkjXPZT6eDinrxVVmfsbLorzcSK20OTOAU8k/VHoN2AsSiKTOsA2XIveR"
    "+QMgTV8wkSHW5bwPXVZCMJ6lkuMCI9FKobJCxplKX0ELkeYKCmgwupTrvUI06CYmro/LDqmPgsH1FpW7wK/z+COv/ACXP7E+YKzV"
    "rNCIlNlOrNBEeITKRjaUNSYU0JzLRax94cl6Mwov0NsHFQmGmB+Ia3Y88cvliUzWIzU0mcmWKT431wEZmjseNzzhKEriAK52qTDH"
    "0DXZ4ItfIV7FqD5iWk4G4g5FhJa5hpz97WS6UT4KhcSaNMS+k4O4SxZ6kOQjZR3s56DRJ7EYR1ITS5slQRGpkqWGsc4xpgCenRSY"
    "5wjclFzKaxmojavxJ3/QIDF9j2sVQMdqHdkBPtsnqLlbdUrs5AGg9KDY9eLPenD6usz/Mi+wys8vp8aXK/gXThY8sAmGbMVDjgdL"
    "kcswanqRqQt38CK3BSS1OnsvMR19Wxdkbba2eNFQz5ZvrXKidmzvs2F7VCtLRSbKvV4uixCZc8/L+JQoNGwwMh3G5DEbIOOLYRvG"
    "Vge3iW3wABqp+6ZVQIym4gu6Aiv9cY+9gCPcDZoaQIs0spikYQnnltBsyanD8Am38tbuWq6Gn1rPXp5lbCStxlJ1KW/YtLlTZEq9"
    "g4pLE/dQkMXYV4ZL6WduhgNMQNwFG37WHv9khu50T6bxEd+xVKv9uzgICbSUKL5MTRYxWsrQ3hWzexx1kj7W0kGbNEXKmLx8+wKX"
    "eJJauKnP6FjKEX0MHCMREDUW0csU6nIB63K2xA3Xj8FmfmOjW58tbm8PxFd7X2HabG4TgsMcdtslJ/JuWfVg4zRj+J6ZYn+qMSK2"
    "dTkaG+/ht94lQpedxOjOKdelYa8gLwr22DBaOTPBG0sL9L6cd5zokjxv97Z3rXEpr/CyTPtmH5pcJEsx5CWl18bCmryTnE77p18G"
    "iRIZcEYFznpRC6p0A/u9RXg+Yomdhqpu6OATijKEHtYadqs90ZYvE6O6goF/JnEBn8iVr8jOEd0Rzp0lL7i8UhwzZOEOKauONovb"
    "l/VcKi+B7hQFHCuSY1BBv4cXtIn3AtRYL3uwJ46RcXHZwVLDpbplsM2oVAKGJ/RFbCLBKLY4gGZ/pE2iS97YNzZMkkFiRLFn5O42"
    "ldCg/+xGimCwm4STZya9qz4ZJCjQTYOTQpp1r9+ejVJ/l5Rl7JOtrGhVU6s/H1CRQGaA+u61CKviZQRdb3JeD5iCjdJDb5fbe4+f"
    "HQjc17kEzP5/4j2mOd3iH5jWRH9QGhN8EoiRflPukvl921uZW1n/mq2sNBCYwoiiYhRZewWLNQwKG9jfxGTh161rr10lk7fOj1qv"
    "6K7LsqwP8Lebvli8dSNUnP3iqbnUlrgNT14O1U2o86WSS5cybJYfCS8rsIBQCug3xmpVuIuwmBTvJKqehWWmnPA+0xw/Sn8sJce1"
    "mrIzrua3sQVlOaLFE70Z84Z2KhtyFMuctlHOnbdOW6tFNoNbWk34blxF/dP03TKmy4Z0DcvulDExW0S++BGFJ2RlgxAVN5TD03NT"
    "QcZEpAFbmDs8kT3bdrr6mKuTYwVpFbjYHd4PQG2Ezis5cwnVHzDio9giDpJmBy2CJcMCPCF0rtIDAWIuXyDotMy/qiXWTK/MEiDo"
    "IXTEB3C2S5Zx6ypVheFM2B4H8mE2kAmyo87bqkgTw2Sr0m336EfViFFNOHaRaB1zueDugMTdgvjifLrAmWIEGSRDLBW+Xljgo1TP"
    "CZ4eYBt3TKBdbtfOCG5KsjaQqRUVtkjFE6DzO2VzMooJmiREeAdphXUmwwdkRNPj1SW2l4NInqzquhRS4g2fkKtcUZt+hOZtmepQ"
    "ypI6SuX5QD/fRqBazZFavlQKWqKoUXp+U6l5r6oCKxJe0NExRETX7HfFeerV7PFpm4WwVYnC0pO3PONIKpZemXCscYTiz+dWwEh9"
    "Rdzni/AEPj67ON5IPTp7MQfVZx9UoZ8m8D+oQseTkxD//9c3H0wFMrrOpjqQubxOCarpHo4K9Iy8eG2l+fgucK8iDVBTWgp8MjkL"
    "VPUONyv+KKVYnwwnSWZl2J64wEJvTFM1cxlyFn3Ahc4tMWLeFshgJEsWx303agL420TC121ARfmJn20pabMn8YUFFuNzgCYngIax"
    "qeSHRfXCyTSvFCvqg5G491SlfFa30pYHX2Ynql+V8ufvf/AaOR9JCbpjoZoljQnLqOs/oY51l7I5f4D6t7lCt76Uzp+1YM7DlcWp"
    "74QpguT+qlo5S8r7e94TFQIcCHutHtPRL6somFKiQCdvaxvoPrnPVSWeNtDE1Uwf6INt1U/uYzneqNzOmo74F4fEenlaidmJ7HRg"
    "n0P2YCuhbuTYYyak+J1ARSpXSxo0iQjXeEoKEsl5/wkN2WKYFb6VRqCgpQEL86QAETqVKSAgbzsguC7DzEPRfF4EDmMAeALxQW66"
    "TpPc9xUf8hgtKjndWXo6S09n6eksPRtZehz25uFZlbVnczlvSWc7cECsesuXitj51uqstxVmDsQltd3nsXZg2upkK1sHlQr3MXs8"
    "vCLI5DyuW642b/lDmbQo+h7pZFDuSp9K0xlxvlgjzmaObIBPQyfstTLivKrhquaBn3XYBUJoyY6DdUpi9FgfYqiLFiYFlytpDEiG"
    "kjPaBNxkjr8ahFGhFbvQqGaSKZMSK4k7OIemtNgp4gjPA8UDwEIZ7VamFjLH8ll6jveaDTCRnKUoEfmQvSQDthqEAe4ZFN/3MMsY"
    "q5HXOODEAtwpB+YPt6z44Zbp2yZ6hlkkD6PBInoloyGbWXnqKqYqlTEL65GzXYEOMD8sYO73fqT9GPiLIVSpArXpMThriwlJ3ZL2"
    "HqNGy9kPqwoh6GKChYO2hJMtk0U9WD1RP/Ogz5cOb2rLlbusxwGxn21BJ3WCBN926rbiEp+Mm+2PACAbZAh2WmKnJX7uWmJNnfKv"
    "AM8xM5y8ZEBzjlhak3zfRp9NJuih1KxNpCTloasWM7TvBCuXOiXjE1cyUE/2Hq+NVdZXHEd5lMQxLB8ddTzmv010rAbOTPnlBOyq"
    "kFl2xLG+YDzJZWysaQ1ZXabYa8ucBas50stTFRnnrMYKiTph7cX1N7uBsiYZ9WFCZM34/AEn6MleHqk9tw5k6/4BJVcQ6sdG+PtU"
    "6Q/4Ph0316573MFpBwuYeF/hIJiWyhyztKX4fqMmPrW/iV5R0YXPEoQrgNpm+9g/2DA27D8TckuQEXw1YR0Ydwn9jUwf+3ZAmRR3"
    "0Ce3HbAfCm80uttOD3tgPQy5ZXDcEoTA1x9QqdgyEuCDnMqzplH/bJpvdKC+A/V/IlDv+CL46ApYW6yksR7IL2U2MB+xMU2OX2NQ"
    "Zk1SxBwfFNdO0i63+uILwfwZwz85ftOXA/cTR3a25sAdTc1Z8G5FdBNsQiVQmJivVIqnl9uQzh1OgdktD2OuYlE487Vvs155A+A5"
    "8nhUvDL5cMk1+Rng2UimyBpMGp3xVFR1f82Z9LYeE4CVCvcTGu97wjn5pZxzwQPew0V2DXO9cUjnaq7jViQ2FW7iskYjnmVtay5v"
    "X+V1+VN2ZgyYMC33iR3xIrgTWTtRZU3gnFuMuOa1SKJggBL2Fj9qvk/pj0aoz+SN26BbL7hiB2WP1ucml1neKNU5cpaKcVA4sV3k"
    "kgo3zxbE5ujJ1nhZ3xtE9ZaxYtc4p/HAdAHBm+1GlUq5ulmXV5dplsm1qQl3x2DHZddWKjXMEwbMko4OSvUCBQYIDtiM9ogDGUXJ"
    "/ChJrhCPlOeAN4vvrEnxw8GQLEygVQ6zHidZrLKtkvzK4MilT0A/AeKP3rJ1eR9n6/GWDbdEZPrW2z68fehlvxEaF9GsYDPcd6w3"
    "kcSd/tUFjnXaQ6c93DtFsFXfmIbjUsDIbFJwuREOsBJVbYytoqHumPZ2b0mGY6BGOCNxTRriw1tG/PX6l3vpIqOpKRlN7A6r/2wF"
    "vupDWvUdZFu2yjdgNIZjSLBAvcOVYXE+KHy3BMNOQ/xMNcRxki68fp8juLHS7+PebqghpWFcm9AxU8XJhIlZRmhCQaniXWASOEib"
    "K7P+DLqeJVyYbnbQrLeyXBgFO0MBZji2jTQ7vSqtpD607XjlhoqABf/YYZo6p1ZGOYnVgT1NgNSFVHVQsoOSHZRcMkQnaXgvk0+N"
    "myZZOAljaVK+WdFHhtUXjYD+MB5HReBSklNRdz0qSVzBAjDOCAUxwQN5qDKWoKEFD1MMAdkb2ss41pnrUleCGA2JCKPRwEPIGbe1"
    "OT+lC6r/fIEPJ8B4oc/zpTTGxuZbfqAN1JRIxkE2e+IVBq4Y3ax2GidxCVXGuuyJE5aycOGp2CEVhCrCcWMUM7ILkkYFZYHirzRn"
    "NKKiR6EmmAG5J87cAg33RkQHPFL6Ph3HDmyZtm2y1X5szc8sqy3TUPiMoGoiNsvP7ABRB4g6QNQBojogcpIePQF8q4HMNoyt8BXS"
    "rFrFRUOXIE6xy8y5DqZLb45BjXBTW3kTx5xDIoWn9wuBJ6fvTp//cwN48t3kZDZ5Erz7/vjkl/T0JDz8/eW7fyWn380fI1w5ezHJ"
    "T57C9cXhjXz+jycnP01+V+Hx9fm7+fX46ev4fPLf//1RYAvH494RtVAy1hBXwg3RpQwtc3GpEjXdkuL54QVgA6wPwY534JcDm7hH"
    "iXZynNuQW7YS74zwPEHcQ3qGHixbcymMRUTGGGjLyejjUhNTqaerQmyxqDrLra+qzXXHekplfXAcnLcmrbfKi8+uTBNBI6oVgWm6"
    "8bJkXgvTvXt1GDPXHjYBeGpWwNRTFiWvTLSg8If2YFJ4ydsLkLrrUQC+zI++3aj+R0qHWgxxrddPLz7FTk+q/YVEemCyR03xQlsN"
    "X4c4xFXAEKEuA2uW1LTy5kzfBCvplyenbVjEo8OIHUbsMGKHETfyvzpu1qav0jLDhpcOyQcYGgr6en5lreEMmLzyHpjqcfzJUlKR"
    "ONr0HZJqHF5TzOIWt23n0Pvc7Vq4LkCnnpqfh3ynternRRgszBEgeMqJjb2jhwe2diaJ8loBzT6wR9Q/6noTQaXqFAM8MzWSaUpS"
    "qqFmAdQ05rEwE1igrnZ8CzRVsDcwLA8BRJsWoCKTIlaWCMUF4DNjqrd5394TZOb+I3PQxhe65Za3PeS0Qxsd2ujQRoc2mjvGBgy1"
    "GZFo5rF+DOjaIAK4GkMNYThifYQc1LMvcJR9MUryPJlhaEaAx8oAn8UaL4Ya2+MeWqO9OkzwaeV2A0uCzeqvIfWc7q0qI/UCOgFA"
    "gKQfF4ml48EaJ/yS2F1wTVix832USCCtYzyZ7SKZTNDQdKLioi9e5SBDfvn1dV/8+OLZYV+cY2EjE3TOB/0yk7MG0hytSgf2sCOg"
    "+MWeOKWDbtEly4XI0zDHSDig19iYqyKVlyc1BeEEdt2ewIJY3Ey/pRIK+fHq9bZYMoDUCHQj1fy+hiucU/+RwN46VRuU4jUnKLM1"
    "rlGXF/FYNuNzp/jfIb2gcdNHKZ5YOuZsHTLWYKGHB6zha47RuV8GiuDaWTaH4/ZAVEnkfZdIfLEHfApjc2JLsq6KbiSUZyLkXC7E"
    "DtsHrzltf/fBK9l0MLCDgR0M7GDgNrH9Dq/iqKTMIYrN3RLmXNrtfBnMyO8Tzv5HVBVrFatkoqsBm3pBhgcSf9uXbOMCmWU085KQ"
    "6mM/qyOJqaK65hOCmhyyw+OfEB5He3CWRMMcuon8sxZ1T7eEc2upOGEEgIRyfNGDRiHvWYKLiu5d81IfuC/F1LNQQ1iXE8PJMOV7"
    "hy4i6QDaS+IAMDczIgb00D6VXyKjWS223jbfqJskToG1obhCE/NaUCzH/hRS7KR1MlOJMfymAXSU8uOc0Ii9pPKmMAmEE3LP6Yz9"
    "HgdpNlJDl+eUxwITRtNGHA7Ghe/5D1pe1Uw1rwSicpnlG3QA0auZUiP9SwJAGRoH69ugc5tbm2Cb8B26gzPN9du4iW37Ur0fJYmv"
    "LFMjsR37aM55qtBY1WIDKxp62v5AakPqfodOC+k4tOG5EU88ygXPJu6t5rRsk73csnht9NE+452b5wsQIeXB967wcC8u1QKXZMQh"
    "3MZQoebe4SBlkBBokQBJgijVBf9RCJRrQRmWOUALAcARY4CxQSo7fIoKRtFT8Q2kdArrOHAjeDlk2UR5sMUngI0J398T/wttV1U+"
    "jGjrl1kAC8D9wglExoJVgNLKI+W4NoQ99hdDra+5h0YPjmQ2UVbK3FlS0eDwzJjEEUlaUu4kzhQdGUyzg+sATXqF0+YlRTyOJzwV"
    "HPYyVpkLUV2hGgOX7JhDdWXzYhiOwKiI6kDAcGpVGKlimVP9whbQaA3WMTPQOGKnSRzrg3W2YPGd5aSznHSWkz+P5aTi0R7biWVn"
    "bWlfRphx1bS+LW8V0hGQTvLPgxxg13aOc8knnXCILCnQA7f1STUf7ySgLwpAdgHmTsW4mFBNWSaOf9ZJFi+KHarbFiS7xO+JtQII"
    "0VSOgiLH2SMjiRGTBcvG/YII4bPKBVC8BjkxRWYEqMYGAWNEER0cw7kMNSsEVlFDNXsteMPP6to5VY+Xx0EdLl09Zre5Kr/PlY5j"
    "9u1iZIEg12CFvKcR8lBazk3kNMBUJWmkvtKCu+5FRVuquLiasfJLS13iOfxcnxdM8BvNoswbGIXtp7bgVzIetotz6iB1DsFE7ZAw"
    "mCQS8gh+6xQndooUl/TJ/u52rFOi5OeubMcGvQ/eB0t0yvanFlOJut3QKKPu+VuoXVaXPRp3TYmVmrBLjEk4gM4RlVEyDhpq9/KE"
    "i5fsLZ2GRxE+yBJC0PDm0zCiiAjsEGxZzTVWZKyx3h4e46KN3gJql3iXjAgwTVQ+hL8fqMYl9fQyxGCDTEUSp9ikOjuW6MskAkXG"
    "qWLiDnql2lhqixgxiggVJYsEle0Gtjr+jZ9+EN4IU9L8vJkrPlxgjuEkIZ9LDxNuqogWWDrR5G/HXARgQ92+29if2sbmA+aGaEYC"
    "4VUzpn1Ht4R7y59ax9YZOlMYSHbBaqZN+Dd7+4bIFsOiffuk7mahJ609DmcJXxst8g0wz13jjWhPNd4r+71+p3vTGj7AFvdYOujh"
    "Oxj/26w3di6aIn2RK91yAEO3qz+lXR3OWnf18WzNrn6ZyGBpz9ImdiqbLZUfO6xaEzO54IoY3KQV0WjDUCpAu8W1isRlEUXVnsdt"
    "TpJ//e621cTWlxGOcBjY9Y+23TczN9fKmpHZy/BE6lNzi2e8Rhtv8s7825l/O/NvFzjXXi13xbkabv4awjdvKsWd6t92EOETgwgj"
    "LK7g4IJn5vfyCdp8yAIbCvGwuozK5ptj6wznw3J4boEtKqfvpAkMkAEhvg1YlzRWUCc5kvkW9YkLiMWAK15ibJX5NOKKiksomUUh"
    "1g1DDjKTVxSnJQOTkRGOAVcofgfEdZTMS7asB1VgI0WN0vnNJm7JFOggpRcHQC+IKZkx6KQadXkJpFtXVuBDeMBdGaMILx6UJ41T"
    "C30bzCXz6uM0wrXH7eHQWw6Ns2ux6ty4JPIygLIQ9lYencbhcdD6JuUy1mtBuKRIZ1xQkZZb6ivkdRscqE1T9LbzrXwWvhV1o8ZF"
    "robpIp8mcc3WQDfEub1RJ5Ufi9jc8hnCZ5IgNJVDJzMEGRlpS8MNPU7wtJ4kxXyfvjkapi+K0GZcHVRon6pgCQ7AYxcNqS5aZdf0"
    "pUrPYaukU/0nD0DWYxYS7MmsX4XsVeAH3qdgTse1KoxTlHEhuyFBn7IAHYM+TeRpBpoW+md4gBQFRJGoHOumrV0OyxBWRpjSjXSl"
    "VLonXhG65lGQiWXLsz8Dj87Eq3LgG68JX+dBe8sTAbEOo3AW5rVI02/WB5pyfKl2zKsYc5rnpmEcru/UXpJBrILgI1UkfeBESLnx"
    "461cB+ei08Y6bazTxjptzNXGWAz49yFJBu8t5pBtxXOW2Cq50SidHWj5H6/OTk0xtay1Ad3io3Eicj5wsIyTL9Ws9UbWO5DFj799"
    "Up7k0RVu/OKwn3EsOqDvhcrZSdtUOyk+m/TKIkevLntvEOwzi2KHL0Vyh1E0zIqYRRgxDS4hTR5hZCwRldPBs0Jhq6JrMwwOoClg"
    "qaDioWsZw64P6XngiBiNwl7muhsaYWBejK/W4iSvV/UCT2IHhZfiOZweC+OdxoD0gtxbzV1KPW02+R05yPp4MmTpVLfVrdfAF+zi"
    "p6wyneyfvTjZyCBz+sN3+y8vfp2cHR3OX178c3Ia7kObz05Pjw4XsIWmJ6++fnz8/Lvi9NXhHP7HbxYn+PeHMtbwFnmIVIe3CJtQ"
    "72BLQCpHYRRaIouSyYQzdxg1Aa7g66HOj2wMJLZOK89SloPCihES0UjZj/veQN2+tTnUHjCMnYffRAbJ3gzQcUQl325y6FuejJPo"
    "URHy0233c1D5qcHbWzvw4/iSoJVhIDksVvpfWP0qMCcrGD5S26hw3UZZDHr7e4/39s0Z9rwg1Mver0lBVhjoREy1PNlPbTdlrcE9"
    "cYz+KXYAEa6AVR2wlsUWLQQD2p7QuvcmfhO/TJIrjsYaONvblOegyhLlebHA4BB67SInuAzjYOgmd2D87tCA3VyhYcSCEEaHyMdS"
    "NHYNiWxtT6wJzFYksU3uiXNScHHocqSTCFRuTG25UuKRGeDjR3ESavUYhvGsCCOjUI/wz6rPM7fR8gzSpWooxkTYahTcPbBlTjw1"
    "R7jNofON5dMK0O1YPs86Js6LRKckfBqBkVW337/BMIfsTW8g3vT29vbe9G4JupHHvYJV8BjWQHEfo4vwgMrxKm0AHAFcTLFmS3kR"
    "ZuvMHmaPXJWnmGsK79CEXpyd87kd/CtJd2EApKOQ2ZDoyIlkMtE3bg44HplJCg/H3QBQslpQmipJ1eeWs1IPxaUESRaw4LRlZiuj"
    "LJ1fEmDVYmA8rAwUkwnwLkLomly5cypzp1IZItaFgR6TKdf008BssSMNRdotxUCVQsmBwnf7zjagmEVtbBiEbcnOymNTFAhKZlIy"
    "sQygfdhLNSUY3sQeKdpx6sCGd1EUbTWH0NXv2a47k1gJZ2DMy5w9BOAdjzhF6+GBtTlmqsIVckQFAPHIZWMm2SM705DtTDiUCGcW"
    "c5D0MlTItYouaZcWeoFzE4QSODZOyFTJ6wVMUnK1C7qJRAFOTCEHZkIpn3tLAIFtQASTBmQWtcFsb1Cu/z+IU7ZS"
)
# BUILT-IN END


# -------------------------------------------------------------------------------------------------------------- known
# The lists that were seen last, and what the shim itself adds to them.


class Known:
    """What servers say of themselves, kept so that it can be said while none is there."""

    def __init__(self, home: str, later: Callable[[Callable[[], None]], None] = lambda work: work()) -> None:
        self._path = os.path.join(home, "cache", "lists.json")
        self._later = later
        self._lock = threading.Lock()
        self._facts: dict[str, Any] | None = None

    def get(self, key: str, default: Any) -> Any:
        with self._lock:
            return self._load().get(key, default)

    def put(self, key: str, value: Any) -> None:
        """Remember; on disk too, if it is new. A cache that cannot be written is no cause to fail."""
        with self._lock:
            facts = self._load()
            if facts.get(key) == value:
                return
            facts[key] = value
            facts["contract"] = CONTRACT
            part = f"{self._path}.{os.getpid()}"
            try:
                make_private_folder(os.path.dirname(self._path))
                self._remove_abandoned()
                with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                    file.write(dumps(facts))
                os.replace(part, self._path)
            except OSError:
                try:
                    os.unlink(part)
                except OSError:
                    pass

    def _remove_abandoned(self) -> None:
        """Remove what shims that were killed while they wrote have left."""
        folder, name = os.path.split(self._path)
        with os.scandir(folder) as listing:
            for entry in listing:
                rest = entry.name[len(name) + 1 :]
                ours = entry.name.startswith(f"{name}.") and rest.isdigit()
                if not ours or process_alive(int(rest)):
                    continue
                # In a shared home it may be of a shim on another computer that writes this moment.
                if time.time() - entry.stat().st_mtime > ABANDONED:
                    os.unlink(entry.path)

    def keep(self, key: str, value: Any) -> None:
        """`put`, but after the answer under way: writing a file takes longer than that."""
        self._later(lambda: self.put(key, value))

    def keep_introduction(self, result: dict[str, Any], server: Any) -> None:
        """Remember how a server introduced itself."""
        facts = {
            "capabilities": result.get("capabilities") or {},
            "serverInfo": server or {},
            "instructions": result.get("instructions") or "",
        }
        self.keep("server", facts)

    def server_info(self) -> dict[str, Any]:
        info = self.get("server", {}).get("serverInfo")
        return info if isinstance(info, dict) and info else {"name": "tdmcp-embedded", "version": "0"}

    def introduction(self) -> dict[str, Any]:
        """How a server would introduce itself."""
        known = self.get("server", {})
        introduction = {
            "capabilities": known.get("capabilities") or {"tools": {}},
            "serverInfo": self.server_info(),
        }
        if known.get("instructions"):
            introduction["instructions"] = known["instructions"]
        return announcing(introduction)

    def _load(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = built_in()
            try:
                cached = parse(read_private(self._path, MOST_ANSWER))
                if isinstance(cached, dict) and cached.get("contract") == CONTRACT:
                    self._facts.update({key: value for key, value in cached.items() if _is_known(key, value)})
            except (OSError, ValueError, RecursionError):
                pass
        return self._facts


def _is_known(key: str, value: Any) -> bool:
    """Whether a part of the cache has the form in which we write it: others can write there as well."""
    if key in LISTS.values():
        return isinstance(value, list) and all(isinstance(item, dict) for item in value)
    forms = {"capabilities": dict, "serverInfo": dict, "instructions": str}
    return (
        key == "server"
        and isinstance(value, dict)
        and all(isinstance(value.get(name, form()), form) for name, form in forms.items())
    )


def built_in() -> dict[str, Any]:
    """The lists this file carries with it."""
    if not BUILT_IN:
        return {"tools": []}
    import binascii
    import zlib

    facts = json.loads(zlib.decompress(binascii.a2b_base64(BUILT_IN)))
    return dict(facts)


INSTANCE_TOOLS: list[dict[str, Any]] = [
    {
        "name": "list_instances",
        "title": "List TouchDesigner instances",
        "description": "The TouchDesigner instances that can be reached: name, project, component, process id, build, "
        "and which one calls go to now.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    },
    {
        "name": "select_instance",
        "title": "Select a TouchDesigner instance",
        "description": "Send all further calls to one of several running TouchDesigner instances. "
        "Every answer names the instance it came from.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "instance": {"type": "string", "description": "name, process id, component path or project"}
            },
            "required": ["instance"],
        },
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    },
]
OPEN_TOOL: dict[str, Any] = {
    "name": "open_project",
    "title": "Open a TouchDesigner project",
    "description": "Start TouchDesigner with a project that was open before, in the build that last ran it. Without "
    "`project`: the list of them. Starting takes up to a minute; then call get_status.",
    "inputSchema": {
        "type": "object",
        "properties": {"project": {"type": "string", "description": "path, or file name, from the list"}},
    },
    "annotations": {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}
#: What the shim may add to the structured content of an answer.
NOTES = ("instance", "notice")
#: With one of these a schema may forbid what it seems to allow.
_INTRICATE = {"$ref", "allOf", "anyOf", "oneOf", "not", "maxProperties", "propertyNames", "patternProperties"}


def with_notes(tools: list[Any]) -> tuple[list[Any], set[str]]:
    """The tools, their output schemas with room for our notes, and the names of those that have it.

    Strict clients check an answer against the schema, so nothing may be added that it does not allow.
    """
    noted: list[Any] = []
    roomy: set[str] = set()
    for tool in tools:
        schema = tool.get("outputSchema") if isinstance(tool, dict) else None
        if isinstance(schema, dict):
            own = schema.get("properties") or {}
            if not _INTRICATE & set(schema) and not set(NOTES) & set(own):
                roomy.add(str(tool.get("name")))
                if schema.get("additionalProperties", True) is not True:
                    added = {name: {"type": "string"} for name in NOTES}
                    tool = {**tool, "outputSchema": {**schema, "properties": {**own, **added}}}
        elif isinstance(tool, dict):
            roomy.add(str(tool.get("name")))
        noted.append(tool)
    return noted, roomy


def announcing(introduction: dict[str, Any]) -> dict[str, Any]:
    """An introduction that promises to tell of changed lists: we do, whatever the server behind does."""
    capabilities = dict(introduction.get("capabilities") or {})
    for kind in CHANGES:
        if isinstance(capabilities.get(kind), dict):
            capabilities[kind] = {**capabilities[kind], "listChanged": True}
    return {**introduction, "capabilities": capabilities}


# ----------------------------------------------------------------------------------------------------------- projects
# Starting TouchDesigner with a project that was open before.


class Projects:
    """The projects that were open before, as the servers have written them down, and starting one of them.

    Nothing else is ever started: neither the file nor the program can be named from outside.
    """

    def __init__(self, instances: Instances) -> None:
        self._instances = instances

    def listing(self) -> list[dict[str, Any]]:
        """The known projects, latest first; a server has written them, nobody else may."""
        try:
            path = os.path.join(self._instances.home, "projects.json")
            known = json.loads(read_private(path).decode("utf-8"))["projects"]
            found = [one for one in known if isinstance(one, dict) and isinstance(one.get("path"), str)]
        except Unsafe as error:
            # It says which program is started.
            raise Refusal("precondition_failed", f"The list of projects is not used: {error}.") from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return []
        return [{key: str(one.get(key) or "") for key in ("path", "build", "executable")} for one in found]

    def open(self, word: str) -> dict[str, Any]:
        """Start TouchDesigner with the project of this path or name. Raises Refusal."""
        one = self._find(word)
        path = _newest(one["path"])
        if any(_same_file(target.project, one["path"]) for target in self._instances.running()):
            return {"project": path, "build": one["build"], "started": False, "state": "It is open already."}
        if not path:
            raise Refusal(
                "precondition_failed", f"{one['path']} is no longer there.", suggestions=self._paths()
            )
        program = one["executable"]
        if not program or not os.path.exists(program):
            raise Refusal(
                "precondition_failed",
                f"The TouchDesigner that last ran it (build {one['build'] or 'unknown'}) is no longer there.",
                "Open the project by hand once, in the build that it should have.",
            )
        self._start(program, path)
        state = "TouchDesigner is starting; call get_status until it answers, which may take a minute."
        return {"project": path, "build": one["build"], "started": True, "state": state}

    def _find(self, word: str) -> dict[str, Any]:
        plain = word.replace("\\", "/").casefold()
        known = self.listing()
        found = [one for one in known if one["path"].replace("\\", "/").casefold() == plain]
        found = found or [one for one in known if _stem(one["path"]) == _stem(word)]
        if len(found) == 1:
            return found[0]
        raise Refusal(
            "value_invalid",
            f"{len(found)} known projects are called {word!r}."
            if found
            else f"No known project is called {word!r}.",
            "Name one by its path. A project becomes known once it was open with the component in it.",
            [one["path"] for one in found] or self._paths(),
        )

    def _paths(self) -> list[str]:
        return [one["path"] for one in self.listing()][:10]

    def _start(self, program: str, path: str) -> None:
        import subprocess

        folder = os.path.dirname(path)

        def begin(command: list[str], options: dict[str, Any]) -> Any:
            return subprocess.Popen(
                command,
                cwd=folder or None,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **options,
            )

        try:
            if sys.platform == "win32" and packaged(windows_kernel()):
                begin_outside(program, path, folder, begin)
                return
            command, options = start_command(program, path, sys.platform)
            try:
                begin(command, options)
            except PermissionError:
                if sys.platform != "win32":
                    raise
                # The job of the client lets nothing out of it.
                begin_outside(program, path, folder, begin)
        except OSError as error:
            raise Refusal("td_error", f"{program} cannot be started: {error}.") from None


def begin_outside(
    program: str, path: str, folder: str, begin: Callable[[list[str], dict[str, Any]], Any]
) -> None:
    """Have Windows start TouchDesigner outside the client's package and job. Raises Refusal, OSError."""
    import subprocess

    starter = begin(*start_outside(program, path, folder))
    try:
        code = starter.wait(30.0)
    except subprocess.TimeoutExpired:
        starter.kill()
        code = "no answer"
    if code != 0:
        raise Refusal(
            "td_error",
            f"This client is a packaged program, and Windows did not start {program} outside its package ({code}).",
            f"Open {path} by hand.",
        )


def _same_file(one: str, other: str) -> bool:
    """Whether two paths are of one project, whatever its version."""
    same_folder = path_form(_folder_of(one)) == path_form(_folder_of(other))
    return bool(one) and same_folder and _stem(one) == _stem(other)


def _newest(path: str) -> str:
    """The file itself, or the latest version of it; "" if there is none.

    TouchDesigner calls an open project by the number under which it will be saved next.
    """
    if os.path.isfile(path):
        return path
    folder = os.path.dirname(path)
    try:
        names = [
            name
            for name in os.listdir(folder)
            if name.lower().endswith(".toe") and _stem(name) == _stem(path)
        ]
        files = [os.path.join(folder, name) for name in names]
        return max(files, key=os.path.getmtime, default="")
    except OSError:
        return ""


# ------------------------------------------------------------------------------------------------------------ flights
# Requests on their way, and the way back to the client.


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


# ------------------------------------------------------------------------------------------------------------ servers
# How to talk to whichever server is there, and how to tell that it does not answer.


class Session:
    """A session of the handshake era with one server."""

    def __init__(self, target: Target, session_id: str, result: dict[str, Any], number: int) -> None:
        self.target = target
        self.id = session_id
        self.result = result
        self.version = str(result.get("protocolVersion") or HANDSHAKE[-1])
        self.number = number
        self.stream: Connection | None = None
        self.streaming = False
        self.no_stream = False
        self.failures = 0

    @property
    def mark(self) -> Any:
        """Differs when the lists may differ; without a registry entry any new session may be with a new server."""
        return self.target.key if self.target.entry else (self.target.key, self.number)

    def headers(self) -> dict[str, str]:
        headers = {"MCP-Protocol-Version": header_value(self.version)}
        if self.id:
            headers["Mcp-Session-Id"] = header_value(self.id)
        return headers


class Life:
    """Signs of life of one server, shared by all who wait for it."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self.silent = False
        #: Which contract it says it keeps; None until it was asked.
        self.terms: dict[str, Any] | None = None
        self._lock = threading.Lock()

    def sign(self) -> None:
        self.heard = time.monotonic()
        self.silent = False

    def probe(self, url: Url) -> bool:
        """Whether anything at all answers, within a second: `/health` needs neither key nor main thread."""
        asked = time.monotonic()
        with self._lock:
            if self.heard > asked:
                return True  # somebody else has just found out
            end = asked + 1.0

            def hurry() -> None:
                if time.monotonic() > end:
                    raise Unresponsive(1.0)

            try:
                connection = Connection(url, 1.0)
            except OSError:
                self.silent = True
                return False
            try:
                connection.request(
                    "GET", {"Connection": "close"}, path="/health", patience=hurry, timeout=0.5, deadline=end
                )
                self.terms = _object(connection.read(1 << 16))
            except OSError:
                self.silent = True
                return False
            finally:
                connection.close()
            self.sign()
            return True


class Servers:
    """How to talk to whichever server is there, and how to tell that it does not answer."""

    def __init__(self, instances: Instances, problem: str = "") -> None:
        self.instances = instances
        self.problem = problem
        self.pool = Pool()
        self.closing = False
        #: Set when somebody should look at once whether the server is another one.
        self.wake = threading.Event()
        self._lives: dict[str, Life] = {}
        self._contact = -1e9  # when a server was last there

    def target(self) -> Target:
        if self.problem:
            raise Refusal(
                "precondition_failed", self.problem, "Mend the client's configuration and restart it."
            )
        return self.instances.choose()

    def take(self, target: Target, limit: float = 0.0) -> Connection:
        """A connection to the server, which has said which contract it keeps. Raises Refusal, Unreachable."""
        connection = self.idle_or_new(target, limit)
        if not target.entry:
            life = self.life(target)
            # One that has been started again may be another one; and has none of the old connections.
            if life.terms is None or not connection.reused:
                life.probe(target.url)
            target.terms = life.terms or {}
            try:
                target.contract_notice()
            except Refusal:
                self.pool.give_back(connection)
                raise
        return connection

    def idle_or_new(self, target: Target, limit: float = 0.0) -> Connection:
        """A connection to the server, used before or not. Raises as `connect`."""
        return self.pool.take(target.url, target.instance_id, lambda: self.connect(target, limit))

    def connect(self, target: Target, limit: float = 0.0) -> Connection:
        """A new connection, at whose other end the very instance of the registry entry has shown itself.

        After a crash another program may have its port, and must not be shown its key. Asked on the same connection, so
        that nobody can come in between.

        Args:
            limit: seconds it may take; by default as long as the server shows signs of life.

        Raises:
            Impostor: it is another.
            Unreachable, Dropped, Unresponsive: it cannot be told.
        """
        connection = Connection(target.url, min(limit or CONNECT_TIMEOUT, CONNECT_TIMEOUT))
        if not (target.instance_id or target.instance_secret):
            return connection
        end = time.monotonic() + (limit or GIVE_UP)
        life = self.life(target)

        def wait() -> None:
            if time.monotonic() >= end:
                life.silent = True
                raise Unresponsive(limit or GIVE_UP)

        try:
            nonce = os.urandom(16).hex()
            connection.request(
                "GET",
                {"TDMCP-Nonce": nonce} if target.instance_secret else {},
                path="/health",
                patience=wait,
                timeout=min(0.5, limit or 0.5),
                deadline=end,
            )
            facts = _object(connection.read(1 << 16))
            if connection.status in (429, 503):
                raise Dropped(f"HTTP status {connection.status}")
            if str(facts.get("instance_id") or "") != target.instance_id or not target.is_proven(
                facts, nonce
            ):
                self.instances.forget()
                raise Impostor(f"{target.url.text} is not {target}")
            if not connection.reusable():
                raise Dropped("the server closed the connection")
        except BaseException:
            connection.close()
            raise
        connection.instance_id = target.instance_id
        life.sign()
        return connection

    def common(self, target: Target) -> dict[str, str]:
        headers = {"User-Agent": f"tdmcp-shim/{CONTRACT}"}
        if target.token:
            headers["Authorization"] = "Bearer " + target.token
        return headers

    def post_headers(self, target: Target) -> dict[str, str]:
        return {
            **self.common(target),
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def headers(self, flight: Flight, target: Target, session: Session | None) -> dict[str, str]:
        headers = self.post_headers(target)
        if session is not None:
            headers.update(session.headers())
            return headers
        headers["MCP-Protocol-Version"] = header_value(flight.version)
        headers["Mcp-Method"] = header_value(flight.method)
        name = flight.params.get(NAMED.get(flight.method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = header_value(name)
        return headers

    def worth_waiting(self, began: float) -> bool:
        """Whether a server was there a moment ago, so that it is probably only restarting; waits a little if so."""
        now = time.monotonic()
        if self.closing or now - began > RESTART_GAP or now - self._contact > RESTART_GAP * 3:
            return False
        last = self.instances.last
        if last is not None and not lives(last):
            return False
        time.sleep(0.1)
        self.instances.forget()
        return True

    def life(self, target: Target) -> Life:
        life = self._lives.get(target.url.authority)
        if life is None:
            life = self._lives[target.url.authority] = Life()
        return life

    def heard(self, target: Target) -> None:
        self._contact = time.monotonic()
        self.life(target).sign()

    def patience(self, target: Target, connection: Connection, flight: Flight | None) -> Callable[[], None]:
        """Wait on while the server is alive: how long a call may take is the server's business, not ours."""
        life = self.life(target)
        asked = time.monotonic()

        def wait() -> None:
            if flight is not None and flight.limit and time.monotonic() - asked >= flight.limit:
                raise Unresponsive(time.monotonic() - asked)
            if life.probe(target.url):
                return
            if target.pid and not lives(target):
                raise Dropped("the process has ended")
            silent = time.monotonic() - max(life.heard, connection.heard, asked)
            if silent >= GIVE_UP:
                raise Unresponsive(silent)

        return wait

    def look_alive(self, target: Target) -> None:
        """Send nothing to a server that was silent a moment ago and still is."""
        life = self.life(target)
        if life.silent and not life.probe(target.url):
            raise Unresponsive(time.monotonic() - life.heard)

    def key_refused(self, target: Target) -> Refusal:
        if self.instances.fixed_token:
            hint = "Put the new key into this client's configuration (--token or TDMCP_TOKEN) and restart the client."
        elif target.entry:
            hint = "Repeat the call in a moment; if that does not help, pulse Restart on the component."
        else:
            hint = (
                "Give this client a key of that TouchDesigner (--token or TDMCP_TOKEN), from another machine one that was "
                "made with tdmcp key add NAME --anywhere, and restart the client."
            )
        why = "the access key was renewed" if target.token else "an access key is needed and none was given"
        return Refusal("access_denied", f"{target.called} refuses this client: {why}.", hint)


def refuse_silence(target: Target, silence: Unresponsive, sent: bool) -> NoReturn:
    began = "The call may or may not have been carried out: before you repeat it, get_status lists your last edits."
    raise Refusal(
        "main_thread_stalled",
        f"{target.called} is busy: it has not responded for {silence.seconds:.0f} s. "
        "Perhaps a dialog is open, a file is loading, or something cooks for long.",
        began if sent else "The call was not sent. Repeat it when TouchDesigner responds again.",
        retryable=not sent,
    )


def refuse_unreachable(target: Target) -> NoReturn:
    if target.pid and lives(target):
        message = f"TouchDesigner is running ({target}), but its server at {target.url.text} does not answer."
        hint = "It is restarting, or the component is off: repeat the call in a moment, else switch it on."
    else:
        message = (
            f"Nothing answers at {target.url.text}: TouchDesigner isn't running or its component is off."
        )
        hint = (
            "Open your project, or check the URL against the component's Server page; then repeat the call."
        )
    raise Refusal("not_started", message, hint, retryable=True)


def refuse_untrusted(target: Target, fault: Untrusted) -> NoReturn:
    raise Refusal(
        "not_started",
        f"{target.url.text} answers, but its certificate is not accepted here: {str(fault).rstrip('.')}. Nothing was sent.",
        "Use the name that the certificate is for in --url, and start the client with SSL_CERT_FILE set to the PEM file "
        "of its authority if that is a private one.",
    )


def refuse_impostor(target: Target) -> NoReturn:
    raise Refusal(
        "not_started",
        f"Another program answers at {target.url.text}, where {target} should be; it was shown no access key.",
        "Pulse Restart on the component's Server page, or open the project again; then repeat the call.",
        retryable=True,
    )


def refuse_lost(target: Target) -> NoReturn:
    ended = "closed the connection"
    for _ in range(10 if target.pid else 0):
        if not lives(target):
            ended = "ended"
            break
        time.sleep(0.02)  # a process lives a little longer than its sockets
    raise Refusal(
        "td_error",
        f"{target.called} {ended} in the middle of the call; whether it was carried out is not known.",
        "Before you repeat it call get_status: it lists your last edits and whether they stand. If TouchDesigner crashed, open "
        "the project again, and look at it.",
    )


# ----------------------------------------------------------------------------------------------------------- sessions
# Sessions of the handshake era: opened, renewed, listened to, and ended.


class Sessions:
    """The handshake era: one session with one server at a time, made anew with each server in the client's own words.

    `on_new` is called when the client knows neither the server nor its lists yet.
    """

    def __init__(self, servers: Servers, out: Outlet, known: Known, on_new: Callable[[], None]) -> None:
        self.servers = servers
        self.out = out
        self.known = known
        #: The client's `initialize`, and whether it has said that it is ready.
        self.hello: dict[str, Any] | None = None
        self.ready = False
        self.current: Session | None = None
        self._on_new = on_new
        self._lock = threading.RLock()
        self._count = 0
        self._told: Any = None  # the mark of the session whose lists the client knows
        # What the client told the last server, to be told the next one as well.
        self._level: dict[str, Any] | None = None
        self._subscribed: dict[str, dict[str, Any]] = {}
        # Requests of the server's: our id -> (number of the session, the server's own id).
        self._asked: dict[str, tuple[int, Any]] = {}
        self._asks = 0

    def begin(self, hello: dict[str, Any]) -> dict[str, Any]:
        """The answer to the client's `initialize`, from the server if that is quick. Raises Refusal, OSError."""
        self.hello = hello
        self.ready = False
        self._told = None
        with self._lock:
            self.current = None
        session = self.get(self.servers.target(), HANDSHAKE_LIMIT)
        self._told = session.mark
        return session.result

    def tend(self, target: Target | None) -> None:
        """Have a session with this server and listen to it, once the client is ready. Raises Refusal, OSError."""
        session = self.current
        if session is not None and session.target.pid and not lives(session.target):
            self.forget(session)
        if target is not None and self.ready and self.hello is not None:
            session = self.get(target)
            self._tell_of(session)
            self._open_stream(session)

    def close(self) -> None:
        """Say goodbye, briefly, so that the server need not keep the session."""
        session = self.current
        if session is None or not session.id:
            return
        end = time.monotonic() + 0.3
        try:
            connection = self.servers.connect(session.target, 0.3)
            headers = {**self.servers.common(session.target), **session.headers(), "Connection": "close"}
            connection.request("DELETE", headers, patience=lambda: _until(end), timeout=0.1, deadline=end)
            connection.close()
        except OSError:
            pass

    def get(self, target: Target, limit: float = 0.0) -> Session:
        """The session with this server; a new one with the client's own handshake if there is none.

        Raises Refusal, Unreachable, Dropped, Unresponsive.
        """
        with self._lock:
            session = self.current
            if session is not None:
                if (session.target.key, session.target.token) == (target.key, target.token):
                    return session
                self._end_session(session)
            session = self._open_session(target, limit)
            self.current = session
        self._tell_of(session)
        self.servers.wake.set()
        return session

    def forget(self, session: Session) -> None:
        with self._lock:
            if self.current is session:
                self._end_session(session)

    def remember(self, flight: Flight, message: dict[str, Any]) -> None:
        """What the next server will have to be told as well."""
        if flight.modern:
            return
        uri = flight.params.get("uri")
        if flight.method == "logging/setLevel":
            self._level = message
        elif flight.method == "resources/subscribe" and isinstance(uri, str):
            self._subscribed[uri] = message
        elif flight.method == "resources/unsubscribe" and isinstance(uri, str):
            self._subscribed.pop(uri, None)

    def answer(self, message: dict[str, Any]) -> None:
        asked = self._asked.pop(str(message.get("id")), None)
        session = self.current
        if asked is None or session is None or asked[0] != session.number:
            return  # the server that asked is gone
        self.post_later(dumps({**message, "id": asked[1]}))

    def withdraw(self, flight: Flight) -> None:
        """Nobody waits for this call any more: have it not begin when the server wakes up."""
        session = self.current
        if flight.modern or session is None:
            return
        params = {"requestId": flight.id, "reason": "the client does not wait any longer"}
        raw = dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        self.post_later(raw)

    def post_later(self, raw: bytes) -> None:
        """A notification, or an answer to the server: in order, and not in the way of what comes next."""
        self.out.later(lambda: self._post(raw))

    def from_server(self, raw: bytes, session: Session | None) -> None:
        """A notification or request of the server's. Requests get ids of our own: another server counts anew."""
        if session is None:
            self.out.emit(raw)
            return
        try:
            message = json.loads(raw)
        except (ValueError, RecursionError):
            self.out.log("the server sent something that is not JSON")
            return
        if not isinstance(message, dict):
            return
        if "method" in message and "id" in message:
            self._asks += 1
            ours = f"tdmcp-{session.number}-{self._asks}"
            while len(self._asked) >= 1000:
                self._asked.pop(next(iter(self._asked)), None)
            self._asked[ours] = (session.number, message["id"])
            raw = dumps({**message, "id": ours})
        elif message.get("method") == "notifications/cancelled":
            theirs = (session.number, params_of(message).get("requestId"))
            for ours, known in list(self._asked.items()):
                if known == theirs:
                    self._asked.pop(ours, None)
                    raw = dumps({**message, "params": {**params_of(message), "requestId": ours}})
        elif is_answer(raw):
            return
        self.out.emit(raw)

    def _open_session(self, target: Target, limit: float) -> Session:
        target.contract_notice()
        hello = self.hello or {
            "params": {
                "protocolVersion": HANDSHAKE[-1],
                "capabilities": {},
                "clientInfo": {"name": "tdmcp-shim", "version": str(CONTRACT)},
            }
        }
        self._count += 1
        number = self._count
        own_id = f"tdmcp-shim-{number}"
        message = {
            "jsonrpc": "2.0",
            "id": own_id,
            "method": "initialize",
            "params": hello.get("params") or {},
        }
        answer, headers = self._ask(target, message, {}, limit)
        if "error" in answer:
            raise Refusal("internal_error", f"{target} refuses the handshake: {said(dumps(answer))}")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise Refusal("internal_error", f"{target} answers the handshake with nonsense.")
        session = Session(target, headers.get("mcp-session-id", ""), result, number)
        self.known.keep_introduction(result, result.get("serverInfo"))
        self._ask(target, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session.headers(), limit)
        # What the client told the server before this one.
        again = [m for m in (self._level, *self._subscribed.values()) if m is not None]
        for index, old in enumerate(again[:100]):
            self._ask(target, {**old, "id": f"{own_id}-{index}"}, session.headers(), limit)
        self.out.log(f"session {number} with {target}")
        return session

    def _ask(
        self, target: Target, message: dict[str, Any], headers: dict[str, str], limit: float = 0.0
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """A message of our own, and the answer with its headers ({} for a notification)."""
        connection = self.servers.take(target, limit)
        end = time.monotonic() + (limit or GIVE_UP)
        try:
            connection.request(
                "POST",
                {**self.servers.post_headers(target), **headers},
                dumps(message),
                patience=lambda: _until(end),
                timeout=min(PATIENCE, limit or PATIENCE),
                deadline=end,
            )
            self.servers.heard(target)
            if connection.status == 401:
                connection.read()
                self.servers.instances.forget()
                raise self.servers.key_refused(target)
            if connection.headers.get("content-type", "").lower().startswith("text/event-stream"):
                answer: dict[str, Any] = {}
                for event in events(connection.body()):
                    if answer or not event.data:
                        continue
                    if is_answer(event.data):
                        answer = json.loads(event.data)
                    else:
                        self.from_server(event.data, None)
                return answer, connection.headers
            body = connection.read()
            if "id" not in message:
                return {}, connection.headers
            try:
                reply = json.loads(body)
            except (ValueError, RecursionError):
                reply = None
            if not isinstance(reply, dict) or ("result" not in reply and "error" not in reply):
                raise Refusal(
                    "internal_error",
                    f"{target} answered the handshake with HTTP status {connection.status}"
                    + (f": {said(body)}" if said(body) else "."),
                    retryable=connection.status >= 500 or connection.status == 429,
                )
            return reply, connection.headers
        finally:
            self.servers.pool.give_back(connection)

    def _end_session(self, session: Session) -> None:
        """Leave a session that is over; questions the server asked in it are withdrawn."""
        self.current = None
        if session.stream is not None:
            session.stream.abort()
        for ours in [ours for ours, (number, _) in list(self._asked.items()) if number == session.number]:
            self._asked.pop(ours, None)
            params = {"requestId": ours, "reason": "TouchDesigner's server has ended"}
            self.out.notify("cancelled", params)

    def _tell_of(self, session: Session) -> None:
        """Tell the client that its lists are out of date, if it does not know this server yet."""
        with self._lock:
            if not self.ready or self._told == session.mark:
                return
            self._told = session.mark
        self._on_new()

    def _post(self, raw: bytes) -> None:
        session = self.current
        if session is None:
            return  # nobody to tell, and the next server starts afresh
        connection = self.servers.idle_or_new(session.target)
        end = time.monotonic() + GIVE_UP
        try:
            headers = {**self.servers.post_headers(session.target), **session.headers()}
            connection.request("POST", headers, raw, patience=lambda: _until(end), deadline=end)
            connection.read()
        finally:
            self.servers.pool.give_back(connection)

    def _open_stream(self, session: Session) -> None:
        if session.streaming or session.no_stream or not session.id:
            return
        session.streaming = True
        start_thread(self._follow, "Following a session", self.out.log, session)

    def _follow(self, session: Session) -> None:
        """The stream on which a server of the handshake era speaks unasked."""
        began = time.monotonic()
        try:
            connection = session.stream = self.servers.connect(session.target)
            headers = {
                **self.servers.common(session.target),
                **session.headers(),
                "Accept": "text/event-stream",
            }
            connection.request(
                "GET", headers, patience=self.servers.patience(session.target, connection, None)
            )
            if connection.status == 404:
                self.forget(session)
            elif connection.status != 200:
                session.no_stream = connection.status in (405, 406, 501)
            else:
                session.failures = 0
                connection.patience = lambda: None  # silence is what this stream is for
                for event in events(connection.body()):
                    if event.data:
                        self.servers.heard(session.target)
                        self.from_server(event.data, session)
        except OSError:
            pass
        finally:
            if session.stream is not None:
                session.stream.close()
            if time.monotonic() - began < 1.0:
                # A server that hangs up at once is asked more and more rarely.
                session.failures = min(session.failures + 1, 5)
                time.sleep(0.25 * 2**session.failures)
            session.streaming = False
            self.servers.instances.forget()
            self.servers.wake.set()


def _until(end: float) -> None:
    if time.monotonic() >= end:
        raise Unresponsive(GIVE_UP)


# ------------------------------------------------------------------------------------------------------ subscriptions
# Subscriptions of the modern era, which outlive the server.


class Subscriptions:
    """The modern era's subscriptions, which outlive the servers that serve them."""

    def __init__(self, servers: Servers, out: Outlet) -> None:
        self.servers = servers
        self.out = out
        self.open: dict[tuple[bool, Any], Flight] = {}

    def announce(self, kinds: Iterable[str]) -> None:
        """Tell those who asked for it that these lists changed."""
        kinds = list(kinds)
        for flight in list(self.open.values()):
            self._announce_to(flight, kinds)

    def move(self, key: Any) -> None:
        """Have those that listen to another server than this listen to this one."""
        for flight in list(self.open.values()):
            if key is not None and flight.target_key not in (None, "", key):
                flight.abort()

    def serve(self, flight: Flight) -> None:
        """A subscription of the modern era. It outlives the server: the next one is asked again, and since nobody
        knows what was missed, everything subscribed to counts as changed."""
        pause = 0.2
        while not flight.cancelled and not self.servers.closing:
            began = time.monotonic()
            target: Target | None = None
            try:
                target = self.servers.target()
                target.contract_notice()
                connection = flight.connection = self.servers.connect(target)
                try:
                    connection.request(
                        "POST",
                        self.servers.headers(flight, target, None),
                        flight.raw,
                        patience=self.servers.patience(target, connection, flight),
                    )
                    if connection.status in (401, 429) or connection.status >= 500:
                        raise Dropped(f"HTTP status {connection.status}")
                    self._hear(flight, target, connection)
                finally:
                    flight.connection = None
                    connection.close()
            except (OSError, Refusal) as error:
                self.out.log(f"subscription {flight.id!r}: {error}")
            if flight.answered or flight.cancelled:
                return
            self.servers.instances.forget()
            if not flight.acknowledged:
                self._acknowledge(flight)
            if flight.target_key is None:
                flight.target_key = ""  # acknowledged, but by us
            pause = 0.2 if time.monotonic() - began > 5.0 else min(pause * 1.5, LOOK_EVERY)
            time.sleep(pause)

    def _hear(self, flight: Flight, target: Target, connection: Connection) -> None:
        """Pass on what a subscription brings."""
        if not connection.headers.get("content-type", "").lower().startswith("text/event-stream"):
            body = connection.read()
            if flight.acknowledged or b'"jsonrpc"' not in body:
                raise Dropped(said(body) or f"HTTP status {connection.status}")
            flight.answer(body)  # this server has no subscriptions, or not these
            return
        connection.patience = lambda: None
        for event in events(connection.body()):
            if not event.data:
                continue
            self.servers.heard(target)
            if is_answer(event.data):
                if not flight.acknowledged:
                    flight.answer(event.data)
                return
            if b"notifications/subscriptions/acknowledged" in event.data[:200]:
                flight.target_key = target.key
                if flight.acknowledged:
                    self._catch_up(flight)
                    continue
                flight.acknowledged = True
            self.out.emit(event.data)

    def _acknowledge(self, flight: Flight) -> None:
        flight.acknowledged = True
        wanted = flight.params.get("notifications")
        params = {
            "notifications": wanted if isinstance(wanted, dict) else {},
            "_meta": {SUBSCRIPTION_KEY: flight.id},
        }
        self.out.notify("subscriptions/acknowledged", params)

    def _announce_to(self, flight: Flight, kinds: Iterable[str]) -> None:
        """The same in the modern era: to those who asked for it, with the mark of their subscription."""
        wanted = flight.params.get("notifications")
        if not isinstance(wanted, dict) or flight.target_key is None:
            return
        meta = {"_meta": {SUBSCRIPTION_KEY: flight.id}}
        for kind in kinds:
            if wanted.get(CHANGES[kind]):
                self.out.notify(f"{kind}/list_changed", meta)

    def _catch_up(self, flight: Flight) -> None:
        self._announce_to(flight, CHANGES)
        wanted = flight.params.get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        for uri in uris if isinstance(uris, list) else []:
            params = {"uri": uri, "_meta": {SUBSCRIPTION_KEY: flight.id}}
            self.out.notify("resources/updated", params)


# ---------------------------------------------------------------------------------------------------------- answering
# What the shim answers itself: lists from before, reasons why not, and its own tools.


class Answering:
    """Answers that need no server."""

    def __init__(
        self, out: Outlet, known: Known, servers: Servers, projects: Projects | None, notice: str
    ) -> None:
        self.out, self.known, self.servers = out, known, servers
        #: None unless the user allows starting TouchDesigner.
        self.projects = projects
        #: What every answer carries, whichever server it comes from.
        self.notice = notice
        # Tools that the client has been shown with room for our notes.
        self._roomy: set[str] = set()
        #: Host arguments that the client has been told of.
        self._ignored: set[str] = set()

    def _refuse(self, flight: Flight, refusal: Refusal) -> None:
        """Answer without a server: lists from what is known, everything else with the reason."""
        self.out.log(f"{flight.method}: {refusal.code}: {refusal.message}")
        if flight.cancelled:
            return
        method = flight.method
        if flight.modern and flight.version not in MODERN:
            data = {"supported": MODERN, "requested": flight.version}
            flight.error(-32022, "Unsupported protocol version", data)
        elif method in LISTS:
            key = LISTS[method]
            items = self.known.get(key, [])
            flight.result(
                self._envelope(flight, {key: self._tools(items) if key == "tools" else items}, cached=True)
            )
        elif method == "server/discover":
            introduction = self.known.introduction()
            introduction.pop("serverInfo")
            introduction["supportedVersions"] = MODERN
            flight.result(self._envelope(flight, introduction, cached=True))
        elif (
            method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
            and not flight.modern
        ):
            flight.result({})
        elif method == "completion/complete":
            flight.result(self._envelope(flight, {"completion": {"values": []}}))
        elif method == "tools/call":
            if self.projects is not None and refusal.code == "not_started":
                refusal.hint += f" Or call {OPEN_TOOL['name']}."
            flight.result(self._envelope(flight, refusal.result()))
        elif method in ("ping", "initialize"):
            flight.error(-32601, "Method not found", method)
        else:
            hint = f" {refusal.hint}" if refusal.hint else ""
            flight.error(-32000, refusal.message + hint, refusal.structured())

    def _envelope(self, flight: Flight, result: dict[str, Any], cached: bool = False) -> dict[str, Any]:
        """A result with what the modern era wants in it."""
        if not flight.modern:
            return result
        stale = {"ttlMs": 0, "cacheScope": "private"} if cached else {}
        meta = {SERVER_KEY: self.known.server_info()}
        return {**result, **stale, "resultType": "complete", "_meta": meta}

    def _tools(self, tools: list[Any], last_page: bool = True) -> list[Any]:
        tools, roomy = with_notes(tools)
        self._roomy |= roomy
        if not last_page:
            return tools
        own = INSTANCE_TOOLS if self.servers.instances.several() else []
        return [*tools, *own, *([OPEN_TOOL] if self.projects is not None else [])]

    def _call_own(self, flight: Flight) -> None:
        arguments = flight.params.get("arguments") or {}
        try:
            if not isinstance(arguments, dict):
                raise Refusal("value_invalid", "Arguments are an object.")
            name = flight.params["name"]
            allowed = {"select_instance": {"instance"}, "open_project": {"project"}}.get(name, set())
            unknown = sorted(set(arguments) - allowed - HOST_ARGUMENTS)
            if unknown:
                raise Refusal(
                    "value_invalid", f"Unknown argument: {', '.join(unknown)}.", suggestions=sorted(allowed)
                )
            if name == "open_project":
                structured: dict[str, Any] = self._open(arguments.get("project") or "")
            elif allowed:
                wanted = arguments.get("instance")
                if not isinstance(wanted, (str, int)) or isinstance(wanted, bool) or wanted == "":
                    raise Refusal(
                        "value_invalid",
                        "select_instance needs `instance`.",
                        suggestions=self.servers.instances.names(),
                    )
                target = self.servers.instances.select(str(wanted))
                structured = {
                    "selected": target.name or str(target.pid),
                    "reached": str(target),
                }
                self.servers.wake.set()
            else:
                structured = {"instances": self.servers.instances.listing()}
            content = [{"type": "text", "text": dumps(structured).decode("ascii")}]
            ignored = sorted(set(arguments) - allowed - self._ignored)
            if ignored:
                self._ignored.update(ignored)
                structured["ignored_arguments"] = ignored
                content.append({"type": "text", "text": f"Ignored the arguments {', '.join(ignored)}."})
            result = {
                "content": content,
                "structuredContent": structured,
                "isError": False,
            }
        except Refusal as refusal:
            result = refusal.result()
        flight.result(self._envelope(flight, result))

    def _open(self, wanted: Any) -> dict[str, Any]:
        assert self.projects is not None
        if not isinstance(wanted, str):
            raise Refusal("value_invalid", "`project` is a text.")
        if wanted:
            return self.projects.open(wanted)
        return {"projects": [{"path": one["path"], "build": one["build"]} for one in self.projects.listing()]}


# --------------------------------------------------------------------------------------------------------- forwarding
# Getting a request answered by the server that is there now.


class Forwarding(Answering):
    """The server's side of each request."""

    def __init__(
        self, out: Outlet, known: Known, servers: Servers, projects: Projects | None, notice: str
    ) -> None:
        super().__init__(out, known, servers, projects, notice)
        self.sessions = Sessions(self.servers, self.out, self.known, lambda: self._announce(CHANGES))
        self.subscriptions = Subscriptions(self.servers, self.out)
        #: Which tool a task is a call of.
        self._tasks: dict[Any, Any] = {}

    def _forward(self, flight: Flight) -> None:
        """Get the request answered by the server that is there now, through restarts as far as that is safe.

        A request goes out twice only when it certainly was not carried out the first time, or has no effect.
        """
        began = time.monotonic()
        again = 0
        while not flight.cancelled and not self.servers.closing:
            try:
                target = self.servers.target()
                target.contract_notice()
            except Refusal as refusal:
                if refusal.code == "not_started" and self._worth_waiting(flight, began):
                    continue
                raise
            try:
                self.servers.look_alive(target)
                session = None if flight.modern else self.sessions.get(target)
                connection = self.servers.take(target, flight.limit)
            except Untrusted as problem:
                refuse_untrusted(target, problem)
            except Unreachable as problem:
                if self._worth_waiting(flight, began):
                    continue
                again += 1
                if isinstance(problem, Impostor):
                    if again < 3:
                        continue  # the entry may be newer by now
                    refuse_impostor(target)
                if target.pid and not lives(target) and again < 3:
                    self.servers.instances.forget()  # the registry knows better by now: say what it says
                    continue
                refuse_unreachable(target)
            except Unresponsive as silence:
                refuse_silence(target, silence, sent=False)
            except Dropped:
                again += 1
                if again < 3:
                    continue
                refuse_unreachable(target)
            flight.connection = connection
            if flight.cancelled:
                connection.close()
                return
            try:
                connection.request(
                    "POST",
                    self.servers.headers(flight, target, session),
                    flight.raw,
                    patience=self.servers.patience(target, connection, flight),
                    timeout=min(PATIENCE, flight.limit or PATIENCE),
                    sent=lambda: self._sent(flight),
                )
                self.servers.heard(target)
                if self._take(flight, target, session, connection):
                    return
                again += 1
            except Unresponsive as silence:
                self.sessions.withdraw(flight)
                refuse_silence(target, silence, sent=True)
            except TooMuch as much:
                raise Refusal(
                    "too_large",
                    f"{target} sent {much}, which no client could read.",
                    "Ask for less: fewer operators or fields, a smaller limit, depth or range. "
                    "The call itself may have been carried out: get_status lists your last edits.",
                ) from None
            except Dropped:
                if flight.cancelled or flight.answered:
                    return
                self.servers.instances.forget()
                again += 1
                if again >= 3 or not self._may_repeat(flight, target):
                    refuse_lost(target)
            finally:
                flight.connection = None
                self.servers.pool.give_back(connection)
            if again >= 4:
                raise Refusal("internal_error", f"{target} refuses to keep a session.", retryable=True)

    def _worth_waiting(self, flight: Flight, began: float) -> bool:
        # A list is known from before, and a changed one will be announced: nobody need wait for it.
        return flight.method not in LISTS and self.servers.worth_waiting(began)

    def _may_repeat(self, flight: Flight, target: Target) -> bool:
        """Whether a request that went out may go out again: a call only if it but looks, and did not end its server."""
        if flight.method != "tools/call":
            return True
        name = flight.params.get("name")
        tool = next(
            (t for t in self.known.get("tools", []) if isinstance(t, dict) and t.get("name") == name), {}
        )
        hints = tool.get("annotations")
        looks = isinstance(hints, dict) and hints.get("readOnlyHint") is True
        return looks and lives(target)

    def _sent(self, flight: Flight) -> None:
        # The flag first, then the look: `_cancel` does it the other way round, so that one of the two notices.
        flight.sent = True
        if flight.cancelled and not flight.modern:
            self.sessions.withdraw(flight)

    def _take(self, flight: Flight, target: Target, session: Session | None, connection: Connection) -> bool:
        """Pass the server's answer on. False: it could not say yet, ask again. Raises Refusal, Dropped."""
        status = connection.status
        kind = connection.headers.get("content-type", "").lower()
        if status == 200 and kind.startswith("text/event-stream"):
            self._stream(flight, target, session, connection)
            return True
        body = connection.read()
        if flight.cancelled and flight.modern:
            return True
        if status == 404 and session is not None and session.id:
            self.sessions.forget(session)
            return False
        if status == 401:
            self.servers.instances.forget()
            try:
                if self.servers.instances.choose().token != target.token:
                    return False
            except Refusal:
                pass
            raise self.servers.key_refused(target)
        if status == 429 or status == 503:
            pause = connection.headers.get("retry-after", "")
            # Latin-1 has digits that are no figures.
            seconds = float(pause) if pause.isascii() and pause.isdigit() and len(pause) < 6 else 1.0
            if time.monotonic() + seconds - flight.started < 4.0:
                time.sleep(seconds)
                return False
            raise Refusal(
                "busy",
                said(body) or f"{target} has too many requests to answer.",
                f"Repeat the call in {seconds:.0f} s.",
                retryable=True,
            )
        if status == 413:
            raise Refusal(
                "too_large",
                said(body) or f"The request of {len(flight.raw)} bytes is larger than the server takes.",
                "Send less in one call, or raise the component's size limit on its Performance page.",
            )
        if status == 403:
            raise Refusal("access_denied", said(body) or f"{target} refuses this computer's requests.")
        if kind.startswith("application/json") and b'"jsonrpc"' in body:
            if status >= 400:
                message = json.loads(body)
                if isinstance(message, dict) and message.get("id") is None:
                    body = dumps({**message, "id": flight.id})
            flight.answer(self._finished(flight, target, body))
            return True
        if status == 404:
            raise Refusal(
                "precondition_failed",
                f"There is a web server at {target.url.authority}, but no MCP server at {target.url.path}.",
                "Check the URL: the component's Server page shows it.",
            )
        raise Refusal(
            "internal_error",
            f"{target} answered with HTTP status {status}" + (f": {said(body)}" if said(body) else "."),
            retryable=status >= 500,
        )

    def _stream(
        self, flight: Flight, target: Target, session: Session | None, connection: Connection
    ) -> None:
        """An answer as a stream of events; a stream that breaks off is taken up again if the server offers that."""
        last = ""
        pause = 1.0
        opened: Connection | None = None
        stream = connection
        try:
            for _ in range(4):
                try:
                    for event in events(stream.body()):
                        last = event.id or last
                        pause = pause if event.retry is None else event.retry
                        self.servers.heard(target)
                        if not event.data or flight.answered:
                            continue
                        if is_answer(event.data):
                            flight.answer(self._finished(flight, target, event.data))
                            # The stream ends with its answer; one that does not is not waited for.
                            stream.patience = give_up
                        else:
                            self.sessions.from_server(event.data, session)
                except (Dropped, Unresponsive):
                    if not flight.answered and not last:
                        raise
                if flight.answered or flight.cancelled or not last or session is None:
                    break
                time.sleep(min(pause, 5.0))
                if opened is not None:
                    opened.close()
                opened = stream = self.servers.connect(target)
                headers = {**self.servers.common(target), **session.headers(), "Accept": "text/event-stream"}
                headers["Last-Event-ID"] = header_value(last)
                flight.connection = stream
                stream.request("GET", headers, patience=self.servers.patience(target, stream, flight))
                if stream.status != 200:
                    break
        finally:
            if opened is not None:
                opened.close()
        if not flight.answered and not flight.cancelled:
            raise Dropped("the stream ended without an answer")

    def _finished(self, flight: Flight, target: Target, raw: bytes) -> bytes:
        """The server's answer as the client gets it: almost always the very bytes."""
        notice = " ".join(filter(None, (self.notice, target.contract_notice())))
        several = self.servers.instances.several()
        if flight.method == "tools/call" and self.servers.instances.reached(target):
            several = True  # no longer the one the client has been working with: say so
        listed = LISTS.get(flight.method)
        if not notice and not several and listed is None and flight.method != "server/discover":
            return raw
        try:
            message = json.loads(raw)
            result = message["result"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return raw
        if not isinstance(result, dict):
            return raw
        if listed is not None and isinstance(result.get(listed), list):
            if not flight.params.get("cursor") and not result.get("nextCursor"):
                self.known.keep(listed, result[listed])
            if listed == "tools":
                result["tools"] = self._tools(result["tools"], last_page=not result.get("nextCursor"))
        elif flight.method == "server/discover":
            self.known.keep_introduction(result, (result.get("_meta") or {}).get(SERVER_KEY))
            message["result"] = result = announcing(result)
        if several:
            result.setdefault("_meta", {})[INSTANCE_KEY] = str(target)
        tool = flight.params.get("name")
        if result.get("resultType") == "task":
            self._tasks[result.get("taskId")] = tool
            if len(self._tasks) > TASKS_KEPT:
                self._tasks.pop(next(iter(self._tasks)))
        if flight.method == "tasks/get":
            # The answer of a long call is in its task.
            tool = self._tasks.get(flight.params.get("taskId"))
            result = result.get("result") if isinstance(result.get("result"), dict) else {}
        if flight.method in ("tools/call", "tasks/get") and isinstance(result.get("content"), list):
            notes = {"instance": str(target)} if several else {}
            if notice:
                notes["notice"] = notice
            result["content"].append(
                {"type": "text", "text": "\n".join(f"{name}: {text}" for name, text in notes.items())}
            )
            if isinstance(result.get("structuredContent"), dict) and tool in self._roomy:
                result["structuredContent"] = {**notes, **result["structuredContent"]}
        return dumps(message)

    def _announce(self, kinds: Iterable[str]) -> None:
        kinds = list(kinds)
        if self.sessions.ready:
            for kind in kinds:
                self.out.notify(f"{kind}/list_changed")
        self.subscriptions.announce(kinds)


def give_up() -> None:
    raise Dropped("the stream goes on after its answer")


# -------------------------------------------------------------------------------------------------------------- proxy
# The shim itself: each message of the client, and what becomes of it.


class Shim(Forwarding):
    """The proxy: what the client says goes to the server if one is there, and is answered here if none is.

    Args:
        instances: the servers there are.
        write: takes one line for the client.
        log: takes one line about what happens.
        problem: what is wrong with the shim's own settings; every call says so.
        projects: starts TouchDesigner, where the user allows that.
        notice: what every answer carries.
    """

    def __init__(
        self,
        instances: Instances,
        write: Callable[[bytes], None],
        log: Callable[[str], None],
        problem: str = "",
        projects: Projects | None = None,
        notice: str = "",
    ) -> None:
        out = Outlet(write, log)
        known = Known(instances.home, out.later)
        super().__init__(out, known, Servers(instances, problem), projects, notice)
        self._flights: dict[tuple[bool, Any], Flight] = {}
        self._idle = threading.Condition()
        self._watching = False
        # What the watch saw last, and how long (seconds) it waits until it looks again.
        self._seen: Any = None
        self._several = False
        self._pause = LOOK_EVERY

    def run(self, lines: Callable[[], bytes]) -> None:
        """Serve until the end of input; `lines()` gives a line at a time and b"" at the end."""
        while True:
            raw = lines()
            if not raw:
                break
            raw = raw.strip()
            if not raw:
                continue
            try:
                self.receive(raw)
            except Exception as error:  # noqa: BLE001 - one message must not end the conversation
                self.out.log(f"a message was not understood: {error!r}")
                self.out.emit(
                    dumps(as_error(None, -32603, f"The stdio shim failed: {type(error).__name__}: {error}"))
                )
        self.close()

    def close(self) -> None:
        """Let quick answers out, say goodbye to the server, and be done."""
        with self._idle:
            self._idle.wait_for(lambda: not self._flights, FLUSH)
        self.servers.closing = True
        self.servers.wake.set()
        self.sessions.close()

    def receive(self, raw: bytes) -> None:
        """One line from the client."""
        if raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        try:
            message = parse(raw)
        except (ValueError, RecursionError) as error:
            self._refuse_line(raw, error)
            return
        if isinstance(message, list):
            if not message:
                self.out.emit(dumps(as_error(None, -32600, "An empty batch asks for nothing.")))
                return
            batch = Batch(self.out.emit)
            for part in message:
                self._route(part, dumps(part), batch.expect)
            batch.close()
        else:
            self._route(message, raw, lambda: self.out.emit)

    def _refuse_line(self, raw: bytes, error: Exception) -> None:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        request_id = None
        try:
            guess = json.loads(raw.decode("utf-8", "replace"))
            if isinstance(guess, dict) and valid_id(guess.get("id")):
                request_id = guess["id"]  # so that whoever asked does not wait for ever
        except (ValueError, RecursionError):
            pass
        self.out.log(f"a line of {len(raw)} bytes was refused: {reason}")
        self.out.emit(dumps(as_error(request_id, -32700, f"Parse error: {reason}")))

    def _route(self, message: Any, raw: bytes, replier: Callable[[], Callable[[bytes], None]]) -> None:
        if not isinstance(message, dict):
            replier()(dumps(as_error(None, -32600, "A message is a JSON object.")))
            return
        method = message.get("method")
        if method is None and ("result" in message or "error" in message):
            self.sessions.answer(message)
        elif not isinstance(method, str) or message.get("jsonrpc") != "2.0":
            known = message.get("id") if valid_id(message.get("id")) else None
            replier()(dumps(as_error(known, -32600, 'A message has "jsonrpc": "2.0" and a method.')))
        elif "id" not in message:
            self._notification(message, method, raw)
        elif not valid_id(message["id"]):
            replier()(dumps(as_error(None, -32600, "An id is a string or a whole number.")))
        else:
            self._request(Flight(message, raw, modern_version(message), replier()), message)

    def _request(self, flight: Flight, message: dict[str, Any]) -> None:
        try:
            self._answer(flight, message)
        except Exception as error:  # noqa: BLE001 - whoever asked must not wait for ever
            self.out.log(f"{flight.method} failed in the shim: {error!r}")
            flight.error(-32603, f"The stdio shim failed: {type(error).__name__}: {error}")

    def _answer(self, flight: Flight, message: dict[str, Any]) -> None:
        if flight.modern and not isinstance(flight.version, str):
            flight.error(-32602, f"{VERSION_KEY} is a string.")
        elif not flight.modern and flight.method == "initialize":
            self._initialize(flight, message)
        elif not flight.modern and flight.method == "ping":
            flight.result({})
        elif flight.method == "tools/call" and (
            flight.params.get("name") in ("list_instances", "select_instance")
            or (self.projects is not None and flight.params.get("name") == OPEN_TOOL["name"])
        ):
            self._call_own(flight)
        else:
            self.sessions.remember(flight, message)
            self._take_off(flight)

    def _take_off(self, flight: Flight) -> None:
        listens = flight.method == "subscriptions/listen" and flight.modern
        with self._idle:
            crowd = self.subscriptions.open if listens else self._flights
            twice = flight.key in self._flights or flight.key in self.subscriptions.open
            full = len(crowd) >= (MAX_LISTENS if listens else MAX_REQUESTS)
            if not twice and not full:
                crowd[flight.key] = flight
        if twice:
            flight.error(-32600, "A request of this id is still being answered.")
        elif full:
            self._refuse(
                flight,
                Refusal(
                    "busy",
                    f"{len(crowd)} requests of this client are still being answered.",
                    "Wait for some of them.",
                    retryable=True,
                ),
            )
        else:
            if listens:
                self._watch()  # the modern era has no handshake that would begin it
            start_thread(self._fly, "Answering a request", self.out.log, flight, listens)

    def _fly(self, flight: Flight, listens: bool) -> None:
        try:
            if listens:
                self.subscriptions.serve(flight)
            else:
                self._forward(flight)
        except Refusal as refusal:
            self._refuse(flight, refusal)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client must not wait for ever
            self.out.log(f"{flight.method} failed in the shim: {error!r}")
            if not flight.cancelled:
                flight.error(-32603, f"The stdio shim failed: {type(error).__name__}: {error}")
        finally:
            if not flight.answered and (flight.cancelled or not listens):
                flight.error(-32603, "The server ended its answer without a result.")
            with self._idle:
                self._flights.pop(flight.key, None)
                self.subscriptions.open.pop(flight.key, None)
                self._idle.notify_all()
            took = (time.monotonic() - flight.started) * 1000
            self.out.log(
                f"{flight.method} {flight.id!r} {took:.1f} ms{' cancelled' if flight.cancelled else ''}"
            )

    def _notification(self, message: dict[str, Any], method: str, raw: bytes) -> None:
        if method == "notifications/initialized":
            self.sessions.ready = True
            self._watch()
            self.servers.wake.set()
        elif method == "notifications/cancelled":
            self._cancel(params_of(message).get("requestId"), raw)
        elif modern_version(message) is None:
            # The modern era has no notifications from the client over HTTP.
            self.sessions.post_later(raw)

    def _cancel(self, request_id: Any, raw: bytes) -> None:
        key = (isinstance(request_id, str), request_id) if valid_id(request_id) else None
        with self._idle:
            flight = self._flights.get(key) or self.subscriptions.open.get(key) if key else None
        if flight is None:
            return  # answered already
        flight.cancelled = True
        if flight.modern:
            flight.abort()  # closing the stream is how the modern era cancels
            self.servers.wake.set()
        elif flight.sent:
            self.sessions.post_later(raw)

    def _initialize(self, flight: Flight, message: dict[str, Any]) -> None:
        """Answered from the server if that is quick, else from what is known: the client waits with everything."""
        try:
            result = announcing(self.sessions.begin(message))
        except (Refusal, OSError) as error:
            self.out.log(f"answering initialize from what is known: {error}")
            wanted = flight.params.get("protocolVersion")
            version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            result = {"protocolVersion": version, **self.known.introduction()}
        flight.result(result)
        self._watch()

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            start_thread(self._keep_watch, "The watch for servers", self.out.log)

    def _keep_watch(self) -> None:
        """Notice servers that come, go or change, and tell the client."""
        guarded(self._count_servers, "A look at the servers", self.out.log)
        while not self.servers.closing:
            # Without it no client would ever hear of a server again.
            guarded(self._look, "A look at the servers", self.out.log)
            self.servers.wake.wait(self._pause)
            self.servers.wake.clear()

    def _count_servers(self) -> None:
        self._several = self.servers.instances.several()

    def _look(self) -> None:
        try:
            target: Target | None = self.servers.target()
        except (Refusal, ValueError):
            target = None
        if not self.servers.instances.fixed_url:
            self.servers.pool.keep([one.url.text for one in self.servers.instances.running()])
        if self.servers.instances.several() != self._several:
            self._several = not self._several
            self._announce(["tools"])
        key = target.key if target else None
        if key != self._seen:
            self._seen = key
            self._pause = LOOK_EVERY
            self.subscriptions.move(key)
        try:
            self.sessions.tend(target)
            self._pause = LOOK_EVERY
        except (Refusal, OSError) as error:
            self.out.log(f"no session with {target}: {error}")
            self._pause = min(self._pause * 1.5, 5.0)


# ------------------------------------------------------------------------------------------------------------ program

OPTIONS = {
    "--url": "TDMCP_URL",
    "--token": "TDMCP_TOKEN",
    "--instance": "",
    "--project": "",
    "--log-file": "",
    "--contract": "",
}
#: Options without a value.
FLAGS = ("--allow-open",)


def options(arguments: list[str]) -> tuple[dict[str, str], str]:
    """The options given, and what is wrong with them ("" if nothing): a client shows a tool's error, not our end."""
    values = {name: os.environ.get(variable, "") if variable else "" for name, variable in OPTIONS.items()}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in FLAGS:
            values[word] = "yes"
            continue
        name, given, value = word.partition("=")
        if name not in OPTIONS:
            import difflib

            near = difflib.get_close_matches(name, [*OPTIONS, *FLAGS], 1)
            meant = f" Did you mean {near[0]}?" if near else f" There are {', '.join([*OPTIONS, *FLAGS])}."
            return values, f"The shim was started with {name}, which it does not know.{meant}"
        if not given:
            if not rest:
                return values, f"The shim was started with {name} but without its value."
            value = rest.pop(0)
        values[name] = value
    if values["--url"]:
        try:
            Url(values["--url"])
        except ValueError as error:
            return values, f"The shim was started with a wrong URL: {error}."
    values["--token"] = values["--token"].strip()
    if not plain(values["--token"]):
        return values, "The shim was started with an access key that has characters in it which no key has."
    written = values["--contract"]
    if written and not (written.isascii() and written.isdigit()):
        return values, f"The shim was started with --contract {written}, which is no number."
    if written and int(written) < OLDEST_ENTRY:
        return values, (
            f"This client's entry is too old for the shim that it starts (contract {int(written)}, needed "
            f"{OLDEST_ENTRY} or newer): {RENEW}."
        )
    return values, ""


RENEW = "pulse Install Client on the component's Clients page, or run `tdmcp client add`"


def entry_notice(written: str) -> str:
    """A sentence when a client's entry was written for another shim than this one, which still understands it."""
    if not written or int(written) == CONTRACT:
        return ""
    older = "entry is older than the shim that it starts"
    newer = "entry is newer than the shim that it starts"
    return f"This client's {older if int(written) < CONTRACT else newer}; {RENEW}."


def claim_stdout() -> tuple[Callable[[bytes], None], int]:
    """Keep the real standard output for messages alone: whatever else writes to it lands on standard error.

    Returns what writes to it, and its descriptor.
    """
    out = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(out, os.O_BINARY)
    else:
        for fd in (0, out):
            try:
                os.set_blocking(fd, True)
            except OSError:
                pass

    def write(line: bytes) -> None:
        view = memoryview(line)
        while view:
            try:
                view = view[os.write(out, view) :]
            except InterruptedError:
                continue
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    time.sleep(0.005)
                    continue
                # The client is gone without closing our input; nobody will ever read an answer.
                os._exit(0)

    return write, out


def leave_with_the_client(done: Callable[[], None], gone: Callable[[], bool]) -> None:
    """Call `done` when the client has died although our input has not ended; waits until then.

    A client that dies ends our input, unless another program of its has inherited the pipe, as happens on Windows.
    """
    parent = os.getppid()
    if sys.platform == "win32":
        if windows_ended(parent, windows_kernel()):
            done()
        return
    # What started us may have been a launcher that has done its work: only then look whether anybody still reads.
    while os.getppid() == parent or not gone():
        time.sleep(LOOK_EVERY)
    done()


def unread(out: int) -> bool:
    """Whether the other end of a pipe that we write to is closed."""
    import select

    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    # Writing must be asked for: macOS looks at nothing else of a pipe's writing end, not even at whether it is closed.
    poll.register(out, select.POLLOUT)
    return any(found & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, found in poll.poll(0))


def make_log(path: str) -> Callable[[str], None]:
    """One line for each event into `path`: methods, outcomes and times; no content and no keys."""
    if not path:
        return lambda text: None
    lock = threading.Lock()
    try:
        if os.path.exists(path) and os.path.getsize(path) > 5_000_000:
            os.replace(path, path + ".old")
        file = open(path, "a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - open to the end
    except OSError as error:
        print(f"stdio_shim: no log: {error}", file=sys.stderr)
        return lambda text: None

    def log(text: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        line = text.replace("\r", " ").replace("\n", " ")
        with lock:
            try:
                file.write(f"{stamp} [{os.getpid()}] {line}\n")
                file.flush()
            except OSError:
                pass

    return log


def main(arguments: list[str]) -> int:
    """Run the shim; returns its exit code."""
    if "--help" in arguments or "-h" in arguments:
        # Standard output belongs to the protocol unless a person is looking at it.
        stream = sys.stdout if sys.stdout is not None and sys.stdout.isatty() else sys.stderr
        print((__doc__ or "").strip(), file=stream)
        return 0
    if sys.stdin is None or not hasattr(sys.stdin, "buffer"):
        return 0  # started without pipes: there is no client
    if not sys.stdin.isatty():
        import signal

        # Ctrl-C in a terminal reaches every process in it; it is meant for the client.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    write, out = claim_stdout()
    values, problem = options(arguments)
    log = make_log(values["--log-file"])
    if problem:
        print(f"stdio_shim: {problem}", file=sys.stderr)
        log(problem)
    log(f"started, Python {sys.version.split()[0]}, contract {CONTRACT}")
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    instances = Instances(
        home_folder(), values["--url"], values["--token"], values["--instance"], values["--project"], folder
    )
    projects = Projects(instances) if values.get("--allow-open") else None
    notice = "" if problem else entry_notice(values["--contract"])
    shim = Shim(instances, write, log, problem, projects, notice)

    def leave() -> None:
        log("the client is gone")
        guarded(shim.sessions.close, "Taking leave of the server", log)
        os._exit(0)

    start_thread(leave_with_the_client, "The watch for the client's end", log, leave, lambda: unread(out))
    shim.run(sys.stdin.buffer.readline)
    log("end of input")
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - whatever ends us, standard output stays clean
        sys.excepthook(*sys.exc_info())
        code = 1
    # Threads that still wait for a server must not keep the process: the client is gone.
    os._exit(code)
