"""A stand-in for each test, with frames by hand."""

import pytest

import fakes
from fakes import life


@pytest.fixture
def world():
    world = fakes.install()
    yield world
    assert world.conflicts == []
    fakes.uninstall()


@pytest.fixture
def alive(world, tmp_path):
    """The life of the world; its home is a temporary folder."""
    alive = life.of(world)
    alive.machine.home = alive.project.folder = tmp_path
    return alive


@pytest.fixture
def td(world, alive):
    import td

    return td


@pytest.fixture
def scratch(td):
    return td.op("/project1").create(td.baseCOMP, "scratch")


@pytest.fixture
def frames(alive):
    """Advance by so many frames."""

    def step(count=1):
        for _ in range(count):
            alive.step()

    return step
