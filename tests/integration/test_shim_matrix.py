"""The shim before the real component: every state TouchDesigner can be in, for clients of both protocol eras at once.

`test_shim_states.py` asks the same in more detail of a small server, which is quicker.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ToolListChangedNotification

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE, ROOT, request, structured, text

pytestmark = pytest.mark.anyio

COMPONENT = "op('/project1/tdmcp')"


class Eras:
    """A client of each protocol era, each with a shim of its own; both are asked at the same time."""

    def __init__(self, clients: dict[str, Client]) -> None:
        self.clients = clients
        self.announced = asyncio.Event()

    async def hear(self, message: Any) -> None:
        if isinstance(getattr(message, "root", message), ToolListChangedNotification):
            self.announced.set()

    async def call(self, tool: str, **arguments: Any) -> list[CallToolResult]:
        """The answers to the same call, of the handshake era and of the modern one."""
        answers: dict[str, CallToolResult] = {}

        async def ask(era: str, client: Client) -> None:
            answers[era] = await client.call_tool(tool, arguments)

        async with anyio.create_task_group() as tasks:
            for era, client in self.clients.items():
                tasks.start_soon(ask, era, client)
        return [answers[era] for era in self.clients]

    async def tools(self) -> list[set[str]]:
        async def names(client: Client) -> set[str]:
            return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}

        return await asyncio.gather(*map(names, self.clients.values()))

    async def refused(self, code: str, words: str, **arguments: Any) -> None:
        """Both are refused with this code and these words; a server that is about to go may still answer before."""

        async def ask(client: Client) -> None:
            answer = await client.call_tool("get_status", arguments)
            while not answer.is_error:
                answer = await client.call_tool("get_status", arguments)
            assert (structured(answer)["code"], words in text(answer)) == (code, True), text(answer)

        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*map(ask, self.clients.values()))

    async def served(self) -> list[dict[str, Any]]:
        """Both are answered, if need be after repeating the call, as a user would."""

        async def ask(client: Client) -> dict[str, Any]:
            answer = await client.call_tool("get_status", {})
            while answer.is_error:
                assert structured(answer)["retryable"], text(answer)
                answer = await client.call_tool("get_status", {})
            return structured(answer)

        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*map(ask, self.clients.values()))


@asynccontextmanager
async def both_eras(home: Path, *options: str, **env: str) -> AsyncIterator[Eras]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-I", "-S", str(ROOT / "stdio_shim"), *options],
        env={"PATH": os.environ.get("PATH", ""), "TDMCP_HOME": str(home / ".tdmcp"), **env},
        cwd=ROOT,
    )
    eras = Eras({})
    async with (
        Client(parameters, mode="legacy", message_handler=eras.hear) as handshake,
        Client(parameters, mode="auto") as modern,
    ):
        eras.clients = {"handshake": handshake, "modern": modern}
        yield eras


def entry(td: StandIn) -> dict[str, Any]:
    [path] = (td.home / ".tdmcp" / "instances").glob(f"{td.ready['pid']}-*.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


async def until_entry(td: StandIn, key: str, former: Any) -> Any:
    """Wait until the registry says otherwise; each look goes through the stand-in's next frame."""
    async with asyncio.timeout(PATIENCE):
        while True:
            await run_sync(td.exec, "1")
            try:
                found = entry(td)[key]
            except (ValueError, OSError):
                continue  # between two servers there is none
            if found != former:
                return found


async def test_absent_and_then_there(td: StandIn, tmp_path: Path) -> None:
    async with both_eras(tmp_path) as eras:
        await eras.refused("not_started", "TouchDesigner isn't running")
        without = await eras.tools()
        assert all("create_operator" in names for names in without)

        # A TouchDesigner that starts is a file in the registry, no more; this one has long been there for others.
        registry = tmp_path / ".tdmcp" / "instances"
        registry.mkdir(parents=True, exist_ok=True)
        (registry / "1.json").write_text(json.dumps(entry(td)), "utf-8")
        await asyncio.wait_for(eras.announced.wait(), PATIENCE)
        assert [one["server"]["url"] for one in await eras.served()] == [td.url, td.url]
        assert await eras.tools() == without, "the built-in list is the one of the server of this version"


