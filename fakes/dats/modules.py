"""DATs as Python modules: `dat.module`, `mod`, and importing one by its name (facts 38-39)."""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Callable
from types import ModuleType
from typing import Any

from fakes.errors import tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.memory import recall
from fakes.nodes import Node
from fakes.world import World

from . import content


class _Compiled:
    """The module made of a DAT's text, kept until the text changes."""

    __slots__ = ("module", "text")

    def __init__(self) -> None:
        self.text: str | None = None
        self.module: ModuleType | None = None


def module_of(node: Node) -> ModuleType:
    """The DAT's text run as a module; again, with fresh globals, whenever the text changed (fact 38).

    Raises:
        whatever the text raises, SyntaxError among it.
    """
    text = content.text_of(node)
    kept = recall(node, _Compiled)
    if kept.module is not None and kept.text == text:
        return kept.module
    module = ModuleType(node.name)
    fill_scope(node, vars(module))
    code = compile(text, node.path, "exec")
    # So that tracebacks can show the script's own lines.
    linecache.cache[node.path] = (len(text), None, text.splitlines(keepends=True), node.path)
    # Kept before it runs: two DATs may import each other.
    kept.text, kept.module = text, module
    try:
        with node.world.context(node):
            exec(code, vars(module))  # noqa: S102  running scripts is what a DAT is for
    except BaseException:
        kept.text = kept.module = None
        raise
    return module


def fill_scope(node: Node, names: dict[str, Any]) -> None:
    """Give a script of `node` the names TouchDesigner puts in scope, and its way of importing."""
    from fakes import scope

    names.update(scope.for_script(node))
    names["__file__"] = node.path


def importer(node: Node) -> Callable[..., Any]:
    """`__import__` for scripts of `node`: a DAT of that name in its network comes before any other module.

    That is how a DAT named like a standard module shadows it (fact 39).
    """

    def import_(name: str, *args: Any, **kwargs: Any) -> Any:
        level = kwargs.get("level", args[3] if len(args) > 3 else 0)
        found = None if level or "." in name else find(node, name)
        return module_of(found) if found is not None else builtins.__import__(name, *args, **kwargs)

    return import_


def find(node: Node, name: str) -> Node | None:
    """The DAT that a script of `node` means by a module's name: in its network, or in a `local/modules` above."""
    network = node.parent
    if network is not None:
        near = network.children.get(name)
        if near is not None and near is not node and near.family == "DAT":
            return near
    while network is not None:
        local = network.children.get("local")
        modules = local.children.get("modules") if local is not None else None
        found = modules.children.get(name) if modules is not None else None
        if found is not None and found.family == "DAT":
            return found
        network = network.parent
    return None


class MOD(Guarded):
    """`mod`: DATs as modules, by name (`mod.utils`) or by path (`mod('../utils')`)."""

    __slots__ = ("_fixed", "_world")

    def __init__(self, world: World, node: Node | None = None) -> None:
        self._world = world
        self._fixed = node

    def _from(self) -> Node:
        return self._fixed or self._world.me or self._world.root

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        here = self._from()
        inside = here.children.get(name) if self._fixed is not None else None
        found = inside if inside is not None and inside.family == "DAT" else find(here, name)
        if found is None:
            raise tdAttributeError(f"'td.MOD' object has no attribute '{name}' Context:{self._from().path}")
        return module_of(found)

    def __call__(self, path: str) -> Any:
        here = self._from()
        found = self._world.node(path, here if here.family == "COMP" else here.parent)
        if found is None or found.family != "DAT":
            raise tdError(f"Cannot find module DAT {path}.")
        return module_of(found)
