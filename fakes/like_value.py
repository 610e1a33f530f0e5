"""Objects that scripts use as if they were their value: compared, added, rounded. Par and PanelValue are."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from fakes.errors import NotFaked
from fakes.guard import Guarded


def plain(value: Any) -> Any:
    """The value of an object that stands for one; anything else as it is."""
    return value._eval() if isinstance(value, LikeValue) else value


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: LikeValue, other: Any) -> Any:
        return function(self._eval(), plain(other))

    return apply


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: LikeValue, other: Any) -> Any:
        return function(plain(other), self._eval())

    return apply


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(self: LikeValue) -> Any:
        return function(self._eval())

    return apply


class LikeValue(Guarded):
    """What makes an object stand for its value, which `_eval` gives."""

    __slots__ = ()

    def _eval(self) -> Any:
        raise NotImplementedError

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
    __bool__ = _unary(bool)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._eval(), digits)

    def __format__(self, form: str) -> str:
        if form:
            # `f"{par.eval():.2f}"` is what works anywhere.
            raise NotFaked(f"formatting a {type(self).__name__} by {form!r}")
        return str(self)

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: '{type(self).__name__}'")  # it compares by a value that changes

    __str__ = _unary(str)
