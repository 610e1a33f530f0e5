"""What each SOP and POP type cooks to."""

from __future__ import annotations

from typing import Any

from fakes.cooking import CookContext, cooks, cooks_family
from fakes.errors import NotFaked
from fakes.nodes import Node

from . import geometry, shapes
from .geometry import Geometry


def _numbers(node: Node, group: str) -> tuple[float, ...]:
    return tuple(float(v) for v in node.values(group))


def _three(node: Node, group: str) -> tuple[float, float, float]:
    x, y, z = _numbers(node, group)
    return x, y, z


def _two(node: Node, group: str) -> tuple[float, float]:
    x, y = _numbers(node, group)
    return x, y


def _has(node: Node, name: str) -> bool:
    return node.par_info(name) is not None


def _refuse(node: Node, **plain: Any) -> None:
    """Only the settings named are faked: any other value of those parameters is not."""
    for name, expected in plain.items():
        if _has(node, name) and node.value(name) != expected:
            raise NotFaked(f"{node.type} with {name} {node.value(name)}")


def _placed(node: Node, made: Geometry) -> Geometry:
    """Turned, scaled and moved as the type's own parameters say."""
    matrix = geometry.transform(
        _three(node, "t") if _has(node, "tx") else (0, 0, 0),
        _three(node, "r") if _has(node, "rx") else (0, 0, 0),
        order="srt",
        rotate_order=str(node.value("rord")) if _has(node, "rord") else "xyz",
    )
    if _has(node, "scale") and node.family == "POP":
        matrix = matrix @ geometry.scaling([float(node.value("scale"))] * 3)
    elif node.type == "boxSOP":
        matrix = matrix @ geometry.scaling([float(node.value("s"))] * 3)
    return made.moved(matrix)


def _oriented(made: Geometry, word: str) -> Geometry:
    points = shapes.orient(made.points, word)
    attributes = {k: shapes.orient(v, word) if k == "N" else v for k, v in made.attributes.items()}
    return Geometry(points, made.primitives, attributes)


def _anchored(node: Node) -> None:
    _refuse(node, anchoru=0.5, anchorv=0.5, anchorw=0.5, modifybounds=False)


def _surface_word(node: Node) -> str:
    """How a SOP surface is connected: as one mesh, or as polygons by `surftype`."""
    kind = str(node.value("type"))
    if kind == "mesh":
        return "mesh"
    if kind == "poly":
        return str(node.value("surftype"))
    raise NotFaked(f"{node.type} of type {kind}")


@cooks("gridSOP")
def grid_sop(node: Node, ctx: CookContext) -> Geometry:
    """Rows × columns of points."""
    _anchored(node)
    made = shapes.grid(
        _two(node, "size"), int(node.value("rows")), int(node.value("cols")), _surface_word(node)
    )
    return _placed(node, _oriented(made, str(node.value("orient"))))


@cooks("gridPOP")
def grid_pop(node: Node, ctx: CookContext) -> Geometry:
    """Rows × columns of points."""
    _anchored(node)
    _refuse(node, slices=1, uniquepoints=False, planex=True, planey=False, planez=False)
    if any(_numbers(node, "random")) or any(_numbers(node, "randomsizefit")):
        raise NotFaked("gridPOP with random points")
    x, y, _ = _numbers(node, "size")
    word = str(node.value("surftype"))
    if word not in ("none", "points", "triangles", "alttriangles", "quads"):
        raise NotFaked(f"gridPOP connected as {word}")
    return _placed(node, shapes.grid((x, y), int(node.value("rows")), int(node.value("cols")), word))


@cooks("sphereSOP")
def sphere_sop(node: Node, ctx: CookContext) -> Geometry:
    """Rows from pole to pole."""
    _anchored(node)
    rows, cols = int(node.value("rows")), int(node.value("cols"))
    made = shapes.sphere((1, 1, 1), rows, cols, _surface_word(node))
    made = _oriented(made, str(node.value("orient")))
    return _placed(node, made.moved(geometry.scaling(_three(node, "rad"))))


@cooks("spherePOP")
def sphere_pop(node: Node, ctx: CookContext) -> Geometry:
    """A geodesic sphere, or rows from pole to pole."""
    _anchored(node)
    kind = str(node.value("type"))
    if kind == "geodesic":
        _refuse(node, geodesictype="triangles", fuse=True)
        made = shapes.geodesic((1, 1, 1), int(node.value("freq")))
    elif kind == "grid":
        made = shapes.sphere(
            (1, 1, 1), int(node.value("rows")), int(node.value("cols")), str(node.value("surftype"))
        )
    else:
        raise NotFaked(f"spherePOP of type {kind}")
    made = _oriented(made, str(node.value("orient")))
    return _placed(node, made.moved(geometry.scaling(_three(node, "rad"))))


@cooks("boxSOP")
def box_sop(node: Node, ctx: CookContext) -> Geometry:
    """Six faces. Whether they share their corners follows `consolidatepts`."""
    _anchored(node)
    _refuse(node, dodivs=False, rebar=False, orientbounds=False)
    return _placed(node, shapes.box(_three(node, "size"), bool(node.value("consolidatepts"))))


