"""One request straight into an ASGI application, without a network."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp


@dataclass
class Answer:
    """What the client sees."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def code(self) -> str:
        """The word for programs in a refusal."""
        return str(json.loads(self.body)["error"]["data"]["code"])

    @property
    def sentence(self) -> str:
        return str(json.loads(self.body)["error"]["message"])


@dataclass
class Line:
    """The client's end of one request: body parts to send, and how many of them have been fetched."""

    parts: list[bytes]
    fetched: int = 0

    async def receive(self) -> dict[str, Any]:
        if self.fetched >= len(self.parts):
            return {"type": "http.disconnect"}
        self.fetched += 1
        part = self.parts[self.fetched - 1]
        return {"type": "http.request", "body": part, "more_body": self.fetched < len(self.parts)}


async def ask(
    app: ASGIApp,
    method: str = "POST",
    path: str = "/mcp",
    *,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes | list[bytes] = b"{}",
    host: str = "127.0.0.1:9988",
    server: str = "127.0.0.1",
    client: str = "127.0.0.1",
    key: str = "",
    json_type: bool = True,
    query: str = "",
    line: Line | None = None,
) -> Answer:
    """Ask and read the whole answer.

    Args:
        host: the Host header; nothing for none.
        server, client: the addresses at the two ends of the connection.
        key: the access key to give.
        json_type: whether to say that the body is JSON.
        query: what stands behind the question mark.
        line: to see afterwards how much of the body was fetched.
    """
    line = line or Line([body] if isinstance(body, bytes) else body)
    fields = [("host", host)] if host else []
    fields += [("content-type", "application/json")] if json_type else []
    fields += [("authorization", f"Bearer {key}")] if key else []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "scheme": "http",
        "server": (server, 9988),
        "client": (client, 50000),
        "headers": [(name.encode(), _raw(value)) for name, value in [*fields, *headers]],
    }
    answer = Answer()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    await app(scope, line.receive, send)
    return answer


def _raw(value: str) -> bytes:
    """A header's bytes: those of Latin-1 where there are such, so that a test can send any; else UTF-8."""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode()
