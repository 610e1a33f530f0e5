"""Cold start of the server beside a running show, and of the shim.

python -m tests.benchmarks starts
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import cold_start, shim
from tests.benchmarks.table import Row
from tests.integration.shim_world import World


def rows(quick: bool = False) -> list[Row]:
    return [*server(1 if quick else 3), *stdio(50 if quick else 300)]


def server(runs: int) -> list[Row]:
    """The worst of some starts, each in a fresh process, since only that is cold."""
    found = []
    for _ in range(runs):
        command = [sys.executable, cold_start.__file__, "--once"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
    return [
        Row("cold start beside a running show, frames lost", 3, max(f["starting"]["lost"] for f in found)),
        Row("cold start, longest frame", 3, max(f["starting"]["longest_frames"] for f in found), "frames"),
        Row("  until it serves", None, statistics.median(f["start_s"] for f in found), "s"),
    ]


def stdio(calls: int) -> list[Row]:
    """The shim between a client's pipes and a server."""
    with tempfile.TemporaryDirectory() as home:
        world = World(Path(home))
        try:
            url = world.server().url
            base = statistics.median(shim.milliseconds(shim.direct(url), calls))
            command = [sys.executable, "-I", "-S", str(shim.ROOT / "stdio_shim")]
            first = []
            for _ in range(5):
                process, took = shim.start(command, world.environment())
                first.append(took)
                process.kill()
                process.wait()
            process, _ = shim.start(command, world.environment())
            added = statistics.median(shim.milliseconds(shim.through(process), calls)) - base
            memory = shim.megabytes(process.pid)
            process.kill()
            process.wait()
        finally:
            world.close()
    return [
        Row("shim, start to first answer", 150, statistics.median(first), "ms"),
        Row("shim, memory", 25, memory, "MB"),
        Row("shim, added to a call", 1, max(0.0, added), "ms"),
    ]
