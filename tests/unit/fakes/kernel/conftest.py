"""A fresh world for each test."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

import fakes
from fakes.world import World


@pytest.fixture
def world() -> Iterator[World]:
    yield fakes.install()
    fakes.uninstall()


@pytest.fixture
def td(world: World) -> ModuleType:
    import td as module

    return module
