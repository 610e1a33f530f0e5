"""Every stress test ends with a stand-in that is as sound as before, or was meant to end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.stress.wire import sound


@pytest.fixture(autouse=True)
def _sound_afterwards(request: pytest.FixtureRequest) -> Iterator[None]:
    names = ("td", "own_td")
    used: list[StandIn] = [request.getfixturevalue(name) for name in names if name in request.fixturenames]
    yield
    for stand_in in used:
        if stand_in.process.poll() is None:
            sound(stand_in)
