"""Shapes, ramps, noise and letters cover what they should."""

from __future__ import annotations

import numpy as np
import pytest

from fakes.tops import drawing, noise_field
from fakes.tops.noise_field import Fractal


def test_a_circle_covers_pi_r_squared() -> None:
    cover = drawing.circle(256, 256, (0.4, 0.4))
    assert cover.mean() == pytest.approx(np.pi * 0.4**2, rel=0.005)
    assert cover[128, 128] == 1 and cover[2, 2] == 0


def test_a_circle_stays_round_in_a_wide_picture() -> None:
    cover = drawing.circle(400, 200, (0.25, 0.25)) > 0.5
    assert abs(int(cover.any(axis=0).sum()) - int(cover.any(axis=1).sum())) <= 1


def test_a_shape_moves_up_when_its_centre_does() -> None:
    cover = drawing.circle(100, 100, (0.1, 0.1), center=(0.0, 0.3))
    assert cover[80, 50] == 1 and cover[20, 50] == 0


def test_a_polygon_of_three_sides_points_up() -> None:
    cover = drawing.circle(200, 200, (0.4, 0.4), sides=3) > 0.5
    assert cover[170].sum() < cover[70].sum()
    assert cover[175, 100] and not cover[30, 100]


def test_a_rectangle_has_its_size_and_a_border_grows_it() -> None:
    plain = drawing.rectangle(200, 200, (0.5, 0.25))
    assert plain.mean() == pytest.approx(0.125, rel=0.02)
    assert drawing.rectangle(200, 200, (0.5, 0.25), grow=0.1).mean() > plain.mean()


def test_softness_keeps_the_edge_where_it_was() -> None:
    hard, soft = drawing.circle(256, 256, (0.3, 0.3)), drawing.circle(256, 256, (0.3, 0.3), softness=0.1)
    assert ((soft > 0.05) & (soft < 0.95)).sum() > ((hard > 0.05) & (hard < 0.95)).sum() * 3
    assert soft.mean() == pytest.approx(hard.mean(), rel=0.05)


def test_a_gradient_meets_its_keys_and_runs_straight_between_them() -> None:
    keys = [(0.0, (0.0, 0.0, 0.0, 1.0)), (1.0, (1.0, 0.5, 0.0, 1.0))]
    colors = drawing.gradient(np.array([0.0, 0.5, 1.0], dtype=np.float32), keys)
    assert colors == pytest.approx(np.array([[0, 0, 0, 1], [0.5, 0.25, 0, 1], [1, 0.5, 0, 1]]))


@pytest.mark.parametrize(
    ("word", "expected"), [("repeat", 0.25), ("mirror", 0.75), ("hold", 1.0), ("zero", 1.25)]
)
def test_extend_words_bring_positions_back(word: str, expected: float) -> None:
    assert drawing.wrap(np.array([1.25], dtype=np.float32), word, word)[0] == pytest.approx(expected)


def test_text_leaves_ink_about_the_middle_and_none_at_the_rim() -> None:
    cover = drawing.text(200, 100, "hello", 30)
    assert cover[35:65].sum() > 100
    assert cover[:10].sum() == 0 and cover[-10:].sum() == 0


def test_noise_on_a_grid_and_at_points_is_the_same_field() -> None:
    xs = np.linspace(-3, 3, 40, dtype=np.float32)
    gx, gy = np.meshgrid(xs, xs)
    grid = noise_field.on_grid(xs, xs, 0.37, 5.0, Fractal(2))
    assert noise_field.at_points(gx, gy, np.full_like(gx, 0.37), 5.0, Fractal(2)) == pytest.approx(
        grid, abs=1e-4
    )


def test_noise_moves_smoothly_through_depth_and_changes_with_the_seed() -> None:
    xs = np.linspace(0, 5, 64, dtype=np.float32)
    here = noise_field.on_grid(xs, xs, 1.0, 1.0, Fractal())
    near = noise_field.on_grid(xs, xs, 1.01, 1.0, Fractal())
    far = noise_field.on_grid(xs, xs, 1.9, 1.0, Fractal())
    other = noise_field.on_grid(xs, xs, 1.0, 1.5, Fractal())
    assert 0 < np.abs(here - near).max() < 0.2
    assert np.abs(here - far).mean() > 0.1 and np.abs(here - other).mean() > 0.1


def test_noise_is_lively_and_balanced() -> None:
    xs = np.linspace(0, 40, 200, dtype=np.float32)
    field = noise_field.on_grid(xs, xs, 0.5, 1.0, Fractal(2))
    assert abs(field.mean()) < 0.05
    assert 0.2 < field.std() < 0.6


def test_more_harmonics_roughen_the_field() -> None:
    xs = np.linspace(0, 5, 256, dtype=np.float32)
    plain = noise_field.on_grid(xs, xs, 0.5, 1.0, Fractal(0))
    rough = noise_field.on_grid(xs, xs, 0.5, 1.0, Fractal(4))
    assert np.abs(np.diff(rough, axis=1)).mean() > 1.5 * np.abs(np.diff(plain, axis=1)).mean()


def test_white_noise_fills_the_range_evenly() -> None:
    field = noise_field.white(100, 100, 3.0)
    assert field.min() < -0.95 and field.max() > 0.95 and abs(field.mean()) < 0.03


def test_a_placeholder_names_what_is_missing() -> None:
    one, other = drawing.placeholder(256, 128, "renderTOP"), drawing.placeholder(256, 128, "webrenderTOP")
    assert one.shape == (128, 256, 4)
    assert one.std() > 0.05 and not np.array_equal(one, other)
