"""`ParGroup`: a vector parameter as one; single parameters are groups of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fakes import custom as custom_parameters
from fakes import paths
from fakes.by_name import ByName
from fakes.custom import CustomInfo
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.parameters import Par
from fakes.sequences import unmade

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.pages import Page


def members(node: Node, group: str) -> tuple[str, ...]:
    """The names of a group's parameters in vector order; empty if there is no such group."""
    if node.custom is not None:
        infos = [i for i in node.custom.pars.values() if i.group == group]
        if infos:
            return tuple(i.name for i in sorted(infos, key=lambda i: i.vec_index))
    if group in node.info.groups:
        return node.info.groups[group]
    found = [
        (i.vec_index, n) for n in node.par_names() if (i := node.par_info(n)) and (i.group or n) == group
    ]
    return tuple(n for _, n in sorted(found))


def _each(attribute: str) -> Any:
    """An attribute of every member as a tuple; setting takes a tuple, or one value for all."""

    def get(self: ParGroup) -> tuple[Any, ...]:
        return tuple(getattr(p, attribute) for p in self._pars())

    def put(self: ParGroup, value: Any) -> None:
        pars = self._pars()
        values = list(value) if isinstance(value, (tuple, list)) else [value] * len(pars)
        if len(values) > len(pars):
            raise tdError(f"{self._name} has {len(pars)} parameters, not {len(values)}.")
        for par, one in zip(pars, values, strict=False):
            setattr(par, attribute, one)

    return property(get, put)


def _first(attribute: str, *, settable: bool = False) -> Any:
    """An attribute that the members share."""

    def get(self: ParGroup) -> Any:
        return getattr(self._pars()[0], attribute)

    def put(self: ParGroup, value: Any) -> None:
        for par in self._pars():
            setattr(par, attribute, value)

    return property(get, put if settable else None)


