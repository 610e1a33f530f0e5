"""`tdu.Position` and `tdu.Vector`: three numbers with arithmetic. Plain values, safe on any thread (fact 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

T = TypeVar("T", bound="Triple")


class Triple:
    """What positions and vectors share: x, y, z by name and by index, and sums element by element."""

    __slots__ = ("x", "y", "z")

    def __init__(self, *values: Any) -> None:
        if len(values) == 1:
            values = tuple(values[0])
        if len(values) not in (0, 3):
            raise TypeError(f"{type(self).__name__} takes three numbers")
        self.x, self.y, self.z = (float(v) for v in values or (0, 0, 0))

    def copy(self) -> Self:
        return type(self)(self.x, self.y, self.z)

    def scale(self, x: float, y: float, z: float) -> None:
        """Multiply in place."""
        self.x, self.y, self.z = self.x * x, self.y * y, self.z * z

    def _with(self, other: Any, function: Callable[[float, float], float]) -> Self:
        values = (other,) * 3 if isinstance(other, (int, float)) else tuple(other)
        return type(self)(*(function(a, float(b)) for a, b in zip(self, values, strict=True)))

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y, self.z))

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> float:
        return (self.x, self.y, self.z)[index]

    def __setitem__(self, index: int, value: float) -> None:
        setattr(self, "xyz"[index], float(value))

    def __add__(self, other: Any) -> Self:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Self:
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> Self:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        return self._with(other, lambda a, b: a / b)

    def __neg__(self) -> Self:
        return type(self)(-self.x, -self.y, -self.z)

    def __abs__(self) -> Self:
        return type(self)(abs(self.x), abs(self.y), abs(self.z))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Triple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"tdu.{type(self).__name__}({self.x}, {self.y}, {self.z})"


class Position(Triple):
    """A place in space."""

    __slots__ = ()

    def translate(self, x: float, y: float, z: float) -> None:
        """Move in place."""
        self.x, self.y, self.z = self.x + x, self.y + y, self.z + z


class Vector(Triple):
    """A direction with a length."""

    __slots__ = ()

    def length(self) -> float:
        return math.sqrt(self.lengthSquared())

    def lengthSquared(self) -> float:
        return self.dot(self)

    def normalize(self) -> None:
        """Make the length one, in place."""
        length = self.length()
        if length:
            self.scale(1 / length, 1 / length, 1 / length)

    def dot(self, vec: Any) -> float:
        return sum(a * float(b) for a, b in zip(self, vec, strict=True))

    def cross(self, vec: Any) -> Vector:
        ax, ay, az = self
        bx, by, bz = vec
        return Vector(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

    def distance(self, vec: Any) -> float:
        return Vector(*(self - vec)).length()

    def lerp(self, vec2: Any, t: float) -> Vector:
        return self + (Vector(*vec2) - self) * t

    def angle(self, vec: Any) -> float:
        """Degrees between the two."""
        other = Vector(*vec)
        lengths = self.length() * other.length()
        return math.degrees(math.acos(max(-1.0, min(1.0, self.dot(other) / lengths)))) if lengths else 0.0
