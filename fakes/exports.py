"""CHOPs and DATs that export: they drive parameters, which are in mode EXPORT meanwhile (fact 22).

A CHOP's channels do by their names (export method "Channel Name is Path:Parameter"); the methods that go through a
table beside the CHOP are not faked. A DAT's rows do by the columns `path`, `parameter`, `value` and, if there is one,
`enable` (Derivative's page on DAT Export).
"""

from __future__ import annotations

from typing import Any

from fakes import evaluation, paths
from fakes.catalogue import NUMBER_STYLES
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.nodes import Node, ParState
from fakes.operators import extends, flag

#: What one export is: the parameter it drives, and the channel's name or the row's number.
Wanted = dict[tuple[Node, str], str | int]

_FAMILIES = ("CHOP", "DAT")


@extends(*_FAMILIES)
class Exporting(Guarded):
    """The export flag of a CHOP or a DAT."""

    __slots__ = ()

    export = flag("export")


def driven_by(node: Node) -> list[ParState]:
    """The parameters that an operator exports to now."""
    return [
        state
        for other in node.world.nodes.values()
        for state in (other.states or {}).values()
        if state.export is not None and state.export[0] is node
    ]


def may_export(node: Node) -> bool:
    """Whether what the operator exports is to be looked at again when it has changed."""
    return node.info.family in _FAMILIES and node.flag("export")


def refresh(node: Node) -> None:
    """Make the parameters that a CHOP's channels or a DAT's rows name be driven by it, and let go of others.

    Raises:
        NotFaked: another export method.
    """
    wanted: Wanted = {}
    if node.flag("export"):
        wanted = _by_channel(node) if node.family == "CHOP" else _by_row(node)
    for state in driven_by(node):
        if (state.node, state.name) not in wanted:
            evaluation.set_export(state, None)
    for (target, par), source in wanted.items():
        state = target.par(par)
        if state.export != (node, source):
            evaluation.set_export(state, node, source)


def source_of(node: Node, what: str | int) -> Any:
    """The channel or the cell that drives a parameter, as scripts see it (`Par.exportSource`)."""
    face: Any = node.world.face(node)
    return face[what, "value"] if isinstance(what, int) else face[what]


def value_of(state: ParState) -> Any:
    """What drives a parameter, in the words of its source; the parameter depends on it.

    Raises:
        NotFaked: an exported text for a number: TouchDesigner takes it for an expression, in a scope nobody describes.
    """
    assert state.export is not None
    found = source_of(*state.export)
    if state.export[0].family == "CHOP":
        return found.eval()
    text = str(found)
    if state.info.style in NUMBER_STYLES:
        try:
            return float(text)
        except ValueError:
            raise NotFaked(f"exporting {text!r} to the number {state.name}") from None
    return text


def _by_channel(node: Node) -> Wanted:
    if node.value("exportmethod") != "autoname":
        raise NotFaked(f"export method {node.value('exportmethod')}")
    roots = node.nodes("autoexportroot")
    face: Any = node.world.face(node)
    wanted: Wanted = {}
    for channel in (c.name for c in face.chans()):
        # Both ':' and '/' part the operator from the parameter.
        path, _, par = channel.replace(":", "/").rpartition("/")
        for target in paths.walk(roots[0], path) if roots and path else []:
            if target.par_info(par) is not None:
                wanted[target, par] = channel
    return wanted


def _by_row(node: Node) -> Wanted:
    face: Any = node.world.face(node)
    wanted: Wanted = {}
    for row in range(1, face.numRows):
        path, par, value, enable = (face[row, name] for name in ("path", "parameter", "value", "enable"))
        if path is None or par is None or value is None or (enable is not None and str(enable) == "0"):
            continue
        for target in paths.several(node, str(path)):
            if target.par_info(str(par)) is not None:
                wanted[target, str(par)] = row
    return wanted
