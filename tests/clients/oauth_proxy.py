"""What stands between one client and the server: notes what the client asks for, and lets its tokens expire."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from tests.integration.proxies import Proxy, tunnel


@dataclass(frozen=True)
class Seen:
    """One request: its path, the grant it asks for (of the token endpoint), and the status of the answer."""

    method: str
    path: str
    grant: str
    status: int


class Watched(Proxy):
    """A proxy for one client. The address it is asked by is the server's for this client."""

    def __init__(self, behind: int) -> None:
        super().__init__(tunnel, behind)
        self.seen: list[Seen] = []
        self.issued: set[str] = set()
        """Access tokens that the client was given."""
        self._expired: set[str] = set()

    def expire(self) -> None:
        """From now on the server knows none of the access tokens that were issued so far."""
        self._expired |= self.issued

    def has(self, method: str, path: str, grant: str = "", *, good: bool = True) -> bool:
        """Whether such a request was answered with success."""
        return any(
            one.method == method
            and one.path.startswith(path)
            and one.grant == grant
            and (one.status < 400) == good
            for one in self.seen
        )

    def _pass_on(self, client: Any) -> None:
        line = client.rfile.readline().decode("latin-1").rstrip("\r\n")
        headers: list[tuple[str, str]] = []
        while field := client.rfile.readline().decode("latin-1").rstrip("\r\n"):
            name, _, value = field.partition(":")
            headers.append((name, value.strip()))
        if not line:
            return
        length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        body = client.rfile.read(length)
        method, path, *_ = line.split(" ")
        sent = [
            f"{name}: {self._aged(name, value)}" for name, value in headers if name.lower() != "connection"
        ]
        with socket.create_connection(("127.0.0.1", self.behind), timeout=120) as server:
            server.sendall("\r\n".join([line, *sent, "Connection: close", "", ""]).encode("latin-1") + body)
            answer = b""
            while piece := server.recv(65536):
                answer = answer + piece if len(answer) < 65536 else answer
                client.wfile.write(piece)
                if b"\r\n" in answer and len(answer) == len(piece):
                    status = int(answer.split(b" ", 2)[1])
                    grant = (
                        parse_qs(body.decode("latin-1")).get("grant_type", [""])[0]
                        if path == "/token"
                        else ""
                    )
                    self.seen.append(Seen(method, path.partition("?")[0], grant, status))
        if path == "/token":
            self._note(answer)

    def _aged(self, name: str, value: str) -> str:
        if name.lower() == "authorization" and value.removeprefix("Bearer ") in self._expired:
            return "Bearer expired"
        return value

    def _note(self, answer: bytes) -> None:
        content = answer.partition(b"\r\n\r\n")[2]
        start = content.find(b"{")
        try:
            token = json.loads(content[start : content.rfind(b"}") + 1]).get("access_token")
        except ValueError:
            return
        if token:
            self.issued.add(token)
