"""`Par` and `ParCollection`: one parameter, and all of an operator's, as scripts see them (facts 21-28)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes import coercion, evaluation, pulses
from fakes import custom as custom_parameters
from fakes.catalogue import OP_STYLES
from fakes.custom import CustomInfo
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.par_collection import ParCollection
from fakes.par_core import ParMode
from fakes.par_definition import Defined
from fakes.par_values import Valued, plain

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.pargroups import ParGroup
    from fakes.sequences import Sequence, SequenceBlock

__all__ = ["Par", "ParCollection", "ParMode", "plain"]


#: Buttons that make operators, which nothing here does: better than pressing them in vain.
_NOT_FAKED_PULSES = {"replicatorCOMP": ("recreateall", "recreatemissing")}


class Par(Defined, Valued):
    """One parameter. Every fetch makes a new object; it is invalid once its operator or any custom parameter
    of that operator was destroyed (fact 19)."""

    __slots__ = ()
    _speaks_as = ""

    @property
    def val(self) -> Any:
        """The constant, also in other modes; setting it drops an expression (fact 22)."""
        if self._info.style == "Sequence":
            return self._node.num_blocks(self._name)
        return self._node.constant(self._name)

    @val.setter
    def val(self, value: Any) -> None:
        evaluation.set_constant(self._state, value)

    def eval(self) -> Any:
        """The value now."""
        return self._eval()

    @property
    def expr(self) -> str:
        """The expression text; setting it enters EXPRESSION."""
        state = self._touched
        return state.expr if state else ""

    @expr.setter
    def expr(self, text: str) -> None:
        evaluation.set_expr(self._state, text)

    @property
    def bindExpr(self) -> str:
        """The bind expression; setting it enters BIND."""
        state = self._touched
        return state.bind if state else ""

    @bindExpr.setter
    def bindExpr(self, text: str) -> None:
        evaluation.set_bind(self._state, text)

    @property
    def mode(self) -> ParMode:
        # Without further calls: a reading of a large project asks every parameter.
        if not self._alive():
            self._check()
        states = self._node.states
        state = states.get(self._name) if states else None
        return ParMode(state.mode) if state else ParMode.CONSTANT

    @mode.setter
    def mode(self, mode: ParMode) -> None:
        if not isinstance(mode, ParMode):
            raise TypeError("Par.mode takes a ParMode")
        evaluation.set_mode(self._state, mode.value)

    @property
    def prevMode(self) -> ParMode:
        state = self._touched
        return ParMode(state.previous_mode) if state else ParMode.CONSTANT

    @property
    def menuIndex(self) -> int:
        """Position of the value in the menu."""
        names = list(self._info.menu_names)
        if not names:
            raise tdError(f"{self._name} has no menu.")
        value = self._eval()
        if isinstance(value, (int, float)):
            return int(value)
        return names.index(value) if value in names else 0

    @menuIndex.setter
    def menuIndex(self, index: int) -> None:
        names = self._info.menu_names
        if not names:
            raise tdError(f"{self._name} has no menu.")
        evaluation.set_constant(self._state, names[min(max(int(index), 0), len(names) - 1)])

    @property
    def normVal(self) -> float:
        return self.evalNorm()

    @normVal.setter
    def normVal(self, value: float) -> None:
        low, high = self._info.norm
        evaluation.set_constant(self._state, low + value * (high - low))

    def evalNorm(self) -> float:
        """The value as a fraction of the slider's range."""
        low, high = self._info.norm
        return float((self._eval() - low) / (high - low))

    def evalExpression(self) -> Any:
        """What the expression gives, whatever the mode."""
        return evaluation.run(self._state, self._state.expr)

    def evalExport(self) -> Any:
        if self._state.export is None:
            return None
        return evaluation.exported(self._state)

    def evalOPs(self) -> list[OP]:
        """Every operator that the parameter refers to."""
        if self._info.style not in OP_STYLES:
            raise tdError(f"{self._name} does not refer to operators.")
        return [n.world.face(n) for n in evaluation.referenced(self._node, self._name)]

    def pulse(self, value: Any = 1, frames: int = 0, seconds: float = 0) -> None:
        """Press a Pulse; of other parameters, set a value for a frame or more."""
        node, name, world = self._node, self._name, self._node.world
        frames = max(int(frames), round(seconds * world.rate), 1)
        if name in _NOT_FAKED_PULSES.get(node.type, ()) or name == "enablecloningpulse":
            raise NotFaked(f"pulsing {node.type}.par.{name}")
        if self._info.style in ("Pulse", "Momentary"):
            pulses.press(node, name)
            return
        before = node.constant(name)
        evaluation.set_constant(self._state, value)

        def back(left: int = frames) -> None:
            if left > 1:
                world.at_next_frame(lambda: back(left - 1))
            elif node.alive and node.par_info(name) is not None:
                node.set(name, before)

        world.at_next_frame(back)

    def reset(self) -> bool:
        """Back to the default; whether that changed anything."""
        if self._info.style in ("Pulse", "Momentary"):
            return False
        return evaluation.reset(self._state)

    def copy(self, par: Par) -> None:
        """Take over another parameter's value, expression, bind and mode."""
        source = par._touched
        if source is None:
            evaluation.set_constant(self._state, par._node.constant(par._name))
            return
        kept = self._state
        evaluation._change(
            kept, "value", kept.value, value=coercion.coerce(kept.info, source.value),
            mode=source.mode, expr=source.expr, bind=source.bind,
        )  # fmt: skip

    # -- relations -------------------------------------------------------------------------------------------

    @property
    def parGroup(self) -> ParGroup:
        from fakes.pargroups import ParGroup

        return ParGroup(self._node, self._info.group or self._name)

    @property
    def bindMaster(self) -> Any:
        """The object this parameter is bound to, or None."""
        state = self._touched
        return evaluation.master(state) if state is not None and state.mode == ParMode.BIND.value else None

    @property
    def bindReferences(self) -> list[Par]:
        """Every parameter bound to this one."""
        found: list[Par] = []
        for node in self._node.world.walk():
            for state in list((node.states or {}).values()):
                if state.mode != ParMode.BIND.value:
                    continue
                try:
                    other = evaluation.master(state)
                except (tdError, tdAttributeError, AttributeError):
                    continue
                if isinstance(other, Par) and other._same(self):
                    found.append(Par(node, state.name, state.info))
        return found

    @property
    def exportOP(self) -> OP | None:
        """The operator that exports to this parameter."""
        state = self._touched
        return state.export[0].world.face(state.export[0]) if state and state.export else None

    @property
    def exportSource(self) -> Any:
        """The channel or cell that exports to this parameter."""
        state = self._touched
        if not state or not state.export:
            return None
        from fakes import exports

        return exports.source_of(*state.export)

    @property
    def sequence(self) -> Sequence | None:
        from fakes.sequences import Sequence

        name = self._info.sequence or (self._name if self._info.style == "Sequence" else "")
        return Sequence(self._node, name) if name else None

    @property
    def sequenceBlock(self) -> SequenceBlock | None:
        from fakes.nodes import _block_of
        from fakes.sequences import SequenceBlock

        name = self._info.sequence
        return SequenceBlock(self._node, name, _block_of(self._name, name)) if name else None

    def _same(self, other: Par) -> bool:
        return self._node is other._node and self._name == other._name

    def isSamePar(self, par: Par) -> bool:
        """Whether both are the same parameter of the same operator."""
        return self._same(par)

    def destroy(self) -> None:
        """Remove a custom parameter."""
        if not isinstance(self._info, CustomInfo):
            raise tdError(f"Cannot destroy the built-in parameter {self._name}.")
        custom_parameters.destroy_group(self._node, self._info.group)
