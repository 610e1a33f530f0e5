"""Requests of sessions that are over: told once, then served without a session.

A restart of the server ends all sessions. Clients of the handshake versions are to begin a new one upon 404; some, such
as those on the TypeScript SDK 1.x, never do, and would be of no use until somebody restarts them.
"""

from __future__ import annotations

from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.protocol import sdk_sessions

_SESSION: Final = b"mcp-session-id"
#: Sessions that are remembered as told; the oldest are forgotten, and told again.
_MOST: Final = 256
_LONGEST: Final = 128

_SENTENCE: Final = "Session not found: the server has started again, or ended an idle session. Begin a new session, or call again."


class LostSessions:
    """Answers the first request of a session that is over with 404, and serves later ones without a session.

    A client that begins a new session upon 404 never comes to the second request. What needs a session (the stream
    of notifications, questions to the user) stays 404 or is left out. The key is checked before.

    Args:
        sessionless: serves a request without a session.
    """

    def __init__(self, app: ASGIApp, manager: StreamableHTTPSessionManager, sessionless: ASGIApp) -> None:
        self._app = app
        self._manager = manager
        self._sessionless = sessionless
        self._told: dict[bytes, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = _session(scope)
        if not session or sdk_sessions.is_open(self._manager, session.decode("latin-1")):
            await self._app(scope, receive, send)
            return
        if session not in self._told:
            self._told[session] = None
            if len(self._told) > _MOST:
                del self._told[next(iter(self._told))]
            error = {"code": INVALID_REQUEST, "message": _SENTENCE}
            answer = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 404)
            await answer(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name != _SESSION]
        await self._sessionless({**scope, "headers": headers}, receive, send)


def _session(scope: Scope) -> bytes:
    """The session that a message names; nothing of requests that carry no message, or name none."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return b""
    named = [value for name, value in scope["headers"] if name == _SESSION]
    return bytes(named[0]) if len(named) == 1 and len(named[0]) <= _LONGEST else b""
