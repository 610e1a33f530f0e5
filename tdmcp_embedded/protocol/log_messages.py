"""MCP log messages, for clients that ask for them.

In the handshake era a client sets a level for its session and hears what happens in the server, and its own calls. In
2026-07-28 it asks with a request, and hears of that request. Nobody hears of other people's calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types import (
    EmptyResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.logs.records import Record, severity

Context = ServerRequestContext[Any, Any]

_LOGGER: Final = "tdmcp"
#: Messages on their way to one session; a client that does not read them misses the rest.
_PENDING: Final = 50


@dataclass
class _Listener:
    session: Any
    level: str
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class LogMessages:
    """Who asked for log messages, and the sending of them.

    Args:
        session_of: the id of the session a request belongs to.
        is_open: whether a session still is.
    """

    def __init__(
        self, log: Log, session_of: Callable[[Context], str], is_open: Callable[[str], bool]
    ) -> None:
        self._log = log
        self._session_of, self._is_open = session_of, is_open
        self._listeners: dict[str, _Listener] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: Callable[[], None] | None = None

    async def set_level(self, ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
        """The handler of `logging/setLevel`."""
        self._listeners[self._session_of(ctx)] = _Listener(ctx.session, params.level)
        if self._end is None:
            self._loop = asyncio.get_running_loop()
            self._end = self._log.ring.listen(self._on_record)
        return EmptyResult()

    async def tell_caller(self, ctx: Context, record: Record) -> None:
        """In 2026-07-28: the record of a call, within that call, if it asked for records of this level."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        if record.level in allowed_log_levels(ctx.protocol_version, ctx.meta):
            await ctx.session.send_notification(_message(record), related_request_id=ctx.request_id)

    def close(self) -> None:
        """Tell nobody any more."""
        if self._end is not None:
            self._end()
            self._end = None
        self._listeners.clear()

    def _on_record(self, record: Record) -> None:
        """On whatever thread it happened."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(self._tell, record)
        except RuntimeError:  # the server's loop has ended meanwhile
            return

    def _tell(self, record: Record) -> None:
        for name, listener in list(self._listeners.items()):
            if not self._is_open(name):
                del self._listeners[name]
                continue
            own = not record.tool or record.session == name
            if own and severity(record.level) >= severity(listener.level) and len(listener.tasks) < _PENDING:
                task = asyncio.ensure_future(self._send(name, listener, record))
                listener.tasks.add(task)
                task.add_done_callback(listener.tasks.discard)

    async def _send(self, name: str, listener: _Listener, record: Record) -> None:
        try:
            await listener.session.send_notification(_message(record))
        except Exception:  # noqa: BLE001 - whatever went wrong, this client is gone; logging it would never end
            self._listeners.pop(name, None)


def _message(record: Record) -> LoggingMessageNotification:
    facts = record.as_dict()
    level: LoggingLevel = facts.pop("level")
    # Names of keys are for the person at TouchDesigner.
    facts.pop("key", None)
    return LoggingMessageNotification(
        params=LoggingMessageNotificationParams(level=level, logger=_LOGGER, data=facts)
    )
