"""Real clients for the tests: the official SDK's over HTTP and through the shim, and a bare one for raw requests."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from fakes.driver import StandIn
from tests.answers import check_result

ROOT = Path(__file__).resolve().parents[2]

#: Seconds after which a test gives up waiting; generous, since the machine may be busy.
PATIENCE = 60.0


class CheckedClient(Client):
    """The official client, checking every answer and every refusal against the listed schemas."""

    async def call_tool(self, name: str, *arguments: Any, **options: Any) -> CallToolResult:
        result = await super().call_tool(name, *arguments, **options)
        check_result(name, result.model_dump(mode="json", by_alias=True, exclude_none=True))
        return result


@asynccontextmanager
async def http_client(td: StandIn, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """The official client straight over Streamable HTTP."""
    timeout = httpx2.Timeout(PATIENCE, read=PATIENCE)
    async with (
        httpx2.AsyncClient(headers=td.headers, timeout=timeout) as web,
        CheckedClient(streamable_http_client(td.url, http_client=web), mode=mode, **options) as client,
    ):
        yield client


def shim_parameters(td: StandIn, *arguments: str) -> StdioServerParameters:
    """How a desktop client would start the shim for this stand-in."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "stdio_shim", *arguments],
        env={**os.environ, "HOME": str(td.home), "TDMCP_HOME": str(td.home / ".tdmcp")},
        cwd=ROOT,
    )


@asynccontextmanager
async def shim_client(td: StandIn, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """The official client through the stdio shim."""
    async with CheckedClient(shim_parameters(td), mode=mode, **options) as client:
        yield client


def rewrite_source(path: Path, text: str) -> None:
    """Replace a program. Python tells stale bytecode by the second and the size of the source, which need not differ."""
    before = path.stat().st_mtime
    path.write_text(text, encoding="utf-8")
    os.utime(path, (before + 2, before + 2))


def structured(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result."""
    assert isinstance(result.structured_content, dict), result
    return result.structured_content


def text(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(getattr(block, "text", "") for block in result.content)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def request(
    url: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """One raw HTTP request with exactly these headers."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    try:
        connection.request(method, parts.path or "/", body, dict(headers or {}))
        response = connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


#: The headers a proper client sends with a JSON-RPC message.
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
).encode()
