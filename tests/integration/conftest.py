"""Fixtures for tests with a real stand-in process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.driver import StandIn


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def td() -> Iterator[StandIn]:
    """One stand-in for a module's tests, which must leave it usable."""
    with StandIn("--scene", "empty", "--fps", "60") as stand_in:
        yield stand_in


@pytest.fixture
def own_td() -> Iterator[StandIn]:
    """A stand-in for one test that breaks it or needs its own figures."""
    with StandIn("--scene", "empty", "--fps", "60") as stand_in:
        yield stand_in
