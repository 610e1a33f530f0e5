"""Edits over a network of 80 ms on which 4 % of the requests lose their connection: is each made once, and known?

python -m tests.benchmarks.lost_answers [--edits 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import anyio

from fakes.driver import StandIn
from tests.integration import test_lost_answers as scenario
from tests.integration.lossy import CarefulClient, LossyProxy


async def main(edits: int, seed: int, mode: str) -> dict[str, Any]:
    scenario.EDITS = edits
    with StandIn("--scene", "empty", "--fps", "60") as td:
        scenario.prepare(td)
        began = time.monotonic()
        async with LossyProxy(td.url, seed=seed, cut=0.04, latency=0.08) as proxy:
            client = CarefulClient(proxy.url, td.headers, mode)
            answers = await client.edits(scenario.calls())
        scenario.done_once(td)
    return {
        "mode": mode,
        "edits": len(answers),
        "requests": proxy.requests,
        "breaks": dict(proxy.breaks),
        "looked_up": client.looked_up,
        "repeated": client.repeated,
        "seconds": round(time.monotonic() - began, 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for mode in ("legacy", "auto"):
        print(json.dumps(anyio.run(main, given.edits, given.seed, mode)))
