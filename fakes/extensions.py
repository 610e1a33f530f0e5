"""Extensions of components (fact 38).

Built lazily, when somebody first asks; thrown away when their source changes or the project was saved, and built again
at the next asking. `onInitTD` follows the building, `onDestroyTD` precedes the end. Only names with a capital are
promoted to the component.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fakes import evaluation
from fakes.calls import call
from fakes.errors import tdAttributeError, tdError
from fakes.guard import Guarded

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

_MISSING = object()


@dataclass
class Extension:
    """One built extension of a component."""

    name: str
    promoted: bool
    instance: Any
    signature: tuple[Any, ...]
    """What it was built from; a difference means it must be built again."""


class Extensions:
    """Every extension of a world, and the rules of their lives. `text` gives the text of a DAT."""

    def __init__(self, world: World, text: Callable[[Node], str]) -> None:
        self._world = world
        self._text = text
        self._built: dict[int, list[Extension]] = {}
        self._given: dict[int, list[Extension]] = {}
        self._looked_at = -1
        world.op_destroying.append(self._destroyed)
        world.on_frame_start.append(self.drop_outdated)
        world.par_pulsed.append(self._pulsed)

    def give(self, node: Node, name: str, instance: Any) -> None:
        """Attach an object that TouchDesigner itself brings (`op.TDResources.ThreadManager`)."""
        self._given.setdefault(node.id, []).append(Extension(name, True, instance, ()))

    # Asking

    def of(self, node: Node) -> list[Extension]:
        """The component's extensions, built now if need be. A failing one is a script error and left out."""
        if node.family != "COMP":
            return []
        given = self._given.get(node.id, [])
        # A changed source is seen at the next frame's start: `drop_outdated`.
        built = self._built.get(node.id)
        if built is None:
            wanted = self._declared(node)
            built = self._build(node, wanted) if wanted else []
        return given + [extension for extension in built if extension.instance is not None]

    def ready(self, node: Node) -> bool:
        """Whether all declared extensions stand, without building any."""
        built = self._built.get(node.id, [])
        return all(e.instance is not None for e in built) and len(built) == len(self._declared(node))

    def promoted(self, node: Node, name: str) -> Any:
        """The promoted member `name`, or `MISSING`."""
        if not name[:1].isupper():
            return _MISSING
        for extension in self.of(node):
            if extension.promoted:
                if name == extension.name and node.id in self._given:
                    return extension.instance
                found = _member(extension.instance, name)
                if found is not _MISSING:
                    return found
        return _MISSING

    def assign(self, node: Node, name: str, value: Any) -> bool:
        """Set a promoted member that exists; whether it did."""
        if not name[:1].isupper():
            return False
        for extension in self.of(node):
            if extension.promoted and _has(extension.instance, name):
                setattr(extension.instance, name, value)
                return True
        return False

    def search(self, node: Node | None, name: str) -> Any:
        """The extension object `name` of the component or the nearest above it, or `MISSING`."""
        while node is not None:
            for extension in self.of(node):
                if extension.name == name:
                    return extension.instance
            node = node.parent
        return _MISSING

    # Building and dropping

    def initialize(self, node: Node, index: int | None = None) -> Any:
        """Build anew, at once: all, or the one of that index (which then is returned)."""
        self.drop(node)
        built = self._build(node, self._declared(node))
        if index is None:
            return None
        if not 0 <= index < len(built):
            raise tdError("Invalid extension index.")
        return built[index].instance

    def drop(self, node: Node) -> None:
        """Throw away what is built; `onDestroyTD` is called on each."""
        for extension in self._built.pop(node.id, []):
            hook = getattr(extension.instance, "onDestroyTD", None)
            if callable(hook):
                call(self._world, node, hook)

    def drop_outdated(self) -> None:
        """Drop those whose source changed; once a frame."""
        if self._world.cooking.revision == self._looked_at:
            return
        self._looked_at = self._world.cooking.revision
        for number, built in list(self._built.items()):
            node = self._world.nodes.get(number)
            if node is not None and self._outdated(node, built):
                self.drop(node)

    def drop_all(self) -> None:
        """Drop every one: what saving the project does."""
        for number in list(self._built):
            node = self._world.nodes.get(number)
            if node is not None:
                self.drop(node)

    def forget_all(self) -> None:
        """Throw away what is built without a word to anybody: what opening another project may do (fact 59)."""
        self._built.clear()

    def _destroyed(self, node: Node) -> None:
        self.drop(node)
        self._given.pop(node.id, None)

    def _pulsed(self, node: Node, name: str) -> None:
        if name == "reinitextensions":
            self.initialize(node)

    def _declared(self, node: Node) -> list[tuple[str, str, bool]]:
        """(object expression, name, promote) of each block of the component's extension sequence."""
        found = []
        for block in range(node.num_blocks("ext")):
            expression = str(node.constant(f"ext{block}object")).strip()
            if expression:
                name = str(node.value(f"ext{block}name")).strip()
                found.append((expression, name, bool(node.value(f"ext{block}promote"))))
        return found

    def _outdated(self, node: Node, built: list[Extension]) -> bool:
        declared = self._declared(node)
        if len(declared) != len(built):
            return True
        return any(
            extension.signature != self._signature(node, entry, extension.instance)
            for entry, extension in zip(declared, built, strict=True)
        )

    def _build(self, node: Node, declared: list[tuple[str, str, bool]]) -> list[Extension]:
        built: list[Extension] = []
        self._built[node.id] = built
        for entry in declared:
            expression, name, promote = entry
            instance = call(self._world, node, self._evaluate, node, expression)
            # One that failed is kept as well, without an instance: it is tried again when its source changes.
            signature = self._signature(node, entry, instance)
            built.append(Extension(name or type(instance).__name__, promote, instance, signature))
        for extension in built:
            hook = getattr(extension.instance, "onInitTD", None)
            if callable(hook):
                call(self._world, node, hook)
        return built

    def _evaluate(self, node: Node, expression: str) -> Any:
        return evaluation.evaluate_text(node, expression)

    def _signature(self, node: Node, entry: tuple[str, str, bool], instance: Any) -> tuple[Any, ...]:
        if instance is None:
            texts = (self._text(child) for child in node.children.values() if child.type == "textDAT")
            return (*entry, *texts)
        dat = source_dat(instance)
        if dat is None or not dat.alive:
            return (*entry, None, None)
        return (*entry, dat.id, self._text(dat))


