from __future__ import annotations

import pytest

from tests.unit.queue.stage import Clock, Stage


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stage(clock: Clock) -> Stage:
    return Stage(clock)
