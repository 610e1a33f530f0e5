"""Small real proxies on this machine: what stands between a remote client and the server, in the forms that people run."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

#: Changes a request's head: its line, its headers, the address behind the proxy.
Rewrite = Callable[[str, dict[str, str], str], tuple[str, dict[str, str]]]


def nginx(line: str, headers: dict[str, str], behind: str) -> tuple[str, dict[str, str]]:
    """A plain `proxy_pass`: HTTP/1.0, the Host of the server behind, nothing that says for whom."""
    kept = {name: value for name, value in headers.items() if name.lower() not in ("host", "connection")}
    return line.replace("HTTP/1.1", "HTTP/1.0"), {"Host": behind, **kept}


def rewriting(line: str, headers: dict[str, str], behind: str) -> tuple[str, dict[str, str]]:
    """As many proxies do it: HTTP/1.1, the Host of the server behind, and who asks."""
    kept = {name: value for name, value in headers.items() if name.lower() not in ("host", "connection")}
    return line, {"Host": behind, "X-Forwarded-For": "203.0.113.9", **kept}


def caddy(line: str, headers: dict[str, str], behind: str) -> tuple[str, dict[str, str]]:
    """A `reverse_proxy`: the Host stays, and who asks is added behind what the client claims."""
    kept = {name: value for name, value in headers.items() if name.lower() != "connection"}
    claimed = next((value for name, value in kept.items() if name.lower() == "x-forwarded-for"), "")
    kept = {name: value for name, value in kept.items() if name.lower() != "x-forwarded-for"}
    forwarded = f"{claimed}, 203.0.113.9" if claimed else "203.0.113.9"
    return line, {**kept, "X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}


def tunnel(line: str, headers: dict[str, str], behind: str) -> tuple[str, dict[str, str]]:
    """`ssh -R` and other raw tunnels: the bytes as they are."""
    return line, headers


class Proxy:
    """A proxy in front of a port of this machine; one request a connection. Use it as a context manager.

    Args:
        behind: the port, which may be set later.
    """

    def __init__(self, rewrite: Rewrite, behind: int = 0) -> None:
        self.rewrite, self.behind = rewrite, behind
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            timeout = 30

            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    proxy._pass_on(self)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self) -> str:
        """Where remote clients find it, like http://127.0.0.1:1234."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _pass_on(self, client: Any) -> None:
        line = client.rfile.readline().decode("latin-1").rstrip("\r\n")
        headers: dict[str, str] = {}
        while field := client.rfile.readline().decode("latin-1").rstrip("\r\n"):
            name, _, value = field.partition(":")
            headers[name] = value.strip()
        if not line:
            return
        length = next((int(value) for name, value in headers.items() if name.lower() == "content-length"), 0)
        body = client.rfile.read(length)
        line, headers = self.rewrite(line, headers, f"127.0.0.1:{self.behind}")
        headers = {name: value for name, value in headers.items() if name.lower() != "connection"}
        with socket.create_connection(("127.0.0.1", self.behind), timeout=30) as server:
            head = [
                line,
                *(f"{name}: {value}" for name, value in headers.items()),
                "Connection: close",
                "",
                "",
            ]
            server.sendall("\r\n".join(head).encode("latin-1") + body)
            while piece := server.recv(65536):
                client.wfile.write(piece)
