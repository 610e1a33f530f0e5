"""Request bodies: none too large, none too slow, and all of them together within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, header, refuse
from tdmcp_embedded.protocol.replayed_body import replay

#: A body has this many seconds, and more for each received byte (as if over a poor line), until it must be complete.
_PATIENCE_S: Final = 15.0
_SLOWEST_BYTES_S: Final = 50_000

#: How many bodies of full size may be on their way at once.
_AT_ONCE: Final = 8


class _TooLarge(Exception):
    pass


class BodyGate:
    """413 for a body over the limit (before it is read if its length is declared), 408 for one that does not come.

    The application gets the body whole.

    Args:
        max_bytes: the limit of the moment.
    """

    def __init__(self, app: ASGIApp, max_bytes: Callable[[], int]) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._held = 0
        """Bytes of unfinished bodies in memory."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        limit = self._max_bytes()
        too_large = Refusal(
            413,
            "too_large",
            f"The request body is over {limit / 2**20:.0f} MB, the limit on the Performance page; send less at a time.",
        )
        declared = header(scope, b"content-length")
        if declared is not None and int(declared) > limit:
            await refuse(scope, receive, send, too_large)
            return
        if self._held > _AT_ONCE * limit:
            sentence = "Too many large requests at once; call again in 1 s, one call at a time."
            await refuse(
                scope, receive, send, Refusal(429, "too_many_requests", sentence, {"retry-after": "1"})
            )
            return
        try:
            body = await self._read(receive, limit)
        except _TooLarge:
            await refuse(scope, receive, send, too_large)
            return
        except TimeoutError:
            sentence = "The request body did not arrive in time; send it again."
            late = Refusal(408, "request_timeout", sentence, {"connection": "close"})
            await refuse(scope, receive, send, late, unread=False)
            return
        if body is not None:
            await self._app(scope, replay(body, receive), send)

    async def _read(self, receive: Receive, limit: int) -> bytes | None:
        """The whole body; None if the client went away."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(_PATIENCE_S) as patience:
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    part = message.get("body", b"")
                    size += len(part)
                    self._held += len(part)
                    if size > limit:
                        raise _TooLarge
                    parts.append(part)
                    if not message.get("more_body"):
                        return parts[0] if len(parts) == 1 else b"".join(parts)
                    patience.reschedule(began + _PATIENCE_S + size / _SLOWEST_BYTES_S)
        finally:
            self._held -= size
