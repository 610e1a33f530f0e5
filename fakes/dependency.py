"""`tdu.Dependency`: a Python value that expressions and cooks depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes import world
from fakes.guard import Guarded


class Dependency(Guarded):
    """A value; whatever read `val` in an expression or a cook is evaluated again once it changes."""

    __slots__ = ("_callbacks", "_value")
    _callbacks: list[Callable[[dict[str, Any]], Any]]
    _value: Any

    def __init__(self, value: Any = None) -> None:
        self._value = value
        self._callbacks = []

    @property
    def _key(self) -> str:
        return f"dependency {id(self)}"

    @property
    def val(self) -> Any:
        here = world.current()
        here.cooking.note(here.root, self._key)
        return self._value

    @val.setter
    def val(self, value: Any) -> None:
        self.setVal(value)

    @property
    def peekVal(self) -> Any:
        """The value, without depending on it."""
        return self._value

    @property
    def callbacks(self) -> list[Callable[[dict[str, Any]], Any]]:
        """Functions called with `{dependency, prevVal, val, info}` when the value is set to another."""
        return self._callbacks

    @callbacks.setter
    def callbacks(self, functions: list[Callable[[dict[str, Any]], Any]]) -> None:
        self._callbacks = list(functions)

    def setVal(self, val: Any, setInfo: Any = None) -> None:
        """Set the value; `setInfo` reaches the callbacks."""
        previous, self._value = self._value, val
        if previous is val or previous == val:
            return
        self.modified()
        for function in list(self._callbacks):
            function({"dependency": self, "prevVal": previous, "val": val, "info": setInfo})

    def modified(self) -> None:
        """Tell whoever depends on the value that its inside changed."""
        here = world.current()
        here.cooking.touched(here.root, self._key)
