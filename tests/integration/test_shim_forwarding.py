"""What passes through the shim: progress, questions, cancellation, subscriptions, large and many messages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ElicitResult, ResourceUpdatedNotification, ToolListChangedNotification

from tests.integration.shim_world import PATIENCE, World, in_both_eras, text

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server for the tests that leave it as it was."""
    world = World(tmp_path_factory.mktemp("served"))
    world.server()
    yield world
    world.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.close()


@in_both_eras
async def test_progress_arrives_in_order_and_before_the_answer(served: World, mode: str) -> None:
    heard: list[tuple[float, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, message))

    async with Client(served.parameters(), mode=mode) as client:
        result = await client.call_tool("steps", {"count": 4}, progress_callback=progress)
    assert text(result) == "4 steps"
    assert heard == [(1, "step 1"), (2, "step 2"), (3, "step 3"), (4, "step 4")]


@in_both_eras
async def test_a_question_reaches_the_user_and_the_answer_the_server(served: World, mode: str) -> None:

    async def answer(context: Any, params: Any) -> ElicitResult:
        assert params.message == "Really?"
        return ElicitResult(action="accept", content={"sure": True})

    async with Client(served.parameters(), mode=mode, elicitation_callback=answer) as client:
        for _ in range(2):
            assert text(await client.call_tool("ask", {})) == "the user is sure"


@in_both_eras
async def test_a_cancelled_call_is_cancelled_in_the_server(world: World, mode: str) -> None:
    world.server()
    async with Client(world.parameters(), mode=mode) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {"seconds": 60})
            async with asyncio.timeout(PATIENCE):
                while (await client.call_tool("count", {})).structured_content.get("wait") != 1:
                    await asyncio.sleep(0.02)
            tasks.cancel_scope.cancel()
        async with asyncio.timeout(PATIENCE):
            while (await client.call_tool("count", {})).structured_content.get("wait cancelled") != 1:
                await asyncio.sleep(0.02)


@in_both_eras
async def test_megabytes_pass_both_ways(served: World, mode: str) -> None:
    load = 'aä✓\\"\n' * 150_000
    async with Client(served.parameters(), mode=mode) as client:
        assert text(await client.call_tool("echo", {"text": load})) == load
        assert len(text(await client.call_tool("big", {"size": 3_000_000}))) == 3_000_000


@in_both_eras
async def test_many_calls_at_once_are_each_given_their_own_answer(served: World, mode: str) -> None:
    async with Client(served.parameters(), mode=mode) as client:
        results = await asyncio.gather(
            *(client.call_tool("echo", {"text": f"{n}:" + "x" * (n * 500)}) for n in range(40))
        )
    assert [text(result).partition(":")[0] for result in results] == [str(n) for n in range(40)]


async def test_changes_are_told_to_a_client_of_the_handshake_era(world: World) -> None:
    world.server()
    heard: list[str] = []

    async def hear(message: Any) -> None:
        message = getattr(message, "root", message)
        if isinstance(message, ResourceUpdatedNotification):
            heard.append(message.params.uri)
        elif isinstance(message, ToolListChangedNotification):
            heard.append("tools")

    async with Client(world.parameters(), mode="legacy", message_handler=hear) as client:
        capabilities = client.server_capabilities
        assert capabilities.tools is not None and capabilities.tools.list_changed
        await client.session.subscribe_resource("test://watched")
        async with asyncio.timeout(PATIENCE):
            while sorted(set(heard)) != ["test://watched", "tools"]:
                await client.call_tool("change", {})  # again: the stream may only just be opening
                await asyncio.sleep(0.05)


async def test_a_subscription_of_the_handshake_era_is_renewed_with_the_next_server(world: World) -> None:
    first = world.server()
    async with Client(world.parameters(), mode="legacy") as client:
        await client.session.subscribe_resource("test://watched")
        first.close()
        world.server()
        counted = await client.call_tool("count", {})
        assert counted.structured_content["subscribe"] == 1


