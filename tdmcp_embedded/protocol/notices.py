"""Notifications that something changed, in all protocol versions.

In 2026-07-28 a client listens on a stream of its own, which the bus feeds. Before that, every session gets notices of
changed lists, and of those resources it has subscribed to. Each session has a bounded queue: a client that does not read
delays nobody.
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

#: Different notices that wait for one session: more than it can subscribe to. Beyond that it misses the oldest.
_WAITING: Final = 256


class Outbox:
    """The notices on their way to one session, sent in order by a task of its own, so that nobody waits for it.

    A notice that already waits is not added again: it says that something changed, not how often.

    Args:
        session: the SDK's session.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._waiting: dict[ServerEvent, None] = {}
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, event: ServerEvent) -> None:
        """Have a notice sent; returns at once."""
        self._waiting[event] = None
        while len(self._waiting) > _WAITING:
            del self._waiting[next(iter(self._waiting))]
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._send_all())

    def close(self) -> None:
        """Send nothing more."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    async def _send_all(self) -> None:
        while self._waiting:
            event = next(iter(self._waiting))
            del self._waiting[event]
            try:
                await self._session.send_notification(event_to_notification(event, {}))
            except Exception:  # noqa: BLE001 - this client has gone away, which is no concern of the others
                _log.debug("a session could not be sent a notice", exc_info=True)


class Notices:
    """The open sessions and streams, and the sending of notices to them; on the server's event loop.

    Args:
        is_open: whether a session of the handshake era still is.
    """

    def __init__(self, is_open: Callable[[str], bool]) -> None:
        self.bus = InMemorySubscriptionBus()
        self._is_open = is_open
        self._sessions: dict[str, Outbox] = {}
        #: Who wants to hear of a resource; set by the subscriptions.
        self.subscribers_of: Callable[[str], Iterable[str]] = lambda uri: ()

    def remember(self, session_id: str, session: Any) -> None:
        """A session of the handshake era that may be sent notices from now on."""
        self._forget_closed()
        former = self._sessions.get(session_id)
        if former is not None:
            former.close()
        self._sessions[session_id] = Outbox(session)

    def close(self) -> None:
        """Send nothing more to anybody."""
        for outbox in self._sessions.values():
            outbox.close()
        self._sessions.clear()

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
        self._forget_closed()
        return list(self._sessions)

    def _forget_closed(self) -> None:
        for name in [name for name in self._sessions if not self._is_open(name)]:
            self._sessions.pop(name).close()

    async def _publish(self, event: ServerEvent, sessions: Iterable[str]) -> None:
        for name in sessions:
            self._sessions[name].add(event)
        await self.bus.publish(event)
