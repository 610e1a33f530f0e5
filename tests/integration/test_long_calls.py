"""Long calls from outside: their progress is heard, and cancelling them ends them in TouchDesigner."""

from __future__ import annotations

import anyio
import pytest

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE, http_client, structured
from tests.integration.listening import ERAS

pytestmark = pytest.mark.anyio

#: Long enough for every test to have its say meanwhile: half a minute at 60 frames a second.
LONG = {"frames": 1800}


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
