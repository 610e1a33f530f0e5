"""Points and faces of the basic shapes, and the matrix of a Transform page."""

from __future__ import annotations

import numpy as np
import pytest

from fakes.sops import geometry, shapes


def test_a_grid_has_rows_times_columns_points_and_one_quad_between_four() -> None:
    grid = shapes.grid((2, 1), 4, 5, "quads")
    assert len(grid.points) == 20 and len(grid.primitives) == 12
    low, high = grid.bounds()
    assert low.tolist() == [-1, -0.5, 0] and high.tolist() == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("surftype", "count"),
    [("mesh", 1), ("rows", 4), ("cols", 5), ("rowcol", 9), ("triangles", 24), ("points", 20), ("none", 0)],
)
def test_a_grid_is_connected_as_asked(surftype: str, count: int) -> None:
    assert len(shapes.grid((1, 1), 4, 5, surftype).primitives) == count


def test_a_circle_lies_on_its_radius() -> None:
    circle = shapes.circle((2, 2), 12)
    assert np.linalg.norm(circle.points, axis=1) == pytest.approx(2)
    assert circle.primitives[0].closed and len(circle.primitives) == 1


def test_a_line_runs_from_end_to_end() -> None:
    line = shapes.line((0, 0, 0), (1, 2, 3), 5)
    assert line.points[2].tolist() == [0.5, 1, 1.5]
    assert not line.primitives[0].closed


@pytest.mark.parametrize(("shared", "points"), [(True, 8), (False, 24)])
def test_a_box_has_six_faces(shared: bool, points: int) -> None:
    box = shapes.box((1, 2, 3), shared)
    assert len(box.points) == points and len(box.primitives) == 6
    assert box.bounds()[1].tolist() == [0.5, 1, 1.5]


@pytest.mark.parametrize("shape", [shapes.box((1, 1, 1), True), shapes.geodesic((1, 1, 1), 2)])
def test_faces_turn_the_same_way(shape: geometry.Geometry) -> None:
    turns = []
    for prim in shape.primitives:
        a, b, c = (shape.points[i].astype(float) for i in prim.vertices[:3])
        turns.append(np.dot(np.cross(b - a, c - a), a + b + c) > 0)
    assert all(turns)


def test_a_sphere_is_as_wide_as_its_radius() -> None:
    low, high = shapes.sphere((1, 1, 2), 11, 40, "quads").bounds()
    assert low == pytest.approx([-1, -1, -2], abs=1e-6) and high == pytest.approx([1, 1, 2], abs=1e-6)


def test_a_geodesic_sphere_has_ten_f_squared_and_two_points() -> None:
    ball = shapes.geodesic((1, 1, 1), 5)
    assert len(ball.points) == 252 and len(ball.primitives) == 500


def test_a_torus_closes_both_ways() -> None:
    ring = shapes.torus((1, 0.5), 20, 40, "quads")
    assert len(ring.points) == len(ring.primitives) == 800
    assert ring.bounds()[1] == pytest.approx([1.5, 1.5, 0.5])


def test_merging_counts_points_on() -> None:
    joined = geometry.merge([shapes.line((0, 0, 0), (1, 0, 0), 2), shapes.circle((1, 1), 3)])
    assert [p.vertices for p in joined.primitives] == [(0, 1), (2, 3, 4)]
    assert joined.attributes["N"].tolist() == [[0, 0, 0]] * 2 + [[0, 0, 1]] * 3


def test_scale_comes_before_turn_before_move() -> None:
    matrix = geometry.transform(t=(10, 0, 0), r=(0, 0, 90), s=(2, 1, 1))
    assert matrix @ [1, 0, 0, 1] == pytest.approx([10, 2, 0, 1])
    other = geometry.transform(t=(10, 0, 0), r=(0, 0, 90), s=(2, 1, 1), order="tsr")
    assert other @ [1, 0, 0, 1] == pytest.approx([0, 22, 0, 1])


def test_a_pivot_stays_where_it_is() -> None:
    matrix = geometry.transform(r=(30, 40, 50), s=(3, 3, 3), pivot=(1, 2, 3))
    assert matrix @ [1, 2, 3, 1] == pytest.approx([1, 2, 3, 1])


@pytest.mark.parametrize(("plane", "flat"), [("xy", 2), ("yz", 0), ("zx", 1), ("x", 0), ("y", 1), ("z", 2)])
def test_a_flat_shape_turns_to_a_plane_or_axis(plane: str, flat: int) -> None:
    points = shapes.orient(shapes.circle((1, 1), 8).points, plane)
    assert points[:, flat] == pytest.approx(0) and points.std() > 0.3
