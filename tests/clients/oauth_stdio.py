"""One call through a program that speaks MCP on standard input and output; its text goes into the file $ANSWER.

python -m tests.clients.oauth_stdio COMMAND...
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.clients.oauth_clients import CALL
from tests.clients.tries import of_result


async def main(command: list[str]) -> None:
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with asyncio.timeout(100), Client(stdio_client(parameters), mode="legacy") as client:
        result = await client.call_tool(*CALL)
    Path(os.environ["ANSWER"]).write_text(
        of_result(result.model_dump(mode="json", by_alias=True))[0], "utf-8"
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
