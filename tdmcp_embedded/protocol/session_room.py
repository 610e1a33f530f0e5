"""Room for new sessions: at the limit, the session of the same key that has been idle for longest makes way.

Clients of the handshake era open sessions and never say that they leave; some open one for every look they take. The
SDK would turn everybody else away for half an hour then, until the first of those have been idle long enough.
"""

from __future__ import annotations

import math
from collections import Counter

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp_types import INTERNAL_ERROR
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from tdmcp_embedded.protocol import sdk_sessions

#: The first protocol version without sessions; versions are dates.
_SESSIONLESS = b"2026-07-28"


class SessionRoom:
    """The SDK's endpoint, which never answers *too many sessions* while one of them is idle.

    A session is idle when it has no request under way and no stream open. The one that was ended is gone like any
    other: its next request gets 404, upon which clients start a new session.

    Limits count by key. A key may have all but an eighth of the places, and makes room at its own cost. Only one that
    has less than its share of a full server, and no idle session of its own, takes a place from the key with the most.
    """

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager
        self._app = StreamableHTTPASGIApp(manager)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _opens_session(scope) and not self._make_room(_owner(scope)):
            message = (
                "Too many sessions are open with this access key, and all of them are at work; end one first."
            )
            error = {"code": INTERNAL_ERROR, "message": message}
            await JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 503, {"retry-after": "10"})(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)

    def _make_room(self, owner: str) -> bool:
        """Whether there is a place for a new session of this key, if need be after ending an idle one."""
        most = self._manager.max_sessions
        if most is None:
            return True
        sessions = sdk_sessions.sessions(self._manager)
        if sessions is None:
            return True  # the SDK refuses by itself
        owners = Counter(self._owner_of(name) for name in sessions)
        full = owners.total() >= most
        if not full and owners[owner] < most - most // 8:
            return True
        if self._end_idle(owner):
            return True
        share = most // len({*owners, owner})
        if full and owners[owner] < share:
            for other, count in owners.most_common():
                if count <= share:
                    break
                if self._end_idle(other):
                    return True
        return False

    def _end_idle(self, owner: str) -> bool:
        """End the session of a key that has been idle for longest; whether there was one."""
        sessions = sdk_sessions.sessions(self._manager) or {}
        # The deadline of a session at work is infinite; of the others, the soonest belongs to the longest idle.
        ends = {
            name: scope.deadline
            for name, one in sessions.items()
            if (scope := getattr(one, "idle_scope", None)) is not None and self._owner_of(name) == owner
        }
        idle = min(ends, key=lambda name: ends[name], default="")
        if not idle or ends[idle] == math.inf:
            return False
        scope = sessions.pop(idle).idle_scope
        sdk_sessions.owners(self._manager).pop(idle, None)
        assert scope is not None
        scope.cancel()
        return True

    def _owner_of(self, session: str) -> str:
        owner = sdk_sessions.owners(self._manager).get(session)
        return str(owner["client_id"]) if owner is not None else ""


def _owner(scope: Scope) -> str:
    """The identity of the key, by which the SDK tells callers apart too; empty where no key is asked for."""
    key = scope.get("tdmcp.key")
    return str(key.id) if key is not None else ""


def _opens_session(scope: Scope) -> bool:
    if scope["method"] != "POST":
        return False
    names = {name: value for name, value in scope["headers"]}
    return b"mcp-session-id" not in names and names.get(b"mcp-protocol-version", b"") < _SESSIONLESS
