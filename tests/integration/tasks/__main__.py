"""`python -m tests.integration.tasks [NAME ...]`: do the tasks, print what each took, end with 1 if one failed."""

from __future__ import annotations

import sys
import traceback

import anyio

from fakes.driver import StandIn
from tests.integration.clients import http_client
from tests.integration.tasks.agent import Agent, Bill
from tests.integration.tasks.listing import TASKS, table


async def work(td: StandIn, names: list[str]) -> bool:
    """Do the tasks of these names (all if none are given) and print the table."""
    bills: dict[str, Bill] = {}
    fine = True
    for task in TASKS:
        if names and task.name not in names:
            continue
        async with http_client(td) as client:
            agent = Agent(
                client, td, td.exec(f"op('/project1').create('baseCOMP', '{task.name}').path").strip("'")
            )
            try:
                await task.run(agent)
            except Exception:  # noqa: BLE001 - the other tasks are to be done, and this one's failure told
                fine = False
                print(f"{task.title}: failed\n{traceback.format_exc()}", file=sys.stderr)
        bills[task.name] = agent.bill
    print(table(bills))
    conflicts = td.stats()["thread_conflicts"]
    print(f"\nthread conflicts: {conflicts}")
    return fine and conflicts == 0


if __name__ == "__main__":
    with StandIn("--scene", "empty") as stand_in:
        sys.exit(0 if anyio.run(work, stand_in, sys.argv[1:]) else 1)
