"""The shim in every state TouchDesigner can be in, through the official client, in both protocol eras."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ToolListChangedNotification

from tests.integration.shim_world import PATIENCE, World, in_both_eras, text

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


class Heard:
    """Waits for the client to be told that its tools changed, as a client of either era hears it."""

    def __init__(self) -> None:
        self.count = 0
        self._news = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(getattr(message, "root", message), ToolListChangedNotification):
            self.count += 1
            self._news.set()

    async def news(self) -> None:
        await asyncio.wait_for(self._news.wait(), PATIENCE)
        self._news.clear()


async def until(ask: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """Ask again until the answer is good: for what a user would simply try again."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await ask()
            if good(answer):
                return answer
            await asyncio.sleep(0.1)


@in_both_eras
async def test_without_touchdesigner_the_client_connects_and_calls_say_what_to_do(
    world: World, mode: str
) -> None:
    async with Client(world.parameters(), mode=mode) as client:
        assert client.server_info is not None
        await client.list_tools()
        result = await client.call_tool("echo", {"text": "a"})
    assert result.is_error
    assert result.structured_content["code"] == "not_started"
    assert result.structured_content["retryable"] is True
    assert "TouchDesigner isn't running" in text(result)
    assert "Open your project" in text(result)


@in_both_eras
async def test_without_touchdesigner_the_tools_last_seen_are_listed(world: World, mode: str) -> None:
    server = world.server("--name", "first")
    async with Client(world.parameters(), mode=mode) as client:
        seen = [tool.name for tool in (await client.list_tools()).tools]
        cache = world.home / "cache" / "lists.json"

        def kept() -> list[str]:
            facts = json.loads(cache.read_text()) if cache.exists() else {}
            return [tool["name"] for tool in facts.get("tools", [])]

        # The list the shim brings with it is in the file before the server's is.
        await until(lambda: asyncio.sleep(0, kept()), lambda names: names == seen)
    server.close()
    async with Client(world.parameters(), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == seen
        assert client.instructions == "This is first."
    assert "echo" in seen


@in_both_eras
async def test_touchdesigner_that_appears_later_is_announced_and_used(world: World, mode: str) -> None:
    heard = Heard()
    async with Client(world.parameters(), mode=mode, message_handler=heard) as client:
        assert (await client.call_tool("echo", {"text": "a"})).is_error
        if mode == "legacy":
            world.server()
            await heard.news()
        else:
            async with client.listen(tools_list_changed=True) as changes:
                world.server()
                await asyncio.wait_for(anext(changes), PATIENCE)
        result = await client.call_tool("echo", {"text": "käse ✓"})
        assert "echo" in [tool.name for tool in (await client.list_tools()).tools]
    assert not result.is_error and text(result) == "käse ✓"


@in_both_eras
async def test_a_restart_with_another_port_and_key_is_not_noticed_by_the_caller(
    world: World, mode: str
) -> None:
    first = world.server("--token", "one")
    heard = Heard()
    async with Client(world.parameters(), mode=mode, message_handler=heard) as client:
        assert text(await client.call_tool("echo", {"text": "before"})) == "before"
        first.close()
        second = world.server("--token", "two")
        assert second.port != first.port
        assert text(await client.call_tool("echo", {"text": "after"})) == "after"
        if mode == "legacy":
            await heard.news()


@in_both_eras
async def test_a_restart_on_the_same_port_renews_the_session(world: World, mode: str) -> None:
    first = world.server("--unlisted")
    async with Client(world.parameters("--url", first.url), mode=mode) as client:
        assert text(await client.call_tool("echo", {"text": "before"})) == "before"
        first.crash()
        world.server("--unlisted", "--port", str(first.port))
        result = await until(lambda: client.call_tool("echo", {"text": "after"}), lambda r: not r.is_error)
    assert text(result) == "after"


@in_both_eras
async def test_a_crash_in_mid_call_is_told_and_the_call_is_not_repeated(world: World, mode: str) -> None:
    world.server()
    async with Client(world.parameters(), mode=mode) as client:
        result = await client.call_tool("die", {})
        assert result.is_error and result.structured_content["code"] == "td_error"
        assert result.structured_content["retryable"] is False
        assert "in the middle of the call" in text(result) and "get_status" in text(result)
        world.server()
        counted = await client.call_tool("count", {})
        assert not counted.is_error and counted.structured_content == {}
        assert text(await client.call_tool("echo", {"text": "alive"})) == "alive"


@in_both_eras
async def test_after_a_crash_calls_say_so(world: World, mode: str) -> None:
    server = world.server("--name", "show")
    async with Client(world.parameters(), mode=mode) as client:
        await client.call_tool("echo", {"text": "a"})
        server.crash()
        result = await client.call_tool("echo", {"text": "a"})
    assert result.structured_content["code"] == "not_started"
    assert "show" in text(result) and "crashed" in text(result)


@in_both_eras
async def test_a_renewed_key_is_told_when_the_client_holds_the_old_one(world: World, mode: str) -> None:
    server = world.server("--token", "new", "--unlisted")
    async with Client(world.parameters("--url", server.url, TDMCP_TOKEN="old"), mode=mode) as client:
        result = await client.call_tool("echo", {"text": "a"})
    assert result.is_error and result.structured_content["code"] == "access_denied"
    assert "the access key was renewed" in text(result)
    assert "old" not in text(result) and "new key" in text(result)


async def test_a_server_that_hangs_leaves_lists_and_ping_alive(world: World) -> None:
    world.server()
    async with Client(world.parameters(), mode="legacy") as handshake, Client(world.parameters()) as modern:
        clients = (handshake, modern)
        names = [[tool.name for tool in (await client.list_tools()).tools] for client in clients]
        frozen = asyncio.create_task(modern.call_tool("freeze", {"seconds": 3.5}))
        waiting = asyncio.create_task(handshake.call_tool("echo", {"text": "behind it"}))
        await asyncio.sleep(0)
        await handshake.send_ping()
        again = await asyncio.gather(*(client.list_tools(cache_mode="bypass") for client in clients))
        assert [[tool.name for tool in one.tools] for one in again] == names
        assert text(await frozen) == "thawed", "a call that takes its time is waited for"
        assert text(await waiting) == "behind it"


@in_both_eras
async def test_two_instances_must_be_chosen_between(world: World, mode: str) -> None:
    world.server("--name", "left", "--project", "/shows/left/left.toe")
    world.server("--name", "right", "--project", "/shows/right/right.toe")
    async with Client(world.parameters(), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"list_instances", "select_instance"} <= set(names)

        refused = await client.call_tool("echo", {"text": "a"})
        assert refused.is_error and refused.structured_content["code"] == "precondition_failed"
        assert sorted(refused.structured_content["suggestions"]) == ["left", "right"]

        listed = (await client.call_tool("list_instances", {})).structured_content["instances"]
        assert sorted(instance["name"] for instance in listed) == ["left", "right"]
        assert not any(instance["selected"] for instance in listed)
        assert "token" not in json.dumps(listed)
        added = {"random_string": "x", "toolCallId": "y"}
        noted = [await client.call_tool("list_instances", added) for _ in range(2)]
        assert "Ignored the arguments random_string, toolCallId" in text(noted[0])
        assert not noted[1].is_error and "Ignored" not in text(noted[1])

        wrong = await client.call_tool("select_instance", {"instance": "middle"})
        assert wrong.is_error and sorted(wrong.structured_content["suggestions"]) == ["left", "right"]

        await client.call_tool("select_instance", {"instance": "right"})
        result = await client.call_tool("echo", {"text": "a"})
        assert text(result).startswith("a\ninstance: right (right.toe")
        counted = await client.call_tool("count", {})
        assert counted.structured_content["echo"] == 1
        assert counted.meta is not None and counted.meta["tdmcp/instance"].startswith("right")


@in_both_eras
async def test_when_the_selected_instance_ends_no_other_is_driven_instead(world: World, mode: str) -> None:
    world.server("--name", "left")
    right = world.server("--name", "right")
    async with Client(world.parameters(), mode=mode) as client:
        await client.call_tool("select_instance", {"instance": "right"})
        await client.call_tool("echo", {"text": "a"})
        right.close()
        result = await until(
            lambda: client.call_tool("echo", {"text": "a"}), lambda r: "has ended; the call" in text(r)
        )
        assert result.structured_content["suggestions"] == ["left"]
        await client.call_tool("select_instance", {"instance": "left"})
        assert text(await client.call_tool("echo", {"text": "b"})).startswith("b")


@in_both_eras
async def test_a_selected_instance_is_found_again_after_its_restart(world: World, mode: str) -> None:
    world.server("--name", "left")
    right = world.server("--name", "right")
    async with Client(world.parameters(), mode=mode) as client:
        await client.call_tool("select_instance", {"instance": "right"})
        await client.call_tool("echo", {"text": "a"})
        right.close()
        world.server("--name", "right")
        result = await until(lambda: client.call_tool("echo", {"text": "b"}), lambda r: not r.is_error)
    assert "instance: right" in text(result)


@in_both_eras
async def test_an_unknown_option_is_told_by_every_call(world: World, mode: str) -> None:
    world.server()
    async with Client(world.parameters("--instanc", "show"), mode=mode) as client:
        result = await client.call_tool("echo", {"text": "a"})
    assert result.is_error and "--instance" in text(result)


@in_both_eras
async def test_a_prompt_without_touchdesigner_is_an_error_that_says_why(world: World, mode: str) -> None:
    async with Client(world.parameters(), mode=mode) as client:
        with pytest.raises(MCPError, match="TouchDesigner isn't running"):
            await client.get_prompt("anything")
