"""`TDFunctions` and `TDStoreTools`: the modules that the extension TouchDesigner writes for a new component imports.

Of each, what that template uses; every other name raises NotFaked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping
from types import ModuleType
from typing import Any

from fakes.dependency import Dependency
from fakes.errors import NotFaked


class HelperModule(ModuleType):
    """A module with a few of its names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotFaked(f"{self.__name__}.{name}")


def createProperty(
    classInstance: Any,
    name: str,
    value: Any = None,
    attributeName: str | None = None,
    readOnly: bool = False,
    dependable: Any = True,
) -> None:
    """Give an object a property `name`; with `dependable`, what reads it in an expression follows it."""
    if dependable not in (True, False):
        raise NotFaked(f"TDFunctions.createProperty(dependable={dependable!r})")
    hidden = attributeName or f"_{name}"
    setattr(classInstance, hidden, Dependency(value) if dependable else value)

    def read(self: Any) -> Any:
        held = getattr(self, hidden)
        return held.val if isinstance(held, Dependency) else held

    def write(self: Any, new: Any) -> None:
        held = getattr(self, hidden)
        if isinstance(held, Dependency):
            held.val = new
        else:
            setattr(self, hidden, new)

    setattr(type(classInstance), name, property(read, None if readOnly else write))


class StorageManager(MutableMapping[str, Any]):
    """Values of an extension in its component's storage, under the name of the extension's class.

    Each of `storedItems` is a dict with `name`, and optionally `default`, `readOnly`, `property`, `dependable`.
    """

    def __init__(
        self,
        extension: Any,
        ownerComp: Any,
        storedItems: list[dict[str, Any]] | None = None,
        restoreAllDefaults: bool = False,
        sync: bool = True,
        locked: bool = True,
    ) -> None:
        if not sync or not locked:
            raise NotFaked("StorageManager with sync or locked off")
        self._locked_to = [str(item["name"]) for item in storedItems or ()]
        kept = ownerComp.storage.get(type(extension).__name__, {})
        self._items: dict[str, Any] = {}
        for item in storedItems or ():
            name, dependable = str(item["name"]), item.get("dependable", False)
            if dependable not in (True, False):
                raise NotFaked(f"StorageManager with dependable {dependable!r}")
            value = item.get("default") if restoreAllDefaults or name not in kept else _plain(kept[name])
            self._items[name] = Dependency(value) if dependable else value
            if item.get("property", True):
                self._add_property(extension, name, bool(item.get("readOnly", False)))
        ownerComp.store(type(extension).__name__, self._items)

    def _add_property(self, extension: Any, name: str, read_only: bool) -> None:
        def write(extension: Any, value: Any) -> None:
            self[name] = value

        setattr(type(extension), name, property(lambda extension: self[name], None if read_only else write))

    def __getitem__(self, name: str) -> Any:
        return _plain(self._items[name])

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._locked_to:
            raise KeyError(name)
        held = self._items[name]
        if isinstance(held, Dependency):
            held.val = value
        else:
            self._items[name] = value

    def __delitem__(self, name: str) -> None:
        raise NotFaked("deleting an item of a StorageManager")

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def _plain(held: Any) -> Any:
    return held.val if isinstance(held, Dependency) else held


def install() -> None:
    """Make both importable."""
    for name, members in (("TDFunctions", (createProperty,)), ("TDStoreTools", (StorageManager,))):
        made = HelperModule(name)
        for member in members:
            setattr(made, member.__name__, member)
        sys.modules[name] = made


def uninstall() -> None:
    """Take both away again."""
    for name in ("TDFunctions", "TDStoreTools"):
        sys.modules.pop(name, None)
