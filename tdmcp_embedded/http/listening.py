"""Getting a port to listen on, or one clear sentence why not."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, Final

_BACKLOG: Final = 128
#: Connections beyond the limit that may be open until the loop has closed those that were cut.
_SPARE: Final = 16
LOOPBACK: Final = "127.0.0.1"

#: Seconds for which a port that this process had is tried again on Windows, and between two tries. With
#: SO_EXCLUSIVEADDRUSE, connections that the client has yet to close hold it.
OWN_PORT_S: Final = 5.0
_AGAIN_S: Final = 0.1
#: `struct linger`, whose fields are shorter on Windows: on, for 0 seconds.
_NO_LINGER: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
RESERVED_BLOCKS: Final = "netsh interface ipv4 show excludedportrange protocol=tcp"

#: Addresses and ports that servers of this process have had.
_own: set[tuple[str, int]] = set()


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


class CannotListen(Exception):
    """There is no port to be had; the text says why and what to do."""


class Listener(socket.socket):
    """A listening socket that counts the connections it has accepted, those in their TLS handshake included.

    asyncio and uvicorn know a connection only once its handshake is over. Windows' `select` takes 512 sockets, so there
    clients that never shake hands would end the server.
    """

    def __init__(self, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        #: What a person should know of where it listens.
        self.notice = ""
        #: Connections at once; 0 for no limit.
        self.limit = 0
        self._accepted: dict[int, socket.socket] = {}
        self._established: set[int] = set()
        self._cut: list[socket.socket] = []

    def accept(self) -> tuple[socket.socket, Any]:
        """As of every socket. At the limit the oldest connection that is still in its handshake makes room.

        Raises:
            BlockingIOError: those that were cut have yet to be closed by the loop.
            ConnectionAbortedError: all others are established; the new one was closed.
        """
        self._forget_closed()
        if self.limit and len(self._accepted) + len(self._cut) >= self.limit + _SPARE:
            raise BlockingIOError(errno.EAGAIN, "connections are being closed")
        connection, address = super().accept()
        if self.limit and len(self._accepted) >= self.limit:
            waiting = next((number for number in self._accepted if number not in self._established), None)
            if waiting is None:
                connection.close()
                raise ConnectionAbortedError(errno.ECONNABORTED, "too many connections")
            victim = self._accepted.pop(waiting)
            reset_on_close(victim)
            # Not closed: that is for the loop, which watches it.
            with contextlib.suppress(OSError):
                victim.shutdown(socket.SHUT_RDWR)
            self._cut.append(victim)
        number = connection.fileno()
        self._established.discard(number)
        self._accepted.pop(number, None)
        self._accepted[number] = connection
        return connection, address

    def establish(self, number: int) -> None:
        """The connection with this file number has shaken hands."""
        if number in self._accepted:
            self._established.add(number)

    def _forget_closed(self) -> None:
        for number, connection in list(self._accepted.items()):
            if connection.fileno() < 0:
                del self._accepted[number]
                self._established.discard(number)
        self._cut = [one for one in self._cut if one.fileno() >= 0]


def listen(
    address: str,
    port: int,
    scan: int = 0,
    *,
    pause: Callable[[float], bool] = _sleep,
    system: str = sys.platform,
) -> Listener:
    """A listening, non-blocking socket.

    Args:
        address: an IP address of this machine, or a name of one.
        port: the wanted port; 0 lets the system choose.
        scan: how many following ports to try when it is taken.
        pause: waits so many seconds; whether to give up then.

    Raises:
        CannotListen: all of them are taken, or the address is not this machine's.
    """
    ports = range(port, min(port + scan, 65535) + 1) if port else range(1)
    denied = 0
    for candidate in ports:
        try:
            return _bind_patiently(address, candidate, pause, system)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise CannotListen(_unusable(address, error)) from error
            denied += error.errno == errno.EACCES
    last = ports[-1]
    several = "Ports" if last != port else "Port"
    which = f"Port {port} is" if last == port else f"Ports {port} to {last} are all"
    if denied == len(ports) and system == "win32":
        # Hyper-V, WSL and Docker reserve blocks of a hundred ports each, others with every start of the system.
        with contextlib.suppress(OSError):
            listener = _bind(address, 0)
            listener.notice = (
                f"{which} reserved by Windows, so a free one is used, which changes with each start: set Port on the Server "
                f"page to one outside of the blocks that `{RESERVED_BLOCKS}` lists."
            )
            return listener
    if denied == len(ports):
        raise CannotListen(
            f"{several} {port}{'' if last == port else f' to {last}'} may not be used by this user on {address}; set a Port "
            "of 1024 or more on the Server page."
        )
    raise CannotListen(
        f"{which} taken on {address} by other programs; set another Port on the Server page, or end the program that "
        "holds it."
    )


def _bind_patiently(address: str, port: int, pause: Callable[[float], bool], system: str) -> Listener:
    """Bind a port. One that this process had a moment ago may be held by connections that a client has yet to close."""
    until = time.monotonic() + OWN_PORT_S
    while True:
        try:
            listener = _bind(address, port)
        except OSError as error:
            waits = system == "win32" and (address, port) in _own and time.monotonic() < until
            if error.errno not in (errno.EADDRINUSE, errno.EACCES) or not waits or pause(_AGAIN_S):
                _own.discard((address, port))
                raise
        else:
            _own.add((address, listener.getsockname()[1]))
            return listener


def listen_here(
    port: int,
    scan: int = 0,
    *,
    pause: Callable[[float], bool] = _sleep,
    system: str = sys.platform,
) -> Listener:
    """A listening socket for this machine's own clients, who need neither the network nor a certificate.

    At `port` if that can be, else at one of those that follow, else at any.

    Raises:
        CannotListen: this machine has no loopback address.
    """
    for candidate in [*range(port, min(port + max(scan, 1), 65535) + 1), 0]:
        try:
            return _bind_patiently(LOOPBACK, candidate, pause, system)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES) or not candidate:
                raise CannotListen(_unusable(LOOPBACK, error)) from error
    raise AssertionError("the last candidate either serves or raises")


def reset_on_close(connection: socket.socket) -> None:
    """Have a connection that is cut be gone with its close, instead of holding the port until the client closes it too."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)


def serves_this_machine(address: str, tls: bool) -> bool:
    """Whether who listens at an address can be reached at the loopback address in plain HTTP."""
    return not tls and address in (LOOPBACK, "0.0.0.0")


def _bind(address: str, port: int) -> Listener:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # With protocol 0 instead of TCP, asyncio does not switch Nagle's algorithm off: 40 ms more for every answer.
    listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # Windows' SO_REUSEADDR would let two programs have the same port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # The port of a server that has just stopped is blocked for a minute otherwise.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        if port and os.name == "posix" and _answers(family, address, port):
            raise OSError(errno.EADDRINUSE, "another program answers at this port")
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _answers(family: int, address: str, port: int) -> bool:
    """Whether somebody listens at a port we have just bound: macOS allows both, for a wildcard and a plain address."""
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as probe:
        probe.settimeout(0.2)
        # Connecting a socket to its own port from its own port would succeed with nobody there.
        return probe.connect_ex((address, port)) == 0 and probe.getsockname() != probe.getpeername()


def _unusable(address: str, error: OSError) -> str:
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"This machine has no address {address}; set Address on the Server page to 127.0.0.1."
    return f"The server cannot listen on {address}: {error.strerror or error}."
