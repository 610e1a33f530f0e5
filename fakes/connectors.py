"""`Connector`: the ends that wires are drawn between (facts 30-32)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes import wiring
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.op_core import wanted

if TYPE_CHECKING:
    from fakes.operators import OP


class Connector(Guarded):
    """An input or output of an operator; `hierarchy` ones connect COMPs among themselves."""

    __slots__ = ("_hierarchy", "_index", "_input", "_node")
    _node: Node
    _index: int
    _input: bool
    _hierarchy: bool

    def __init__(self, node: Node, index: int, is_input: bool, hierarchy: bool = False) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_input", is_input)
        object.__setattr__(self, "_hierarchy", hierarchy)

    def _live(self) -> Node:
        if not self._node.alive:
            raise tdError("Cannot use a connector of an operator that was destroyed.")
        return self._node

    @property
    def index(self) -> int:
        return self._index

    @property
    def isInput(self) -> bool:
        return self._input

    @property
    def isOutput(self) -> bool:
        return not self._input

    @property
    def owner(self) -> OP:
        return self._live().world.face(self._node)

    @property
    def description(self) -> str:
        """What the input is for."""
        labels = self._live().info.input_labels
        if not self._input or self._node.info.family == "COMP" or self._index >= len(labels):
            raise NotFaked("Connector.description of this connector")
        return labels[self._index]

    @property
    def connections(self) -> list[Connector]:
        """The connectors at the other ends."""
        node = self._live()
        if self._hierarchy:
            if self._input:
                return [Connector(node.comp_input, 0, False, True)] if node.comp_input else []
            return [Connector(c, 0, True, True) for c in node.comp_outputs or ()]
        if self._input:
            wire = node.wire(self._index)
            return [Connector(wire.source, wire.output, False)] if wire else []
        readers = dict.fromkeys(r for r, output in node.consumers or () if output == self._index)
        return [
            Connector(reader, index, True)
            for reader in readers
            for index, wire in enumerate(reader.wires or ())
            if wire is not None and wire.source is node and wire.output == self._index
        ]

    @property
    def inOP(self) -> OP | None:
        """The In operator inside a COMP that carries this input; of anything else, None."""
        return self._inner("in") if self._input else None

    @property
    def outOP(self) -> OP | None:
        """The Out operator inside a COMP that carries this output; of anything else, None."""
        return None if self._input else self._inner("out")

    def _inner(self, kind: str) -> OP | None:
        node = self._live()
        if self._hierarchy or node.info.family != "COMP":
            return None
        found = wiring.inside(node, kind)
        return node.world.face(found[self._index]) if self._index < len(found) else None

    def connect(self, target: OP | Connector) -> None:
        """Wire to an operator or a connector: an input takes the new wire instead of its old one, an output gets
        one more. Across networks nothing happens, silently.

        Raises:
            tdError: both ends are of one kind, or the operator has no input (fact 41).
        """
        from fakes.operators import OP

        here = self._live()
        if isinstance(target, OP):
            other = target._live()
            end = Connector(other, self._free_input(other), True, self._hierarchy) if not self._input else (
                Connector(other, 0, False, self._hierarchy)
            )  # fmt: skip
        elif isinstance(target, Connector):
            end = target
            end._live()
        else:
            wanted(target)  # raises what TouchDesigner says of anything else
            return
        if end._input == self._input or end._hierarchy != self._hierarchy:
            raise tdError(f"Cannot connect {here.name} to {end._node.name}: both ends are of the same kind.")
        source, sink = (end, self) if self._input else (self, end)
        if self._hierarchy:
            wiring.connect_comps(source._node, sink._node)
        else:
            wiring.connect(source._node, source._index, sink._node, sink._index)

    def _free_input(self, other: Node) -> int:
        if self._hierarchy or other.parent is not self._node.parent:
            return 0
        limit = wiring.max_inputs(other)
        if limit == 0:
            raise tdError(f"{other.name} has no inputs.")
        free = next((i for i in range(limit) if other.wire(i) is None), None)
        if free is not None:
            return free
        if limit > 1:
            raise NotFaked("connecting an output to an operator whose inputs are all wired")
        return 0

    def disconnect(self) -> None:
        """Take off the wire of an input, or all wires of an output."""
        node = self._live()
        if self._hierarchy:
            for child in [node] if self._input else list(node.comp_outputs or ()):
                wiring.set_comp_input(child, None)
        elif self._input:
            wiring.disconnect(node, self._index)
        else:
            for end in reversed(self.connections):
                wiring.disconnect(end._node, end._index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Connector) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int, bool, bool]:
        return (self._node.id, self._index, self._input, self._hierarchy)

    def __repr__(self) -> str:
        kind = "input" if self._input else "output"
        return f"type:Connector {kind} {self._index} owner:{self._node.path}"
