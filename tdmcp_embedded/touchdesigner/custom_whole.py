"""Everything custom about an operator at one moment, so that undo and redo can bring it back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from tdmcp_embedded.touchdesigner import customs, undo


class Whole:
    """All custom pages of an operator, their parameters with every attribute, and what those hold."""

    def __init__(self, operator: Any) -> None:
        self.homes = [str(page.name) for page in operator.customPages]
        """Names of the pages, in order."""
        self._kinds: dict[str, tuple[str, str, int]] = {}
        """Page, style and size of each parameter (whole vector)."""
        self._attributes: dict[str, tuple[str, dict[str, Any]]] = {}
        """Page and attributes of each parameter."""
        self._states: dict[str, undo.ParameterState] = {}
        for group in operator.customParGroups:
            pars = list(group)
            home = str(pars[0].page.name)
            self._kinds[str(group.name)] = home, customs.style(pars), len(pars)
            for par in pars:
                name = str(par.name)
                self._attributes[name] = home, {each: getattr(par, each) for each in _attributes(par)}
                self._states[name] = undo.ParameterState(par)

    def differs(self, other: Whole) -> bool:
        """Whether pages or definitions are others; values do not count."""
        return (
            self.homes != other.homes or self._attributes != other._attributes or self._kinds != other._kinds
        )

    def strangers(self, other: Whole) -> list[str]:
        """Parameters (whole vectors) of `other` that are not here, or are of another style or size."""
        mine = {name: kind[1:] for name, kind in self._kinds.items()}
        return [name for name, kind in other._kinds.items() if mine.get(name) != kind[1:]]

    def missing(self, operator: Any) -> list[dict[str, Any]]:
        """Pages with the parameters that the operator lacks, as far as it takes to make them."""
        there = {str(group.name) for group in operator.customParGroups}
        pages: dict[str, list[dict[str, Any]]] = {home: [] for home in self.homes}
        for name, (home, style, size) in self._kinds.items():
            if name not in there:
                sized = {"size": size} if style in ("Float", "Int") else {}
                pages[home].append({"name": name, "style": style} | sized)
        return [{"name": home, "parameters": parameters} for home, parameters in pages.items()]

    def mend(self, operator: Any) -> None:
        """Give the parameters that are there their page and every attribute, one by one; the pages must be there."""
        pages = {str(page.name): page for page in operator.customPages}
        for par in operator.customPars:
            home, wanted = self._attributes.get(str(par.name), ("", {}))
            if home not in pages or list(wanted) != _attributes(par):
                continue
            if str(par.page.name) != home:
                par.page = pages[home]
            for name, value in wanted.items():
                if getattr(par, name) != value:
                    setattr(par, name, value)

    def fill(self, operator: Any) -> None:
        """Give the parameters their values, expressions and binds."""
        for par in operator.customPars:
            state = self._states.get(str(par.name))
            if state is not None and undo.ParameterState(par) != state:
                # A value that cannot be put back must not keep the others from it.
                with suppress(Exception):
                    state.write(par)


def _attributes(par: Any) -> list[str]:
    """The parts of a custom parameter's definition that its style has."""
    names = ["label", "order", "readOnly", "startSection", "enableExpr", "help"]
    if par.isMenu:
        names += ["menuNames", "menuLabels", "menuSource"]
    elif par.isNumber and not par.isToggle:
        names += ["min", "max", "clampMin", "clampMax", "normMin", "normMax"]
    if not (par.isPulse or par.isMomentary or par.isSequence):
        names.append("default")
    return names