class ParGroup(Guarded):
    """All members of one parameter; values are tuples."""

    __slots__ = ("_generation", "_name", "_node")
    _node: Node
    _name: str
    _generation: tuple[int, int]

    def __init__(self, node: Node, name: str) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_generation", (node.id, node.par_generation))

    def _valid(self) -> bool:
        node = self._node
        return node.alive and (node.id, node.par_generation) == self._generation

    def _pars(self) -> list[Par]:
        if not self._valid():
            raise tdError("Invalid ParGroup object: its operator or a parameter of it was destroyed.")
        found = [(n, self._node.par_info(n)) for n in members(self._node, self._name)]
        return [Par(self._node, n, i) for n, i in found if i is not None]

    name = property(lambda self: self._name if self._pars() else "")
    baseName = property(lambda self: self._name if self._pars() else "")
    valid = property(lambda self: self._valid())
    size = property(lambda self: len(self._pars()))
    val = _each("val")
    expr = _each("expr")
    bindExpr = _each("bindExpr")
    mode = _each("mode")
    default = _each("default")
    defaultExpr = _each("defaultExpr")
    defaultMode = _each("defaultMode")
    min = _each("min")
    max = _each("max")
    clampMin = _each("clampMin")
    clampMax = _each("clampMax")
    normMin = _each("normMin")
    normMax = _each("normMax")
    normVal = _each("normVal")
    menuIndex = _each("menuIndex")
    prevMode = _each("prevMode")
    bindMaster = _each("bindMaster")
    exportOP = _each("exportOP")
    owner = _first("owner")
    style = _first("style")
    page = _first("page", settable=True)
    label = _first("label", settable=True)
    order = _first("order", settable=True)
    enable = _first("enable", settable=True)
    enableExpr = _first("enableExpr", settable=True)
    readOnly = _first("readOnly", settable=True)
    startSection = _first("startSection", settable=True)
    help = _first("help", settable=True)
    isCustom = _first("isCustom")
    isMenu = _first("isMenu")
    isToggle = _first("isToggle")
    isPulse = _first("isPulse")
    isMomentary = _first("isMomentary")
    isInt = _first("isInt")
    isFloat = _first("isFloat")
    isNumber = _first("isNumber")
    isOP = _first("isOP")
    isPython = _first("isPython")
    isSequence = _first("isSequence")
    isString = _first("isString")
    sequence = _first("sequence")
    sequenceBlock = _first("sequenceBlock")

    @property
    def menuNames(self) -> tuple[list[str], ...]:
        return tuple(p.menuNames for p in self._pars())

    @menuNames.setter
    def menuNames(self, names: Iterable[str]) -> None:
        for par in self._pars():
            par.menuNames = names

    @property
    def menuLabels(self) -> tuple[list[str], ...]:
        return tuple(p.menuLabels for p in self._pars())

    @menuLabels.setter
    def menuLabels(self, labels: Iterable[str]) -> None:
        for par in self._pars():
            par.menuLabels = labels

    @property
    def isDefault(self) -> bool:
        return all(p.isDefault for p in self._pars())

    @property
    def suffixes(self) -> list[str]:
        """What the members' names add to the group's."""
        return [p._name.removeprefix(self._name) for p in self._pars()]

    def eval(self) -> tuple[Any, ...]:
        return tuple(p._eval() for p in self._pars())

    def evalExpression(self) -> tuple[Any, ...]:
        return tuple(p.evalExpression() for p in self._pars())

    def evalNorm(self) -> tuple[float, ...]:
        return tuple(p.evalNorm() for p in self._pars())

    def evalOPs(self) -> tuple[list[OP], ...]:
        return tuple(p.evalOPs() for p in self._pars())

    def pars(self, pattern: str = "*") -> list[Par]:
        """The members whose names match."""
        return [p for p in self._pars() if paths.match_any(pattern, p._name)]

    def reset(self) -> bool:
        # All of them, not only up to the first that changes.
        return sum(p.reset() for p in self._pars()) > 0

    def copy(self, parGroup: ParGroup) -> None:
        for mine, other in zip(self._pars(), parGroup._pars(), strict=False):
            mine.copy(other)

    def pulse(self, value: Any = 1, frames: int = 0, seconds: float = 0) -> None:
        """Press a Pulse parameter."""
        pars = self._pars()
        if len(pars) != 1 or not pars[0].isPulse:
            raise tdAttributeError("'td.ParGroup' object has no attribute 'pulse'")
        pars[0].pulse(value, frames, seconds)

    def destroy(self) -> None:
        """Remove a custom parameter with all its members."""
        pars = self._pars()
        if not isinstance(pars[0]._info, CustomInfo):
            raise tdError(f"Cannot destroy the built-in parameter {self._name}.")
        custom_parameters.destroy_group(self._node, self._name)

    def isSameParGroup(self, parGroup: ParGroup) -> bool:
        return self._node is parGroup._node and self._name == parGroup._name

    def __len__(self) -> int:
        return len(self._pars())

    def __getitem__(self, index: Any) -> Any:
        return self._pars()[index]

    def __iter__(self) -> Iterator[Par]:
        return iter(self._pars())

    def __eq__(self, other: object) -> bool:
        return self.eval() == (other.eval() if isinstance(other, ParGroup) else other)

    def __bool__(self) -> bool:
        raise TypeError("a ParGroup has no truth value")  # fact 26

    def __hash__(self) -> int:
        raise NotFaked("hash(ParGroup)")

    def __repr__(self) -> str:
        return f"type:ParGroup name:{self._name} owner:{self._node.path}"


class ParGroupCollection(ByName):
    """`n.parGroup`."""

    __slots__ = ()
    _speaks_as = ""

    def _member(self, name: str) -> ParGroup | None:
        found = members(self._node, name)
        return ParGroup(self._node, name) if found and not unmade(self._node, found[0]) else None

    def __setattr__(self, name: str, value: Any) -> None:
        self._required(name).val = value


def page_of(group: ParGroup) -> Page | None:
    """The page a group is on."""
    page: Page | None = group._pars()[0].page
    return page
