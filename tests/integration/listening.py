"""Clients that hear of changes, the same way in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE, http_client

ERAS = ("legacy", "auto")

#: Seconds after which a change is made once more: in the handshake era a notice is lost while the client's stream is
#: not open yet, and nobody tells when that is.
_AGAIN = 5.0


class Hearing:
    """What one client has heard: method and, of a resource, its address."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.heard: list[tuple[str, str]] = []
        self._news = anyio.Event()

    def hear(self, method: str, uri: str = "") -> None:
        self.heard.append((method, uri))
        self._news.set()
        self._news = anyio.Event()

    async def hears(self, method: str, uri: str, change: Callable[[], Awaitable[Any]]) -> None:
        """Make a change until it is heard of."""
        self.heard.clear()
        for _ in range(int(PATIENCE / _AGAIN)):
            await change()
            with anyio.move_on_after(_AGAIN):
                while (method, uri) not in self.heard:
                    await self._news.wait()
                return
        raise AssertionError(f"{method} {uri} was not heard, only {self.heard}")


@asynccontextmanager
async def hearing(td: StandIn, era: str, *uris: str) -> AsyncIterator[Hearing]:
    """A client that has subscribed to these resources and to changed lists."""
    if era == "legacy":
        ears: list[Hearing] = []

        async def on_message(message: Any) -> None:
            method = getattr(message, "method", "")
            if ears and method.startswith("notifications/"):
                params = getattr(message, "params", None)
                ears[0].hear(method.removeprefix("notifications/"), str(getattr(params, "uri", "")))

        async with http_client(td, "legacy", message_handler=on_message) as client:
            ears.append(Hearing(client))
            for uri in uris:
                await client.subscribe_resource(uri)
            yield ears[0]
        return
    async with http_client(td, era) as client, anyio.create_task_group() as group:
        ear = Hearing(client)

        async def listen(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            async with client.listen(tools_list_changed=True, resource_subscriptions=uris) as changes:
                task_status.started()
                async for event in changes:
                    kind = type(event).__name__
                    method = "resources/updated" if kind == "ResourceUpdated" else "tools/list_changed"
                    ear.hear(method, str(getattr(event, "uri", "")))

        await group.start(listen)
        yield ear
        group.cancel_scope.cancel()
