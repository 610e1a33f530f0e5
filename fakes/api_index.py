"""What TouchDesigner's Python API has, so that an unknown name fails as it would there (`data/PROVENANCE.md`)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import builds
from fakes.errors import NotFaked, tdAttributeError

if TYPE_CHECKING:
    from fakes.guard import Guarded

_FILE = Path(__file__).parent / "data" / "td_api.json.gz"


@cache
def index() -> dict[str, dict[str, Any]]:
    """`{class: {bases, members: {name: [type, "r" | "rw"]}, methods: {name: [signature, returns]}}}`."""
    loaded: dict[str, dict[str, Any]] = json.loads(gzip.decompress(_FILE.read_bytes()))
    return loaded


@cache
def names_of(api_class: str) -> frozenset[str]:
    """Every public name that TouchDesigner's class `api_class` documents for itself (not its bases)."""
    entry = index().get(api_class, {})
    return (
        frozenset(entry.get("members", ()))
        | frozenset(entry.get("methods", ()))
        | _ALSO.get(api_class, frozenset())
    )


#: Names of older documentation, or seen in live code, that the present pages leave out (fact 81).
_ALSO: dict[str, frozenset[str]] = {
    "Par": frozenset({"tuplet", "tupletName", "displayOnly"}),
    "Page": frozenset({"appendPar", "parTuplets"}),
    "OP": frozenset({"parTuplets", "customTuplets"}),
    "COMP": frozenset({"customTuplets"}),
    "POP": frozenset({"pointAttributes", "vertexAttributes", "primAttributes"}),
}


def bases_of(api_class: str) -> tuple[str, ...]:
    """The documented base classes, nearest first; empty for a class the index does not know."""
    return tuple(index().get(api_class, {}).get("bases", ()))


def exists(api_classes: tuple[str, ...], name: str) -> bool:
    """Whether any of the classes, or of their bases, has the name in TouchDesigner."""
    return any(name in names_of(b) for c in api_classes for b in (c, *bases_of(c)))


def missing(obj: Guarded, name: str) -> Exception:
    """The exception for a name `obj` does not offer: NotFaked if TouchDesigner has it, else what TD says."""
    if name.startswith("_"):
        return AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'")
    classes = (obj._td_name(), *(c.__name__ for c in type(obj).__mro__[:-1]))
    if any(builds.lacks(c, name) for c in classes):
        return tdAttributeError(f"'td.{obj._td_name()}' object has no attribute '{name}'")
    if exists(classes, name):
        return NotFaked(f"td.{obj._td_name()}.{name}")
    return tdAttributeError(f"'td.{obj._td_name()}' object has no attribute '{name}'")
