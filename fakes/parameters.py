"""`Par` and `ParCollection`: one parameter, and all of an operator's, as scripts see them (facts 21-28)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Any

from fakes import custom as custom_parameters
from fakes import evaluation
from fakes.catalogue import NUMBER_STYLES, OP_STYLES, ParInfo
from fakes.custom import CustomInfo
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.nodes import Node, ParState

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.pages import Page
    from fakes.pargroups import ParGroup
    from fakes.sequences import Sequence, SequenceBlock


class ParMode(Enum):
    """How a parameter gets its value (fact 22)."""

    CONSTANT = 0
    EXPRESSION = 1
    EXPORT = 2
    BIND = 3


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: Par, other: Any) -> Any:
        return function(self._eval(), plain(other))

    return apply


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: Par, other: Any) -> Any:
        return function(plain(other), self._eval())

    return apply


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(self: Par) -> Any:
        return function(self._eval())

    return apply


def plain(value: Any) -> Any:
    """The value of a Par; anything else as it is."""
    return value._eval() if isinstance(value, Par) else value


def _style_is(*styles: str) -> Any:
    return property(lambda self: self._info.style in styles)


def _definition(attribute: str, convert: Callable[[Any], Any]) -> Any:
    """A part of a parameter's definition, settable on custom ones only (fact 25)."""

    def get(self: Par) -> Any:
        return getattr(self._info, attribute)

    def put(self: Par, value: Any) -> None:
        self._define(attribute, convert(value))

    return property(get, put)


