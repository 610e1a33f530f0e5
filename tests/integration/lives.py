"""A component that comes and goes, or is built anew, under a client that is attached: what is left behind each time.

The tests do a few rounds, `python -m tests.benchmarks.lives` a hundred.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial

import anyio
import httpx2
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError

from fakes.driver import StandIn
from tests.benchmarks.raw_client import resident_mb
from tests.integration.clients import http_client
from tests.integration.component import COMPONENT, answers, entries, gone, serving

#: Rounds that do not count, since things are loaded, and made once, in them.
WARMING_UP = 3


@dataclass(frozen=True)
class Figures:
    """What a process holds."""

    threads: int
    sockets: int
    operators: int
    pending_runs: int
    megabytes: float


def figures(td: StandIn) -> Figures:
    """Of this moment."""
    td.exec("import gc; gc.collect()")
    stats = td.stats()
    return Figures(
        stats["threads"],
        stats["open_sockets"],
        stats["operators"],
        int(td.exec("len(runs)")),
        resident_mb(td.ready["pid"]),
    )


async def deleted_and_dropped(td: StandIn, rounds: int) -> tuple[Figures, Figures]:
    """Delete the component while a client is in the middle of a session, drop it in again, and let the client come back.

    On a fixed port: the same address is served in every round.
    """
    before = figures(td)
    for number in range(-WARMING_UP, rounds):
        if number == 0:
            before = await served(td)
        with contextlib.suppress(MCPError, httpx2.HTTPError):  # taking leave of a server that is gone
            async with http_client(td) as client:
                await called(client)
                await run_sync(partial(td.do, "delete_component"))
                await run_sync(gone, td, td.url)
        await run_sync(partial(td.do, "drop_component"))
        assert await run_sync(serving, td) == td.url
    after = await served(td)
    assert answers(td.url) and len(entries(td)) == 1
    return before, after


async def built_anew(td: StandIn, rounds: int) -> tuple[Figures, Figures]:
    """Have TouchDesigner build the extension anew, again and again, under one client that never has to come back."""
    async with http_client(td) as client:
        before = figures(td)
        for number in range(-WARMING_UP, rounds):
            if number == 0:
                before = await run_sync(figures, td)
            await run_sync(partial(td.do, "reinit_component"))
            await run_sync(td.exec, f"{COMPONENT}.State()")
            await called(client)
        after = await run_sync(figures, td)
    assert answers(td.url) and len(entries(td)) == 1
    return before, after


async def served(td: StandIn) -> Figures:
    """With a server that has served a client."""
    async with http_client(td) as client:
        await called(client)
    return await run_sync(figures, td)


async def called(client: object) -> None:
    """A call that reaches the main thread is answered."""
    with anyio.fail_after(60):
        result = await client.call_tool("find_operators", {"path": "/project1"})  # type: ignore[attr-defined]
    assert not result.is_error, result