async def test_a_modern_subscription_outlives_the_server(world: World) -> None:
    first = world.server()
    async with (
        Client(world.parameters(), mode="auto") as client,
        client.listen(tools_list_changed=True, resource_subscriptions=["test://watched"]) as changes,
        asyncio.timeout(PATIENCE),
    ):
        await client.call_tool("change", {})
        assert {type(await anext(changes)).__name__ for _ in range(2)} == {
            "ToolsListChanged",
            "ResourceUpdated",
        }
        first.close()
        world.server()
        # Nobody knows what was missed, so both count as changed.
        assert {type(await anext(changes)).__name__ for _ in range(2)} == {
            "ToolsListChanged",
            "ResourceUpdated",
        }
        await client.call_tool("change", {})
        assert {type(await anext(changes)).__name__ for _ in range(2)} == {
            "ToolsListChanged",
            "ResourceUpdated",
        }


async def test_a_modern_subscription_tells_of_a_second_instance_and_follows_the_selection(
    world: World,
) -> None:
    world.server("--name", "left")
    async with (
        Client(world.parameters(), mode="auto") as client,
        client.listen(tools_list_changed=True) as changes,
        asyncio.timeout(PATIENCE),
    ):
        assert "select_instance" not in [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("echo", {"text": "a"})
        world.server("--name", "right")
        await anext(changes)
        names = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
        assert "select_instance" in names
        await client.call_tool("select_instance", {"instance": "right"})
        await anext(changes)  # the other one's list may differ: everything counts as changed
        await client.call_tool("change", {})
        await anext(changes)


@in_both_eras
async def test_an_entry_that_fits_its_shim_less_than_well_brings_a_notice(served: World, mode: str) -> None:
    async with Client(served.parameters("--contract", "2"), mode=mode) as client:
        noted = await client.call_tool("echo", {"text": "a"})
    assert not noted.is_error
    assert text(noted).startswith("a\nnotice: This client's entry is newer than the shim that it starts; ")
    async with Client(served.parameters("--contract", "0"), mode=mode) as client:
        refused = await client.call_tool("echo", {"text": "a"})
    assert refused.is_error and "too old for the shim" in text(refused) and "Install Client" in text(refused)


async def test_a_modern_subscription_can_be_ended_and_made_again(served: World) -> None:
    async with Client(served.parameters(), mode="auto") as client:
        for _ in range(3):
            async with client.listen(tools_list_changed=True) as changes, asyncio.timeout(PATIENCE):
                await client.call_tool("change", {})
                assert type(await anext(changes)).__name__ == "ToolsListChanged"


@in_both_eras
async def test_an_older_server_is_used_with_a_notice_and_one_too_old_is_refused(
    world: World, mode: str
) -> None:
    newer = world.server("--contract", "2")
    async with Client(world.parameters(), mode=mode) as client:
        noted = await client.call_tool("echo", {"text": "a"})
        assert text(noted).startswith("a\nnotice: This client's shim is older")
        newer.close()
        world.server("--contract", "0")
        refused = await client.call_tool("echo", {"text": "a"})
    assert refused.is_error and "too old" in text(refused) and "tdmcp.tox" in text(refused)


@in_both_eras
async def test_contracts_are_judged_by_a_servers_own_word_where_its_address_is_all_that_is_known(
    world: World, mode: str
) -> None:
    newer = world.server("--contract", "2", "--unlisted")
    async with Client(world.parameters("--url", newer.url), mode=mode) as client:
        noted = await client.call_tool("echo", {"text": "a"})
        assert text(noted).startswith("a\nnotice: This client's shim is older")
        newer.crash()
        # Started again it is looked at again.
        world.server("--contract", "0", "--unlisted", "--port", str(newer.port))
        refused = await client.call_tool("echo", {"text": "a"})
    assert refused.is_error and f"component at {newer.url} is too old" in text(refused)
