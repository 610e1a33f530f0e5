"""How long a call takes: one client, calls at random moments of the frame.

python -m tests.benchmarks latency
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from fakes.driver import StandIn
from tests.benchmarks.raw_client import RawClient
from tests.benchmarks.table import Row, percentile

FPS = 60


def rows(quick: bool = False) -> list[Row]:
    calls = 60 if quick else 300
    with StandIn("--scene", "demo", "--fps", str(FPS)) as td, RawClient(td) as client:
        td.exec("op('/project1').create(noiseTOP, 'measured')")

        def read(number: int) -> None:
            assert not client.call("inspect_operator", {"paths": ["/project1/measured"]})["is_error"]

        def edit(number: int) -> None:
            change = {"path": "/project1/measured", "params": {"period": 1 + number % 7}}
            assert not client.call("set_parameters", {"changes": [change]})["is_error"]

        reads, edits = timed(read, calls), timed(edit, calls)
    frame = 1000 / FPS
    return [
        Row("read, HTTP, one client, median", frame, percentile(reads, 50), "ms"),
        Row("read, HTTP, one client, p99", 2 * frame, percentile(reads, 99), "ms"),
        Row("edit (looks again one frame later), median", 2 * frame, percentile(edits, 50), "ms"),
        Row("edit (looks again one frame later), p99", 3 * frame, percentile(edits, 99), "ms"),
    ]


def timed(ask: Callable[[int], None], calls: int) -> list[float]:
    """Milliseconds of each call, after some that do not count."""
    chance = random.Random(1)
    took = []
    for number in range(-10, calls):
        # Calls back to back would always meet the same moment of the frame.
        time.sleep(chance.uniform(0, 2 / FPS))
        began = time.perf_counter()
        ask(number)
        if number >= 0:
            took.append((time.perf_counter() - began) * 1000)
    return took
