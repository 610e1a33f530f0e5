"""What an edit has touched: enough to know which code it may have changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: How code finds an operator: its name in a network, by the network's id; or, a word alone, a shortcut.
Name = str | tuple[int, str]

#: Attributes of an operator that only people look at.
_LOOKS = frozenset({"nodeX", "nodeY", "nodeWidth", "nodeHeight", "color", "viewer", "current", "selected"})
#: Parameters whose value is a name by which scripts find the operator.
_SHORTCUTS = ("opshortcut", "parentshortcut", "iop", "ext")


def in_network(operator: Any, *names: str) -> list[Name]:
    """Names in the network that an operator stands in."""
    home = operator.parent()
    return [(int(home.id), name) for name in names] if home is not None else []


def global_shortcut(comp: Any) -> str:
    """The word by which scripts anywhere find a COMP (`op.Name`); "" where it has none."""
    par = comp.par["opshortcut"]
    return str(par.val or "") if par is not None else ""


@dataclass
class Footprint:
    """Operators by id, those that are gone, names that came or went, and networks that were woken."""

    touched: dict[int, Any] = field(default_factory=dict)
    made: dict[int, Any] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    names: set[Name] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    """Paths of all of them: ids change by undo."""
    networks: set[str] = field(default_factory=set)
    """COMPs whose whole content may run now, or no longer."""
    shortcuts_lost: set[str] = field(default_factory=set)
    """Global shortcuts (`op.Name`) of COMPs that are destroyed."""
    foreign: bool = False
    """Whether code of the caller's own did something that nobody noted."""

    def touch(self, operator: Any, *names: str) -> None:
        """Note an operator whose parameters, text, wires or flags change, and the names it gets or loses."""
        self.touched[int(operator.id)] = operator
        self.paths.add(str(operator.path))
        self.names.update(in_network(operator, *names))

    def attribute(self, operator: Any, name: str) -> None:
        """Note an attribute that is about to be set."""
        if name in _LOOKS:
            return
        self.touch(operator)
        if name == "allowCooking":
            self.networks.add(str(operator.path))

    def parameter(self, par: Any) -> None:
        """Note a parameter that is about to be written."""
        name = str(par.name)
        self.touch(par.owner)
        if name.startswith(_SHORTCUTS):
            self.shortcuts(par.owner)

    def shortcuts(self, operator: Any) -> None:
        """Note the names by which scripts find a COMP."""
        for par in (*operator.pars("*shortcut"), *operator.pars("ext*name")):
            self.names.update({str(par.val or "")} - {""})

    def create(self, operator: Any) -> None:
        """Note an operator that was made."""
        self.made[int(operator.id)] = operator
        self.touch(operator, str(operator.name))

    def replace(self, operator: Any) -> None:
        """Note an operator in whose place another one will be, with the same path."""
        self.gone.add(int(operator.id))
        self.names.update(in_network(operator, str(operator.name)))
        self.paths.add(str(operator.path))

    def destroy(self, operator: Any) -> None:
        """Note an operator that is about to be destroyed, with all it holds."""
        for each in (operator, *(operator.findChildren() if operator.isCOMP else ())):
            self.gone.add(int(each.id))
            if each.isCOMP:
                self.shortcuts(each)
                if shortcut := global_shortcut(each):
                    self.shortcuts_lost.add(shortcut)
        self.names.update(in_network(operator, str(operator.name)))
        self.paths.add(str(operator.path))

    def add(self, other: Footprint) -> None:
        """Take in what another edit has touched."""
        self.touched |= other.touched
        self.made |= other.made
        self.gone |= other.gone
        self.names |= other.names
        self.paths |= other.paths
        self.networks |= other.networks
        self.shortcuts_lost |= other.shortcuts_lost
        self.foreign |= other.foreign

    def __bool__(self) -> bool:
        return bool(self.touched or self.gone or self.names or self.networks or self.foreign)
