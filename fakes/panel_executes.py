"""Panel Execute DATs: callbacks about panel values, told in the frame after they were set (Derivative: Panel Execute).

A change causes one callback only: a value that went from off to on is told as that, not as a change of value as well.
On means greater than zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes import panels, paths
from fakes.calls import call

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

_TOGGLES = {
    "offtoon": "onOffToOn",
    "whileon": "whileOn",
    "ontooff": "onOnToOff",
    "whileoff": "whileOff",
    "valuechange": "onValueChange",
}


def _is_on(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


class PanelExecutes:
    """Every Panel Execute DAT of a world. `module` gives the module made of a DAT's text."""

    def __init__(self, world: World, module: Callable[[Node], Any]) -> None:
        self._world = world
        self._module = module
        self._dats: dict[int, Node] = {}
        self._heard: list[tuple[Node, str, Any, Any]] = []
        world.op_created.append(self._created)
        world.op_destroying.append(self._destroyed)
        world.on_frame_start.append(self._tell)
        panels.listen(world.root, self._set)
        for node in world.walk():
            self._created(node)

    def _created(self, node: Node) -> None:
        if node.type == "panelexecuteDAT":
            self._dats[node.id] = node

    def _destroyed(self, node: Node) -> None:
        self._dats.pop(node.id, None)

    def _set(self, node: Node, name: str, before: Any) -> None:
        if self._dats:
            self._heard.append((node, name, before, panels.value(node, name)))

    def _tell(self) -> None:
        heard, self._heard = self._heard, []
        for dat in list(self._dats.values()):
            if dat.alive and dat.value("active"):
                call(self._world, dat, self._tell_one, dat, heard)

    def _tell_one(self, dat: Node, heard: list[tuple[Node, str, Any, Any]]) -> None:
        watched = dat.nodes("panels")
        wanted = str(dat.value("panelvalue") or "")
        for node, name, before, now in heard:
            if node.alive and node in watched and paths.match_any(wanted, name) and before != now:
                self._change(dat, node, name, before, now)
        self._whiles(dat, watched, wanted)

    def _change(self, dat: Node, node: Node, name: str, before: Any, now: Any) -> None:
        was, is_now = _is_on(before), _is_on(now)
        if is_now and not was and dat.value("offtoon"):
            self._call(dat, "offtoon", node, name)
        elif was and not is_now and dat.value("ontooff"):
            self._call(dat, "ontooff", node, name)
        elif dat.value("valuechange"):
            self._call(dat, "valuechange", node, name, before)

    def _whiles(self, dat: Node, watched: list[Node], wanted: str) -> None:
        on, off = bool(dat.value("whileon")), bool(dat.value("whileoff"))
        if not (on or off):
            return
        for node in watched:
            for name in sorted(n for n in panels.NAMES if paths.match_any(wanted, n)):
                is_on = _is_on(panels.value(node, name))
                if (on and is_on) or (off and not is_on):
                    self._call(dat, "whileon" if is_on else "whileoff", node, name)

    def _call(self, dat: Node, toggle: str, node: Node, name: str, *args: Any) -> None:
        function = getattr(self._module(dat), _TOGGLES[toggle], None)
        if function is not None:
            function(panels.PanelValue(node, name), *args)
