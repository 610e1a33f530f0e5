"""How a parameter is defined: style, label, page, default, range, menu. Settable on custom ones only (fact 25)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fakes import coercion, evaluation
from fakes import custom as custom_parameters
from fakes.catalogue import NUMBER_STYLES, OP_STYLES
from fakes.custom import CustomInfo
from fakes.errors import NotFaked, tdError
from fakes.par_core import HeldPar, ParMode

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.pages import Page


def _style_is(*styles: str) -> Any:
    return property(lambda self: self._info.style in styles)


def _definition(attribute: str, convert: Callable[[Any], Any]) -> Any:
    """A part of a parameter's definition, settable on custom ones only (fact 25)."""

    def get(self: HeldPar) -> Any:
        return getattr(self._info, attribute)

    def put(self: HeldPar, value: Any) -> None:
        self._define(attribute, convert(value))

    return property(get, put)


class Defined(HeldPar):
    """The definition of a parameter."""

    __slots__ = ()

    @property
    def name(self) -> str:
        self._check()
        return self._name

    @property
    def owner(self) -> OP:
        self._check()
        return self._node.world.face(self._node)

    @property
    def valid(self) -> bool:
        """Whether the object still stands for a parameter."""
        return self._alive()

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
        self._define("default", coercion.coerce(self._info, value))

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
        if not self._alive():
            self._check()
        states, info = self._node.states, self._known
        state = states.get(self._name) if states else None
        if state is None:
            return bool(info.creation == info.default)
        return state.mode == 0 and bool(state.value == info.default)

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
