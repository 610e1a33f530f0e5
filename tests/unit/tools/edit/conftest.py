"""The bench of the editing tools: the server's own component stands in /project1, as it does in a project."""

from __future__ import annotations

import pytest

from tests.unit.tools.harness import Bench


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.make("baseCOMP", "tdmcp")
    bench.instance["component"] = "/project1/tdmcp"
    return bench
