"""The open sessions of the SDK's session manager, which has no public list of them.

All that is read of the SDK beyond its public face is here. An SDK that keeps its sessions under other names degrades:
nobody's session makes way for another then, sessions that are over are told by the SDK alone, and their number is unknown.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


def sessions(manager: StreamableHTTPSessionManager) -> MutableMapping[str, Any] | None:
    """The transports of the open sessions by session id; None if this SDK does not show them."""
    found = getattr(manager, "_server_instances", None)
    return found if isinstance(found, MutableMapping) else None


def owners(manager: StreamableHTTPSessionManager) -> MutableMapping[str, Any]:
    """Who opened each session, by session id; empty if this SDK does not show it."""
    found = getattr(manager, "_session_owners", None)
    return found if isinstance(found, MutableMapping) else {}


def is_open(manager: StreamableHTTPSessionManager, session: str) -> bool:
    """Whether a session may be open: one that cannot be looked up is taken for open, so that it loses nothing."""
    found = sessions(manager)
    return found is None or session in found


def count(manager: StreamableHTTPSessionManager) -> int:
    """How many sessions are open; 0 if that is not known."""
    return len(sessions(manager) or ())
