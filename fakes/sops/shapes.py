"""The primitives of 3D drawing as points and faces: pure geometry.

Point counts follow from the rows, columns and divisions that the operator shows. Where SOPs and POPs differ the
caller says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fakes.memory import affordable

from .geometry import Geometry, Points, Primitive

_TURNS = {
    "xy": np.eye(3),
    "yz": np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=float),
    "zx": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float),
    "z": np.eye(3),
    "x": np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=float),
    "y": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float),
}


def orient(points: npt.NDArray[np.floating], word: str) -> Points:
    """Points drawn in the xy plane (or about the z axis), turned to another plane or axis."""
    return np.ascontiguousarray(points @ _TURNS[word].T, dtype=np.float32)


def surface(
    rows: int, cols: int, surftype: str, close_u: bool = False, close_v: bool = False, offset: int = 0
) -> list[Primitive]:
    """Connect a lattice of rows × cols points; u runs along a row. A `mesh` is one primitive."""

    def at(r: int, c: int) -> int:
        return offset + (r % rows) * cols + c % cols

    across = range(cols if close_u else cols - 1)
    along = range(rows if close_v else rows - 1)
    prims: list[Primitive] = []
    if surftype == "mesh":
        return [Primitive(tuple(range(offset, offset + rows * cols)), close_u, "mesh")]
    if surftype in ("rows", "rowcol"):
        prims += [Primitive(tuple(at(r, c) for c in range(cols)), close_u) for r in range(rows)]
    if surftype in ("cols", "rowcol"):
        prims += [Primitive(tuple(at(r, c) for r in range(rows)), close_v) for c in range(cols)]
    for r in along if surftype in ("quads", "triangles", "alttriangles") else ():
        for c in across:
            a, b, d, e = at(r, c), at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)
            if surftype == "quads":
                prims.append(Primitive((a, b, d, e)))
            elif surftype == "triangles" or (r + c) % 2 == 0:
                prims += [Primitive((a, b, d)), Primitive((a, d, e))]
            else:
                prims += [Primitive((a, b, e)), Primitive((b, d, e))]
    if surftype == "points":
        prims = [Primitive((offset + i,), False, "point") for i in range(rows * cols)]
    return prims


def _flat_normals(count: int) -> dict[str, Points]:
    return {"N": np.tile(np.array([[0, 0, 1]], dtype=np.float32), (count, 1))}


def grid(size: tuple[float, float], rows: int, cols: int, surftype: str) -> Geometry:
    """A rectangle of rows × cols points about the origin, in the xy plane."""
    affordable(16 * rows * cols, f"a surface of {rows} × {cols} points")
    xs = np.linspace(-0.5, 0.5, cols) * size[0] if cols > 1 else np.zeros(1)
    ys = np.linspace(-0.5, 0.5, rows) * size[1] if rows > 1 else np.zeros(1)
    gx, gy = np.meshgrid(xs, ys)
    points = np.stack([gx.ravel(), gy.ravel(), np.zeros(gx.size)], axis=1).astype(np.float32)
    return Geometry(points, surface(rows, cols, surftype), _flat_normals(len(points)))


def circle(radius: tuple[float, float], divisions: int, closed: bool = True, arc: float = 360.0) -> Geometry:
    """A polygon of `divisions` points in the xy plane."""
    affordable(16 * divisions, f"a circle of {divisions} points")
    steps = divisions if closed else max(divisions - 1, 1)
    angle = np.radians(np.arange(divisions) * arc / steps)
    points = np.stack(
        [np.cos(angle) * radius[0], np.sin(angle) * radius[1], np.zeros(divisions)], axis=1
    ).astype(np.float32)
    return Geometry(points, [Primitive(tuple(range(divisions)), closed)], _flat_normals(divisions))


def line(start: tuple[float, float, float], end: tuple[float, float, float], count: int) -> Geometry:
    """A straight open line of `count` points."""
    affordable(16 * count, f"a line of {count} points")
    points = np.linspace(start, end, count).astype(np.float32)
    return Geometry(points, [Primitive(tuple(range(count)), False)])


def strip(corners: Sequence[Sequence[float]], divisions: int, closed: bool = False) -> Geometry:
    """A line strip through corners, each segment in so many parts; a closed one comes back to its beginning."""
    ways = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    if not closed or len(corners) < 2:
        ways = ways[:-1]
    count = len(ways) * divisions + (not closed or len(corners) < 2)
    affordable(16 * count, f"a line of {count} points")
    parts = [np.linspace(start, end, divisions, endpoint=False) for start, end in ways]
    if len(ways) < len(corners):
        parts.append(np.array([corners[-1]]))
    points = np.concatenate(parts).astype(np.float32)
    return Geometry(points, [Primitive(tuple(range(count)), closed, "linestrip")])


_CORNERS = np.array(
    [[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)], dtype=np.float32
)
_FACES = ((4, 5, 7, 6), (1, 0, 2, 3), (5, 1, 3, 7), (0, 4, 6, 2), (6, 7, 3, 2), (0, 1, 5, 4))


def box(size: tuple[float, float, float], shared: bool, triangles: bool = False) -> Geometry:
    """Six faces; eight corner points if the faces share them, else four a face."""
    corners = _CORNERS * np.array(size, dtype=np.float32)
    if shared:
        points, faces = corners, [tuple(face) for face in _FACES]
    else:
        points = corners[np.array(_FACES).ravel()]
        faces = [(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3) for i in range(6)]
    prims = [
        Primitive(part)
        for face in faces
        for part in (((face[0], face[1], face[2]), (face[0], face[2], face[3])) if triangles else (face,))
    ]
    return Geometry(points, prims)


def sphere(radius: tuple[float, float, float], rows: int, cols: int, surftype: str) -> Geometry:
    """Rows from pole to pole about the z axis, each of `cols` points; the poles are rows of their own."""
    affordable(16 * rows * cols, f"a surface of {rows} × {cols} points")
    polar = np.linspace(np.pi, 0, rows)
    around = np.arange(cols) * 2 * np.pi / cols
    a, p = np.meshgrid(around, polar)
    unit = np.stack([np.cos(a) * np.sin(p), np.sin(a) * np.sin(p), np.cos(p)], axis=-1).reshape(-1, 3)
    points = (unit * np.array(radius)).astype(np.float32)
    return Geometry(points, surface(rows, cols, surftype, close_u=True), {"N": unit.astype(np.float32)})


def torus(radius: tuple[float, float], rows: int, cols: int, surftype: str) -> Geometry:
    """A ring about the z axis: `radius` of the ring and of its tube; cols around, rows around the tube."""
    affordable(16 * rows * cols, f"a surface of {rows} × {cols} points")
    a, p = np.meshgrid(np.arange(cols) * 2 * np.pi / cols, np.arange(rows) * 2 * np.pi / rows)
    out = np.stack([np.cos(a) * np.cos(p), np.sin(a) * np.cos(p), np.sin(p)], axis=-1).reshape(-1, 3)
    ring = np.stack([np.cos(a), np.sin(a), np.zeros_like(a)], axis=-1).reshape(-1, 3)
    points = (ring * radius[0] + out * radius[1]).astype(np.float32)
    prims = surface(rows, cols, surftype, close_u=True, close_v=True)
    return Geometry(points, prims, {"N": out.astype(np.float32)})


def geodesic(radius: tuple[float, float, float], frequency: int) -> Geometry:
    """An icosahedron of which every face is divided `frequency` times: 10f² + 2 points, 20f² triangles."""
    affordable(1000 * frequency**2, f"a sphere of frequency {frequency}")
    g = (1 + 5**0.5) / 2
    corners = np.array(
        [
            *[[0, s, t * g] for s in (-1, 1) for t in (-1, 1)],
            *[[s, t * g, 0] for s in (-1, 1) for t in (-1, 1)],
            *[[t * g, 0, s] for s in (-1, 1) for t in (-1, 1)],
        ]
    )
    near = [
        (i, j, k)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if max(
            np.linalg.norm(corners[i] - corners[j]),
            np.linalg.norm(corners[j] - corners[k]),
            np.linalg.norm(corners[i] - corners[k]),
        )
        < 2.1
    ]
    seen: dict[tuple[float, ...], int] = {}
    points: list[npt.NDArray[np.float64]] = []
    prims: list[Primitive] = []

    def at(face: tuple[int, int, int], u: int, v: int) -> int:
        where = (
            corners[face[0]] * (frequency - u - v) + corners[face[1]] * u + corners[face[2]] * v
        ) / frequency
        key = tuple(float(x) for x in np.round(where, 6) + 0.0)
        if key not in seen:
            seen[key] = len(points)
            points.append(where / np.linalg.norm(where))
        return seen[key]

    for a, b, c in near:
        outward = np.dot(np.cross(corners[b] - corners[a], corners[c] - corners[a]), corners[a]) > 0
        face = (a, b, c) if outward else (a, c, b)
        for u in range(frequency):
            for v in range(frequency - u):
                prims.append(Primitive((at(face, u, v), at(face, u + 1, v), at(face, u, v + 1))))
                if u + v < frequency - 1:
                    prims.append(Primitive((at(face, u + 1, v), at(face, u + 1, v + 1), at(face, u, v + 1))))
    unit = np.array(points)
    return Geometry((unit * np.array(radius)).astype(np.float32), prims, {"N": unit.astype(np.float32)})
