"""What drives parameters by export, what a DAT feeds over wires, and the expressions that make extensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

_MOST_READERS = 50


def readers(operator: Any) -> list[Any]:
    """Operators of the same family fed by this one over wires, nearest first, bounded; not itself."""
    found: list[Any] = []
    waiting = [operator]
    seen = {operator.path}
    while waiting and len(found) < _MOST_READERS:
        for connector in waiting.pop(0).outputConnectors:
            for other in connector.connections:
                if other.owner.path not in seen and other.owner.family == operator.family:
                    seen.add(other.owner.path)
                    found.append(other.owner)
                    waiting.append(other.owner)
    return found


def extension(operator: Any) -> str:
    """The expressions that make a COMP's extensions, as text."""
    if not operator.isCOMP:
        return ""
    return "\n".join(f"{par.val}\n{par.expr}" for par in operator.pars("ext*object") if par.val or par.expr)


def exported(operator: Any) -> Iterator[tuple[Any, str, str]]:
    """What a CHOP or a DAT drives by its export flag: operator, parameter, and a DAT's text for it.

    A CHOP's channels do by their names, with `:` or `/` before the parameter; a DAT's rows by their columns.
    """
    if operator.isCHOP:
        roots = operator.par.autoexportroot.evalOPs()
        names = [str(channel.name) for channel in operator.chans()]
        for path, _, par in (name.replace(":", "/").rpartition("/") for name in names):
            yield from ((target, par, "") for target in (roots[0].ops(path) if roots and path else ()))
    elif operator.isDAT:
        for row in range(1, operator.numRows):
            cells = [operator[row, name] for name in ("path", "parameter", "value")]
            if None not in cells:
                path, par, value = (str(cell.val) for cell in cells)
                yield from ((target, par, value) for target in operator.parent().ops(path))


def exporting(operators: Iterable[Any]) -> Iterator[Any]:
    """Those of `operators`, and of what they feed, that export."""
    for operator in operators:
        if operator.isCHOP or operator.isDAT:
            yield from (each for each in (operator, *readers(operator)) if each.export)


def inside(path: str, top: str) -> bool:
    """Whether a path is `top` or below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")