class Par(Guarded):
    """One parameter. Every fetch makes a new object; it is invalid once its operator or any custom parameter
    of that operator was destroyed (fact 19)."""

    __slots__ = ("_generation", "_known", "_name", "_node")
    _node: Node
    _name: str
    _known: ParInfo | CustomInfo
    _generation: tuple[int, int]

    def __init__(self, node: Node, name: str, info: ParInfo | CustomInfo) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_known", info)
        object.__setattr__(self, "_generation", (node.id, node.par_generation))

    # -- inside ----------------------------------------------------------------------------------------------

    def _alive(self) -> bool:
        node = self._node
        if not node.alive or (node.id, node.par_generation) != self._generation:
            return False
        return node.par_info(self._name) is not None

    @property
    def _info(self) -> Any:
        if not self._alive():
            raise tdError("Invalid Par object: its operator or a parameter of it was destroyed.")
        return self._known

    @property
    def _state(self) -> ParState:
        if self._info is None:
            raise AssertionError
        return self._node.par(self._name)

    @property
    def _touched(self) -> ParState | None:
        if self._info is None:
            raise AssertionError
        return self._node.state(self._name)

    def _eval(self) -> Any:
        if self._info is None:
            raise AssertionError
        found = evaluation.value(self._node, self._name)
        return found.world.face(found) if isinstance(found, Node) else found

    def _define(self, attribute: str, value: Any) -> None:
        info = self._info
        if not isinstance(info, CustomInfo):
            raise tdError(f"Cannot set {attribute} of the built-in parameter {self._name}.")
        setattr(info, attribute, value)
        self._node.changed("pages")

    # -- value -----------------------------------------------------------------------------------------------

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
        state = self._touched
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
        if self._info.style in ("Pulse", "Momentary"):
            for hook in list(world.par_pulsed):
                hook(node, name)
            if node.alive:
                world.par_event(node, name, 0, "pulse")
                node.changed(f"pulse {name}")
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
            kept, "value", kept.value, value=evaluation.coerce(kept.info, source.value),
            mode=source.mode, expr=source.expr, bind=source.bind,
        )  # fmt: skip

    # -- definition ------------------------------------------------------------------------------------------

    name = property(lambda self: self._name if self._info is not None else "")
    owner = property(lambda self: self._node.world.face(self._node) if self._info is not None else None)
    valid = property(lambda self: self._alive())
    label = _definition("label", str)
    order = _definition("order", float)
    password = property(lambda self: getattr(self._info, "password", False))
    style = property(lambda self: self._info.style)
    vecIndex = property(lambda self: self._info.vec_index)
    isCustom = property(lambda self: isinstance(self._info, CustomInfo))
    isMenu = _style_is("Menu", "StrMenu")
    isToggle = _style_is("Toggle")
    isPulse = _style_is("Pulse")
    isMomentary = _style_is("Momentary")
    isInt = _style_is("Int")
    isFloat = _style_is(*(NUMBER_STYLES - {"Int"}))
    isNumber = _style_is(*NUMBER_STYLES)
    isOP = _style_is(*OP_STYLES)
    isPython = _style_is("Python")
    isSequence = _style_is("Sequence")
    isString = _style_is("Str", "StrMenu", "File", "FileSave", "Folder", "Header")

    @property
    def index(self) -> int:
        """Position among all parameters of the operator."""
        return self._node.par_names().index(self._name)

    @property
    def default(self) -> Any:
        """The default, which may differ from the value at creation (fact 28)."""
        if self._info.default is None:
            raise NotFaked(f"default of {self._node.type}.par.{self._name}")
        return self._info.default

    @default.setter
    def default(self, value: Any) -> None:
        # The value stays what it is.
        _ = self._state
        self._define("default", evaluation.coerce(self._info, value))

    @property
    def defaultMode(self) -> ParMode:
        return ParMode(getattr(self._info, "default_mode", 0))

    @defaultMode.setter
    def defaultMode(self, mode: ParMode) -> None:
        self._define("default_mode", mode.value)

    @property
    def defaultExpr(self) -> str:
        return getattr(self._info, "default_expr", "")

    @defaultExpr.setter
    def defaultExpr(self, text: str) -> None:
        self._define("default_expr", str(text))

    @property
    def defaultBindExpr(self) -> str:
        return getattr(self._info, "default_bind", "")

    @defaultBindExpr.setter
    def defaultBindExpr(self, text: str) -> None:
        self._define("default_bind", str(text))

    @property
    def isDefault(self) -> bool:
        """Whether the parameter is constant at its default."""
        state = self._touched
        if state is None:
            return bool(self._info.creation == self._info.default)
        return state.mode == 0 and bool(state.value == self._info.default)

    def _limit(self, which: int) -> float:
        if isinstance(self._info, CustomInfo):
            return self._info.max if which else self._info.min
        limit = self._info.clamp[which]
        if limit is None:
            raise NotFaked(
                f"{'max' if which else 'min'} of {self._node.type}.par.{self._name}, which does not clamp"
            )
        return float(limit)

    @property
    def min(self) -> float:
        """The lower limit; only established where `clampMin` is on."""
        return self._limit(0)

    @min.setter
    def min(self, value: float) -> None:
        self._define("min", value)

    @property
    def max(self) -> float:
        return self._limit(1)

    @max.setter
    def max(self, value: float) -> None:
        self._define("max", value)

    @property
    def clampMin(self) -> bool:
        return self._info.clamp[0] is not None

    @clampMin.setter
    def clampMin(self, on: bool) -> None:
        self._define("clamp_min", bool(on))

    @property
    def clampMax(self) -> bool:
        return self._info.clamp[1] is not None

    @clampMax.setter
    def clampMax(self, on: bool) -> None:
        self._define("clamp_max", bool(on))

    @property
    def normMin(self) -> float:
        """Lower end of the slider."""
        return float(self._info.norm[0])

    @normMin.setter
    def normMin(self, value: float) -> None:
        self._define("norm", (value, self._info.norm[1]))

    @property
    def normMax(self) -> float:
        return float(self._info.norm[1])

    @normMax.setter
    def normMax(self, value: float) -> None:
        self._define("norm", (self._info.norm[0], value))

    @property
    def menuNames(self) -> list[str]:
        return list(self._info.menu_names)

    @menuNames.setter
    def menuNames(self, names: Iterable[str]) -> None:
        words = tuple(str(n) for n in names)
        self._define("menu_names", words)
        if self._info.style == "Menu" and words:
            state = self._state
            if self._info.default not in words:
                self._define("default", words[0])
            if state.value not in words:
                evaluation.put(state, {"value": words[0]})

    @property
    def menuLabels(self) -> list[str]:
        return list(self._info.menu_labels)

    @menuLabels.setter
    def menuLabels(self, labels: Iterable[str]) -> None:
        self._define("menu_labels", tuple(str(n) for n in labels))

    @property
    def menuSource(self) -> str:
        return getattr(self._info, "menu_source", "")

    @menuSource.setter
    def menuSource(self, text: str) -> None:
        self._define("menu_source", str(text))

    @property
    def startSection(self) -> bool:
        return bool(getattr(self._info, "start_section", False))

    @startSection.setter
    def startSection(self, on: bool) -> None:
        self._define("start_section", bool(on))

    @property
    def help(self) -> str:
        if not isinstance(self._info, CustomInfo):
            raise NotFaked("Par.help of built-in parameters")
        return self._info.help

    @help.setter
    def help(self, text: str) -> None:
        self._define("help", str(text))

    @property
    def page(self) -> Page | None:
        from fakes.pages import Page

        page = self._info.page
        return Page(self._node, page) if page else None

    @page.setter
    def page(self, page: Any) -> None:
        name = page if isinstance(page, str) else page.name
        found = [p for p in custom_parameters.pages_of(self._node).pages if p.name == name]
        if not found:
            raise tdError(f"There is no custom page {name}.")
        self._define("page", found[0])

    @property
    def enable(self) -> bool:
        state = self._touched
        return state.enable if state else True

    @enable.setter
    def enable(self, on: bool) -> None:
        self._state.enable = bool(on)

    @property
    def enableExpr(self) -> str:
        state = self._touched
        return state.enable_expr if state else ""

    @enableExpr.setter
    def enableExpr(self, text: str) -> None:
        self._state.enable_expr = str(text)

    @property
    def readOnly(self) -> bool:
        """Whether the user may not edit it; scripts may (fact 24)."""
        state = self._touched
        return state.read_only if state else False

    @readOnly.setter
    def readOnly(self, on: bool) -> None:
        self._state.read_only = bool(on)

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
        source: Any = state.export[0].world.face(state.export[0])
        return source[state.export[1]]

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

    # -- as a value ------------------------------------------------------------------------------------------

    # Comparing compares values (fact 26); two fetches are never the same object.
    __eq__ = _binary(operator.eq)
    __ne__ = _binary(operator.ne)
    __lt__ = _binary(operator.lt)
    __le__ = _binary(operator.le)
    __gt__ = _binary(operator.gt)
    __ge__ = _binary(operator.ge)
    __add__ = _binary(operator.add)
    __radd__ = _swapped(operator.add)
    __sub__ = _binary(operator.sub)
    __rsub__ = _swapped(operator.sub)
    __mul__ = _binary(operator.mul)
    __rmul__ = _swapped(operator.mul)
    __truediv__ = _binary(operator.truediv)
    __rtruediv__ = _swapped(operator.truediv)
    __floordiv__ = _binary(operator.floordiv)
    __rfloordiv__ = _swapped(operator.floordiv)
    __mod__ = _binary(operator.mod)
    __rmod__ = _swapped(operator.mod)
    __pow__ = _binary(operator.pow)
    __rpow__ = _swapped(operator.pow)
    __neg__ = _unary(operator.neg)
    __pos__ = _unary(operator.pos)
    __abs__ = _unary(abs)
    __int__ = _unary(int)
    __float__ = _unary(float)
    __index__ = _unary(operator.index)
    __round__ = _unary(round)
    __bool__ = _unary(bool)

    def __hash__(self) -> int:
        raise NotFaked("hash(Par)")

    def __str__(self) -> str:
        return str(self._eval())

    def __repr__(self) -> str:
        if not self._alive():
            return "<invalid Par>"
        return f"type:Par name:{self._name} owner:{self._node.path} value:{self._eval()}"


