"""Answers that are not the application's: refusals in one sentence, and small JSON documents."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.types import Receive, Scope, Send

#: How long (seconds) and how much (bytes) of an unwanted request body is read and thrown away, so that a client which
#: insists on sending it all gets to see the refusal instead of a broken connection.
_DRAIN_S: Final = 2.0
_DRAIN_BYTES: Final = 64 * 2**20


@dataclass(frozen=True)
class Refusal:
    """Why a request goes no further: HTTP status, a word for programs, and a sentence that says what to do."""

    status: int
    code: str
    sentence: str
    headers: dict[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        # The shape of a JSON-RPC error: MCP clients then show the sentence instead of a bare status.
        error = {"code": -32600, "message": self.sentence, "data": {"code": self.code}}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


def header(scope: Scope, name: bytes) -> bytes | None:
    """The first header of that (lower-case) name."""
    return next((value for key, value in scope["headers"] if key == name), None)


def headers(scope: Scope, name: bytes) -> list[bytes]:
    """Every header of that (lower-case) name."""
    return [value for key, value in scope["headers"] if key == name]


async def refuse(
    scope: Scope, receive: Receive, send: Send, refusal: Refusal, *, unread: bool = True
) -> None:
    """Answer with a refusal.

    Args:
        unread: whether a request body, if there is one, may still be on its way.
    """
    body = refusal.body()
    pending = unread and _has_body(scope)
    extra = dict(refusal.headers)
    if pending:
        extra["connection"] = "close"
    await send(_start(refusal.status, body, extra))
    sent_out = {"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body}
    if pending and header(scope, b"expect") is None:
        await send({**sent_out, "more_body": True})
        await _drain(receive)
        sent_out["body"] = b""
    await send(sent_out)


async def answer_json(scope: Scope, send: Send, content: dict[str, Any]) -> None:
    """Answer 200 with a JSON object that must not be cached."""
    body = json.dumps(content).encode()
    await send(_start(200, body, {"cache-control": "no-store"}))
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _start(status: int, body: bytes, extra: dict[str, str]) -> dict[str, Any]:
    fields = {"content-type": "application/json", "content-length": str(len(body)), **extra}
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in fields.items()],
    }


def _has_body(scope: Scope) -> bool:
    length = header(scope, b"content-length")
    return (length is not None and length != b"0") or header(scope, b"transfer-encoding") is not None


async def _drain(receive: Receive) -> None:
    left = _DRAIN_BYTES
    try:
        async with asyncio.timeout(_DRAIN_S):
            while left > 0:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
                left -= len(message.get("body", b""))
                # Somebody's flood must not take the interpreter from the frames: about 30 MB a second.
                await asyncio.sleep(0.002)
    except TimeoutError:
        return
