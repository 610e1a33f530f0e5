"""Reading points of a POP costs what it costs in TouchDesigner (fact 43)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import fakes
from fakes.sops import face
from tests.contract.facts import fact


@pytest.fixture
def grid() -> Iterator[Any]:
    world = fakes.install()
    yield world.face(world.root.children["project1"]).create("gridPOP")
    fakes.uninstall()


@fact(43)
@pytest.mark.parametrize(("points", "milliseconds"), [(16_000, 10), (160_000, 70)])
def test_reading_points_blocks_as_long_as_reported(
    grid: Any, monkeypatch: pytest.MonkeyPatch, points: int, milliseconds: float
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(face.time, "sleep", waits.append)
    grid.par.surftype = "none"
    grid.par.rows, grid.par.cols = 400, points // 400
    assert len(grid.points("P")) == points
    assert waits == [pytest.approx(milliseconds / 1000, rel=0.05)]


def test_counting_points_and_a_delayed_read_do_not_block(grid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face.time, "sleep", lambda seconds: pytest.fail("blocked"))
    assert grid.numPoints() == 400
    assert len(grid.points("P", delayed=True)) == 400