def _has(instance: Any, name: str) -> bool:
    """Whether an object has a member, without running a property of the user's to learn it."""
    if inspect.getattr_static(instance, name, _MISSING) is not _MISSING:
        return True
    return hasattr(type(instance), "__getattr__") and hasattr(instance, name)


def _member(instance: Any, name: str) -> Any:
    """A member, or `MISSING`; what a property of the user's raises stays itself, AttributeErrors too (fact 88)."""
    return getattr(instance, name) if _has(instance, name) else _MISSING


def source_dat(instance: Any) -> Node | None:
    """The DAT whose text holds the class of `instance`: the `me` of the module that defined it."""
    for member in vars(type(instance)).values():
        me = getattr(member, "__globals__", {}).get("me")
        if me is not None:
            node: Node | None = getattr(me, "_node", None)
            return node
    return None


class Ext(Guarded):
    """`comp.ext`: the extensions of a component and of those above it, by name."""

    __slots__ = ("_extensions", "_node")

    def __init__(self, extensions: Extensions, node: Node) -> None:
        self._extensions = extensions
        self._node = node

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._extensions.search(self._node, name)
        if found is _MISSING:
            raise tdAttributeError(f"'td.Ext' object has no attribute '{name}' Context:{self._node.path}")
        return found


MISSING = _MISSING
