"""An operator's cooks, and the errors it shows (facts 11 and 33)."""

from __future__ import annotations

from fakes import problems
from fakes.errors import NotFaked, tdError
from fakes.nodes import Node
from fakes.op_core import Held


class Cooking(Held):
    """Cooking and errors of one operator; times in milliseconds."""

    __slots__ = ()

    def cook(self, force: bool = False, recurse: bool = False, includeUtility: bool = False) -> None:
        """Cook if anything changed, or in any case with `force`; `recurse` cooks what is inside as well."""
        node = self._live()
        if recurse:
            for child in list(self._world.walk(node)):
                if child.alive:
                    self._world.cooking.bring_up_to_date(child, force=force)
        self._world.cooking.bring_up_to_date(node, force=force)

    totalCooks = property(lambda self: self._live().cooks)
    cookFrame = property(
        lambda self: self._live().cook_position, doc="The frame of the component's timeline (fact 64)."
    )
    cookAbsFrame = property(lambda self: self._live().cook_frame)
    cookTime = property(lambda self: self._live().cook_ms, doc="Deprecated for `cpuCookTime` (fact 64).")
    cpuCookTime = property(lambda self: self._live().cook_ms, doc="Milliseconds of the last cook.")
    cookedThisFrame = property(lambda self: self._live().cook_tick == self._world.tick)
    cookedPreviousFrame = property(lambda self: self._live().cook_tick == self._world.tick - 1)

    @property
    def gpuCookTime(self) -> float:
        """Nothing here is done by a graphics card."""
        self._live()
        return 0.0

    @property
    def childrenCookTime(self) -> float:
        """Milliseconds that everything inside took in the last frame in which it cooked."""
        tick = self._world.tick
        return sum(n.cook_ms for n in self._world.walk(self._live()) if n.cook_tick >= tick - 1)

    @property
    def childrenCPUCookTime(self) -> float:
        return self.childrenCookTime

    def errors(self, recurse: bool = False) -> str:
        """The errors as one string; empty if there are none (fact 33)."""
        return problems.errors_text(self._live(), recurse)

    def warnings(self, recurse: bool = False) -> str:
        return problems.warnings_text(self._live(), recurse)

    def scriptErrors(self, recurse: bool = False) -> str:
        return problems.script_errors_text(self._live(), recurse)

    def clearScriptErrors(self, recurse: bool = False, error: str = "*") -> None:
        if error != "*":
            raise NotFaked("OP.clearScriptErrors(error=)")
        problems.clear_script_errors(self._live(), recurse)

    def addError(self, msg: str) -> None:
        """Have the operator show an error; only while it cooks (fact 33)."""
        self._cooking("addError").errors = [*(self._node.errors or ()), str(msg)]

    def addWarning(self, msg: str) -> None:
        self._cooking("addWarning").warnings = [*(self._node.warnings or ()), str(msg)]

    def _cooking(self, what: str) -> Node:
        if not self._live().cooking:
            raise tdError(f"{what} can only be called while the operator is cooking.")
        return self._node
