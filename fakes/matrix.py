"""`tdu.Matrix`: four by four numbers for transformations. Plain values, safe on any thread (fact 3).

As Derivative's page on the class has it: values are given and listed column by column, a matrix multiplies from the
left, and each new transformation does, too, unless `fromRight`. Projections are not faked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from fakes.errors import NotFaked, tdAttributeError
from fakes.vectors import Position, Vector

Values = npt.NDArray[np.float64]

_NOT_FAKED = frozenset(
    [
        "lookat",
        "projectAndClip",
        "projectionFovX",
        "projectionFrustum",
        "projectionStereo",
        "mapQuadToUnitSquare",
        "mapUnitSquareToQuad",
        "fillTable",
    ]
)


class Matrix:
    """A matrix; the identity unless values are given."""

    __slots__ = ("_m",)
    _m: Values

    def __init__(self, *values: Any, zero: bool = False) -> None:
        self._m = np.zeros((4, 4)) if zero else np.eye(4)
        if len(values) == 1:
            values = (values[0],) if isinstance(values[0], Matrix) else tuple(values[0])
        if not values:
            return
        if isinstance(values[0], Matrix):
            self._m = values[0]._m.copy()
            return
        columns = _columns(values)
        for place, column in enumerate(columns):
            self._m[: len(column), place] = column

    def __getattr__(self, name: str) -> Any:
        if name in _NOT_FAKED:
            raise NotFaked(f"tdu.Matrix.{name}")
        raise tdAttributeError(f"'tdu.Matrix' object has no attribute '{name}'")

    # -- values ----------------------------------------------------------------------------------------------

    @property
    def vals(self) -> list[float]:
        """All values, column by column."""
        return [float(v) for v in self._m.T.reshape(-1)]

    @vals.setter
    def vals(self, values: Iterable[float]) -> None:
        self._m = np.array(list(values), dtype=np.float64).reshape(4, 4).T

    @property
    def rows(self) -> list[list[float]]:
        return [[float(v) for v in row] for row in self._m]

    @property
    def cols(self) -> list[list[float]]:
        return [[float(v) for v in column] for column in self._m.T]

    def numpyArray(self) -> Values:
        return self._m.copy()

    def copy(self) -> Matrix:
        return Matrix(self)

    def __getitem__(self, place: tuple[int, int]) -> float:
        return float(self._m[place])

    def __setitem__(self, place: tuple[int, int], value: float) -> None:
        self._m[place] = float(value)

    # -- as a whole ------------------------------------------------------------------------------------------

    def identity(self) -> None:
        self._m = np.eye(4)

    def transpose(self) -> None:
        self._m = self._m.T.copy()

    def getTranspose(self) -> Matrix:
        made = self.copy()
        made.transpose()
        return made

    def invert(self) -> None:
        self._m = np.asarray(np.linalg.inv(self._m), dtype=np.float64)

    def getInverse(self) -> Matrix:
        made = self.copy()
        made.invert()
        return made

    def determinant(self) -> float:
        return float(np.linalg.det(self._m))

    def decompose(self) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
        """Scale, rotation in degrees (x first) and translation that make the same matrix, if it has no shear."""
        scale = np.linalg.norm(self._m[:3, :3], axis=0)
        if np.linalg.det(self._m[:3, :3]) < 0:
            scale[0] = -scale[0]
        turned = self._m[:3, :3] / np.where(scale == 0, 1, scale)
        y = math.asin(max(-1.0, min(1.0, -float(turned[2, 0]))))
        if abs(turned[2, 0]) < 1 - 1e-9:
            x, z = math.atan2(turned[2, 1], turned[2, 2]), math.atan2(turned[1, 0], turned[0, 0])
        else:
            x, z = math.atan2(-turned[1, 2], turned[1, 1]), 0.0
        return (
            tuple(float(s) for s in scale),
            tuple(math.degrees(a) for a in (x, y, z)),
            tuple(float(v) for v in self._m[:3, 3]),
        )

    # -- transforming ----------------------------------------------------------------------------------------

    def translate(self, tx: float, ty: float, tz: float, fromRight: bool = False) -> None:
        self._apply(_translation((tx, ty, tz)), fromRight, None)

    def scale(self, sx: float, sy: float, sz: float, fromRight: bool = False, pivot: Any = None) -> None:
        self._apply(np.diag([sx, sy, sz, 1.0]), fromRight, pivot)

    def rotate(self, rx: float, ry: float, rz: float, fromRight: bool = False, pivot: Any = None) -> None:
        """Turn about x, then y, then z, in degrees."""
        turn = _turn((0, 0, 1), rz) @ _turn((0, 1, 0), ry) @ _turn((1, 0, 0), rx)
        self._apply(turn, fromRight, pivot)

    def rotateOnAxis(
        self, rotationAxis: Any, angle: float, fromRight: bool = False, pivot: Any = None
    ) -> None:
        """Turn about an axis, in degrees."""
        self._apply(_turn(tuple(rotationAxis), angle), fromRight, pivot)

    def _apply(self, step: Values, from_right: bool, pivot: Any) -> None:
        if pivot is not None:
            there = tuple(float(v) for v in pivot)
            step = _translation(there) @ step @ _translation(tuple(-v for v in there))
        self._m = self._m @ step if from_right else step @ self._m

    # -- arithmetic ------------------------------------------------------------------------------------------

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            return _made(self._m @ other._m)
        if isinstance(other, Position):
            x, y, z, w = self._m @ np.array([*other, 1.0])
            return Position(x / w, y / w, z / w) if w else Position(x, y, z)
        if isinstance(other, Vector):
            return Vector(*(self._m[:3, :3] @ np.array([*other])))
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._with(other, np.add)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, np.subtract)

    def _with(self, other: Any, function: Callable[[Values, Values], Values]) -> Any:
        return _made(function(self._m, other._m)) if isinstance(other, Matrix) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and bool(np.array_equal(self._m, other._m))

    def __hash__(self) -> int:
        return hash(self._m.tobytes())

    def __repr__(self) -> str:
        return f"tdu.Matrix({', '.join(str(column) for column in self.cols)})"


def _made(values: Values) -> Matrix:
    made = Matrix()
    made._m = values
    return made


def _columns(values: tuple[Any, ...]) -> list[list[float]]:
    """What was given as columns.

    Raises:
        NotFaked: a quaternion.
        TypeError: any other number of values.
    """
    if all(isinstance(v, (int, float)) for v in values):
        if len(values) == 4:
            raise NotFaked("tdu.Matrix of a quaternion")
        size = {9: 3, 16: 4}.get(len(values))
        if size is not None:
            return [[float(v) for v in values[i : i + size]] for i in range(0, len(values), size)]
    elif len(values) in (3, 4):
        return [[float(v) for v in column] for column in values]
    raise TypeError("tdu.Matrix takes 9 or 16 numbers, or 3 or 4 columns")


def _translation(by: tuple[float, ...]) -> Values:
    made = np.eye(4)
    made[:3, 3] = by
    return made


def _turn(axis: tuple[float, ...], degrees: float) -> Values:
    """A rotation about an axis through the origin, right-handed."""
    x, y, z = np.array(axis, dtype=np.float64) / (np.linalg.norm(axis) or 1.0)
    angle = math.radians(degrees)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    made = np.eye(4)
    made[:3, :3] = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)
    return made
