"""Level, blur, resampling, storing and the blend operations do what their names say."""

from __future__ import annotations

import numpy as np
import pytest

from fakes.errors import NotFaked
from fakes.tops import blending, filters, resolution
from fakes.tops.filters import Level
from fakes.tops.image import Image, Pixels, channels, fill, store


def noise(height: int = 32, width: int = 48) -> Pixels:
    return np.random.default_rng(7).random((height, width, 4), dtype=np.float32)


@pytest.mark.parametrize("kind", ["gaussian", "box", "bartlette", "hanning", "blackman", "catmull"])
def test_a_blur_keeps_the_mean_and_calms_the_picture(kind: str) -> None:
    before = noise(64, 64)
    after = filters.blur(before, 8, kind, "repeat")
    assert after.mean() == pytest.approx(before.mean(), abs=1e-3)
    assert after.std() < before.std() / 3


def test_a_blur_of_size_one_changes_nothing() -> None:
    assert np.array_equal(filters.blur(noise(), 1), noise())


def test_a_blur_along_x_leaves_rows_apart() -> None:
    stripes = fill(20, 20, (0, 0, 0, 1))
    stripes[::2, :, :3] = 1
    assert filters.blur(stripes, 5, dims="x") == pytest.approx(stripes, abs=1e-6)
    assert filters.blur(stripes, 5, dims="y").std() < stripes.std()


def test_level_defaults_change_nothing() -> None:
    assert filters.level(noise(), Level()) == pytest.approx(noise(), abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Level(brightness1=2.0), 0.5),
        (Level(invert=1.0), 0.75),
        (Level(contrast=2.0), 0.0),
        (Level(gamma1=2.0), 0.5),
        (Level(opacity=0.5), 0.125),
        (Level(brightness2=3.0), 0.75),
        (Level(inlow=0.25, inhigh=0.75), 0.0),
        (Level(outlow=0.5, outhigh=1.0), 0.625),
        (Level(blacklevel=0.25), 0.0),
        (Level(clamp=True, brightness2=8.0), 1.0),
    ],
)
def test_each_level_setting_does_its_sum_on_a_quarter_grey(settings: Level, expected: float) -> None:
    out = filters.level(fill(2, 2, (0.25, 0.25, 0.25, 1.0)), settings)
    assert out[0, 0, 0] == pytest.approx(expected, abs=1e-6)


def test_opacity_dims_alpha_and_brightness_does_not() -> None:
    white = fill(1, 1, (1, 1, 1, 1))
    assert filters.level(white, Level(opacity=0.25))[0, 0, 3] == 0.25
    assert filters.level(white, Level(brightness1=0.25))[0, 0, 3] == 1


def test_eight_bits_clamp_and_round_and_floats_keep() -> None:
    bright = fill(1, 1, (1.7, -0.2, 0.5001, 1))
    assert store(bright, "rgba8fixed").pixels[0, 0] == pytest.approx([1, 0, 128 / 255, 1])
    assert store(bright, "rgba32float").pixels[0, 0] == pytest.approx([1.7, -0.2, 0.5001, 1])


@pytest.mark.parametrize(
    ("word", "count", "memory"),
    [
        ("rgba8fixed", 4, 4),
        ("mono32float", 1, 4),
        ("rg16fixed", 2, 4),
        ("rgb10a2fixed", 4, 4),
        ("a8fixed", 1, 1),
    ],
)
def test_a_format_has_its_channels_and_bytes(word: str, count: int, memory: int) -> None:
    image = store(noise(2, 2), word)
    assert channels(image).shape == (2, 2, count)
    assert image.memory == memory * 4


def test_a_format_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="useinput"):
        Image(noise(), "useinput").memory  # noqa: B018  asking is the test


RED = fill(1, 1, (1, 0, 0, 1))
HALF_GREEN = fill(1, 1, (0, 0.5, 0, 0.5))
GREY = fill(1, 1, (0.25, 0.25, 0.25, 1))


