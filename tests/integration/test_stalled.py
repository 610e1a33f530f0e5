"""A main thread that does not come by: true answers in time, nothing done behind anyone's back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from fakes.driver import StandIn
from tests.integration.clients import http_client, request, structured

pytestmark = pytest.mark.anyio


async def test_calls_are_refused_lists_stay_alive_and_nothing_happens_afterwards(own_td: StandIn) -> None:
    td = own_td
    async with http_client(td, "legacy") as client:
        await client.list_tools()
        with td.blocked():
            refused = await client.call_tool(
                "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "ghost"}
            )
            failure = structured(refused)
            assert refused.is_error
            assert failure["code"] == "main_thread_stalled" and failure["retryable"]
            assert "dialog" in failure["message"] + failure["hint"]
            assert len((await client.list_tools()).tools) >= 13
            await client.send_ping()
            health = await anyio.to_thread.run_sync(request, td.url.replace("/mcp", "/health"))
            assert health.json["status"] == "stalled"
            status = structured(await client.call_tool("get_status", {}))
            assert status["main_thread"]["state"] == "stalled"

        # Answered by the main thread itself, once it is free again.
        assert await anyio.to_thread.run_sync(partial(td.exec, timeout=60), "op('/project1/ghost')") == "None"
        works = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "afterwards"}
        )
        assert not works.is_error, works
        assert td.exec("op('/project1/ghost')") == "None"
    assert td.stats()["thread_conflicts"] == 0


async def test_prompts_resources_and_completions_are_errors_of_the_protocol_meanwhile(
    own_td: StandIn,
) -> None:
    """Not a success with a refusal in it, and no empty list."""
    argument = {"name": "path", "value": "/"}
    async with http_client(own_td, "legacy") as client:
        await client.list_prompts()
        asks: list[Callable[[], Awaitable[Any]]] = [
            partial(client.get_prompt, "explain_network", {"path": "/project1"}),
            partial(client.read_resource, "td://network/project1"),
            partial(client.complete, PromptReference(type="ref/prompt", name="explain_network"), argument),
            partial(
                client.complete,
                ResourceTemplateReference(type="ref/resource", uri="td://network/{path}"),
                argument,
            ),
        ]
        with own_td.blocked():
            # Until the server has noticed, a call waits.
            await client.call_tool("find_operators", {})
            for ask in asks:
                with pytest.raises(MCPError) as caught:
                    await ask()
                assert caught.value.error.code == -32603
                assert "main thread" in caught.value.error.message
                assert caught.value.error.data["code"] == "main_thread_stalled"
        assert (await client.get_prompt("explain_network", {"path": "/project1"})).messages
