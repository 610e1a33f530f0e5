"""A stand-in with frames by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

import fakes
from fakes import life
from fakes.world import World


@pytest.fixture
def world() -> Iterator[World]:
    yield fakes.install()
    fakes.uninstall()


@pytest.fixture
def td(world: World) -> ModuleType:
    import td as module

    return module


@pytest.fixture
def frame(world: World) -> Callable[[], None]:
    return life.of(world).step
