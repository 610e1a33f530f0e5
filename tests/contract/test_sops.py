"""Geometry: points and primitives of SOPs, where counts are properties."""

from .facts import fact


def near(position, expected):
    return all(abs(a - b) < 1e-5 for a, b in zip(position, expected, strict=True))


@fact(41)
def test_counts_of_a_sop_are_properties(t):
    grid = t.scratch.create(t.td.gridSOP)
    grid.par.type = "poly"
    grid.par.rows, grid.par.cols = 4, 5
    assert (grid.numPoints, grid.numPrims) == (20, 12)


def test_points_are_reached_by_index(t):
    line = t.scratch.create(t.td.lineSOP)
    line.par.pbx = 3
    line.par.points = 4
    assert [p.x for p in line.points] == [0, 1, 2, 3]
    assert line.points[-1].index == 3
    assert len(line.points) == 4
    assert [v.point.index for v in line.prims[0]] == [0, 1, 2, 3]


def test_bounds_tell_the_extent(t):
    box = t.scratch.create(t.td.boxSOP)
    box.par.sizey = 4
    assert near(box.min, (-0.5, -2, -0.5))
    assert near(box.bounds().max, (0.5, 2, 0.5))
    assert near(box.size, (1, 4, 1))
    assert box.numPrims == 6


def test_a_sphere_is_as_large_as_its_radius(t):
    sphere = t.scratch.create(t.td.sphereSOP)
    sphere.par.rady = 2
    sphere.par.rows = 21
    assert near(sphere.max, (1, 2, 1))


def test_a_circle_has_its_divisions(t):
    circle = t.scratch.create(t.td.circleSOP)
    circle.par.divs = 12
    assert circle.numPoints == 12
    assert circle.prims[0].closed


def test_transform_moves_scales_and_turns(t):
    box, move = t.scratch.create(t.td.boxSOP), t.scratch.create(t.td.transformSOP)
    move.inputConnectors[0].connect(box)
    move.par.tx, move.par.scale = 10, 2
    assert near(move.center, (10, 0, 0))
    assert near(move.size, (2, 2, 2))
    move.par.rz = 90
    move.par.sx = 2
    assert near(move.size, (2, 4, 2))


def test_merge_and_null_keep_all_points(t):
    merge, null = t.scratch.create(t.td.mergeSOP), t.scratch.create(t.td.nullSOP)
    for place, kind in enumerate((t.td.lineSOP, t.td.circleSOP)):
        merge.inputConnectors[place].connect(t.scratch.create(kind))
    null.inputConnectors[0].connect(merge)
    assert (null.numPoints, null.numPrims) == (42, 2)


@fact(67)
def test_one_sop_of_a_network_is_displayed(t):
    one, two = t.scratch.create(t.td.boxSOP), t.scratch.create(t.td.gridSOP)
    one.display = True
    two.display = True
    assert (one.display, two.display) == (False, True)
    two.display = False
    assert (one.display, two.display) == (False, False)


@fact(67)
def test_the_render_flag_of_a_sop_is_its_own(t):
    one, two = t.scratch.create(t.td.boxSOP), t.scratch.create(t.td.gridSOP)
    one.render = two.render = True
    assert one.render
    assert two.render