class ParCollection(Guarded):
    """`n.par`: an unknown name as an attribute raises, as an item gives None (fact 21)."""

    __slots__ = ("_block", "_node")
    _node: Node
    _block: str

    def __init__(self, node: Node, block: str = "") -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_block", block)

    def _find(self, name: str) -> Par | None:
        if not self._node.alive:
            raise tdError("Cannot use an operator that was destroyed.")
        name = self._block + name
        info = self._node.par_info(name)
        return Par(self._node, name, info) if info is not None else None

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        par = self._find(name)
        if par is None:
            raise tdAttributeError(f"'td.ParCollection' object has no attribute '{name}'")
        return par

    def __setattr__(self, name: str, value: Any) -> None:
        par = self._find(name)
        if par is None:
            raise tdAttributeError(f"'td.ParCollection' object has no attribute '{name}'")
        evaluation.set_constant(par._state, value)

    def __getitem__(self, name: Any) -> Any:
        if not isinstance(name, str):
            raise NotFaked("ParCollection indexed by something other than a name")
        return self._find(name)

    def __setitem__(self, name: Any, value: Any) -> None:
        raise NotFaked("assigning to an item of a ParCollection")

    def __iter__(self) -> Any:
        raise NotFaked("iterating over a ParCollection")

    def __dir__(self) -> Iterable[str]:
        return [n for n in self._node.par_names() if n.startswith(self._block)]
