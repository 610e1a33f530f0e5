"""Agents do their tasks, each within its calls and bytes; run with -s to see the table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.clients import http_client
from tests.integration.tasks.agent import Agent, Bill
from tests.integration.tasks.listing import TASKS, Task, table

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def bills() -> Iterator[dict[str, Bill]]:
    kept: dict[str, Bill] = {}
    yield kept
    print(f"\n{table(kept)}")


@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
async def test_an_agent_does(task: Task, td: StandIn, bills: dict[str, Bill]) -> None:
    home = td.exec(f"op('/project1').create('baseCOMP', '{task.name}').path").strip("'")
    conflicts = td.stats()["thread_conflicts"]
    async with http_client(td) as client:
        agent = Agent(client, td, home)
        await task.run(agent)
    bills[task.name] = agent.bill
    assert agent.bill.calls <= task.calls
    assert agent.bill.sent + agent.bill.received <= 1000 * task.kilobytes
    assert td.stats()["thread_conflicts"] == conflicts
