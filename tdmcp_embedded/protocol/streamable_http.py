"""The MCP endpoint: the SDK's, adapted where it is stricter than clients are, or looser than the protocol is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp_types import INVALID_REQUEST
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tdmcp_embedded.protocol import envelope
from tdmcp_embedded.protocol.answer_form import AnswerForm
from tdmcp_embedded.protocol.media_types import EVENT_STREAM, JSON, Accepted, accepted
from tdmcp_embedded.protocol.offer import Context
from tdmcp_embedded.protocol.replayed_body import replay

#: Set in the scope of requests whose answer is JSON: nothing can be asked of their client meanwhile.
JSON_ONLY: Final = "tdmcp.json_only"

#: Seconds for the connection of an answered request to come to its end, before its id is refused as taken.
_END: Final = 10.0

_BOTH: Final = f"{JSON}, {EVENT_STREAM}".encode()


class StreamableHttp:
    """The endpoint.

    Answers in JSON or as an event stream, whichever the client takes. Refuses messages that are not JSON-RPC, and
    requests whose id is that of another one at work in the same session. Event streams cannot be resumed, so
    `Last-Event-ID` is ignored: the SDK's event store names streams by the id of their request alone, which clients
    count from 1, so one store for all sessions would give a client the answers of another key. It would also serve
    one protocol version only (2025-11-25) and cost each call one more event. `get_status` and `get_job` have what was
    lost, for all versions.

    Args:
        app: the SDK's endpoint.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._at_work: dict[tuple[str, str], _Work] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        takes = accepted(tuple(_all(scope, b"accept")))
        if scope["method"] == "POST":
            await self._post(scope, receive, send, takes)
        elif scope["method"] == "GET" and not takes.events:
            await _refuse(send, 406, f"This stream is sent as {EVENT_STREAM}; accept that.")
        else:
            await self._app(_adapted(scope), receive, send)

    async def _post(self, scope: Scope, receive: Receive, send: Send, takes: Accepted) -> None:
        if not takes.json and not takes.events:
            await _refuse(send, 406, f"Answers are sent as {JSON} or {EVENT_STREAM}; accept one of them.")
            return
        body = await _body(receive)
        if body is None:
            return
        version = next(iter(_all(scope, b"mcp-protocol-version")), b"").decode("latin-1")
        sessionless = bool(version) and version not in HANDSHAKE_PROTOCOL_VERSIONS
        try:
            message = envelope.read(body, sessionless=sessionless)
        except envelope.EnvelopeError as error:
            await _answer(send, 400, error.body())
            return
        if message.method == "subscriptions/listen" and not takes.events:
            await _refuse(send, 406, f"This stream is sent as {EVENT_STREAM}; accept that.")
            return
        scope = _adapted(scope)
        scope[JSON_ONLY] = not takes.events
        session = next(iter(_all(scope, b"mcp-session-id")), b"").decode("latin-1")
        if message.id is None or not message.method or not session or sessionless:
            await self._app(scope, replay(body, receive), AnswerForm(send, takes))
            return
        # The SDK knows requests by the text of their id.
        request = session, str(message.id)
        if not await self._is_free(request):
            taken = envelope.EnvelopeError(
                INVALID_REQUEST, f"The id {message.id!r} belongs to a request that is still at work."
            )
            await _answer(send, 400, taken.body())
            return
        async with self._working(request) as work:
            await self._app(scope, replay(body, receive), AnswerForm(work.noting(send), takes))

    async def middleware(self, ctx: Context, call_next: Callable[[Context], Any]) -> Any:
        """A middleware of the SDK's server: a request whose client has hung up is still at work."""
        session = ctx.request.headers.get("mcp-session-id") if ctx.request is not None else None
        if not session or ctx.request_id is None:
            return await call_next(ctx)
        async with self._working((str(session), str(ctx.request_id))) as work:
            try:
                return await call_next(ctx)
            finally:
                work.answered = True

    async def _is_free(self, request: tuple[str, str]) -> bool:
        """Whether no request with this id is at work in its session.

        A client may use an id again as soon as it has the answer, and the SDK has not forgotten it quite then.
        """
        with anyio.move_on_after(_END):
            while (work := self._at_work.get(request)) is not None and work.answered:
                await work.over.wait()
        return request not in self._at_work

    @asynccontextmanager
    async def _working(self, request: tuple[str, str]) -> AsyncIterator[_Work]:
        work = self._at_work.setdefault(request, _Work())
        work.holders += 1
        try:
            yield work
        finally:
            work.holders -= 1
            if not work.holders:
                del self._at_work[request]
                work.over.set()


class _Work:
    """A request at work: its connection and its handler hold it, since either may outlive the other."""

    def __init__(self) -> None:
        self.holders = 0
        self.answered = False
        self.over = anyio.Event()

    def noting(self, send: Send) -> Send:
        """`send`, which notes the end of an answer that no handler is at work on: what the SDK refuses itself."""

        async def noting(message: Message) -> None:
            ends = message["type"] == "http.response.body" and not message.get("more_body")
            if ends and self.holders == 1:
                self.answered = True
            await send(message)

        return noting


def _adapted(scope: Scope) -> Scope:
    """The request as the SDK wants it; the gates before have looked at what was really sent."""
    left_out = (b"accept", b"last-event-id")
    headers = [
        (name, JSON.encode() if name == b"content-type" else value)
        for name, value in scope["headers"]
        if name not in left_out
    ]
    return {**scope, "headers": [*headers, (b"accept", _BOTH)]}


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


async def _body(receive: Receive) -> bytes | None:
    """The whole body, which the gate before has limited; None if the client went away."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _refuse(send: Send, status: int, sentence: str) -> None:
    await _answer(send, status, envelope.EnvelopeError(INVALID_REQUEST, sentence).body())


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
