"""Where an operator is among others: parents, children, docks and wires."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fakes import creating, wiring
from fakes.connectors import Connector
from fakes.errors import NotFaked
from fakes.find import hidden
from fakes.op_core import Held, wanted
from fakes.shortcuts import IOPShortcut, IparShortcut, OPEXShortcut, OPShortcut, ParentShortcut

if TYPE_CHECKING:
    from fakes.operators import OP


class Networked(Held):
    """Networks and wires, as seen from one operator."""

    __slots__ = ()

    @property
    def parent(self) -> ParentShortcut:
        """Call it: `n.parent()`, `n.parent(2)`."""
        return ParentShortcut(self._world, self._live(), False)

    @property
    def op(self) -> OPShortcut:
        """`n.op("child")`: paths begin inside the operator."""
        return OPShortcut(self._world, self._live(), False)

    @property
    def opex(self) -> OPEXShortcut:
        return OPEXShortcut(self._world, self._live(), False)

    @property
    def iop(self) -> IOPShortcut:
        return IOPShortcut(self._world, self._live(), False)

    @property
    def ipar(self) -> IparShortcut:
        return IparShortcut(self._world, self._live(), False)

    @property
    def mod(self) -> Any:
        """DATs as modules, looked for from this operator; of a COMP, inside it first (fact 78)."""
        from fakes import module

        return module.lookup(self._world, self._live(), "mod")

    def ops(self, *patterns: Any, includeUtility: bool = False) -> list[OP]:
        """Every operator that the patterns name, from the inside of this one."""
        found = OPShortcut(self._world, self._live(), False)._find(patterns, includeUtility)
        return [self._world.face(n) for n in found]

    @property
    def children(self) -> list[OP]:
        """The operators inside, without utility operators (fact 55); empty off COMPs."""
        return [self._world.face(c) for c in self._live().children.values() if not hidden(c, False)]

    @property
    def numChildren(self) -> int:
        return len(self._live().children)

    @property
    def numChildrenRecursive(self) -> int:
        found, waiting = 0, [self._live()]
        while waiting:
            inside = waiting.pop().children
            found += len(inside)
            waiting += [node for node in inside.values() if node.children]
        return found

    @property
    def dock(self) -> OP | None:
        """The operator this one is docked to."""
        host = self._live().dock
        return self._world.face(host) if host else None

    @dock.setter
    def dock(self, host: OP | None) -> None:
        creating.set_dock(self._live(), wanted(host) if host is not None else None)

    @property
    def docked(self) -> list[OP]:
        """The operators docked to this one."""
        return [self._world.face(d) for d in self._live().docked or ()]

    # -- wires -----------------------------------------------------------------------------------------------

    @property
    def inputConnectors(self) -> list[Connector]:
        node = self._live()
        return [
            Connector(node, i, True) for i in range(wiring.num_inputs(node) - self._world.fresh(node, "in"))
        ]

    @property
    def outputConnectors(self) -> list[Connector]:
        node = self._live()
        return [
            Connector(node, i, False)
            for i in range(wiring.num_outputs(node) - self._world.fresh(node, "out"))
        ]

    @property
    def inputs(self) -> list[OP]:
        """The operators wired to the inputs, gaps left out (fact 31)."""
        return [self._world.face(w.source) for w in self._live().wires or () if w is not None]

    @property
    def outputs(self) -> list[OP]:
        """The operators that this one is wired to."""
        readers = dict.fromkeys(r for r, _ in self._live().consumers or ())
        return [self._world.face(r) for r in readers]

    def setInputs(self, listOfOPs: Iterable[OP | None]) -> None:
        """Wire the inputs to these operators, in order; None leaves an input unwired."""
        node = self._live()
        # All are looked at before the first wire goes.
        sources = [None if each is None else wanted(each, listOfOPs) for each in listOfOPs]
        for index in reversed(range(len(node.wires or ()))):
            wiring.disconnect(node, index)
        for index, source in enumerate(sources):
            if source is not None:
                wiring.connect(source, 0, node, index)

    @property
    def maxInputs(self) -> int:
        node = self._live()
        if node.info.family != "COMP" and node.info.max_inputs is None:
            raise NotFaked(f"maxInputs of {node.info.name}")
        return wiring.max_inputs(node)

    @property
    def isFilter(self) -> bool:
        return self.maxInputs > 0

    @property
    def isMultiInputs(self) -> bool:
        return self.maxInputs > 1
