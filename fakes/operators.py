"""`OP`: what every operator offers to scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes import api_index, builds, catalogue, creating, wiring
from fakes.classes import extends, face_class, load_parts, unknown_type
from fakes.op_cooking import Cooking
from fakes.op_core import flag
from fakes.op_looks import Placed
from fakes.op_network import Networked
from fakes.op_parameters import Parametered
from fakes.op_storage import Storing

__all__ = ["OP", "extends", "face_class", "flag", "load_parts", "unknown_type"]


def _is_family(family: str) -> Any:
    return property(lambda self: self._live().info.family == family)


def _newest(getter: Callable[[Any], Any]) -> property:
    """A property that only the newest pages have (fact 54): other builds refuse it as an unknown name."""
    name = getter.__name__

    def get(self: Any) -> Any:
        if builds.lacks("OP", name):
            raise api_index.missing(self, name)
        return getter(self)

    return property(get, doc=getter.__doc__)


class OP(Networked, Parametered, Placed, Storing, Cooking):
    """Any operator. Invalid once destroyed; undoing that makes a new object with a new id (fact 15)."""

    __slots__ = ()
    _speaks_as = ""

    @property
    def valid(self) -> bool:
        """Whether the operator still exists."""
        return self._node.alive and self._node.id == self._id

    @property
    def id(self) -> int:
        """A number that changes on reload and undo."""
        return self._live().id

    @property
    def name(self) -> str:
        return self._live().name

    @name.setter
    def name(self, name: str) -> None:
        creating.rename(self._live(), str(name))

    @property
    def path(self) -> str:
        return self._live().path

    @property
    def OPType(self) -> str:
        """`noiseTOP`. In every build, though the newest pages only have `opType` (fact 54)."""
        return self._live().info.name

    @_newest
    def opType(self) -> str:
        """`noiseTOP`."""
        return self._live().info.name

    @property
    def type(self) -> str:
        """`noise`."""
        return self._live().info.stem

    @property
    def family(self) -> str:
        return self._live().info.family

    @property
    def subType(self) -> str:
        """`object` or `panel` for COMPs of those kinds."""
        return wiring.comp_kind(self._live())

    isTOP = _is_family("TOP")
    isCHOP = _is_family("CHOP")
    isSOP = _is_family("SOP")
    isDAT = _is_family("DAT")
    isMAT = _is_family("MAT")
    isCOMP = _is_family("COMP")
    isObject = property(lambda self: wiring.comp_kind(self._live()) == "object")
    isPanel = property(lambda self: wiring.comp_kind(self._live()) == "panel")

    @_newest
    def isPOP(self) -> bool:
        return self._live().info.family == "POP"

    @_newest
    def isCustom(self) -> bool:
        """Whether it is a custom operator (a plug-in); the stand-in has none."""
        return self._live() is None

    @property
    def digits(self) -> int | None:
        """The number at the end of the name."""
        from fakes import tdu

        return tdu.digits(self._live().name)

    @property
    def base(self) -> str:
        """The name without the number at its end."""
        from fakes import tdu

        return tdu.base(self._live().name)

    # -- life ------------------------------------------------------------------------------------------------

    def destroy(self) -> None:
        """Remove the operator and all in it.

        Raises:
            tdError: it is gone already (fact 19).
        """
        creating.destroy(self._world, self._live())

    def changeType(self, OPtype: Any) -> OP:
        """A new operator of another type in this one's place; this one is invalid afterwards (fact 18)."""
        name = OPtype if isinstance(OPtype, str) else getattr(OPtype, "__name__", "")
        if name not in catalogue.types():
            raise unknown_type(OPtype)
        return self._world.face(creating.retype(self._live(), name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OP) and self._node is other._node and self._id == other._id

    def __hash__(self) -> int:
        return self._id

    def __str__(self) -> str:
        return self._node.path if self._node.alive else "<invalid OP>"

    def __repr__(self) -> str:
        if not self._node.alive:
            return "<invalid OP>"
        return f"type:{self._node.info.name} path:{self._node.path}"
