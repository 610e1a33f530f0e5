"""Telling clients that something changed, in both protocol eras.

In 2026-07-28 a client listens on a stream of its own, which the bus feeds. Before that, every session gets notices of
changed lists, and of those resources it has subscribed to.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.subscriptions import event_to_notification

_log = logging.getLogger(__name__)

#: Seconds one session may take to accept a notice; the others do not wait for it.
_PATIENCE: Final = 5.0


class Notices:
    """The open sessions and streams, and the sending of notices to them; on the server's event loop.

    Args:
        is_open: whether a session of the handshake era still is.
    """

    def __init__(self, is_open: Callable[[str], bool]) -> None:
        self.bus = InMemorySubscriptionBus()
        self._is_open = is_open
        self._sessions: dict[str, Any] = {}
        #: Who wants to hear of a resource; set by the subscriptions.
        self.subscribers_of: Callable[[str], Iterable[str]] = lambda uri: ()

    def remember(self, session_id: str, session: Any) -> None:
        """A session of the handshake era that may be sent notices from now on."""
        self._sessions[session_id] = session

    async def tools_changed(self) -> None:
        await self._publish(ToolsListChanged(), self._open())

    async def prompts_changed(self) -> None:
        await self._publish(PromptsListChanged(), self._open())

    async def resources_changed(self) -> None:
        await self._publish(ResourcesListChanged(), self._open())

    async def resource_updated(self, uri: str) -> None:
        """Tell those who subscribed to this very address."""
        wanted = set(self.subscribers_of(uri))
        await self._publish(ResourceUpdated(uri), [name for name in self._open() if name in wanted])

    def _open(self) -> list[str]:
        for name in [name for name in self._sessions if not self._is_open(name)]:
            del self._sessions[name]
        return list(self._sessions)

    async def _publish(self, event: ServerEvent, sessions: Iterable[str]) -> None:
        await self.bus.publish(event)
        await asyncio.gather(*(self._send(name, event) for name in sessions))

    async def _send(self, name: str, event: ServerEvent) -> None:
        session = self._sessions.get(name)
        if session is None:
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                await session.send_notification(event_to_notification(event, {}))
        except Exception:  # noqa: BLE001 - one client that went away must not keep the others from hearing
            _log.debug("a session could not be told of a change", exc_info=True)
