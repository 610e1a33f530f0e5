"""Do the tools that read much stay within the frame's budget on a project of 10 000 operators?

    python -m tests.benchmarks.slicing [operators]

Prints, for each call, how long it took, its longest step on the main thread and how many frames went over budget, all
as the queue itself counts them.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import anyio

from fakes.driver import StandIn
from tests.integration.clients import http_client, structured

P = "/project1"
DEEP = f"{P}/area0/scene1"  # where the scene puts its first chain

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("find_operators", {}),
    ("find_operators", {"type": "noiseTOP", "param": "period", "value": "4"}),
    ("find_operators", {"text": "nothing like this"}),
    ("find_operators", {"errors_only": True}),
    ("check_errors", {}),
    ("read_network", {"path": P, "depth": 3}),
    ("read_network", {"path": P, "depth": 3, "view": "outline", "limit": 2000}),
    ("compare_network", {"path": P, "with": P}),
    ("checkpoint", {"action": "save", "path": P, "name": "all"}),
    ("compare_network", {"path": P, "with": "all"}),
    ("measure_performance", {"frames": 5}),
    ("watch_values", {"watch": [{"path": f"{DEEP}/lfo5"}], "frames": 10}),
    ("capture_image", {"path": f"{DEEP}/null4"}),
    ("describe_type", {"type": "glslTOP", "parameters": "all"}),
    ("execute_python", {"code": "1 + 1"}),
    ("create_operator", {"parent": DEEP, "type": "constantTOP"}),
]


async def measure(td: StandIn) -> bool:
    """Make each call twice (the first one warms up) and print what the second took."""
    print(f"{'call':<74} {'ms':>7} {'step ms':>8} {'over':>5}")
    fine = True
    async with http_client(td) as client:
        for name, arguments in CALLS:
            await client.call_tool(name, arguments)
            before = _figures(td)
            began = time.perf_counter()
            result = await client.call_tool(name, arguments)
            took = (time.perf_counter() - began) * 1000
            after = _figures(td)
            over = after["frames_over_budget"] - before["frames_over_budget"]
            if result.is_error:
                print(structured(result)["message"])
            fine = fine and over == 0 and not result.is_error
            print(f"{f'{name} {arguments}':<74.74} {took:>7.0f} {after['step_ms']['max']:>8.2f} {over:>5}")
    return fine


def _figures(td: StandIn) -> dict[str, Any]:
    figures = td.stats()["pump"]
    assert isinstance(figures, dict)
    return figures


if __name__ == "__main__":
    scene = f"large:{sys.argv[1] if len(sys.argv) > 1 else 10000}"
    with StandIn("--scene", scene) as stand_in:
        sys.exit(0 if anyio.run(measure, stand_in) else 1)
