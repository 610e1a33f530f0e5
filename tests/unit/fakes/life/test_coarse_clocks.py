"""The clocks of Windows: steps, and waits that end with a step."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fakes.coarse_clocks import STEP, in_steps, until_tick

PROGRAM = """
import asyncio, json, time
from fakes import coarse_clocks
coarse_clocks.use()
seen = {(time.monotonic() / coarse_clocks.STEP) % 1 for _ in range(1000)}
event = __import__("threading").Event()
event.wait(0.001)
async def turn():
    await asyncio.sleep(0.001)
    return asyncio.get_running_loop()._clock_resolution
print(json.dumps({"parts": sorted(seen), "resolution": asyncio.run(turn())}))
"""


@pytest.mark.parametrize(
    ("now", "shown"), [(0.0, 0.0), (STEP * 0.99, 0.0), (STEP, STEP), (STEP * 2.5, STEP * 2)]
)
def test_a_clock_shows_the_last_tick(now: float, shown: float) -> None:
    assert in_steps(lambda: now, STEP) == shown


@pytest.mark.parametrize(("timeout", "ends"), [(0.001, STEP), (STEP * 1.2, STEP * 2)])
def test_a_wait_ends_with_the_first_tick_after_its_time(timeout: float, ends: float) -> None:
    assert until_tick(0.0, timeout, STEP) == pytest.approx(ends)
    assert until_tick(STEP / 2, timeout, STEP) >= timeout


def test_a_process_has_them_in_its_loops_and_waits() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == {"parts": [0.0], "resolution": STEP}
