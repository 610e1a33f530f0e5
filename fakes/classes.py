"""The Python classes of all operator types, made from the catalogue and from what the parts add to them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from fakes import api_index, builds, catalogue
from fakes.errors import tdError

if TYPE_CHECKING:
    from fakes.operators import OP

M = TypeVar("M", bound=type)

_mixins: dict[str, list[type]] = {}
_classes: dict[str, type[OP]] = {}

#: Where the class of a family is, when it is not just OP.
_FAMILY_MODULES = {
    "COMP": "fakes.components",
    "ObjectCOMP": "fakes.components",
    "PanelCOMP": "fakes.components",
    "TOP": "fakes.tops.face",
    "CHOP": "fakes.chops.face",
    "DAT": "fakes.dats.face",
    "SOP": "fakes.sops.face",
    "POP": "fakes.sops.face",
}

#: Modules that add to the classes below with `extends` or register what types cook to.
_PARTS = (
    "fakes.annotations",
    "fakes.exports",
    "fakes.panels",
    "fakes.tops",
    "fakes.chops",
    "fakes.dats",
    "fakes.sops",
    "fakes.life",
)


def extends(*names: str) -> Callable[[M], M]:
    """Add a mixin (a Guarded class with empty slots) to the class of a family or operator type.

    Must happen while the parts are imported, before the first class is asked for.
    """

    def register(mixin: M) -> M:
        for name in names:
            _mixins.setdefault(name, []).append(mixin)
        return mixin

    return register


def load_parts() -> None:
    """Import everything that adds to the operator classes."""
    for part in (*_PARTS, *_FAMILY_MODULES.values()):
        importlib.import_module(part)


def face_class(name: str) -> type[OP]:
    """The Python class of an operator type or family: noiseTOP, TOP, OP.

    Raises:
        KeyError: there is none of that name.
    """
    if name not in _classes:
        if not _classes:
            load_parts()
        _classes[name] = _make_class(name)
    return _classes[name]


def _make_class(name: str) -> type[OP]:
    parent = _parent_of(name)
    bases: list[type] = list(reversed(_mixins.get(name, ())))
    own = _written_class(name)
    if own is not None:
        bases.append(own)
    if parent and not (own is not None and issubclass(own, face_class(parent))):
        bases.append(face_class(parent))
    made: type[OP]
    if bases == [own] and own is not None:
        made = own
        return made
    made = type(name, tuple(bases), {"__slots__": (), "__module__": "td"})
    return made


def _written_class(name: str) -> Any:
    """The class of that name that is written out in a module, if there is one."""
    if name == "OP":
        from fakes.operators import OP

        return OP
    module = _FAMILY_MODULES.get(name)
    return getattr(importlib.import_module(module), name, None) if module else None


def _parent_of(name: str) -> str:
    """The Python base class of an operator class, by name; of OP, none.

    Raises:
        KeyError: there is no such class.
    """
    if name == "OP":
        return ""
    if name in _FAMILY_MODULES:
        return "COMP" if name in ("ObjectCOMP", "PanelCOMP") else "OP"
    if name in catalogue.types():
        return catalogue.types()[name].bases[0]
    # Retired types still have their classes; so has MAT.
    documented = api_index.bases_of(name)
    if "OP" not in documented:
        raise KeyError(name)
    return documented[0]


#: Documented classes of operator types that `create` does not know, not even as retired (fact 87).
_NEVER_CREATED = frozenset({"glslcreatePOP", "linethickPOP", "scriptPOP", "timefilterPOP"})


def unknown_type(given: Any, *others: Any) -> tdError:
    """What TouchDesigner says of something that is no operator type (fact 16); `others` are the further arguments."""
    name = given if isinstance(given, str) else getattr(given, "__name__", "")
    bases = api_index.bases_of(name)
    # Of a family that this build does not have, it knows no type, not even a retired one.
    retired = "OP" in bases and any(family in builds.current().families for family in bases)
    retired = retired or (name == "engineoutPOP" and "POP" in builds.current().families)  # seen live
    if (
        name not in catalogue.types()
        and retired
        and name not in _FAMILY_MODULES
        and name not in _NEVER_CREATED
    ):
        arguments = (given, *others)
        return tdError(
            f"Invalid number or type of arguments. See help for details. Value:{arguments!r} Type:{type(arguments)}."
        )
    return tdError(f"Unknown operator type. Value:{given!r} Type:{type(given)}.")
