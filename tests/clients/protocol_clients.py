"""Clients that are no agents: the TypeScript SDKs, the Inspector's command line, and mcp-remote."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Final, Self

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from fakes.driver import StandIn
from tests.clients import node
from tests.clients.tries import AFTERWARDS, CAPTURE, WRONG, Attempt, Outcome, Restart, of_result

#: The name of a package on its disk, by what it is.
SDKS: Final = {
    "TypeScript SDK 1.12": "sdk-1.12",
    "TypeScript SDK 1.32": "sdk-1.32",
    "TypeScript SDK 2": "@modelcontextprotocol/client",
}
#: Seconds for one client, and for the restart that all wait for.
_TIMEOUT: Final = 150


class Bridge:
    """`bridge.mjs` at work: a client on one of the SDKs."""

    def __init__(self, package: str, td: StandIn, home: Path) -> None:
        command = [str(node.NODE), str(node.HERE / "bridge.mjs"), package, td.url, str(td.token)]
        self._process = subprocess.Popen(
            command, cwd=node.HERE, env={**os.environ, "HOME": str(home)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        # A client that waits for ever ends here.
        self._end = threading.Timer(_TIMEOUT, self._process.kill)
        self._end.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._end.cancel()
        self._process.kill()
        self._process.communicate()

    def do(self, what: str, **more: Any) -> dict[str, Any]:
        """The answer to a command: `result`, or `error`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the client has ended"}
        return answer

    def call(self, call: tuple[str, dict[str, Any]]) -> tuple[str, list[str]]:
        """Text and pictures of a call."""
        answer = self.do("call", tool=call[0], arguments=call[1])
        return of_result(answer["result"]) if "result" in answer else (f"error: {answer['error']}", [])


def sdk(package: str) -> Attempt:
    """Try one of the SDKs."""

    def attempt(td: StandIn, home: Path, restart: Restart) -> Outcome:
        outcome = Outcome()
        with Bridge(package, td, home) as bridge:
            opened = bridge.do("connect")
            listed = bridge.do("list") if "result" in opened else opened
            tools = listed.get("result", {}).get("tools", [])
            outcome.listed([tool["name"] for tool in tools])
            text, pictures = bridge.call(CAPTURE)
            outcome.picture(pictures, text)
            outcome.refusal(bridge.call(WRONG)[0])
            restart()
            text, _ = bridge.call(AFTERWARDS)
            if text.startswith("error: "):
                # A client of a handshake version is told that its session is over, and begins another.
                bridge.do("connect")
                bridge.do("list")
                text, _ = bridge.call(AFTERWARDS)
            outcome.restarted(text)
        return outcome

    return attempt


def inspector(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """Each command is a process of its own."""
    outcome = Outcome()

    def run(*options: str) -> Any:
        command = [str(node.NODE), str(node.INSPECTOR), "--cli", td.url, "--transport", "http"]
        command += ["--header", f"Authorization: Bearer {td.token}", *options]
        done = subprocess.run(
            command, check=False, cwd=node.HERE, env={**os.environ, "HOME": str(home)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT,
        )  # fmt: skip
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {"content": [{"type": "text", "text": f"error: {done.stdout}{done.stderr}"}]}

    def call(call: tuple[str, dict[str, Any]]) -> tuple[str, list[str]]:
        given = [part for name, value in call[1].items() for part in ("--tool-arg", f"{name}={value}")]
        return of_result(run("--method", "tools/call", "--tool-name", call[0], *given))

    outcome.listed([tool["name"] for tool in run("--method", "tools/list", "--strict").get("tools", [])])
    text, pictures = call(CAPTURE)
    outcome.picture(pictures, text)
    outcome.refusal(call(WRONG)[0])
    restart()
    outcome.restarted(call(AFTERWARDS)[0])
    return outcome


def remote(td: StandIn, home: Path, restart: Restart) -> Outcome:
    """mcp-remote, as a desktop client starts it."""
    log = (home / "log.txt").open("w")
    parameters = StdioServerParameters(
        command=str(node.NODE),
        args=[
            str(node.REMOTE), td.url, "--header", "Authorization:${KEY}", "--transport", "http-only", "--allow-http",
        ],
        env={**os.environ, "HOME": str(home), "MCP_REMOTE_CONFIG_DIR": str(home), "KEY": f"Bearer {td.token}"},
    )  # fmt: skip

    async def call(client: Client, call: tuple[str, dict[str, Any]]) -> tuple[str, list[str]]:
        try:
            result = await client.call_tool(*call)
        except MCPError as error:
            return f"error: {error}", []
        return of_result(result.model_dump(mode="json", by_alias=True))

    async def attempt() -> Outcome:
        outcome = Outcome()
        async with Client(stdio_client(parameters, errlog=log), mode="legacy") as client:
            outcome.listed([tool.name for tool in (await client.list_tools()).tools])
            text, pictures = await call(client, CAPTURE)
            outcome.picture(pictures, text)
            outcome.refusal((await call(client, WRONG))[0])
            await asyncio.to_thread(restart)
            text, _ = await call(client, AFTERWARDS)
            outcome.restarted(text)
        return outcome

    async def bounded() -> Outcome:
        return await asyncio.wait_for(attempt(), _TIMEOUT)

    return asyncio.run(bounded())


CLIENTS: Final[dict[str, Attempt]] = {
    **{name: sdk(package) for name, package in SDKS.items()},
    "MCP Inspector (command line)": inspector,
    "mcp-remote": remote,
}
