"""What scripts can do with SOPs and POPs: counts, points, primitives, bounds.

On SOPs `numPoints` is a property, on POPs a method (fact 41).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.module import provide_class
from fakes.nodes import Node
from fakes.operators import OP
from fakes.vectors import Position

from .geometry import Geometry, Primitive


def _geometry(node: Node) -> Geometry:
    found = node.data()
    return found if isinstance(found, Geometry) else Geometry()


class Bounds(NamedTuple):
    """Extent of geometry: lowest and highest corner, middle and size."""

    min: Any
    max: Any
    center: Any
    size: Any


def _bounds(geometry: Geometry) -> Bounds:
    low, high = geometry.bounds()
    return Bounds(*(Position(v) for v in (low, high, (low + high) / 2, high - low)))


class Point(Guarded):
    """One point of a SOP."""

    __slots__ = ("_index", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._index = index

    index = property(lambda self: self._index)
    owner = property(lambda self: self._node.world.face(self._node))
    x = property(lambda self: float(self._at()[0]))
    y = property(lambda self: float(self._at()[1]))
    z = property(lambda self: float(self._at()[2]))

    @property
    def P(self) -> Any:
        """The position."""
        return Position(self._at())

    def _at(self) -> Any:
        points = _geometry(self._node).points
        if self._index >= len(points):
            raise tdError("Point is no longer valid.")
        return points[self._index]


class Vertex(Guarded):
    """One corner of a primitive."""

    __slots__ = ("_index", "_node", "_point")

    def __init__(self, node: Node, index: int, point: int) -> None:
        self._node = node
        self._index = index
        self._point = point

    index = property(lambda self: self._index)
    point = property(lambda self: Point(self._node, self._point))
    owner = property(lambda self: self._node.world.face(self._node))


class Prim(Guarded):
    """One primitive of a SOP; its vertices by index."""

    __slots__ = ("_index", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._index = index

    index = property(lambda self: self._index)
    owner = property(lambda self: self._node.world.face(self._node))
    min = property(lambda self: _bounds(self._own()).min)
    max = property(lambda self: _bounds(self._own()).max)
    center = property(lambda self: _bounds(self._own()).center)
    size = property(lambda self: _bounds(self._own()).size)

    def __len__(self) -> int:
        return len(self._primitive().vertices)

    def __getitem__(self, index: int) -> Vertex:
        return Vertex(self._node, int(index), self._primitive().vertices[index])

    def __iter__(self) -> Iterator[Vertex]:
        return iter([self[i] for i in range(len(self))])

    def _primitive(self) -> Primitive:
        primitives = _geometry(self._node).primitives
        if self._index >= len(primitives):
            raise tdError("Prim is no longer valid.")
        return primitives[self._index]

    def _own(self) -> Geometry:
        return Geometry(_geometry(self._node).points[list(self._primitive().vertices)])


class Poly(Prim):
    """A polygon."""

    __slots__ = ()

    closed = property(lambda self: self._primitive().closed)


class Points(Guarded):
    """The points of a SOP: a sequence."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    owner = property(lambda self: self._node.world.face(self._node))

    def __len__(self) -> int:
        return len(_geometry(self._node).points)

    def __getitem__(self, index: int) -> Point:
        count = len(self)
        if not -count <= int(index) < count:
            raise IndexError("Point index out of range.")
        return Point(self._node, int(index) % count)

    def __iter__(self) -> Iterator[Point]:
        return iter([Point(self._node, i) for i in range(len(self))])


class Prims(Guarded):
    """The primitives of a SOP: a sequence."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    owner = property(lambda self: self._node.world.face(self._node))

    def __len__(self) -> int:
        return len(_geometry(self._node).primitives)

    def __getitem__(self, index: int) -> Prim:
        count = len(self)
        if not -count <= int(index) < count:
            raise IndexError("Prim index out of range.")
        place = int(index) % count
        return (Poly if _geometry(self._node).primitives[place].kind == "polygon" else Prim)(
            self._node, place
        )

    def __iter__(self) -> Iterator[Prim]:
        return iter([self[i] for i in range(len(self))])


for _class in (Point, Points, Prim, Prims, Poly, Vertex):
    provide_class(_class)


class SOP(OP):
    """A SOP: an operator that holds points and primitives."""

    __slots__ = ()

    numPoints = property(lambda self: len(self._geometry().points))
    numPrims = property(lambda self: len(self._geometry().primitives))
    numVertices = property(lambda self: self._geometry().vertex_count)
    points = property(lambda self: Points(self._live()))
    prims = property(lambda self: Prims(self._live()))
    min = property(lambda self: _bounds(self._geometry()).min)
    max = property(lambda self: _bounds(self._geometry()).max)
    center = property(lambda self: _bounds(self._geometry()).center)
    size = property(lambda self: _bounds(self._geometry()).size)

    def bounds(self, display: bool = False, render: bool = False) -> Bounds:
        """The extent of the geometry."""
        if display or render:
            raise NotFaked("SOP.bounds of display or render")
        return _bounds(self._geometry())

    def _geometry(self) -> Geometry:
        return _geometry(self._live())


# Bringing points back from the graphics card takes 10 ms for 16 000 of them and 70 ms for 160 000 (fact 43).
_READBACK_SECONDS = 3.3e-3
_READBACK_SECONDS_EACH = 0.42e-6


class POP(OP):
    """A POP: an operator that holds points and primitives on the graphics card.

    Reading points blocks the caller for as long as it does in TouchDesigner (fact 43).
    """

    __slots__ = ()

    def numPoints(self, delayed: bool = False, max: bool = False) -> int:
        return len(self._geometry().points)

    def numPrims(self, delayed: bool = False, max: bool = False, primType: Any = None) -> int:
        if primType is not None:
            raise NotFaked("POP.numPrims of one type")
        return len(self._geometry().primitives)

    def numVerts(self, delayed: bool = False, max: bool = False, lineStrips: bool = False) -> int:
        if lineStrips:
            raise NotFaked("POP.numVerts of line strips")
        return self._geometry().vertex_count

    def bounds(self, delayed: bool = False) -> Bounds:
        """The extent of the geometry."""
        return _bounds(self._geometry())

    def points(
        self, attributeName: str, startIndex: int = 0, count: int = -1, delayed: bool = False
    ) -> list[Any]:
        """An attribute's values, one tuple a point: `P`, or what else the points carry.

        Raises:
            tdError: no such attribute.
        """
        geometry = self._geometry()
        if not delayed:
            time.sleep(_READBACK_SECONDS + _READBACK_SECONDS_EACH * len(geometry.points))
        values = geometry.points if attributeName == "P" else geometry.attributes.get(attributeName)
        if values is None:
            raise tdError(f"No point attribute named {attributeName}.")
        end = None if count < 0 else startIndex + count
        return [tuple(row) for row in values[startIndex:end].tolist()]

    def _geometry(self) -> Geometry:
        return _geometry(self._live())
