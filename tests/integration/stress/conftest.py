"""One stand-in for all stress tests: each ends with one that is as sound as before, or was meant to end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.stress.life import mark, serving_again
from tests.integration.stress.wire import COMPONENT, sound


@pytest.fixture(scope="package")
def td() -> Iterator[StandIn]:
    """A stand-in whose component keeps its port over restarts."""
    with StandIn("--scene", "empty") as stand_in:
        mark(stand_in)
        stand_in.exec(f"{COMPONENT}.par.Port = {stand_in.ready['port']}")
        serving_again(stand_in)
        yield stand_in


@pytest.fixture(autouse=True)
def _sound_afterwards(request: pytest.FixtureRequest) -> Iterator[None]:
    stand_in = request.getfixturevalue("td") if "td" in request.fixturenames else None
    yield
    if stand_in is not None:
        sound(stand_in)
