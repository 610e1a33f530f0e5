"""POPs: counts are methods there, and a new Geometry COMP holds one."""

from .facts import fact, needs, raises


@fact(41)
@needs("POP")
def test_counts_of_a_pop_are_methods(t):
    grid = t.scratch.create(t.td.gridPOP)
    assert (grid.numPoints(), grid.numPrims()) == (400, 361)
    box = t.scratch.create(t.td.boxPOP)
    assert (box.numPoints(), box.numPrims()) == (8, 6)


@fact(17, 41)
@needs("POP")
def test_the_torus_in_a_new_geometry_has_points(t):
    torus = t.scratch.create(t.td.geometryCOMP).op("torus1")
    assert torus.numPoints() == 800
    assert torus.display and torus.render


@needs("POP")
def test_a_geodesic_sphere_has_points_on_its_radius(t):
    sphere = t.scratch.create(t.td.spherePOP)
    assert sphere.numPoints() == 252
    for x, y, z in sphere.points("P", 0, 10):
        assert abs((x * x + y * y + z * z) ** 0.5 - 1) < 1e-5


@needs("POP")
def test_transform_and_merge_and_bounds(t):
    move, merge = t.scratch.create(t.td.transformPOP), t.scratch.create(t.td.mergePOP)
    move.inputConnectors[0].connect(t.scratch.create(t.td.boxPOP))
    move.par.ty = 5
    merge.inputConnectors[0].connect(move)
    merge.inputConnectors[1].connect(t.scratch.create(t.td.circlePOP))
    assert merge.numPoints() == 48
    low, high = merge.bounds().min, merge.bounds().max
    assert abs(low[1] + 1) < 1e-5 and abs(high[1] - 5.5) < 1e-5


@fact(27, 41)
@needs("POP")
def test_a_line_is_divided_between_its_points(t):
    line = t.scratch.create(t.td.linePOP)
    assert line.seq.pt.numBlocks == 2
    assert (line.numPoints(), line.numPrims()) == (21, 1)
    points = line.points("P")
    assert (points[0], points[10], points[20]) == ((0, 0, 0), (0.5, 0.5, 0), (1, 1, 0))
    line.par.divs = 10
    assert line.numPoints() == 11
    line.par.pt.sequence.numBlocks = 3
    line.par.pt2posx = 1
    assert line.numPoints() == 21
    assert line.points("P")[20] == (1, 0, 0)
    line.par.output = "ctrlpoints"
    assert line.numPoints() == 3


@fact(41)
@needs("POP")
def test_a_closed_line_comes_back_to_its_beginning(t):
    line = t.scratch.create(t.td.linePOP)
    line.par.closed = True
    assert (line.numPoints(), line.numPrims()) == (40, 1)


@fact(43)
@needs("POP")
def test_points_are_read_by_attribute_and_range(t):
    grid = t.scratch.create(t.td.gridPOP)
    grid.par.cols = grid.par.rows = 3
    assert grid.points("P", 0, 2) == [(-0.5, -0.5, 0), (0, -0.5, 0)]
    assert len(grid.points("N")) == 9
    with raises(t.td.tdError):
        grid.points("nothing")
