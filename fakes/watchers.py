"""CHOP Execute and DAT Execute DATs: callbacks about other operators' data, looked at once a frame.

Of channels, only those of a single sample are faked. Any toggle of the execute family that cannot be
honoured is, once on, a script error that says NotFaked: better than a callback that never comes without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes import paths, table_changes
from fakes.calls import call
from fakes.errors import NotFaked

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

#: Toggles of each type that cannot be honoured.
_NOT_FAKED = {
    "parameterexecuteDAT": ("exportchange", "enablechange"),
    "pargroupexecuteDAT": (
        "valuechange", "onpulse", "expressionchange", "exportchange", "enablechange", "modechange",
    ),
    "opexecuteDAT": ("extensionchange",),
}  # fmt: skip

#: Types whose callbacks depend on data, which may change with time alone.
_LOOKED_AT = ("chopexecuteDAT", "datexecuteDAT")


class Watchers:
    """Every operator of the execute family whose callbacks are not in `executes.py`, or not all of them."""

    def __init__(
        self, world: World, module: Callable[[Node], Any], rows: Callable[[Node], list[list[str]]]
    ) -> None:
        self._world = world
        self._module = module
        self._rows = rows
        self._dats: dict[int, Node] = {}
        self._before: dict[int, Any] = {}
        self._refused: set[int] = set()
        self._revision = -1
        self._looking: list[Node] = []
        world.op_created.append(self._register)
        world.op_destroying.append(self._destroyed)
        world.on_frame_start.append(self.look)
        for node in world.walk():
            self._register(node)

    def _register(self, node: Node) -> None:
        if node.type in _LOOKED_AT or node.type in _NOT_FAKED:
            self._dats[node.id] = node

    def _destroyed(self, node: Node) -> None:
        self._dats.pop(node.id, None)
        self._before.pop(node.id, None)
        self._refused.discard(node.id)

    def look(self) -> None:
        """See what changed since the last frame, and tell."""
        if self._revision != self._world.cooking.revision:
            self._revision = self._world.cooking.revision
            for node in list(self._dats.values()):
                if node.alive and node.value("active"):
                    call(self._world, node, self._refuse_others, node)
            self._looking = [n for n in self._dats.values() if n.type in _LOOKED_AT]
        for node in self._looking:
            if node.alive and node.value("active"):
                call(self._world, node, self._look_for, node)

    def _look_for(self, node: Node) -> None:
        if node.type == "chopexecuteDAT":
            self._look_at_channels(node)
        elif any(node.value(toggle) for toggle in ("tablechange", *table_changes.OLDER)):
            self._look_at_table(node)

    def _refuse_others(self, node: Node) -> None:
        if node.id in self._refused:
            return
        for toggle in _NOT_FAKED.get(node.type, ()):
            if node.value(toggle):
                self._refused.add(node.id)  # Said once, not in every frame.
                raise NotFaked(f"the callback of {node.type}.par.{toggle}")

    def _look_at_table(self, node: Node) -> None:
        source = node.value("dat")
        if source is None:
            return
        now = (source.id, self._rows(source))
        before = self._before.get(node.id)
        self._before[node.id] = now
        if before is None or before == now:
            return

        def give(name: str, use: Callable[[Callable[..., Any]], None]) -> None:
            function = getattr(self._module(node), name, None)
            if function is not None:
                use(function)

        table_changes.tell(node, source, before[1] if before[0] == source.id else [], now[1], give)

    def _look_at_channels(self, node: Node) -> None:
        source = node.value("chop")
        if source is None:
            return
        data = source.data()
        if data.count > 1:
            raise NotFaked("a CHOP Execute DAT on channels of more than one sample")
        patterns = str(node.value("channel")) or "*"
        before: dict[str, float] = self._before.get(node.id) or {}
        now = {n: float(data.values[i, 0]) for i, n in enumerate(data.names) if paths.match_any(patterns, n)}
        self._before[node.id] = now
        for name, value in now.items():
            if name in before:
                self._tell_channel(node, source, name, value, before[name])

    def _tell_channel(self, node: Node, source: Node, name: str, value: float, previous: float) -> None:
        face: Any = self._world.face(source)
        told = {
            "offtoon": ("onOffToOn", value != 0 and previous == 0),
            "whileon": ("whileOn", value != 0),
            "ontooff": ("onOnToOff", value == 0 and previous != 0),
            "whileoff": ("whileOff", value == 0),
            "valuechange": ("onValueChange", value != previous),
        }
        for toggle, (function, happened) in told.items():
            if happened and node.value(toggle):
                self._tell(node, function, face[name], 0, value, previous)

    def _tell(self, node: Node, name: str, *args: Any) -> None:
        function = getattr(self._module(node), name, None)
        if function is not None:
            function(*args)
