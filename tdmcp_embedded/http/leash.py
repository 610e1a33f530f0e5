"""Requests that are still open when their key stops being valid are cut: a renewed key is dead at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tdmcp_embedded.http.credentials import key_of
from tdmcp_embedded.http.keys import Key

_log = logging.getLogger(__name__)

#: How often (seconds) the keys of open requests are looked at: they expire, and other servers change them.
LOOK_EVERY_S: Final = 0.5
#: Seconds an application has to end a request that was cut, before its task is broken off.
_GRACE_S: Final = 2.0


_SCOPE: Final = "tdmcp.leash"


@dataclass(eq=False)
class _Request:
    key: Key
    task: asyncio.Task[None] | None
    cut: asyncio.Event = field(default_factory=asyncio.Event)
    free: bool = False


def let_go(scope: Scope) -> None:
    """Let this request end as it would, whatever becomes of its key: for the one that renews it."""
    request = scope.get(_SCOPE)
    if isinstance(request, _Request):
        request.free = True


class Leash:
    """Cuts the open requests of keys that are valid no more: to the application as if the client had gone away.

    Args:
        valid: whether a key still opens the door.
    """

    def __init__(self, app: ASGIApp, valid: Callable[[Key], bool]) -> None:
        self._app = app
        self._valid = valid
        self._open: set[_Request] = set()
        self._watch: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = key_of(scope)
        if key is None:
            await self._app(scope, receive, send)
            return
        request = scope[_SCOPE] = _Request(key, asyncio.current_task())
        self._open.add(request)
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look())
        answer = _Answer(send, request.cut)
        try:
            await self._app(scope, _until(request.cut, receive), answer)
        except asyncio.CancelledError:
            # Broken off by us, that is an end like any other; by the server, it has to know.
            if not request.cut.is_set():
                raise
        finally:
            self._open.discard(request)
        if request.cut.is_set():
            await answer.end()

    async def _look(self) -> None:
        """Runs while there are open requests."""
        while self._open:
            await asyncio.sleep(LOOK_EVERY_S)
            for request in list(self._open):
                if request.cut.is_set() or request.free:
                    continue
                if not self._holds(request.key):
                    request.cut.set()
                    if request.task is not None:
                        asyncio.get_running_loop().call_later(_GRACE_S, self._break_off, request)

    def _holds(self, key: Key) -> bool:
        try:
            return self._valid(key)
        except Exception:  # noqa: BLE001 - the others are looked at all the same
            # Nobody knows; it is looked at again in a moment.
            _log.exception("Whether a key is still valid could not be seen.")
            return True

    def _break_off(self, request: _Request) -> None:
        if request in self._open and request.task is not None:
            request.task.cancel()


class _Answer:
    """The `send` of a request; once it is cut nothing more goes out but the end."""

    def __init__(self, send: Send, cut: asyncio.Event) -> None:
        self._send = send
        self._cut = cut
        self._started = self._complete = False

    async def __call__(self, message: Message) -> None:
        if self._cut.is_set():
            return
        self._note(message)
        await self._send(message)

    def _note(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
        elif message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)

    async def end(self) -> None:
        """End the answer in good order, so that the server does not take it for a fault."""
        if self._complete:
            return
        if not self._started:
            headers = [(b"content-length", b"0"), (b"www-authenticate", b'Bearer error="invalid_token"')]
            await self._send({"type": "http.response.start", "status": 401, "headers": headers})
        await self._send({"type": "http.response.body", "body": b""})


def _until(cut: asyncio.Event, receive: Receive) -> Receive:
    """A `receive` that tells of the client's going when the request is cut."""
    first = True

    async def leashed() -> Message:
        nonlocal first
        if first:
            # The body, which is there already; racing for it would cost every call two tasks.
            first = False
            return await receive()
        message = asyncio.ensure_future(receive())
        end = asyncio.ensure_future(cut.wait())
        try:
            await asyncio.wait((message, end), return_when=asyncio.FIRST_COMPLETED)
            if message.done() and not cut.is_set():
                return message.result()
            return {"type": "http.disconnect"}
        finally:
            message.cancel()
            end.cancel()

    return leashed
