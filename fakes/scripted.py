"""Script operators: DAT, CHOP and TOP whose data a callback makes while they cook."""

from __future__ import annotations

from typing import Any

from fakes.calls import call
from fakes.custom import SCRIPTED
from fakes.errors import NotFaked, tdError
from fakes.nodes import Node


def run_on_cook(node: Node) -> None:
    """Call `onCook(scriptOp)` of the DAT named in `callbacks`; what it raises is a script error of the operator."""
    _run(node, "onCook")


def pulsed(node: Node, name: str) -> None:
    """`setuppars` calls `onSetupParameters(scriptOp)`, where scripts make their custom parameters."""
    if name == "setuppars" and node.type in SCRIPTED:
        _run(node, "onSetupParameters")


def _run(node: Node, name: str) -> None:
    callbacks = node.value("callbacks")
    if not isinstance(callbacks, Node):
        return
    face: Any = node.world.face(callbacks)
    function = getattr(face.module, name, None)
    if function is not None:
        call(node.world, node, function, node.world.face(node))


def only_while_cooking(node: Node, what: str) -> None:
    """Refuse outside onCook (fact 41).

    Raises:
        tdError: the operator is not cooking.
        NotFaked: `modoutsidecook` is on.
    """
    if node.cooking:
        return
    if node.par_info("modoutsidecook") is not None and node.value("modoutsidecook"):
        raise NotFaked(f"{what} outside onCook with Modify Outside of Cook")
    raise tdError(f"{what} can only be called inside onCook.")
