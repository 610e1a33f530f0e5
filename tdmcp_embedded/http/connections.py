"""uvicorn with what a server inside another program needs: an end that comes, and no patience with dawdlers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import select
import selectors
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tdmcp_embedded import threads
from tdmcp_embedded.http.credentials import ADMITTED
from tdmcp_embedded.http.hosts import is_loopback
from tdmcp_embedded.http.listening import Listener, reset_on_close

#: Connections at once. Windows' `select` takes no more than 512 sockets, and fails with all of them beyond that.
MAX_CONNECTIONS: Final = 450 if sys.platform == "win32" else 1000

#: The share of the file descriptors of the process (256 for a program with windows on macOS) that connections may take;
#: and how many they may take at least.
SHARE_OF_DESCRIPTORS: Final = 4
LEAST_CONNECTIONS: Final = 8

#: The share of the connections that may belong to clients which have shown no key; and how many those are at least.
SHARE_WITHOUT_KEY: Final = 4
LEAST_WITHOUT_KEY: Final = 16

#: Connections at once from one other machine, so that no stranger can take them all.
MAX_PER_MACHINE: Final = 100

#: Seconds a client may let an answer lie that it does not read.
READ_PATIENCE_S: Final = 30.0

#: Seconds a TLS handshake may take.
HANDSHAKE_PATIENCE_S: Final = 10.0

#: Seconds within which a request's head must be there once a connection is made or its first byte has come.
HEAD_PATIENCE_S: Final = 10.0

#: Failures of waiting in a row after which the server ends all the same, to be started again.
MAX_FAILURES: Final = 100

#: Hanging up at the end: how often it is tried (seconds), how many times before connections are cut with what they have
#: yet to send, and before requests still at work are broken off.
_AGAIN_S: Final = 0.02
_POLITE: Final = 5
_PATIENT: Final = 10

#: Whether connections that only one side has closed keep the next server off the port.
HALF_CLOSED_HOLDS_PORT = sys.platform == "win32"

_log = logging.getLogger(__name__)


def most_connections() -> int:
    """Connections at once: the rest of the file descriptors belong to the show, and asyncio needs some itself."""
    limit = _descriptors()
    share = MAX_CONNECTIONS if limit is None else max(LEAST_CONNECTIONS, limit // SHARE_OF_DESCRIPTORS)
    return min(MAX_CONNECTIONS, share)


def most_without_key() -> int:
    """Connections at once of clients that have shown no key."""
    return max(LEAST_WITHOUT_KEY, most_connections() // SHARE_WITHOUT_KEY)


def _descriptors() -> int | None:
    """How many file descriptors this process may have at the moment; None where sockets are none, or without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def cut(transport: Any) -> None:
    """End a connection at once, with nothing left of it that holds the port."""
    own = transport.get_extra_info("socket")
    if own is not None:
        reset_on_close(own)
    transport.abort()


