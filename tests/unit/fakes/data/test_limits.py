"""What would eat the machine's memory is refused, by name, instead of being tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import fakes
from fakes.errors import NotFaked


@pytest.fixture
def network() -> Iterator[Any]:
    world = fakes.install()
    yield world.face(world.root.children["project1"])
    fakes.uninstall()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("constantTOP", {"outputresolution": "custom", "resolutionw": 100_000, "resolutionh": 100_000}),
        ("patternCHOP", {"length": 10**9}),
        ("waveCHOP", {"end": 10**9}),
        ("gridSOP", {"rows": 10**5, "cols": 10**5}),
        ("gridPOP", {"rows": 10**5, "cols": 10**5}),
        ("spherePOP", {"freq": 10**5}),
        ("torusPOP", {"rows": 10**5, "cols": 10**5}),
        ("circleSOP", {"divs": 10**9}),
        ("lineSOP", {"points": 10**9}),
    ],
)
def test_an_enormous_operator_is_refused(network: Any, kind: str, values: dict[str, Any]) -> None:
    made = network.create(kind)
    for name, value in values.items():
        setattr(made.par, name, value)
    with pytest.raises(NotFaked, match="more than the stand-in holds"):
        made.cook(force=True)


def test_an_enormous_blur_is_refused(network: Any) -> None:
    blur = network.create("blurTOP")
    blur.inputConnectors[0].connect(network.create("constantTOP"))
    blur.par.size = 10**6
    with pytest.raises(NotFaked, match="a blur of size 1000000"):
        blur.cook()


def test_an_enormous_table_is_refused(network: Any) -> None:
    with pytest.raises(NotFaked, match="1000000 × 1000 cells"):
        network.create("tableDAT").setSize(10**6, 1000)


def test_noise_finer_than_its_pixels_is_still_drawn(network: Any) -> None:
    top = network.create("noiseTOP")
    top.par.period = 0
    assert top.numpyArray()[..., 0].std() > 0.05
