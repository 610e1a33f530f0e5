"""The names that scripts and expressions find around them: `op`, `me`, `parent`, `absTime`, `math` and the rest."""

from __future__ import annotations

import builtins
from functools import cache
from types import CodeType
from typing import Any

from fakes import builds
from fakes.errors import NotFaked
from fakes.memory import recall
from fakes.nodes import Node


def _names(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found


def for_expression(node: Node, code: CodeType) -> dict[str, Any]:
    """Globals for one expression of `node`: exactly the names that its code mentions."""
    from fakes import module

    scope: dict[str, Any] = {}
    for name in _names(code):
        try:
            scope[name] = module.lookup(node.world, node, name)
        except AttributeError:
            continue  # a builtin, an attribute's name, or truly unknown: Python says so
        except NotFaked as error:
            # Only a use of the name counts: it may be just an attribute's name.
            scope[name] = _Refusal(str(error))
    return scope


def for_script(node: Node) -> dict[str, Any]:
    """Globals for a DAT's script: everything TouchDesigner puts there, bound to that DAT.

    The names are in its builtins as well, so that `exec(code, {})` finds them; a module that is imported does not (fact 57).
    """
    scope = _names_for(node)
    scope["__builtins__"] = recall(node, _Builtins).of(node)
    return scope


def _names_for(node: Node) -> dict[str, Any]:
    from fakes import module

    names = dict(fixed_names())
    for name in module.changing_names():
        names[name] = module.lookup(node.world, node, name)
    return names


class _Builtins:
    """The builtins of an operator's scripts, kept as long as it lives: making them takes as long as a short script."""

    __slots__ = ("_build", "_names", "_node")

    def __init__(self) -> None:
        self._build: builds.Build | None = None
        self._node: Node | None = None
        self._names: dict[str, Any] = {}

    def of(self, node: Node) -> dict[str, Any]:
        # Another project may have an operator of the same id.
        if self._build is not builds.current() or self._node is not node:
            from fakes.dats.modules import importer

            self._build, self._node = builds.current(), node
            self._names = {**_names_for(node), **vars(builtins), "__import__": importer(node)}
        return self._names


def fixed_names() -> dict[str, Any]:
    """The names that mean the same in every script: classes, plain modules, refusals."""
    return _fixed_in(builds.current())


@cache
def _fixed_in(build: builds.Build) -> dict[str, Any]:
    from fakes import module

    found: dict[str, Any] = {}
    for name in set(module.all_names()) - set(module.changing_names()):
        try:
            found[name] = module.lookup_fixed(name)
        except NotFaked as error:
            found[name] = _Refusal(str(error))
    return found


class _Refusal:
    """Stands for a name that TouchDesigner has and the stand-in does not: any use raises NotFaked."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __getattr__(self, name: str) -> Any:
        raise NotFaked(self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotFaked(self._name)