class Connection(H11Protocol):
    """An HTTP connection which is refused when there are too many, and hung up on when it dawdles."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.made_at = self.waits_since = self.reads_since = time.monotonic()
        self._admitted = self.is_cut = False
        self.awaits_end = False
        own = transport.get_extra_info("socket")
        if own is not None:
            for listener in getattr(self.loop, "listeners", ()):
                listener.establish(own.fileno())
        address = self.client[0] if self.client else ""
        # Not reset: their client, which is just connecting, would take that for nobody being there.
        if not is_loopback(address) and self._from(address) > MAX_PER_MACHINE:
            _log.warning("More than %d connections from %s; the newest was closed.", MAX_PER_MACHINE, address)
            transport.abort()
        elif len(self.connections) > (most := most_connections()):
            _log.warning("More than %d connections; the newest was closed.", most)
            transport.abort()
        else:
            self._make_room()

    def _make_room(self) -> None:
        """Close the oldest idle connection of those that have shown no key, if they are too many; else this one.

        Not always the newest: whoever opens one connection after the other would then keep everybody else out.
        """
        # Those that are cut stay in the list until the loop comes round, and several may come in one round.
        keyless = [
            other
            for other in self.connections
            if isinstance(other, Connection) and not other.is_cut and not other.is_admitted()
        ]
        most = most_without_key()
        if len(keyless) <= most:
            return
        idle = [other for other in keyless if other is not self and not other.works()]
        victim = min(idle, key=lambda other: other.made_at, default=self)
        _log.warning("More than %d connections without an access key; one was closed.", most)
        victim.is_cut = True
        if victim is self:
            self.transport.abort()
        else:
            cut(victim.transport)

    def shutdown(self) -> None:
        """The server ends. What rests is asked to be closed by its client, where what the client leaves half closed would
        hold the port; else closed."""
        rests = self.cycle is None or self.cycle.response_complete
        if HALF_CLOSED_HOLDS_PORT and rests and self.transport.can_write_eof():
            self.awaits_end = True
            self.transport.write_eof()
        else:
            super().shutdown()

    def data_received(self, data: bytes) -> None:
        # A request that comes while the end is under way has not begun, and its client repeats it elsewhere.
        if not self.awaits_end:
            super().data_received(data)

    def works(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def is_admitted(self) -> bool:
        """Whether a request on it had a key, or needed none."""
        scope: Any = getattr(self, "scope", None)
        if not self._admitted and scope is not None and scope.get(ADMITTED):
            self._admitted = True
        return self._admitted

    def _from(self, address: str) -> int:
        """Connections of one machine."""
        return sum(
            isinstance(other, Connection) and other.client is not None and other.client[0] == address
            for other in self.connections
        )

    def hang_up_if_slow(self, now: float) -> None:
        """Hang up on a client that keeps us waiting."""
        if self.dawdles(now):
            cut(self.transport)

    def dawdles(self, now: float) -> bool:
        """Whether it has begun a request, or not even that, and kept us waiting for the rest for too long; or whether
        it does not read its answer."""
        if not self.flow.write_paused:
            self.reads_since = now
        working = self.works()
        between = (
            self.cycle is not None
            and self.conn.states[h11.CLIENT] is h11.IDLE
            and not self.conn.trailing_data[0]
        )
        if working or between:
            self.waits_since = now
        return now - self.waits_since > HEAD_PATIENCE_S or now - self.reads_since > READ_PATIENCE_S


class Selector(selectors.DefaultSelector):
    """Waits for sockets; one failure does not end the server.

    Windows' `select` fails with all sockets when one of them is bad, or when there are too many.
    """

    _failures = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        try:
            ready = super().select(timeout)
        except (OSError, ValueError) as error:
            self._failures += 1
            if self._failures > MAX_FAILURES:
                raise
            _log.error("Waiting for connections failed: %s: %s", type(error).__name__, error)
            self._drop_bad()
            return []
        self._failures = 0
        return ready

    def _drop_bad(self) -> None:
        """Wait no longer for sockets that cannot be waited for; else, for the newest beyond the limit."""
        keys = list(self.get_map().values())
        bad = [key for key in keys if not _can_wait(key.fd)] or keys[most_connections() :]
        for key in bad:
            self.unregister(key.fileobj)


def _can_wait(number: int) -> bool:
    try:
        if sys.platform == "win32":
            select.select([number], [], [], 0)
        else:
            os.fstat(number)
    except (OSError, ValueError):
        return False
    return True


class Loop(asyncio.SelectorEventLoop):
    """An event loop which does not wait a minute for a TLS handshake (such connections are in nobody's count yet), and
    whose faults go to our log."""

    plain: socket.socket | None = None
    """The listener that speaks no TLS, whatever the others do; uvicorn has one setting for all."""

    def __init__(self) -> None:
        super().__init__(Selector())
        #: What counts the connections.
        self.listeners: list[Listener] = []

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        # asyncio's own logger belongs to the host; what it says there may end at the Textport, from this thread.
        error = context.get("exception")
        what = f": {type(error).__name__}: {error}" if error is not None else ""
        _log.error("%s%s", str(context.get("message", "A fault in the server")).splitlines()[0], what)

    async def create_server(self, *args: Any, **options: Any) -> asyncio.Server:
        if self.plain is not None and options.get("sock") is self.plain:
            options["ssl"] = None
        if options.get("ssl") is not None:
            options.setdefault("ssl_handshake_timeout", HANDSHAKE_PATIENCE_S)
        listener = options.get("sock")
        if isinstance(listener, Listener):
            # Where there are two listeners, others cannot take the half of this machine's own clients.
            listener.limit = most_connections() // (1 if self.plain is None else 2)
            self.listeners.append(listener)
        return await super().create_server(*args, **options)


class Server(uvicorn.Server):
    """uvicorn's server: stops though streams are open, and throws out connections that dawdle.

    uvicorn waits for open event streams to end, which only a signal makes them do, and a thread gets none.
    `on_started` is called once it serves.
    """

    on_started: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.on_started is not None:
            self.on_started()

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            now = time.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    # An exception here would end the server's loop, and with it every connection.
                    threads.guarded(connection.hang_up_if_slow, "Looking at a connection", now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Listeners first, so that nobody new comes; then hang up, and go on hanging up, while uvicorn waits.
        for listener in self.servers:
            listener.close()
        hanging_up = asyncio.create_task(self._hang_up())
        try:
            await super().shutdown(sockets)
        finally:
            hanging_up.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await hanging_up

    async def _hang_up(self) -> None:
        for attempt in itertools.count():
            for connection in list(self.server_state.connections):
                transport: Any = getattr(connection, "transport", None)
                if transport is not None:
                    if attempt >= _POLITE:
                        cut(transport)
                    elif not isinstance(connection, Connection) or not connection.awaits_end:
                        transport.close()
            if attempt == _PATIENT:
                # Whoever still has not noticed that its client is gone never will.
                for task in self.server_state.tasks:
                    task.cancel()
            await asyncio.sleep(_AGAIN_S)
