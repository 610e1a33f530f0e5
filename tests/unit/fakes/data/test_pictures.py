"""What the stand-in alone decides about TOPs: licence, placeholders, row order, files, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import fakes
from fakes import life
from fakes.errors import NotFaked
from fakes.tops import image
from fakes.world import World
from tests.contract.facts import fact


@pytest.fixture
def world() -> Iterator[World]:
    made = fakes.install()
    yield made
    fakes.uninstall()


@pytest.fixture
def network(world: World) -> Any:
    return world.face(world.root.children["project1"])


def sized(network: Any, kind: str, width: int, height: int) -> Any:
    top = network.create(kind)
    top.par.outputresolution = "custom"
    top.par.resolutionw, top.par.resolutionh = width, height
    return top


@fact(44)
def test_the_licence_caps_a_resolution_without_a_word(world: World, network: Any) -> None:
    top = sized(network, "constantTOP", 3840, 2160)
    assert (top.width, top.height) == (3840, 2160)
    world.licence.max_resolution = 1280
    top.cook(force=True)
    assert (top.width, top.height) == (1280, 720)
    assert top.errors() == top.warnings() == ""


def test_a_top_that_is_not_drawn_shows_a_pattern_of_its_size(network: Any) -> None:
    render = network.create("renderTOP")
    assert (render.width, render.height) == (1280, 720)
    pixels = render.numpyArray()
    assert pixels.std() > 0.05
    assert not np.array_equal(pixels, sized(network, "webrenderTOP", 1280, 720).numpyArray())


@fact(41)
def test_the_row_order_is_one_switch(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ramp = network.create("rampTOP")
    ramp.par.type = "vertical"
    assert ramp.numpyArray()[0, 0, 0] < ramp.numpyArray()[-1, 0, 0]
    monkeypatch.setattr(image, "NUMPY_BOTTOM_ROW_FIRST", False)
    assert ramp.numpyArray()[0, 0, 0] > ramp.numpyArray()[-1, 0, 0]
    assert ramp.sample(u=0.5, v=0.99)[0] > 0.9


def test_a_saved_picture_begins_with_the_top_row(network: Any) -> None:
    ramp = network.create("rampTOP")
    ramp.par.type = "vertical"
    ramp.par.outputresolution = "custom"
    ramp.par.resolutionw, ramp.par.resolutionh = 20, 10
    rows = cv2.imdecode(np.frombuffer(ramp.saveByteArray(".png"), np.uint8), cv2.IMREAD_UNCHANGED)
    assert rows.shape == (10, 20, 4)
    assert rows[0, 0, 0] > 200 and rows[-1, 0, 0] < 50


def test_red_stays_red_in_every_kind_of_file(network: Any) -> None:
    top = sized(network, "constantTOP", 8, 8)
    top.par.colorg = top.par.colorb = 0
    for kind in (".png", ".jpg", ".tiff", ".bmp"):
        pixels = cv2.imdecode(np.frombuffer(top.saveByteArray(kind), np.uint8), cv2.IMREAD_COLOR)
        assert pixels[4, 4].tolist()[::-1] == pytest.approx([255, 0, 0], abs=4), kind


def test_a_movie_file_in_shows_a_still_that_exists(network: Any, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "still.png"), np.full((6, 9, 3), (0, 0, 255), dtype=np.uint8))
    movie = network.create("moviefileinTOP")
    movie.par.file = str(tmp_path / "still.png")
    assert (movie.width, movie.height) == (9, 6)
    assert movie.sample(x=1, y=1) == pytest.approx((1, 0, 0, 1), abs=0.01)
    movie.par.file = str(tmp_path / "gone.png")
    assert movie.numpyArray().std() > 0.05


def test_the_format_decides_channels_and_memory(network: Any) -> None:
    top = sized(network, "noiseTOP", 10, 10)
    top.par.format = "mono32float"
    assert top.numpyArray().shape == (10, 10, 1)
    assert top.gpuMemory == 400


def test_a_composite_operation_nobody_has_described_is_not_faked(network: Any) -> None:
    both = network.create("compositeTOP")
    for place in (0, 1):
        both.inputConnectors[place].connect(network.create("constantTOP"))
    both.par.operand = "yfilm"
    with pytest.raises(NotFaked, match="yfilm"):
        both.cook()


@pytest.mark.parametrize("asked", ["pixelFormat", "cudaMemory", "curPass"])
def test_members_touchdesigner_has_and_nobody_described_are_not_faked(network: Any, asked: str) -> None:
    with pytest.raises(NotFaked, match=asked):
        getattr(network.create("constantTOP"), asked)


def test_a_member_touchdesigner_lacks_is_told_in_its_words(network: Any) -> None:
    with pytest.raises(AttributeError, match="'td.constantTOP' object has no attribute 'pixels'"):
        network.create("constantTOP").pixels  # noqa: B018  asking is the test


def test_a_chain_follows_an_lfo_from_frame_to_frame(world: World, network: Any) -> None:
    network.create("lfoCHOP", "lfo")
    top, level = network.create("constantTOP"), network.create("levelTOP")
    level.inputConnectors[0].connect(top)
    level.par.opacity.expr = "op('lfo')['chan1'] * 0.5 + 0.5"
    seen = []
    for _ in range(30):
        life.of(world).step()
        seen.append(level.sample(x=0, y=0)[3])
    assert max(seen) - min(seen) > 0.4
    assert top.totalCooks == 1


def test_a_reset_feedback_starts_again_from_its_input(world: World, network: Any) -> None:
    start, loop, level = (network.create(k) for k in ("constantTOP", "feedbackTOP", "levelTOP"))
    loop.inputConnectors[0].connect(start)
    level.inputConnectors[0].connect(loop)
    level.par.brightness1 = 0.5
    loop.par.top = level.name
    for _ in range(4):
        life.of(world).step()
        level.cook()
    assert loop.sample(x=0, y=0)[0] < 0.3
    loop.par.resetpulse.pulse()
    assert loop.sample(x=0, y=0)[0] > 0.3


def test_a_ramp_takes_its_keys_from_a_table(world: World, network: Any) -> None:
    keys = network.create("tableDAT")
    for row in (["pos", "r", "g", "b", "a"], [0, 1, 0, 0, 1], [1, 0, 0, 1, 1]):
        keys.appendRow(row)
    ramp = network.create("rampTOP")
    ramp.par.dat = keys
    life.of(world).step()
    assert ramp.sample(u=0.5, v=0.5) == pytest.approx((0.5, 0, 0.5, 1), abs=0.02)


def test_text_comes_from_a_dat_where_one_is_named(world: World, network: Any) -> None:
    words = network.create("textDAT")
    words.text = "two\nlines"
    top = network.create("textTOP")
    top.par.dat = words
    life.of(world).step()
    assert (top.curText, top.numLines) == ("two\nlines", 2)
    assert top.numpyArray()[..., 0].sum() > 100
