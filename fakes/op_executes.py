"""OP Execute DATs: callbacks about what happens to operators (Derivative: OP Execute DAT).

Cooks are told at once, around the cook; everything else in the next frame, as other callbacks are (fact 11).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes.calls import call

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

#: Toggle of the OP Execute DAT -> the function it calls. `extensionchange` is not faked.
CALLBACKS = {
    "precook": "onPreCook",
    "postcook": "onPostCook",
    "opdelete": "onDestroy",
    "flagchange": "onFlagChange",
    "wirechange": "onWireChange",
    "namechange": "onNameChange",
    "pathchange": "onPathChange",
    "uichange": "onUIChange",
    "numchildrenchange": "onNumChildrenChange",
    "childrename": "onChildRename",
    "currentchildchange": "onCurrentChildChange",
}


class OpExecutes:
    """Every OP Execute DAT of a world. `module` gives the module made of a DAT's text."""

    def __init__(self, world: World, module: Callable[[Node], Any]) -> None:
        self._world = world
        self._module = module
        self._dats: dict[int, Node] = {}
        self._due: dict[tuple[int, str, int, str], tuple[Node, str, tuple[Any, ...]]] = {}
        self._telling = False
        world.op_created.append(self._created)
        world.op_destroying.append(self._destroying)
        world.op_renamed.append(self._renamed)
        world.op_changed.append(self._changed)
        world.cooking.before_cook.append(lambda node: self._cooks(node, "precook"))
        world.cooking.after_cook.append(lambda node: self._cooks(node, "postcook"))
        world.on_frame_start.append(self._tell)
        for node in world.walk():
            self._register(node)

    def _register(self, node: Node) -> None:
        if node.type == "opexecuteDAT":
            self._dats[node.id] = node

    # What happens

    def _created(self, node: Node) -> None:
        if self._dats and node.parent is not None:
            self._note("numchildrenchange", node.parent, node.parent)
        self._register(node)

    def _destroying(self, node: Node) -> None:
        self._dats.pop(node.id, None)
        if self._dats:
            self._note("opdelete", node)
            if node.parent is not None:
                self._note("numchildrenchange", node.parent, node.parent)

    def _renamed(self, node: Node, old: str) -> None:
        if not self._dats:
            return
        self._note("namechange", node, node)
        for below in (node, *self._world.walk(node)):
            self._note("pathchange", below, below)
        if node.parent is not None:
            self._note("childrename", node.parent, node.parent)

    def _changed(self, node: Node, what: str, name: str) -> None:
        if not self._dats:
            return
        if what == "wires":
            self._note("wirechange", node, node)
        elif what == "place":
            self._note("uichange", node, node)
        else:
            self._note("flagchange", node, node, name)
            if name == "current" and node.flag("current") and node.parent is not None:
                self._note("currentchildchange", node.parent, node.parent)

    def _note(self, toggle: str, watched: Node, *args: Any) -> None:
        """Keep a callback for the next frame. The same thing happening twice in a frame is told once."""
        for dat in self._dats.values():
            if self._hears(dat, toggle, watched):
                self._due[dat.id, toggle, watched.id, str(args[1:])] = (dat, toggle, args)

    def _hears(self, dat: Node, toggle: str, watched: Node) -> bool:
        return bool(dat.value("active")) and bool(dat.value(toggle)) and watched in dat.nodes("op")

    # Telling

    def _cooks(self, node: Node, toggle: str) -> None:
        if not self._dats or self._telling:
            return  # What a callback makes cook is not told: it would never end.
        with self._world.cooking.apart():
            for dat in list(self._dats.values()):
                if self._hears(dat, toggle, node):
                    self._call(dat, toggle, node)

    def _tell(self) -> None:
        due, self._due = self._due, {}
        for dat, toggle, args in due.values():
            if dat.alive and all(getattr(a, "alive", True) for a in args):
                self._call(dat, toggle, *args)

    def _call(self, dat: Node, toggle: str, *args: Any) -> None:
        def invoke() -> None:
            function = getattr(self._module(dat), CALLBACKS[toggle], None)
            if function is not None:
                function(*(self._world.face(a) if hasattr(a, "world") else a for a in args))

        was, self._telling = self._telling, True
        try:
            call(self._world, dat, invoke)
        finally:
            self._telling = was
