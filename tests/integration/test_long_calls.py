"""Long calls from outside: their progress is heard, and cancelling them ends them in TouchDesigner."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio
import pytest
from mcp import Client
from mcp_types import TextResourceContents

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE, http_client, shim_client, structured
from tests.integration.listening import ERAS
from tests.integration.task_client import TaskClient

pytestmark = pytest.mark.anyio

#: Long enough for every test to have its say meanwhile: half a minute at 60 frames a second.
LONG = {"frames": 1800}

#: Long enough to become a task: more than a second.
LONG_ENOUGH = {"frames": 90}

Way = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.mark.parametrize("era", ERAS)
async def test_progress_is_heard_and_a_cancelled_call_leaves_the_queue(td: StandIn, era: str) -> None:
    heard: list[tuple[float, float | None]] = []
    enough = anyio.Event()

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total))
        if len(heard) >= 3:
            enough.set()

    async with http_client(td, era) as client:
        async with anyio.create_task_group() as group:

            async def measure() -> None:
                await client.call_tool("measure_performance", LONG, progress_callback=on_progress)

            group.start_soon(measure)
            with anyio.fail_after(PATIENCE):
                await enough.wait()
            group.cancel_scope.cancel()
        assert [done for done, _ in heard] == sorted({done for done, _ in heard})
        assert {total for _, total in heard} == {LONG["frames"]}
        with anyio.fail_after(PATIENCE):
            while True:
                status = structured(await client.call_tool("get_status", {}))
                if not any("measure_performance" in job for job in status["queue"]["running"]):
                    break


@pytest.mark.parametrize("way", [http_client, shim_client])
async def test_a_client_that_knows_tasks_follows_a_long_call_as_one(td: StandIn, way: Way) -> None:
    tasks = TaskClient()
    async with way(td, "2026-07-28", extensions=[tasks]) as client:
        measured = structured(await client.call_tool("measure_performance", LONG_ENOUGH))
        assert measured["frames"] == LONG_ENOUGH["frames"]
        assert tasks.seen[0][0] == "working" and tasks.seen[-1][0] == "completed"
        assert any(message for status, message in tasks.seen if status == "working"), (
            "it tells of its progress"
        )
        seen = len(tasks.seen)
        await client.call_tool("get_status", {})
        assert len(tasks.seen) == seen, "a quick call is no task"
        assert await last_outcome(client) == "ok", "the log tells of it when it is over"


async def last_outcome(client: Client) -> str:
    """What the log says of the last long call."""
    content = (await client.read_resource("td://log")).contents[0]
    assert isinstance(content, TextResourceContents)
    records = json.loads(content.text)["records"]
    calls = [one for one in records if one.get("tool") == "measure_performance"]
    return str(max(calls, key=lambda one: one["number"])["outcome"])


async def test_cancelling_a_task_takes_its_call_out_of_the_queue(td: StandIn) -> None:
    tasks = TaskClient(cancel=True)
    async with http_client(td, "2026-07-28", extensions=[tasks]) as client:
        with anyio.fail_after(PATIENCE):
            assert (await client.call_tool("measure_performance", LONG)).is_error
            assert tasks.seen[-1][0] == "cancelled"
            assert await last_outcome(client) == "cancelled"
            while True:
                status = structured(await client.call_tool("get_status", {}))
                if not any("measure_performance" in job for job in status["queue"]["running"]):
                    break
