"""The `td` module: every name TouchDesigner puts in a script's scope, over the current world."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from fakes import api_index, builds, catalogue, guard, tdu, world
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.nodes import Node
from fakes.world import World

_services: dict[str, Callable[[World], Any]] = {}
_bound: dict[str, Callable[[World, Node | None], Any]] = {}
_static: dict[str, Any] = {}


def provide(name: str, factory: Callable[[World], Any]) -> None:
    """Put a name in scope: `factory(world)` is called once for each world, when the name is first used."""
    _services[name] = factory


def provide_bound(name: str, factory: Callable[[World, Node | None], Any]) -> None:
    """Put a name in scope that differs with the operator whose script it is (None: whichever is running)."""
    _bound[name] = factory


def provide_class(cls: type) -> None:
    """Put a class in scope under its own name."""
    _static[cls.__name__] = cls


def _shortcut(kind: str) -> Callable[[World, Node | None], Any]:
    def make(w: World, node: Node | None) -> Any:
        from fakes import shortcuts

        return getattr(shortcuts, kind)(w, node)

    return make


def _me(w: World, node: Node | None) -> Any:
    node = node or w.me
    return w.face(node) if node is not None else None


def _ops(w: World, node: Node | None) -> Any:
    from fakes.shortcuts import all_matching

    def ops(*patterns: Any, includeUtility: bool = False) -> Any:
        return all_matching(w, node, patterns, includeUtility)

    return guard.guarded(ops, "td.ops")


provide_bound("op", _shortcut("OPShortcut"))
provide_bound("opex", _shortcut("OPEXShortcut"))
provide_bound("parent", _shortcut("ParentShortcut"))
provide_bound("iop", _shortcut("IOPShortcut"))
provide_bound("ipar", _shortcut("IparShortcut"))
provide_bound("ops", _ops)
provide_bound("me", _me)
provide("root", lambda w: w.face(w.root))


def _families(w: World) -> dict[str, list[type]]:
    from fakes.operators import face_class

    found: dict[str, list[type]] = {}
    for info in catalogue.types().values():
        found.setdefault(info.family, []).append(face_class(info.name))
    return found


provide("families", _families)


def _live(name: str) -> Callable[[World], Any]:
    def make(w: World) -> Any:
        from fakes import life

        return life.of(w).names()[name]

    return make


for _name in ("absTime", "app", "licenses", "project", "run", "runs", "sysinfo", "ui"):
    provide(_name, _live(_name))


@cache
def _core_names() -> dict[str, Any]:
    from fakes import connectors, operators, pages, parameters, pargroups, sequences

    operators.load_parts()
    found: dict[str, Any] = {
        "tdu": tdu,
        "math": math,
        "isMainThread": guard.is_main_thread,
        "tdError": tdError,
        "tdAttributeError": tdAttributeError,
        "error": tdError,
        "ParMode": parameters.ParMode,
    }
    for cls in (
        parameters.Par,
        parameters.ParCollection,
        pargroups.ParGroup,
        pargroups.ParGroupCollection,
        pages.Page,
        connectors.Connector,
        sequences.Sequence,
        sequences.SequenceBlock,
    ):
        found[cls.__name__] = cls
    return found


def _class_names() -> frozenset[str]:
    return _classes_of(builds.current())


@cache
def _classes_of(build: builds.Build) -> frozenset[str]:
    families = {"OP", "COMP", "ObjectCOMP", "PanelCOMP", "TOP", "CHOP", "DAT", "SOP", "POP", "MAT"}
    retired = {c for c in api_index.index() if "OP" in api_index.bases_of(c)}
    present = {"OP", "ObjectCOMP", "PanelCOMP"} | build.families
    return frozenset((families & present | retired | set(catalogue.types())) - _absent_classes(build))


@cache
def _absent_classes(build: builds.Build) -> frozenset[str]:
    """The classes of families that the build does not have, and the families themselves."""
    absent = {"TOP", "CHOP", "SOP", "POP", "MAT", "DAT", "COMP"} - build.families
    return frozenset(c for c in api_index.index() if absent & {c, *api_index.bases_of(c)}) | absent


def all_names() -> tuple[str, ...]:
    """Every name in scope, also those that are not faked."""
    return _names_of(builds.current())


@cache
def _names_of(build: builds.Build) -> tuple[str, ...]:
    core = _core_names()
    return tuple(
        sorted(
            {*core, *_class_names(), *_static, *_services, *_bound}
            | (api_index.names_of("module td") - {"module td"})
        )
    )


@cache
def scope_only() -> frozenset[str]:
    """Names that scripts of DATs have, and `__main__`, but not the module `td`: ParMode and the like (fact 57)."""
    return frozenset(
        name
        for name, value in {**_core_names(), **_static}.items()
        if isinstance(value, type) and not issubclass(value, Exception)
    )


def changing_names() -> tuple[str, ...]:
    """The names whose meaning depends on the world or on the operator that asks."""
    return (*_bound, *_services)


def lookup(w: World, node: Node | None, name: str) -> Any:
    """What a name means in the scripts of `node`.

    Raises:
        NotFaked: TouchDesigner has the name, the stand-in does not.
        AttributeError: TouchDesigner does not have it either.
    """
    if name in _bound:
        guard.check(f"td.{name}")
        return _bound[name](w, node)
    if name in _services:
        guard.check(f"td.{name}")
        if name not in w.services:
            w.services[name] = _services[name](w)
        return w.services[name]
    return lookup_fixed(name)


def lookup_fixed(name: str) -> Any:
    """What a name means that is the same everywhere; raises as `lookup` does."""
    core = _core_names()
    if name in core:
        return core[name]
    if name in _static:
        return _static[name]
    if name in _class_names():
        from fakes.operators import face_class

        return face_class(name)
    if name == "td":
        return sys.modules["td"]
    known = name in api_index.names_of("module td") or name in api_index.index()
    if known and name not in _absent_classes(builds.current()):
        raise NotFaked(f"td.{name}")
    raise tdAttributeError(f"module 'td' has no attribute '{name}'")


class TDModule(ModuleType):
    """`import td`. Speaks of whichever world is current."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [n for n in all_names() if n not in scope_only() and not _refused(n)]
        if name.startswith("__"):
            raise AttributeError(name)
        if name in scope_only():
            raise tdAttributeError(f"module 'td' has no attribute '{name}'")
        return lookup(world.current(), None, name)

    def __dir__(self) -> list[str]:
        return [name for name in all_names() if name not in scope_only()]