@pytest.mark.parametrize(
    ("word", "a", "b", "expected"),
    [
        ("over", HALF_GREEN, RED, (0.5, 0.5, 0, 1)),
        ("under", RED, HALF_GREEN, (0.5, 0.5, 0, 1)),
        ("add", HALF_GREEN, GREY, (0.25, 0.75, 0.25, 1.5)),
        ("subtract", GREY, HALF_GREEN, (0.25, -0.25, 0.25, 0.5)),
        ("multiply", HALF_GREEN, GREY, (0, 0.125, 0, 0.5)),
        ("screen", GREY, GREY, (0.4375, 0.4375, 0.4375, 1)),
        ("difference", GREY, HALF_GREEN, (0.25, 0.25, 0.25, 1)),
        ("average", RED, GREY, (0.625, 0.125, 0.125, 1)),
        ("maximum", HALF_GREEN, GREY, (0.25, 0.5, 0.25, 1)),
        ("minimum", HALF_GREEN, GREY, (0, 0.25, 0, 0.5)),
        ("inside", RED, HALF_GREEN, (0.5, 0, 0, 0.5)),
        ("outside", RED, HALF_GREEN, (0.5, 0, 0, 0.5)),
        ("atop", HALF_GREEN, GREY, (0.125, 0.625, 0.125, 1)),
        ("xor", RED, HALF_GREEN, (0.5, 0, 0, 0.5)),
        (
            "freeze",
            fill(1, 1, (0.75, 0.75, 0.75, 1)),
            fill(1, 1, (0.5, 0.5, 0.5, 1)),
            (2 / 3, 2 / 3, 2 / 3, 1),
        ),
        ("heat", fill(1, 1, (0.5, 0.5, 0.5, 1)), fill(1, 1, (0.75, 0.75, 0.75, 1)), (2 / 3, 2 / 3, 2 / 3, 1)),
        ("hue", RED, GREY, (0.25, 0.25, 0.25, 1)),
        ("color", GREY, fill(1, 1, (0.5, 0.5, 0.5, 1)), (0.5, 0.5, 0.5, 1)),
        ("divide", GREY, fill(1, 1, (0.5, 0.5, 0, 1)), (0.5, 0.5, 1, 1)),
    ],
)
def test_an_operation_follows_its_formula(
    word: str, a: Pixels, b: Pixels, expected: tuple[float, ...]
) -> None:
    assert blending.OPERATIONS[word](a, b)[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("word", sorted(blending.OPERATIONS))
def test_every_operation_gives_finite_pixels_of_the_same_shape(word: str) -> None:
    out = blending.OPERATIONS[word](noise(), noise()[::-1].copy())
    assert out.shape == (32, 48, 4) and out.dtype == np.float32 and np.isfinite(out).all()


@pytest.mark.parametrize(
    ("word", "size"),
    [
        ("useinput", (400, 200)),
        ("half", (200, 100)),
        ("8x", (3200, 1600)),
        ("custom", (300, 300)),
        ("fit", (300, 150)),
        ("limit", (300, 150)),
    ],
)
def test_the_output_resolution_word_decides_the_size(word: str, size: tuple[int, int]) -> None:
    assert resolution.choose(word, (400, 200), (300, 300), None) == size


def test_limit_does_not_enlarge_and_fit_does() -> None:
    assert resolution.choose("limit", (40, 20), (300, 300), None) == (40, 20)
    assert resolution.choose("fit", (40, 20), (300, 300), None) == (300, 150)


def test_the_licence_limits_the_longer_side_and_keeps_the_shape() -> None:
    assert resolution.choose("custom", (1, 1), (3840, 2160), 1280) == (1280, 720)


def test_an_unknown_resolution_word_is_not_faked() -> None:
    with pytest.raises(NotFaked, match="16x"):
        resolution.choose("16x", (1, 1), (1, 1), None)


def test_a_movement_shifts_and_extends() -> None:
    picture = fill(4, 4, (0, 0, 0, 1))
    picture[:, 0, 0] = 1
    shift = np.array([[1, 0, -1], [0, 1, 0]], dtype=np.float64)
    assert filters.affine(picture, shift, 4, 4, "zero")[0, :, 0].tolist() == [0, 1, 0, 0]
    assert filters.affine(picture, shift, 4, 4, "zero")[0, :, 3].tolist() == [0, 1, 1, 1]
    assert filters.affine(picture, shift, 4, 4, "hold")[0, :, 0].tolist() == [1, 1, 0, 0]
