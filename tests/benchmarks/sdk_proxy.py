"""A stdio proxy made of the official SDK's two transports, to compare the shim with: `sdk_proxy.py URL`.

The least such a proxy can be: messages go from one transport's stream to the other's, and nothing is understood.
"""

from __future__ import annotations

import sys
from typing import Any

import anyio
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server


async def pump(source: Any, sink: Any) -> None:
    async with source, sink:
        async for message in source:
            if not isinstance(message, Exception):
                await sink.send(message)


async def main(url: str) -> None:
    async with stdio_server() as near, streamable_http_client(url) as far, anyio.create_task_group() as tasks:
        tasks.start_soon(pump, near[0], far[1])
        tasks.start_soon(pump, far[0], near[1])


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
