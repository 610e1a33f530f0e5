"""The application with all its gates, in front of an endpoint that notes who came through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.app import build_app
from tdmcp_embedded.http.keys import Key, Keys
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.settings import Settings
from tests.unit.http.asgi import Answer, ask


class Site:
    """`ask` sends one request with the right key, unless told otherwise."""

    def __init__(
        self, *, log: Log | None = None, instance_id: str = "", instance_secret: str = "", **settings: Any
    ) -> None:
        # A pace nobody notices: what is not about the pace must not wait.
        self.settings = Settings(**{"requests_per_second": 1e6, "burst": 10_000, **settings})
        self.keys = Keys()
        self.key: Key = self.keys.first()
        self.now = 0.0
        self.queue = FrameQueue(watch=False, clock=lambda: self.now)
        self.seen: list[Scope] = []
        self.bodies: list[bytes] = []
        self.app = build_app(
            self._mcp,
            lifespan=self._lifespan,
            queue=self.queue,
            keys=self.keys,
            settings=lambda: self.settings,
            sessions=lambda: 3,
            log=log,
            instance_id=instance_id,
            instance_secret=instance_secret,
        )

    def ask(self, *args: Any, **options: Any) -> Answer:
        return asyncio.run(self.ask_async(*args, **options))

    async def ask_async(self, *args: Any, **options: Any) -> Answer:
        options.setdefault("key", self.key.token)
        return await ask(self.app, *args, **options)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope)
        self.bodies.append((await receive()).get("body", b""))
        await PlainTextResponse("through")(scope, receive, send)

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        yield
