"""The bench of the editing tools: the server's own component stands in /project1, as it does in a project."""

from __future__ import annotations

import pytest

from tests.unit.tools.harness import Bench


@pytest.fixture
def bench(bench: Bench) -> Bench:
    # On a busy machine preparing a project may take longer than a main thread may be silent.
    bench.queue.stall_after = 1e6
    # Nor is a cook too long for the frame there.
    bench.settings = bench.settings.model_copy(update={"budget_ms": 1e6})
    bench.make("baseCOMP", "tdmcp")
    bench.instance["component"] = "/project1/tdmcp"
    return bench
