"""The bench of every tool test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.tools.harness import Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A fresh TouchDesigner with an empty /project1; its end checks that nothing touched it off the main thread."""
    made = Bench()
    try:
        yield made
        assert made.world.conflicts == []
        assert made.unnoted == [], "written before the undo block was open"
    finally:
        made.close()
