"""Positions and vectors compute element by element."""

from __future__ import annotations

import pytest

from fakes.vectors import Position, Vector


def test_positions_add_scale_and_read_by_index() -> None:
    place = Position(1, 2, 3) + (1, 1, 1)
    place.scale(2, 2, 2)
    place.translate(0, 0, 1)
    assert tuple(place) == (4, 6, 9) and place[2] == place.z == 9
    place[0] = 7
    assert place == Position(7, 6, 9)
    assert -place / 2 == Position(-3.5, -3, -4.5)


def test_vectors_have_length_angle_and_products() -> None:
    x, y = Vector(2, 0, 0), Vector(0, 3, 0)
    assert (x.length(), x.dot(y), x.angle(y)) == (2, 0, pytest.approx(90))
    assert tuple(x.cross(y)) == (0, 0, 6)
    x.normalize()
    assert x == Vector(1, 0, 0)
    assert x.lerp(y, 0.5) == Vector(0.5, 1.5, 0)
    assert Vector(0, 0, 0).angle(y) == 0


def test_a_vector_wants_three_numbers() -> None:
    with pytest.raises(TypeError):
        Vector(1, 2)
