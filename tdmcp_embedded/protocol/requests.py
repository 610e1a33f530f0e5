"""What a request says of who made it: session, key, level; and how to tell its client of progress."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from mcp.server.context import ServerRequestContext

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.protocol import access
from tdmcp_embedded.protocol.recording import client_of
from tdmcp_embedded.settings import Level, Settings
from tdmcp_embedded.tools.tool import Call

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class Host:
    """What the protocol needs to know of the TouchDesigner it lives in.

    `settings` gives the settings of the moment; `facts` is sampled on the main thread and may be read anywhere.
    """

    td: ModuleType
    queue: FrameQueue
    settings: Callable[[], Settings]
    facts: Mapping[str, Any]
    log: Log = field(default_factory=Log)

    def level(self, ctx: Context) -> Level:
        """What the caller may do now."""
        key = _scope(ctx).get("tdmcp.key")
        return access.effective_level(
            key.level if key is not None else Level.FULL, self.settings(), self.facts
        )

    def call(self, ctx: Context, name: str) -> Call:
        """The context of work that this request asks for; `name` is what it is called in the queue."""
        return Call(
            td=self.td,
            settings=self.settings(),
            queue=self.queue,
            level=self.level(ctx),
            session=session_id(ctx),
            owner=key_id(ctx),
            client=client_of(ctx),
            tool=name,
            instance=dict(self.facts),
            progress=_progress(ctx, self.queue),
            recent=self.log.edits,
        )


def session_id(ctx: Context) -> str:
    """What the frame queue shares its turns by: the session, or in the sessionless era the client's connection."""
    if ctx.request is not None:
        legacy = ctx.request.headers.get("mcp-session-id")
        if legacy:
            return str(legacy)
    client = _scope(ctx).get("client")
    return f"{client[0]}:{client[1]}" if client else ""


def key_id(ctx: Context) -> str:
    """The identity of the key a request came with, to which its jobs belong; empty where no key is asked for."""
    key = _scope(ctx).get("tdmcp.key")
    return str(key.id) if key is not None else ""


def key_life(ctx: Context) -> tuple[str, float]:
    """The name of the key a request came with, as the log shows it, and since when it is that key's."""
    key = _scope(ctx).get("tdmcp.key")
    return (str(key.name), float(key.created)) if key is not None else ("", 0.0)


def _scope(ctx: Context) -> Mapping[str, Any]:
    scope: Mapping[str, Any] = ctx.request.scope if ctx.request is not None else {}
    return scope


def _progress(ctx: Context, queue: FrameQueue) -> Callable[[float, float | None, str], None]:
    if not ctx.meta or ctx.meta.get("progress_token") is None and ctx.meta.get("progressToken") is None:
        return lambda done, total, message: None
    return _Progress(ctx, queue).report


class _Progress:
    """Progress of one request, sent one message at a time: a client that does not read gets the latest, not them all."""

    def __init__(self, ctx: Context, queue: FrameQueue) -> None:
        self._ctx, self._queue = ctx, queue
        self._loop = asyncio.get_running_loop()
        self._furthest = -1.0
        self._latest: tuple[float, float | None, str] | None = None
        self._task: asyncio.Task[None] | None = None

    def report(self, done: float, total: float | None, message: str) -> None:
        """Any thread."""
        if done <= self._furthest:  # clients may rely on it that progress grows
            return
        self._furthest = done
        latest = (done, total, message)
        # With the answers, so that it comes before them, and costs the frame as little.
        self._queue.at_frame_end(lambda: self._hand_over(latest))

    def _hand_over(self, latest: tuple[float, float | None, str]) -> None:
        with contextlib.suppress(RuntimeError):  # the server's loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._take, latest)

    def _take(self, latest: tuple[float, float | None, str]) -> None:
        self._latest = latest
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._send())

    async def _send(self) -> None:
        while (latest := self._latest) is not None:
            self._latest = None
            try:
                await self._ctx.session.report_progress(*latest)
            except Exception:  # noqa: BLE001 - the client has gone away; its call ends by itself
                return