def _refused(name: str) -> bool:
    try:
        lookup(world.current(), None, name)
    except NotFaked:
        return True
    return False


def install(w: World | None = None) -> World:
    """Make the stand-in importable as `td`, over `w` or a new world; the calling thread is the main thread."""
    w = w or World()
    guard.set_main_thread(w.conflicts)
    world.set_current(w)
    module = TDModule("td", "TouchDesigner's module, as the stand-in has it.")
    sys.modules["td"] = module
    sys.modules["tdu"] = tdu
    from fakes import helper_modules, life, operators

    operators.load_parts()
    life.of(w)
    helper_modules.install()
    _fill_main()
    # What was set while the world was made is nobody's change.
    w.forget_events()
    return w


_in_main: list[str] = []


def _fill_main() -> None:
    """Put the names that mean the same everywhere into `__main__`, where TouchDesigner has them too (fact 57)."""
    from fakes import scope

    main = sys.modules["__main__"].__dict__
    for name, value in scope.fixed_names().items():
        if name not in main:
            main[name] = value
            _in_main.append(name)


def uninstall() -> None:
    """Take `td` away again."""
    from fakes import helper_modules

    world.set_current(None)
    helper_modules.uninstall()
    while _in_main:
        sys.modules["__main__"].__dict__.pop(_in_main.pop(), None)
    for name in ("td", "tdu"):
        sys.modules.pop(name, None)
