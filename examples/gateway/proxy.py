"""The MCP server of the gateway: FastMCP's proxies, one for each TouchDesigner, and the gateway's own access keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import keys
from backends import Backend, trouble
from fastmcp import FastMCP
from fastmcp.client.transports import ClientTransport, StreamableHttpTransport
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server import create_proxy
from fastmcp.server.auth.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp import ClientSession

from tdmcp_embedded.settings import Level

INSTRUCTIONS = """\
Several TouchDesigners are behind this server. The part of a tool's name before the first underscore that belongs to a
prefix says which one it works in: {prefixes}. Operator paths of one mean nothing in another. Begin with
PREFIX_get_status to see which project each has open.
"""


class _Transport(ClientTransport):
    """A connection to wherever the backend is at that moment."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @asynccontextmanager
    async def connect_session(self, **options: Any) -> AsyncIterator[ClientSession]:
        level = caller_level()
        try:
            place = self._backend.place(level)
        except ConnectionError as error:
            self._backend.say(str(error), level)
            raise
        # Its own key, and not the one that the gateway's caller has shown.
        headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
        try:
            async with StreamableHttpTransport(place.url, headers).connect_session(**options) as session:
                yield session
            self._backend.say("", level)
        except Exception as error:
            sentence = self._backend.explained(error, place)
            if not sentence:
                raise
            self._backend.say(sentence, level)
            raise ConnectionError(sentence) from None


class Explaining(Middleware):
    """Says of a tool that is not listed why its TouchDesigner lists nothing."""

    def __init__(self, backends: list[Backend]) -> None:
        self._backends = {backend.prefix: backend for backend in backends}

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        try:
            return await call_next(context)
        except NotFoundError:
            backend = self._backends.get(str(context.message.name).partition("_")[0])
            sentence = await anyio.to_thread.run_sync(trouble, backend, caller_level()) if backend else ""
            if not sentence:
                raise
            raise ToolError(sentence) from None


def caller_level() -> Level:
    """The level of the key that the gateway's caller has shown; full where it must show none."""
    caller = get_access_token()
    return Level(caller.scopes[0]) if caller is not None else Level.FULL


class GatewayKeys(TokenVerifier):
    """The gateway's own access keys, each with a level."""

    async def verify_token(self, token: str) -> AccessToken | None:
        found = keys.find(token)
        if found is None:
            return None
        name, level = found
        return AccessToken(token=token, client_id=name, scopes=[level.value])


def build(backends: Iterable[Backend], *, keyed: bool = False) -> FastMCP:
    """The gateway's server; `keyed` where HTTP callers must show a key."""
    backends = list(backends)
    prefixes = ", ".join(f"{backend.prefix}_" for backend in backends)
    gateway: FastMCP = FastMCP(
        "touchdesigner-gateway",
        instructions=INSTRUCTIONS.format(prefixes=prefixes),
        auth=GatewayKeys() if keyed else None,
        middleware=[Explaining(backends)],
    )
    for backend in backends:
        gateway.mount(create_proxy(_Transport(backend), name=backend.prefix), namespace=backend.prefix)
    return gateway
