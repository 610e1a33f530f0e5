"""CHOPs that export: their channels drive parameters, which are in mode EXPORT meanwhile (fact 22).

Faked for the export method "Channel Name is Path:Parameter"; the others go through tables and are not.
"""

from __future__ import annotations

from typing import Any

from fakes import evaluation, paths
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.nodes import Node, ParState
from fakes.operators import extends, flag


@extends("CHOP")
class Exporting(Guarded):
    """The export flag of a CHOP."""

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


def refresh(node: Node) -> None:
    """Make the parameters that a CHOP's channels name be driven by it, and let go of others.

    Raises:
        NotFaked: another export method.
    """
    wanted: dict[tuple[Node, str], str] = {}
    if node.flag("export"):
        if node.value("exportmethod") != "autoname":
            raise NotFaked(f"export method {node.value('exportmethod')}")
        roots = node.nodes("autoexportroot")
        face: Any = node.world.face(node)
        for channel in (c.name for c in face.chans()):
            path, _, par = channel.rpartition(":")
            for target in paths.walk(roots[0], path) if roots and path else []:
                if target.par_info(par) is not None:
                    wanted[target, par] = channel
    for state in driven_by(node):
        if (state.node, state.name) not in wanted:
            evaluation.set_export(state, None)
    for (target, par), channel in wanted.items():
        state = target.par(par)
        if state.export != (node, channel):
            evaluation.set_export(state, node, channel)
