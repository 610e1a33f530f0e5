"""A main thread that does not come by: true answers in time, nothing done behind anyone's back."""

from __future__ import annotations

from functools import partial

import anyio
import pytest

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
