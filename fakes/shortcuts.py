"""`op`, `opex`, `parent`, `iop`: callables that are also the place where shortcuts are looked up (fact 13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fakes import paths
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.find import hidden
from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.world import World

if TYPE_CHECKING:
    from fakes.operators import OP

_PLAIN = re.compile(r"[\w./]+")


class _Shortcut(Guarded):
    __slots__ = ("_base", "_relative", "_world")
    _world: World
    _base: Node | None
    _relative: bool

    def __init__(self, world: World, base: Node | None = None, relative: bool = True) -> None:
        """`base`: the operator that asks; None: whichever is running. `relative`: bare names are beside it."""
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "_base", base)
        object.__setattr__(self, "_relative", relative)

    def _asker(self) -> Node:
        return self._base or self._world.me or self._world.root

    def _miss(self, name: str) -> Exception:
        if name.startswith("__"):
            return AttributeError(name)
        return tdAttributeError(
            f"'td.{self._td_name()}' object has no attribute '{name}' Context:{self._asker().path}"
        )

    def _find(self, patterns: tuple[Any, ...], utility: bool) -> list[Node]:
        from fakes.operators import OP
        from fakes.parameters import Par

        if len(patterns) == 1 and type(patterns[0]) is str and _PLAIN.fullmatch(patterns[0]):
            # By far the most frequent case, made quick.
            return self._one(patterns[0], utility)
        found: dict[Node, None] = {}
        for pattern in _named(patterns, Par):
            if isinstance(pattern, OP):
                found[pattern._live()] = None
            elif isinstance(pattern, bool) or not isinstance(pattern, (str, int)):
                raise tdError("Invalid number or type of arguments.")
            elif isinstance(pattern, int):
                if pattern in self._world.nodes:
                    found[self._world.nodes[pattern]] = None
            else:
                hits = paths.from_base(self._asker(), pattern.split(), relative=self._relative)
                found.update(dict.fromkeys(h for h in hits if not hidden(h, utility)))
        return list(found)

    def _one(self, path: str, utility: bool = False) -> list[Node]:
        asker = self._asker()
        hits = paths.walk(paths.start(asker, path) if self._relative else asker, path)
        return hits if not hits or not hidden(hits[0], utility) else []

    def _global(self, name: str) -> Node | None:
        named = (n for n in self._world.shortcut_owners if n.alive and n.constant("opshortcut") == name)
        return next(iter(sorted(named, key=lambda n: n.id)), None)


def _named(patterns: tuple[Any, ...], par_class: type[Any]) -> Iterator[Any]:
    """The patterns, each parameter replaced by what it evaluates to (fact 72)."""
    for pattern in patterns:
        if not isinstance(pattern, par_class):
            yield pattern
            continue
        found = pattern.eval()
        if isinstance(found, list):
            yield from found
        elif isinstance(found, (int, float)):
            raise NotFaked("finding an operator by a parameter that holds a number")
        elif found is not None:
            yield found


class OPShortcut(_Shortcut):
    """`op("noise1")`: an operator or None; `op.Name`: the COMP with that Global OP Shortcut."""

    __slots__ = ()

    def __call__(self, *patterns: Any, includeUtility: bool = False) -> OP | None:
        if not patterns:
            raise tdError("Invalid number or type of arguments.")
        found = self._find(patterns, includeUtility)
        return self._world.face(found[0]) if found else None

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("__") else self._global(name)
        if found is None:
            raise self._miss(name)
        return self._world.face(found)


class OPEXShortcut(OPShortcut):
    """`opex("noise1")`: as `op`, but a miss raises tdError."""

    __slots__ = ()

    def __call__(self, *patterns: Any, includeUtility: bool = False) -> OP:
        found = super().__call__(*patterns, includeUtility=includeUtility)
        if found is None:
            raise tdError(f"Could not find operator: {' '.join(str(p) for p in patterns)}")
        return found


class ParentShortcut(_Shortcut):
    """`parent()`, `parent(2)`, `parent.Name`."""

    __slots__ = ()

    def __call__(self, n: int = 1) -> OP | None:
        node: Node | None = self._asker()
        for _ in range(int(n)):
            node = node.parent if node is not None else None
        return self._world.face(node) if node is not None else None

    def __getattr__(self, name: str) -> Any:
        node: Node | None = self._asker()
        while node is not None and not name.startswith("__"):
            if "parentshortcut" in node.info.pars and node.constant("parentshortcut") == name:
                return self._world.face(node)
            node = node.parent
        raise self._miss(name)


class IOPShortcut(_Shortcut):
    """`iop.Name`: an operator that this COMP, or one around it, lists as Internal OP."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        node: Node | None = self._asker()
        while node is not None and not name.startswith("__"):
            if "iop" in node.info.sequences:
                for block in range(node.num_blocks("iop")):
                    if node.constant(f"iop{block}shortcut") == name:
                        found = node.value(f"iop{block}op")
                        return self._world.face(found) if found is not None else None
            node = node.parent
        raise self._miss(name)


class IparShortcut(_Shortcut):
    """`ipar`: not faked."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotFaked(f"ipar.{name}")


def all_matching(world: World, base: Node | None, patterns: tuple[Any, ...], utility: bool) -> list[OP]:
    """`ops(...)`: every operator that the patterns name."""
    return [world.face(n) for n in OPShortcut(world, base)._find(patterns, utility)]
