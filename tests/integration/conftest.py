"""Fixtures for tests with a real stand-in process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fakes.driver import StandIn
from tests import browser
from tests.integration.shared_stand_in import State, restore

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: A bare machine has no browser to test the pages with; where TDMCP_NEEDS_BROWSER is set (CI), it had better have one.
WITHOUT_BROWSER = browser.found() is None and not os.environ.get("TDMCP_NEEDS_BROWSER")
# Tests that look at a start itself say `fresh`.
StandIn.forks = True
collect_ignore = ["test_dashboard.py", "test_network_viewer.py"] if WITHOUT_BROWSER else []


def pytest_report_header() -> str:
    pages = "left out, no Chromium, Chrome or Edge here" if WITHOUT_BROWSER else f"in {browser.found()}"
    return f"tests of the pages: {pages}"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def td() -> Iterator[StandIn]:
    """One stand-in for a module's tests; each starts from the state in which the first one found it."""
    with StandIn("--scene", "empty", "--fps", "60") as stand_in:
        stand_in.shared = True
        yield stand_in


@pytest.fixture(scope="module")
def _states() -> dict[StandIn, State]:
    """The states in which a module's tests find the stand-ins they share, once the module's own fixtures are set up."""
    return {}


@pytest.fixture(autouse=True)
def _shared_stand_ins_are_put_back(
    request: pytest.FixtureRequest, _states: dict[StandIn, State]
) -> Iterator[None]:
    used = [request.getfixturevalue(name) for name in ("td", "demo") if name in request.fixturenames]
    # Those of modules that restart and drop the component have checks of their own.
    shared = [stand_in for stand_in in used if stand_in.shared]
    for stand_in in shared:
        if stand_in not in _states:
            _states[stand_in] = State.of(stand_in)
    yield
    for stand_in in shared:
        restore(stand_in, _states[stand_in])


@pytest.fixture
def own_td() -> Iterator[StandIn]:
    """A stand-in for one test that breaks it or needs its own figures."""
    with StandIn("--scene", "empty", "--fps", "60") as stand_in:
        yield stand_in


@pytest.fixture(scope="module")
def demo() -> Iterator[StandIn]:
    """A stand-in with the demo project, for the tests of the pages.

    A wide budget: on a busy machine the stand-in cooks slowly, and what is slow is not looked at for its picture.
    """
    with StandIn("--scene", "demo", "--set", "Budgetms=100", "--set", "Oauth=1") as stand_in:
        stand_in.shared = True
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0


@pytest.fixture(scope="module")
def started() -> Iterator[Browser]:
    """A browser for a module's tests. It must not outlive them: while Playwright is at work, no other event loop can
    be run on its thread, and most of the other tests have one. A start takes a second."""
    with browser.browser() as started:
        yield started
