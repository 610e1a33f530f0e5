"""Who runs what a DAT holds: callbacks, extensions, operators that evaluate it, and exports of expressions.

What TouchDesigner offers no way to ask: looked for where such references are, near the DAT, and bounded. An expression
or a script elsewhere that runs a DAT by its path is not seen; that no code comes into any text is what closes that way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.telling import told

#: Parameters that name the DAT whose functions TouchDesigner calls.
CALLBACKS = ("callbacks", "callback", "dragdropcallbacks", "dragscript", "dropscript", "dropdestscript")

#: How scripts run a DAT they name; reading its text or its cells, which is common, is none of them.
_RUNNING = re.compile(r"\bimport\b|\bmod\b|\.module\b|\.run\b|\b(?:exec|eval)\b")
_RUNS = (
    r"\bimport\s+{name}\b|\bfrom\s+{name}\s+import\b|\bmod(?:\.|\(['\"])(?:[\w./]*[./])?{name}\b"
    r"|\b{name}['\"]\)\.(?:module|run)\b|\b(?:exec|eval)\([^\n]*\b{name}\b"
)

_MOST_SIBLINGS = 500
_MOST_READERS = 50


class Users:
    """Looked up once a network, for the length of one call."""

    def __init__(self) -> None:
        self._known: dict[str, list[Any]] = {}
        self._scripts: dict[str, list[tuple[str, str]]] = {}

    def of(self, operator: Any) -> set[str]:
        """Paths of operators outside `operator` that run it (a DAT) or something in it (a COMP)."""
        found = set()
        for par in self._references(operator):
            owner = par.owner
            outside = owner.valid and not inside(owner.path, operator.path)
            if outside and any(inside(each.path, operator.path) for each in _meant(par)):
                found.add(str(owner.path))
        if operator.isDAT:
            found |= {str(comp.path) for comp in _above(operator) if _names(extension(comp), operator)}
            found |= {path for path, text in self._near(operator) if _runs(text, operator)}
        return found

    def _near(self, dat: Any) -> Iterator[tuple[str, str]]:
        """The scripts in the networks around a DAT that run others by name, and their texts."""
        for comp in _above(dat):
            if comp.path not in self._scripts:
                texts = [
                    (str(each.path), str(each.text))
                    for each in comp.children[:_MOST_SIBLINGS]
                    if each.isDAT and each.isEditable and each.isText
                ]
                self._scripts[comp.path] = [(path, text) for path, text in texts if _RUNNING.search(text)]
            yield from self._scripts[comp.path]

    def _references(self, operator: Any) -> Iterator[Any]:
        """Parameters near an operator that may name it: on its host, its siblings, and so on outwards."""
        if operator.dock is not None:
            yield from _of(operator.dock)
        for comp in _above(operator):
            if comp.path not in self._known:
                each = [par for child in (comp, *comp.children[:_MOST_SIBLINGS]) for par in _of(child)]
                self._known[comp.path] = each
            yield from self._known[comp.path]


#: Which of them operators of a type have: asked once a type, since networks have hundreds of operators of few types.
_of_type: dict[str, tuple[str, ...]] = {}


def _of(operator: Any) -> list[Any]:
    kind = op_type(operator)
    if kind not in _of_type:
        names = ("dat", "datexpr") if kind == "evaluateDAT" else CALLBACKS
        _of_type[kind] = tuple(name for name in names if operator.par[name] is not None)
    return [operator.par[name] for name in _of_type[kind]]


def _meant(par: Any) -> list[Any]:
    """The operators that a parameter names; one that only holds their names as text is read from where it stands."""
    # An expression of the project's own that fails, or a text that is no path, names nothing.
    if par.isOP:
        return list(told(par.evalOPs) or ())
    owner, text = par.owner, str(told(par.eval) or "")
    place = owner.parent()
    if not text:
        return []
    homes = (owner, place) if place is not None else (owner,)
    return [each for home in homes for each in _named(home, text)]


def _named(home: Any, text: str) -> list[Any]:
    return list(told(lambda: home.ops(text)) or ())


def _above(operator: Any) -> Iterator[Any]:
    comp = operator.parent()
    while comp is not None:
        yield comp
        comp = comp.parent()


def _runs(script: str, dat: Any) -> bool:
    name = re.escape(dat.name)
    return re.search(_RUNS.format(name=name), script) is not None


def _names(expressions: str, dat: Any) -> bool:
    return re.search(rf"\b{re.escape(dat.name)}\b", expressions) is not None


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