async def test_restarted_on_another_port_with_another_key_nobody_notices(td: StandIn) -> None:
    async with both_eras(td.home) as eras, both_eras(td.home, TDMCP_TOKEN=td.token or "") as pinned:
        for one in (eras, pinned):
            await one.served()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        td.exec(f"{COMPONENT}.par.Port = {port}")
        assert (await until_entry(td, "url", td.url)) == f"http://127.0.0.1:{port}/mcp"
        await eras.served()

        former = entry(td)["started"]
        td.exec(f"{COMPONENT}.par.Restart.pulse()")
        await until_entry(td, "started", former)
        await eras.served()

        former = entry(td)["token"]
        td.exec(f"{COMPONENT}.par.Newtoken.pulse()")
        await until_entry(td, "token", former)
        await eras.served()
        # Whoever was given the key by hand must be given the new one.
        url = ("--url", f"http://127.0.0.1:{port}/mcp")
        async with both_eras(td.home, *url, TDMCP_TOKEN=former) as pinned_to_url:
            await pinned_to_url.refused("access_denied", "the access key was renewed")


async def test_switched_off_is_told_from_not_running(td: StandIn) -> None:
    async with both_eras(td.home) as eras:
        await eras.served()
        td.exec(f"{COMPONENT}.par.Active = False")
        try:
            await eras.refused("not_started", "component in it is off")
            assert all("create_operator" in names for names in await eras.tools())
        finally:
            td.exec(f"{COMPONENT}.par.Active = True")
        await eras.served()


async def test_a_blocked_main_thread_is_told_and_lists_stay_alive(td: StandIn) -> None:
    async with both_eras(td.home) as eras:
        await eras.served()
        with td.blocked():
            made = {"parent": "/project1", "type": "nullTOP", "name": "ghost"}
            for answer in await eras.call("create_operator", **made):
                assert structured(answer)["code"] == "main_thread_stalled"
                assert "dialog" in text(answer)
            assert all("create_operator" in names for names in await eras.tools())
        # The main thread itself says that it is free again, and that nothing was done behind anyone's back.
        assert await run_sync(partial(td.exec, timeout=PATIENCE), "op('/project1/ghost')") == "None"
        await eras.served()


async def test_two_instances_are_chosen_between_and_one_crashes_in_mid_call(td: StandIn) -> None:
    arguments = ("--scene", "empty", "--fps", "60", "--set", "Instancename=second")
    async with both_eras(td.home) as eras:
        await eras.served()
        eras.announced.clear()
        other = await run_sync(partial(StandIn, *arguments, home=td.home))
        try:
            # Both were told that there is something new to choose with.
            await asyncio.wait_for(eras.announced.wait(), PATIENCE)
            assert all({"list_instances", "select_instance"} <= names for names in await eras.tools())
            for answer in await eras.call("select_instance", instance="second"):
                assert not answer.is_error, text(answer)
            for answer in await eras.call("get_status"):
                assert structured(answer)["instance"].startswith("second")
            made = await eras.call("execute_python", code="project.name")
            assert all("instance: second" in text(answer) for answer in made)
            # Nothing that went to one may have reached the other.
            for answer in await eras.call("execute_python", code="op('/project1').store('reached', 1)"):
                assert not answer.is_error, text(answer)
            assert other.exec("op('/project1').fetch('reached', 0)") == "1"
            assert td.exec("op('/project1').fetch('reached', 0)") == "0"
            async with both_eras(td.home) as later:
                await later.refused("precondition_failed", "2 TouchDesigner instances are running")

            async def crash_when_both_are_there() -> None:
                health = other.url.replace("/mcp", "/health")
                queue = {"depth": 0}
                while queue["depth"] < 1:  # one runs, the other waits behind it
                    queue = (await run_sync(request, health, "GET", None, other.headers)).json["queue"]
                other.process.kill()

            async with asyncio.timeout(PATIENCE), anyio.create_task_group() as tasks:
                tasks.start_soon(crash_when_both_are_there)
                answers = await eras.call(
                    "execute_python", code="import time\ntime.sleep(600)", time_limit=600
                )
            for answer in answers:
                assert structured(answer)["code"] == "td_error" and not structured(answer)["retryable"]
                assert "in the middle of the call" in text(answer)
            await eras.refused("precondition_failed", "second")
        finally:
            await run_sync(other.close)
