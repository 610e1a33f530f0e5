"""Getting a port to listen on, or one clear sentence why not."""

from __future__ import annotations

import errno
import os
import socket
import sys
from typing import Final

_BACKLOG: Final = 128


class CannotListen(Exception):
    """There is no port to be had; the text says why and what to do."""


def listen(address: str, port: int, scan: int = 0) -> socket.socket:
    """A listening, non-blocking socket.

    Args:
        address: an IP address of this machine, or a name of one.
        port: the wanted port; 0 lets the system choose.
        scan: how many following ports to try when it is taken.

    Raises:
        CannotListen: all of them are taken or reserved, or the address is not this machine's.
    """
    ports = range(port, min(port + scan, 65535) + 1) if port else range(1)
    for candidate in ports:
        try:
            return _bind(address, candidate)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise CannotListen(_unusable(address, error)) from error
    last = ports[-1]
    which = f"Port {port} is" if last == port else f"Ports {port} to {last} are all"
    raise CannotListen(
        f"{which} taken on {address} by other programs; set another Port on the Server page, or end the program that "
        "holds it."
    )


def _bind(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # With protocol 0 instead of TCP, asyncio does not switch Nagle's algorithm off: 40 ms more for every answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
