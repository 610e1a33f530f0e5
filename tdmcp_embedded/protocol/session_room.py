"""Room for new sessions: at the limit, the session that has been idle for longest makes way.

Clients of the handshake era open sessions and never say that they leave; some open one for every look they take. The
SDK would turn everybody else away for half an hour then, until the first of those have been idle long enough.
"""

from __future__ import annotations

import math

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

#: The first protocol version without sessions; versions are dates.
_SESSIONLESS = b"2026-07-28"


class SessionRoom:
    """The SDK's endpoint, which never answers *too many sessions* while one of them is idle.

    A session is idle when it has no request under way and no stream open. The one that was ended is gone like any
    other: its next request gets 404, upon which clients start a new session.
    """

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager
        self._app = StreamableHTTPASGIApp(manager)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _opens_session(scope):
            self._make_room()
        await self._app(scope, receive, send)

    def _make_room(self) -> None:
        most = self._manager.max_sessions
        sessions = self._manager._server_instances  # the SDK has no public list
        if most is None or len(sessions) < most:
            return
        # The deadline of a session at work is infinite; of the others, the soonest belongs to the longest idle.
        ends = {name: one.idle_scope.deadline for name, one in sessions.items() if one.idle_scope is not None}
        idle = min(ends, key=lambda name: ends[name], default="")
        if idle and ends[idle] < math.inf:
            scope = sessions.pop(idle).idle_scope
            assert scope is not None
            scope.cancel()


def _opens_session(scope: Scope) -> bool:
    if scope["method"] != "POST":
        return False
    names = {name: value for name, value in scope["headers"]}
    return b"mcp-session-id" not in names and names.get(b"mcp-protocol-version", b"") < _SESSIONLESS
