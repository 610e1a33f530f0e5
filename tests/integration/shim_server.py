"""A small real MCP server over HTTP, run as a process of its own: what the shim's tests talk to.

It does what the component does where the shim can see it: a registry entry, an access key, `/health`, both protocol
eras.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import socket
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp_types import ResourceUpdatedNotification, ResourceUpdatedNotificationParams
from pydantic import BaseModel
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http import identity

#: In its registry entry.
SECRET = "of the test server"

calls: Counter[str] = Counter()


class Answer(BaseModel):
    """What the user is asked for."""

    sure: bool


def question() -> Elicit[Answer]:
    return Elicit("Really?", Answer)


def make_server(name: str) -> MCPServer:
    server = MCPServer(name, version="1", instructions=f"This is {name}.")
    subscribed: dict[str, Any] = {}

    @server.tool()
    async def echo(text: str) -> str:
        """Gives the text back."""
        calls["echo"] += 1
        return text

    @server.tool()
    async def steps(count: int, ctx: Context) -> str:
        """Reports progress step by step."""
        for step in range(count):
            await ctx.report_progress(step + 1, count, f"step {step + 1}")
        return f"{count} steps"

    @server.tool()
    async def wait(seconds: float) -> str:
        """Takes its time; counts whether it was cancelled."""
        calls["wait"] += 1
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            calls["wait cancelled"] += 1
            raise
        return "waited"

    @server.tool()
    async def freeze(seconds: float) -> str:
        """Stops the whole server for a while."""
        calls["freeze"] += 1
        time.sleep(seconds)  # noqa: ASYNC251 - the very thing: nothing else runs meanwhile
        return "thawed"

    @server.tool()
    async def ask(answer: Annotated[Answer, Resolve(question)]) -> str:
        """Asks the user."""
        return f"the user is {'sure' if answer.sure else 'not sure'}"

    @server.tool()
    async def big(size: int) -> str:
        """So many letters."""
        return "x" * size

    @server.tool()
    async def count() -> dict[str, int]:
        """How often what was called."""
        return dict(calls)

    @server.tool()
    async def change(ctx: Context) -> str:
        """Says that tools and the watched resource have changed."""
        await ctx.notify_tools_changed()
        await ctx.notify_resource_updated("test://watched")
        for session in subscribed.values():
            await session.send_tool_list_changed()
            note = ResourceUpdatedNotification(params=ResourceUpdatedNotificationParams(uri="test://watched"))
            await session.send_notification(note)
        return "told"

    @server.tool()
    async def die() -> str:
        """Ends at once, without a word."""
        os._exit(3)

    @server.resource("test://watched")
    def watched() -> str:
        return "seen"

    async def subscribe(ctx: Any, params: Any) -> dict[str, Any]:
        calls["subscribe"] += 1
        subscribed[params.uri] = ctx.session
        return {}

    from mcp_types import SubscribeRequestParams

    server._lowlevel_server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
    return server


class Gate:
    """The key, and `/health`."""

    def __init__(self, app: ASGIApp, token: str, contract: int) -> None:
        self.app = app
        self.token = token
        self.contract = contract

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] == "/health":
            nonce = dict(scope["headers"]).get(b"tdmcp-nonce", b"").decode()
            facts = {"status": "ok", "contract": self.contract, "instance_id": f"test {os.getpid()}"}
            facts["proof"] = identity.prove(SECRET, nonce, scope["server"][1])
            await JSONResponse(facts)(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"").decode()
        if self.token and given != f"Bearer {self.token}":
            refusal = JSONResponse({"error": "The access key is missing or wrong."}, 401)
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)


def serve(arguments: list[str], parent: Connection) -> None:
    """Serve, and say where on `parent`; end in good order when the other end of it is closed."""
    options = argparse.ArgumentParser()
    options.add_argument("--home", required=True)
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--token", default="")
    options.add_argument("--name", default="show")
    options.add_argument("--project", default="")
    options.add_argument("--contract", type=int, default=1)
    options.add_argument("--unlisted", action="store_true")
    given = options.parse_args(arguments)
    logging.disable(logging.CRITICAL)

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", given.port))
    listener.listen(64)
    port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    app = make_server(given.name).streamable_http_app(max_request_body_size=64 << 20)
    config = uvicorn.Config(
        Gate(app, given.token, given.contract),
        log_config=None,
        http="h11",
        ws="none",
        timeout_graceful_shutdown=0,
    )
    server = uvicorn.Server(config)

    entry = Path(given.home) / "instances" / f"{os.getpid()}.json"

    def announce() -> None:
        while not server.started:
            time.sleep(0.005)
        if not given.unlisted:
            entry.parent.mkdir(parents=True, exist_ok=True)
            part = entry.with_suffix(".part")
            facts = {
                "pid": os.getpid(),
                "instance_id": f"test {os.getpid()}",
                "instance_secret": SECRET,
                "started": time.time(),
                "name": given.name,
                "project": given.project,
                "component": "/project1/tdmcp",
                "url": url,
                "token": given.token,
                "build": "2025.33070",
                "version": "0",
                "contract": given.contract,
                "dashboard": f"http://127.0.0.1:{port}/",
            }
            part.write_text(json.dumps(facts))
            part.replace(entry)
        parent.send({"url": url, "port": port})
        try:
            parent.recv()
        except EOFError:
            pass
        entry.unlink(missing_ok=True)
        os._exit(0)

    threading.Thread(target=announce, daemon=True).start()
    server.run([listener])
