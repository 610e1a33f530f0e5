"""Runs the contract tests against the stand-in: a fresh world for each, and frames for those that yield."""

from __future__ import annotations

import functools
import inspect
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

import fakes
from fakes import builds, life
from fakes.undo import Step
from fakes.world import World
from tests.contract.facts import lacking

_PATIENCE_S = 30.0
_FRAMES = 600


@dataclass
class Stage:
    """What a contract test gets; see `facts`."""

    td: ModuleType
    scratch: Any
    world: World
    """The stand-in's world: for the machinery here, not for the tests."""

    def frame(self) -> None:
        life.of(self.world).step()


@pytest.fixture
def t(request: pytest.FixtureRequest) -> Iterator[Stage]:
    # Another build than the newest by TDMCP_BUILD, such as 2023.12480.
    former = builds.current().name
    builds.use(os.environ.get("TDMCP_BUILD", builds.NEWEST))
    world = fakes.install()
    try:
        import td

        lacks = lacking(request.function, td)
        if lacks:
            pytest.skip(f"{builds.current().name} has no {lacks}")
        theirs = [Step("theirs")], [Step("theirs, undone")]
        careful = not getattr(request.function, "disturbs", "")
        if careful:
            world.undo.done[:], world.undo.undone[:] = theirs
        yield Stage(td, td.op("/project1").create("baseCOMP", "scratch"), world)
        assert world.conflicts == []
        if careful:
            # In somebody's project, too, it leaves the undo list and the timeline alone.
            assert (world.undo.done, world.undo.undone) == theirs, "it needs @uses_undo_stack"
            assert td.root.time.play, "it needs @disturbs"
    finally:
        fakes.uninstall()
        builds.use(former)


def _driven(test: Callable[[Stage], Iterator[None]]) -> Callable[[Stage], None]:
    @functools.wraps(test)
    def run(t: Stage) -> None:
        # Frames here take no time, but threads do: only who waits for long in both has waited for ever.
        until = time.monotonic() + _PATIENCE_S
        for count, _ in enumerate(test(t)):
            assert count < _FRAMES or time.monotonic() < until, "the test waits for ever"
            t.frame()

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: object) -> Any:
    """Let generator functions be tests: each `yield` is one frame."""
    if name.startswith("test_") and inspect.isgeneratorfunction(obj):
        return pytest.Function.from_parent(collector, name=name, callobj=_driven(obj))
    return None
