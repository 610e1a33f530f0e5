"""A parameter used as if it were its value: compared, added, rounded, printed (fact 26)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from fakes.errors import NotFaked
from fakes.par_core import HeldPar


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: HeldPar, other: Any) -> Any:
        return function(self._eval(), plain(other))

    return apply


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: HeldPar, other: Any) -> Any:
        return function(plain(other), self._eval())

    return apply


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(self: HeldPar) -> Any:
        return function(self._eval())

    return apply


def plain(value: Any) -> Any:
    """The value of a Par; anything else as it is."""
    return value._eval() if isinstance(value, HeldPar) else value


class Valued(HeldPar):
    """What makes a parameter stand for its value."""

    __slots__ = ()

    # Comparing compares values (fact 26); two fetches are never the same object.
    __eq__ = _binary(operator.eq)
    __ne__ = _binary(operator.ne)
    __lt__ = _binary(operator.lt)
    __le__ = _binary(operator.le)
    __gt__ = _binary(operator.gt)
    __ge__ = _binary(operator.ge)
    __add__ = _binary(operator.add)
    __radd__ = _swapped(operator.add)
    __sub__ = _binary(operator.sub)
    __rsub__ = _swapped(operator.sub)
    __mul__ = _binary(operator.mul)
    __rmul__ = _swapped(operator.mul)
    __truediv__ = _binary(operator.truediv)
    __rtruediv__ = _swapped(operator.truediv)
    __floordiv__ = _binary(operator.floordiv)
    __rfloordiv__ = _swapped(operator.floordiv)
    __mod__ = _binary(operator.mod)
    __rmod__ = _swapped(operator.mod)
    __pow__ = _binary(operator.pow)
    __rpow__ = _swapped(operator.pow)
    __neg__ = _unary(operator.neg)
    __pos__ = _unary(operator.pos)
    __abs__ = _unary(abs)
    __int__ = _unary(int)
    __float__ = _unary(float)
    __index__ = _unary(operator.index)
    __round__ = _unary(round)
    __bool__ = _unary(bool)

    def __hash__(self) -> int:
        raise NotFaked("hash(Par)")

    def __str__(self) -> str:
        return str(self._eval())

    def __repr__(self) -> str:
        if not self._alive():
            return "<invalid Par>"
        return f"type:Par name:{self._name} owner:{self._node.path} value:{self._eval()}"
