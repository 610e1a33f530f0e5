"""The points and primitives that a SOP or a POP holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]


@dataclass(slots=True)
class Primitive:
    """One face, line or patch: the points it runs through, whether it closes, and its kind."""

    vertices: tuple[int, ...]
    closed: bool = True
    kind: str = "polygon"


def _no_points() -> Points:
    return np.zeros((0, 3), dtype=np.float32)


@dataclass(slots=True)
class Geometry:
    """`points` is float32 [n, 3]; `attributes` holds further point attributes by name, each [n, size]."""

    points: Points = field(default_factory=_no_points)
    primitives: list[Primitive] = field(default_factory=list)
    attributes: dict[str, Points] = field(default_factory=dict)

    @property
    def vertex_count(self) -> int:
        return sum(len(p.vertices) for p in self.primitives)

    def bounds(self) -> tuple[Points, Points]:
        """Lowest and highest corner; both the origin when there is no point."""
        if not len(self.points):
            return np.zeros(3, dtype=np.float32), np.zeros(3, dtype=np.float32)
        return self.points.min(axis=0), self.points.max(axis=0)

    def moved(self, matrix: Matrix) -> Geometry:
        """The same under a 4×4 matrix acting on column vectors; normals turn with it."""
        points = self.points @ matrix[:3, :3].T + matrix[:3, 3]
        attributes = dict(self.attributes)
        if "N" in attributes:
            turned = attributes["N"] @ np.linalg.pinv(matrix[:3, :3])
            length = np.linalg.norm(turned, axis=1, keepdims=True)
            attributes["N"] = (turned / np.maximum(length, 1e-9)).astype(np.float32)
        return Geometry(points.astype(np.float32), list(self.primitives), attributes)


def merge(parts: Iterable[Geometry]) -> Geometry:
    """All points one after another, primitives counted on; an attribute some part lacks is zero there."""
    parts = list(parts)
    names = {name: values.shape[1] for part in parts for name, values in part.attributes.items()}
    points, primitives, offset = [_no_points()], [], 0
    columns: dict[str, list[Points]] = {name: [] for name in names}
    for part in parts:
        points.append(part.points)
        for p in part.primitives:
            primitives.append(Primitive(tuple(v + offset for v in p.vertices), p.closed, p.kind))
        for name, size in names.items():
            here = part.attributes.get(name)
            columns[name].append(
                np.zeros((len(part.points), size), dtype=np.float32) if here is None else here
            )
        offset += len(part.points)
    return Geometry(
        np.concatenate(points), primitives, {name: np.concatenate(parts_) for name, parts_ in columns.items()}
    )


_AXES = {"x": 0, "y": 1, "z": 2}


def rotation(degrees: Sequence[float], order: str = "xyz") -> Matrix:
    """4×4 rotation, the axis named first turned first."""
    matrix = np.eye(4)
    for axis in order:
        angle = math.radians(degrees[_AXES[axis]])
        c, s = math.cos(angle), math.sin(angle)
        turn = np.eye(4)
        i, j = [(1, 2), (2, 0), (0, 1)][_AXES[axis]]
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        matrix = turn @ matrix
    return matrix


def translation(by: Sequence[float]) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, 3] = by
    return matrix


def scaling(by: Sequence[float]) -> Matrix:
    return np.diag([*by, 1.0])


def transform(
    t: Sequence[float] = (0, 0, 0),
    r: Sequence[float] = (0, 0, 0),
    s: Sequence[float] = (1, 1, 1),
    pivot: Sequence[float] = (0, 0, 0),
    order: str = "srt",
    rotate_order: str = "xyz",
) -> Matrix:
    """One matrix from the Transform page; in `srt` scale comes first. Scale and rotation go about the pivot."""
    steps = {"s": scaling(s), "r": rotation(r, rotate_order), "t": translation(t)}
    matrix = translation([-v for v in pivot])
    for letter in order:
        matrix = steps[letter] @ matrix
    return translation(pivot) @ matrix
