"""What undo, redo and code take away: operators and custom parameters that had a name before and have it no more.

In a small project all operators are looked at; in a large one those that are known to be concerned.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any, NamedTuple

from tdmcp_embedded.touchdesigner import census
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.footprint import global_shortcut


class Gone(NamedTuple):
    """Names that lead nowhere now."""

    operators: dict[str, str]
    """Old path of each, and its new one ("" where it is deleted), without what was inside of another one."""
    parameters: dict[str, set[str]]
    """Names of custom parameters, by the path of their component as it is now."""
    shortcuts: set[str]
    """Global shortcuts (`op.Name`) of components that had one, which may be there again."""


class Names:
    """The names there are at this moment. Main thread, one step.

    Args:
        concerned: paths of what is looked at in a large project.
        components: whether only these are looked at, for whoever knows of the other operators: they are few.
    """

    def __init__(self, td: ModuleType, concerned: Iterable[str] = (), components: bool = False) -> None:
        self._td = td
        if not census.is_small(td):
            found = [each for path in sorted(set(concerned)) if (each := find(td, path)) is not None]
        elif components:
            found = census.components(td)
        else:
            found = census.everything(td)
        self._held: list[tuple[Any, str, frozenset[str]]] = []
        self._shortcuts: set[str] = set()
        for operator in found:
            if not operator.isCOMP:
                self._held.append((operator, str(operator.path), frozenset()))
                continue
            self._held.append((operator, str(operator.path), _custom(operator)))
            if shortcut := global_shortcut(operator):
                self._shortcuts.add(shortcut)
        # A path comes before those below it.
        self._held.sort(key=lambda each: each[1])

    def gone(self) -> Gone:
        """What had a name then and has it no more."""
        operators: dict[str, str] = {}
        parameters: dict[str, set[str]] = {}
        for operator, path, names in self._held:
            now = operator if operator.valid else find(self._td, path)
            at = str(now.path) if now is not None else ""
            if at != path and not _inside(path, operators):
                operators[path] = at
            if now is not None and names and (lost := names - _custom(now)):
                parameters[at] = set(lost)
        return Gone(operators, parameters, self._shortcuts)


def _custom(operator: Any) -> frozenset[str]:
    if not operator.isCOMP or not (pars := operator.customPars):
        return frozenset()
    groups = {str(group.name) for group in operator.customParGroups}
    return frozenset(groups | {str(par.name) for par in pars})


def _inside(path: str, tops: dict[str, str]) -> bool:
    while path and path not in tops:
        path = path.rpartition("/")[0]
    return bool(path)
