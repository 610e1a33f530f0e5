"""Pictures: judged, reduced, encoded within the cap. No TouchDesigner in sight."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import cv2
import numpy
import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools.pictures import MOST_BYTES, develop


def png(image: Any) -> bytes:
    return bytes(cv2.imencode(".png", image)[1])


def sheet(width: int, height: int, bgra: tuple[int, int, int, int]) -> Any:
    return numpy.full((height, width, 4), bgra, numpy.uint8)


def pixels(data: bytes) -> Any:
    return cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)


def noise(width: int, height: int) -> Any:
    return numpy.random.default_rng(1).integers(0, 256, (height, width, 4), numpy.uint8)


@pytest.mark.parametrize(
    ("image", "verdict"),
    [
        (sheet(8, 8, (0, 0, 0, 255)), "black"),
        (sheet(8, 8, (0, 0, 200, 255)), "flat"),
        (sheet(8, 8, (0, 0, 200, 0)), "transparent"),
        (noise(8, 8), "ok"),
    ],
)
def test_an_empty_picture_is_called_by_its_name(image: Any, verdict: str) -> None:
    assert develop([png(image)], (8, 8), 64, "png").verdict == verdict


def test_the_mean_colour_is_red_green_blue_alpha() -> None:
    assert develop([png(sheet(8, 8, (0, 51, 255, 255)))], (8, 8), 64, "png").mean == [1.0, 0.2, 0.0, 1.0]


def test_a_large_picture_is_reduced_and_keeps_its_shape_and_its_alpha() -> None:
    developed = develop([png(noise(400, 200))], (400, 200), 100, "png")
    assert developed.native == (400, 200) and developed.size == (100, 50)
    assert pixels(developed.picture.data).shape == (50, 100, 4)


def test_a_small_picture_is_not_blown_up() -> None:
    assert develop([png(noise(20, 10))], (20, 10), 1024, "png").size == (20, 10)


@pytest.mark.parametrize("wanted", ["png", "jpeg"])
def test_no_picture_is_larger_than_the_cap(wanted: Any) -> None:
    developed = develop([png(noise(1400, 1000))], (1400, 1000), 1400, wanted)
    assert len(developed.picture.data) <= MOST_BYTES
    assert developed.size[0] < 1400 and any("reduced" in note for note in developed.notes)


def test_a_jpeg_shows_transparency_over_black_and_says_so() -> None:
    developed = develop([png(sheet(16, 16, (255, 255, 255, 0)))], (16, 16), 64, "jpeg")
    assert developed.picture.mime == "image/jpeg"
    assert pixels(developed.picture.data).max() == 0
    assert "JPEG has no alpha: shown over black" in developed.notes


def test_several_frames_become_one_grid_in_order() -> None:
    frames = [png(sheet(10, 10, (0, 0, 40 * i, 255))) for i in range(1, 6)]
    developed = develop(frames, (10, 10), 300, "png")
    image = pixels(developed.picture.data)
    assert image.shape == (20, 30, 4)
    assert [int(image[y, x, 2]) for y, x in ((0, 0), (0, 10), (0, 20), (10, 0), (10, 10))] == [
        40,
        80,
        120,
        160,
        200,
    ]
    assert image[10, 20, 3] == 0


def test_the_grid_as_a_whole_keeps_to_the_size_asked_for() -> None:
    developed = develop([png(noise(400, 400))] * 9, (400, 400), 300, "png")
    assert developed.size == (300, 300)


def test_sixteen_bits_a_channel_and_grey_are_understood() -> None:
    deep = numpy.full((4, 4, 4), 65535, numpy.uint16)
    assert develop([png(deep)], (4, 4), 64, "png").mean == [1.0] * 4
    assert develop([png(numpy.full((4, 4), 255, numpy.uint8))], (4, 4), 64, "png").verdict == "flat"


@pytest.fixture
def no_opencv(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name == "cv2":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_opencv_a_small_picture_still_goes_out(no_opencv: None) -> None:
    data = b"\x89PNG"
    developed = develop([data], (20, 10), 64, "png")
    assert developed.picture.data == data and developed.verdict == "unknown"


def test_without_opencv_a_picture_that_must_shrink_is_refused(no_opencv: None) -> None:
    with pytest.raises(ToolFailure) as refusal:
        develop([b"\x89PNG"], (2000, 1000), 64, "png")
    assert refusal.value.code is Code.TOO_LARGE
