"""A main thread that does not come by: true answers in time, nothing done behind anyone's back."""

from __future__ import annotations

import threading
import time

import anyio
import pytest

from fakes.driver import StandIn
from tests.integration.clients import http_client, request, structured

pytestmark = pytest.mark.anyio


async def test_calls_are_refused_lists_stay_alive_and_nothing_happens_afterwards(own_td: StandIn) -> None:
    td = own_td
    async with http_client(td, "legacy") as client:
        await client.list_tools()
        blocker = threading.Thread(target=lambda: td.do("block_main", timeout=60, seconds=8))
        blocker.start()
        await _until_main_thread_is_blocked(td)

        with anyio.fail_after(7):  # the block lasts 8 s: whatever is answered here was answered during it
            refused = await client.call_tool(
                "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "ghost"}
            )
            assert refused.is_error
            failure = structured(refused)
            assert failure["code"] == "main_thread_stalled" and failure["retryable"]
            assert "dialog" in failure["message"] + failure["hint"]
            assert len((await client.list_tools()).tools) >= 13
            await client.send_ping()
            health = await anyio.to_thread.run_sync(request, td.url.replace("/mcp", "/health"))
            assert health.json["status"] == "stalled"
            status = await client.call_tool("get_status", {})
            assert not status.is_error

        await anyio.to_thread.run_sync(blocker.join, 60)
        works = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "afterwards"}
        )
        assert not works.is_error, works
        assert td.exec("op('/project1/ghost')") == "None"
    assert td.stats()["thread_conflicts"] == 0


async def _until_main_thread_is_blocked(td: StandIn) -> None:
    """Until the server itself has noticed; bounded."""
    end = time.monotonic() + 6
    while time.monotonic() < end:
        health = await anyio.to_thread.run_sync(request, td.url.replace("/mcp", "/health"))
        if health.json["status"] == "stalled":
            return
        await anyio.sleep(0.05)
    raise AssertionError("the server did not notice that its main thread is blocked")
