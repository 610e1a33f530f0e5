"""A script in an agent's place: it calls tools as a client does, and its calls and bytes are counted."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE, structured, text


class Refused(AssertionError):
    """A tool refused a call that the script took to be right."""


@dataclass
class Bill:
    """What a task cost: calls, and bytes of JSON out (arguments) and back (results, pictures included)."""

    calls: int = 0
    sent: int = 0
    received: int = 0


class Agent:
    """One agent at work in one network of its own, `home`."""

    def __init__(self, client: Client, td: StandIn, home: str) -> None:
        self._client = client
        self._td = td
        self.home = home
        self.bill = Bill()

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give its structured content.

        Raises:
            Refused: the result is an error.
        """
        failed, content, said = await self._ask(tool, arguments)
        if failed:
            raise Refused(f"{tool}: {said}")
        return content

    async def picture(self, path: str, **arguments: Any) -> str:
        """Take a picture of an operator; what is said of it."""
        failed, _, said = await self._ask("capture_image", {"path": path, **arguments})
        if failed:
            raise Refused(f"capture_image: {said}")
        return said

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that is to refuse; its code, message, hint and suggestions."""
        failed, content, _ = await self._ask(tool, arguments)
        assert failed, f"{tool} was to refuse, and answered {content}"
        return content

    async def _ask(self, tool: str, arguments: dict[str, Any]) -> tuple[bool, dict[str, Any], str]:
        result = await self._client.call_tool(tool, arguments)
        self.bill.calls += 1
        self.bill.sent += len(json.dumps({"name": tool, "arguments": arguments}).encode())
        self.bill.received += len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
        # Pictures come without structured content.
        content = structured(result) if result.structured_content is not None else {}
        return bool(result.is_error), content, text(result)

    async def job(self, number: str) -> dict[str, Any]:
        """Ask for a job until it is over; its outcome."""
        with anyio.fail_after(PATIENCE):
            while True:
                outcome = await self.call("get_job", job=number)
                if outcome["state"] not in ("queued", "running"):
                    return outcome
                await anyio.sleep(0.05)

    # Beside the tools, and on nobody's bill: what others did to the project, and whether it is really so.

    def found(self, code: str) -> None:
        """What the agent finds: code that runs in TouchDesigner before it sets to work; `home` is its network."""
        self._td.exec(f"home = op({self.home!r})\n{code}")

    def truth(self, expression: str) -> Any:
        """What TouchDesigner itself says, asked without MCP; `home` is the agent's network."""
        return ast.literal_eval(self._td.exec(f"home = op({self.home!r})\n{expression}"))
