"""Brings an answer of the SDK into the form that the client takes, and keeps back what must not be sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from mcp.server.streamable_http import REQUEST_CANCELLED
from starlette.types import Message, Send

from tdmcp_embedded.protocol.media_types import EVENT_STREAM, JSON, Accepted

_EVENT_END: Final = re.compile(rb"\r?\n\r?\n")
_CANCELLED: Final = str(REQUEST_CANCELLED).encode()
#: Headers of a form, which another form does not have.
_OF_FORM: Final = frozenset({b"content-type", b"content-length", b"cache-control", b"connection"})


class AnswerForm:
    """The `send` of one request.

    A client that takes JSON only gets the answer of an event stream alone; its notifications have no place. One that
    takes an event stream only gets an answer in JSON as one event. The answer that the SDK gives to a cancelled
    request is left out: the protocol forbids to answer it, and its stream just ends.
    """

    def __init__(self, send: Send, accepted: Accepted) -> None:
        self._send = send
        self._accepted = accepted
        self._start: Message | None = None
        self._pass: Any = send
        self._buffer = b""
        self._over = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._begin(message)
        else:
            await self._pass(message)

    async def _begin(self, message: Message) -> None:
        kind = next((value for name, value in message["headers"] if name.lower() == b"content-type"), b"")
        if kind.startswith(EVENT_STREAM.encode()):
            if not self._accepted.events:
                self._start, self._pass = message, self._as_json
                return
            self._pass = self._without_cancelled
        elif message["status"] == 200 and kind.startswith(JSON.encode()) and not self._accepted.json:
            self._start, self._pass = message, self._as_event
            return
        await self._send(message)

    async def _as_json(self, message: Message) -> None:
        if self._over:
            return
        self._buffer += message.get("body", b"")
        *events, self._buffer = _EVENT_END.split(self._buffer)
        for event in events:
            found = _data(event)
            if _is_answer(found) and not _is_cancelled(found):
                await self._whole(200, JSON, found)
                return
        if not message.get("more_body"):
            # Cancelled, or the session has ended.
            await self._whole(202, "", b"")

    async def _as_event(self, message: Message) -> None:
        self._buffer += message.get("body", b"")
        if not message.get("more_body"):
            await self._whole(200, EVENT_STREAM, b"event: message\r\ndata: %s\r\n\r\n" % self._buffer)

    async def _without_cancelled(self, message: Message) -> None:
        body = message.get("body", b"")
        # Each event comes in a message of its own.
        if _CANCELLED in body and _is_cancelled(_data(body)):
            message = {**message, "body": b""}
        await self._send(message)

    async def _whole(self, status: int, kind: str, body: bytes) -> None:
        assert self._start is not None
        self._over = True
        kept = [(name, value) for name, value in self._start["headers"] if name.lower() not in _OF_FORM]
        kept.append((b"content-length", str(len(body)).encode()))
        if kind:
            kept.append((b"content-type", kind.encode()))
        await self._send({**self._start, "status": status, "headers": kept})
        await self._send({"type": "http.response.body", "body": body})


def _data(event: bytes) -> bytes:
    """The data of one server-sent event."""
    return b"\n".join(_lines(event))


def _lines(event: bytes) -> Iterator[bytes]:
    for line in event.splitlines():
        if line.startswith(b"data:"):
            yield line[5:].removeprefix(b" ")


def _object(data: bytes) -> dict[str, Any]:
    try:
        message = json.loads(data)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _is_answer(data: bytes) -> bool:
    message = _object(data) if data else {}
    return "method" not in message and ("result" in message or "error" in message)


def _is_cancelled(data: bytes) -> bool:
    error = _object(data).get("error")
    return isinstance(error, dict) and error.get("code") == REQUEST_CANCELLED
