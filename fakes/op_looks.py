"""How an operator looks in the network: flags, place, size, colour, comment, tags (fact 20)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from fakes.errors import tdError
from fakes.op_core import Held, flag


def _float32(value: Any) -> float:
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])


#: Tile colour of a new operator. The shade is not established; that it is a grey is.
_DEFAULT_COLOR = (_float32(0.67), _float32(0.67), _float32(0.67))


class Placed(Held):
    """The tile of one operator; network units."""

    __slots__ = ()

    bypass = flag("bypass")
    render = flag("render")
    viewer = flag("viewer")
    lock = flag("lock")
    expose = flag("expose")
    cloneImmune = flag("cloneImmune")
    selected = flag("selected")
    current = flag("current")
    activeViewer = flag("activeViewer")
    python = flag("python")
    showCustomOnly = flag("showCustomOnly")
    showDocked = flag("showDocked")

    @property
    def replicator(self) -> None:
        """The replicator that made it: none, since no replicator makes anything here (`NotFaked`)."""
        self._live()

    @property
    def display(self) -> bool:
        return self._live().flag("display")

    @display.setter
    def display(self, on: bool) -> None:
        node = self._live()
        if on and node.info.family == "SOP" and node.parent is not None:
            # One SOP of a network is displayed (fact 67).
            for other in node.parent.children.values():
                if other is not node and other.info.family == "SOP":
                    other.set_flag("display", False)
        node.set_flag("display", bool(on))

    @property
    def allowCooking(self) -> bool:
        return self._live().flag("allowCooking")

    @allowCooking.setter
    def allowCooking(self, on: bool) -> None:
        if self._live().info.family != "COMP":
            raise tdError("allowCooking can be set on components only.")  # fact 20
        self._node.set_flag("allowCooking", on)

    def _relocate(self, **fields: Any) -> None:
        node = self._live()
        before = {k: getattr(node, k) for k in fields}

        def put(values: dict[str, Any]) -> None:
            for key, value in values.items():
                setattr(node, key, value)
            if values.keys() & {"x", "y", "w", "h"}:
                node.world.tell(node, "place")

        node.world.undo.record("place", lambda: put(before), lambda: put(fields))
        put(fields)

    @property
    def nodeX(self) -> int:
        """The left edge in network units."""
        return int(self._live().x)

    @nodeX.setter
    def nodeX(self, x: float) -> None:
        self._relocate(x=int(x))

    @property
    def nodeY(self) -> int:
        """The bottom edge in network units."""
        return int(self._live().y)

    @nodeY.setter
    def nodeY(self, y: float) -> None:
        self._relocate(y=int(y))

    @property
    def nodeWidth(self) -> int:
        return int(self._live().w)

    @nodeWidth.setter
    def nodeWidth(self, width: float) -> None:
        self._relocate(w=max(int(width), 54))  # fact 20

    @property
    def nodeHeight(self) -> int:
        return int(self._live().h)

    @nodeHeight.setter
    def nodeHeight(self, height: float) -> None:
        self._relocate(h=max(int(height), 49 if self._live().info.family == "COMP" else 29))  # fact 20

    @property
    def nodeCenterX(self) -> int:
        return int(self._live().x + self._node.w / 2)

    @nodeCenterX.setter
    def nodeCenterX(self, x: float) -> None:
        self._relocate(x=int(x - self._live().w / 2))

    @property
    def nodeCenterY(self) -> int:
        return int(self._live().y + self._node.h / 2)

    @nodeCenterY.setter
    def nodeCenterY(self, y: float) -> None:
        self._relocate(y=int(y - self._live().h / 2))

    def resetNodeSize(self) -> None:
        """Back to the size of a new operator."""
        comp = self._live().info.family == "COMP"
        self._relocate(w=160 if comp else 130, h=130 if comp else 90)

    @property
    def color(self) -> tuple[float, float, float]:
        """Tile colour, stored as 32-bit floats."""
        return self._live().color or _DEFAULT_COLOR

    @color.setter
    def color(self, color: Iterable[float]) -> None:
        r, g, b = color
        self._relocate(color=(_float32(r), _float32(g), _float32(b)))

    @property
    def comment(self) -> str:
        return self._live().comment

    @comment.setter
    def comment(self, text: str) -> None:
        self._relocate(comment=str(text))

    @property
    def tags(self) -> set[str]:
        """The live set: adding to it tags the operator."""
        node = self._live()
        if node.tags is None:
            node.tags = set()
        return node.tags

    @tags.setter
    def tags(self, tags: Iterable[str]) -> None:
        self._relocate(tags=set(tags))
