"""Waves, combinations, alignment, filters and lag on plain channels."""

from __future__ import annotations

import numpy as np
import pytest

import fakes
from fakes.chops import arithmetic, samples, waveforms
from fakes.chops.samples import Samples
from fakes.errors import NotFaked


def chans(names: str, *rows: list[float]) -> Samples:
    return Samples(names.split(), np.array(rows, dtype=np.float32))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("sin", [0, 1, 0, -1]),
        ("cos", [1, 0, -1, 0]),
        ("tri", [0, 1, 0, -1]),
        ("ramp", [0, 0.25, 0.5, 0.75]),
        ("square", [1, 1, -1, -1]),
        ("pulse", [1, 0, 0, 0]),
        ("const", [1, 1, 1, 1]),
    ],
)
def test_a_wave_at_the_quarters_of_its_cycle(kind: str, values: list[float]) -> None:
    assert waveforms.wave(kind, np.array([0, 0.25, 0.5, 0.75])) == pytest.approx(values, abs=1e-6)


def test_bias_moves_the_middle_of_a_square() -> None:
    wave = waveforms.wave("square", np.linspace(0, 1, 100, endpoint=False), bias=0.5)
    assert wave is not None
    assert (wave > 0).mean() == pytest.approx(0.75, abs=0.01)


def test_an_unknown_wave_has_no_form() -> None:
    assert waveforms.wave("expr", np.zeros(2)) is None


def test_noise_along_time_is_smooth_and_repeatable() -> None:
    at = np.linspace(0, 10, 500)
    first = waveforms.noise(at, 1.0, 1, 2.0, 0.5, 1.0)
    assert np.array_equal(first, waveforms.noise(at, 1.0, 1, 2.0, 0.5, 1.0))
    assert np.abs(np.diff(first)).max() < 0.2 and first.std() > 0.2
    assert np.abs(first - waveforms.noise(at, 2.0, 1, 2.0, 0.5, 1.0)).mean() > 0.1


def test_merging_numbers_names_that_are_taken() -> None:
    merged = arithmetic.merge([chans("a b", [1], [2]), chans("b", [3])])
    assert merged.names == ["a", "b", "b1"]
    assert merged.values.ravel().tolist() == [1, 2, 3]


def test_merging_may_keep_the_first_or_the_last_of_a_name() -> None:
    parts = [chans("a", [1]), chans("a", [2])]
    assert arithmetic.merge(parts, duplicate="first").values.ravel().tolist() == [1]
    assert arithmetic.merge(parts, duplicate="last").values.ravel().tolist() == [2]


def test_a_short_input_is_held_to_the_longest_or_all_are_trimmed() -> None:
    parts = [chans("a", [1, 2, 3]), chans("b", [9])]
    assert arithmetic.merge(parts).values.tolist() == [[1, 2, 3], [9, 9, 9]]
    assert arithmetic.merge(parts, "trim").values.tolist() == [[1], [9]]


def test_numbered_names_count_on() -> None:
    assert samples.unique(["chan1", "chan1", "chan2"]) == ["chan1", "chan2", "chan3"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("add", 9), ("sub", 3), ("mul", 18), ("div", 2), ("avg", 4.5), ("min", 3), ("max", 6)],
)
def test_combining_six_and_three(word: str, expected: float) -> None:
    stack = np.array([[6], [3]], dtype=np.float32)
    assert arithmetic.COMBINE[word](stack)[0] == pytest.approx(expected)


def test_dividing_by_zero_gives_zero() -> None:
    assert arithmetic.COMBINE["div"](np.array([[6], [0]], dtype=np.float32))[0] == 0
    assert arithmetic.PRE["inverse"](np.array([0], dtype=np.float32))[0] == 0


def test_channels_meet_by_index_or_by_name() -> None:
    parts = [chans("a b", [1], [2]), chans("b a", [3], [4])]
    met = {
        by: [[float(v[0]) for v in values] for _, values in arithmetic.match_channels(parts, by)]
        for by in (False, True)
    }
    assert met == {False: [[1, 3], [2, 4]], True: [[1, 4], [2, 3]]}


def test_a_range_is_carried_over() -> None:
    assert arithmetic.rerange(np.array([0.5], dtype=np.float32), 0, 1, 10, 20)[0] == pytest.approx(15)


def test_a_filter_spreads_an_impulse_and_keeps_its_sum() -> None:
    impulse = np.zeros((1, 41), dtype=np.float32)
    impulse[0, 20] = 1
    soft = arithmetic.smooth(impulse, 9, "gauss")
    assert soft.sum() == pytest.approx(1, abs=1e-5) and soft[0, 20] < 0.5
    late = arithmetic.smooth(impulse, 9, "halfbox")
    assert late[0, :20].sum() == 0 and late[0, 20:25].sum() == pytest.approx(1, abs=1e-5)


def test_lag_covers_nine_tenths_in_its_time_and_falls_by_the_other_one() -> None:
    value = np.zeros(1, dtype=np.float32)
    for _ in range(60):
        value = arithmetic.lag_step(value, np.ones(1, dtype=np.float32), 1.0, 0.0, 1 / 60)
    assert value[0] == pytest.approx(0.9, abs=1e-3)
    assert arithmetic.lag_step(value, np.zeros(1, dtype=np.float32), 1.0, 0.0, 1 / 60)[0] == 0


def test_a_value_between_samples_is_drawn_straight() -> None:
    values = np.array([[0, 10, 20]], dtype=np.float32)
    assert samples.at(values, 0.5)[0] == 5
    assert samples.at(values, 9)[0] == 20
    assert samples.stretch(values, 5).tolist() == [[0, 5, 10, 15, 20]]


def test_iterating_over_a_chop_is_refused_instead_of_never_ending() -> None:
    world = fakes.install()
    try:
        chop = world.face(world.root.children["project1"]).create("constantCHOP")
        with pytest.raises(NotFaked, match="chans"):
            list(chop)
    finally:
        fakes.uninstall()
