"""Pressing Pulse parameters, and those whose expression names one that was pressed (fact 78)."""

from __future__ import annotations

from fakes import evaluation
from fakes.nodes import Mode, Node

_BUTTONS = ("Pulse", "Momentary")


def press(node: Node, name: str, pressed: frozenset[tuple[int, str]] = frozenset()) -> None:
    """Press a parameter: what its operator does, what listens, and every pulse whose expression is this parameter."""
    world = node.world
    if (node.id, name) in pressed:
        return
    for hook in list(world.par_pulsed):
        hook(node, name)
    if not node.alive:
        return
    world.par_event(node, name, 0, "pulse")
    node.changed(f"pulse {name}")
    for other, follower in sorted(world.pulse_expressions, key=lambda each: (each[0].id, each[1])):
        if not _follows(other, follower):
            world.pulse_expressions.discard((other, follower))
        elif _names(other, follower, node, name):
            press(other, follower, pressed | {(node.id, name)})


def note(node: Node) -> None:
    """Remember the parameters of an operator that came to be which may follow another one's pulse."""
    for name in node.states or ():
        if _follows(node, name):
            node.world.pulse_expressions.add((node, name))


def _follows(node: Node, name: str) -> bool:
    state = (node.states or {}).get(name)
    return bool(node.alive and state and state.info.style in _BUTTONS and state.mode == Mode.EXPRESSION)


def _names(node: Node, name: str, source: Node, pressed: str) -> bool:
    """Whether the expression is the parameter that was pressed."""
    from fakes.parameters import Par

    state = node.par(name)
    try:
        found = evaluation.run(state, state.expr)
    except Exception:  # noqa: BLE001  Expressions raise anything; a broken one names nothing.
        return False
    return isinstance(found, Par) and found._node is source and found._name == pressed