@cooks("boxPOP")
def box_pop(node: Node, ctx: CookContext) -> Geometry:
    """Six faces that share eight points, unless `uniquepoints`."""
    _anchored(node)
    _refuse(node, roundcorners=False)
    word = str(node.value("surftype"))
    if word not in ("triangles", "quads"):
        raise NotFaked(f"boxPOP connected as {word}")
    return _placed(
        node, shapes.box(_three(node, "size"), not node.value("uniquepoints"), word == "triangles")
    )


@cooks("lineSOP")
def line_sop(node: Node, ctx: CookContext) -> Geometry:
    """A straight line."""
    return shapes.line(_three(node, "pa"), _three(node, "pb"), int(node.value("points")))


@cooks("linePOP")
def line_pop(node: Node, ctx: CookContext) -> Geometry:
    """A line strip through its points, each segment in so many parts."""
    _refuse(node, multiplelinestrips=False, interpmethodpersegment=False, interpmethod="linear")
    _refuse(node, divmethod="segment", resamplemethod="none", addctrlpointattr=False, attr0customname="")
    corners = [
        tuple(float(node.value(f"pt{block}pos{axis}")) for axis in "xyz")
        for block in range(node.num_blocks("pt"))
    ]
    divisions = int(node.value("divs")) if node.value("output") == "subdivlines" else 1
    return shapes.strip(corners, max(1, divisions), bool(node.value("closed")))


@cooks("circleSOP")
def circle_sop(node: Node, ctx: CookContext) -> Geometry:
    """A closed polygon, or an arc of it."""
    _anchored(node)
    _refuse(node, type="poly")
    closed = str(node.value("arc")) == "closed"
    if not closed:
        raise NotFaked(f"circleSOP as {node.value('arc')}")
    made = shapes.circle(_two(node, "rad"), int(node.value("divs")), closed)
    return _placed(node, _oriented(made, str(node.value("orient"))))


@cooks("circlePOP")
def circle_pop(node: Node, ctx: CookContext) -> Geometry:
    """A closed line strip or a surface."""
    _anchored(node)
    _refuse(node, closed=True)
    word = str(node.value("connectivity"))
    if word not in ("linestrip", "surface", "none"):
        raise NotFaked(f"circlePOP connected as {word}")
    made = shapes.circle(_two(node, "rad"), int(node.value("divs")))
    if word == "none":
        made.primitives = []
    return _placed(node, _oriented(made, str(node.value("orient"))))


@cooks("torusSOP", "torusPOP")
def torus(node: Node, ctx: CookContext) -> Geometry:
    """A ring with a tube."""
    _anchored(node)
    _refuse(node, closedu=True, closedv=True)
    word = _surface_word(node) if node.family == "SOP" else str(node.value("surftype"))
    made = shapes.torus(_two(node, "rad"), int(node.value("rows")), int(node.value("cols")), word)
    return _placed(node, _oriented(made, str(node.value("orient"))))


@cooks("transformSOP", "transformPOP", needs=1)
def transform(node: Node, ctx: CookContext) -> Geometry:
    """The input moved, turned and scaled about a pivot."""
    source = _first(ctx)
    _refuse(node, group="", lookat=None, mode="transformgeo", invert=False, weightattr="", xformmatrixop=None)
    _refuse(
        node, posttx="off", postty="off", posttz="off", postscalex="off", postscaley="off", postscalez="off"
    )
    uniform = float(node.value("scale"))
    x, y, z = _three(node, "s")
    matrix = geometry.transform(
        _three(node, "t"),
        _three(node, "r"),
        (x * uniform, y * uniform, z * uniform),
        _three(node, "p"),
        str(node.value("xord")),
        str(node.value("rord")),
    )
    return source.moved(matrix)


def _first(ctx: CookContext) -> Geometry:
    found = ctx.inputs[0] if ctx.inputs else None
    return found if isinstance(found, Geometry) else Geometry()


@cooks("mergeSOP", "mergePOP", needs=1)
def merge(node: Node, ctx: CookContext) -> Geometry:
    """All inputs' points and primitives."""
    return geometry.merge([i for i in ctx.inputs if isinstance(i, Geometry)])


@cooks("nullSOP", "inSOP", "outSOP", "nullPOP", "inPOP", "outPOP", needs=1)
def same(node: Node, ctx: CookContext) -> Geometry:
    """The input."""
    return _first(ctx)


@cooks("selectSOP", "selectPOP")
def select(node: Node, ctx: CookContext) -> Geometry:
    """The geometry of the operator named."""
    target = node.value("sop" if node.family == "SOP" else "pop")
    found = target.data() if isinstance(target, Node) and target.family == node.family else None
    return found if isinstance(found, Geometry) else Geometry()


@cooks("switchSOP", "switchPOP", needs=1, own_inputs=True)
def switch(node: Node, ctx: CookContext) -> Geometry:
    """One of the inputs; the others do not cook."""
    inputs = node.inputs()
    name = "input" if _has(node, "input") else "index"
    place = min(max(int(float(node.value(name))), 0), len(inputs) - 1)
    chosen = inputs[place] if inputs else None
    found = chosen.data() if chosen is not None else None
    return found if isinstance(found, Geometry) else Geometry()


@cooks_family("MAT")
def material(node: Node, ctx: CookContext) -> None:
    """Materials hold nothing that scripts can read."""
