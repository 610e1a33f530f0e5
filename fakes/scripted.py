"""Script operators: DAT, CHOP and TOP whose data a callback makes while they cook."""

from __future__ import annotations

from typing import Any

from fakes.calls import call
from fakes.errors import NotFaked, tdError
from fakes.nodes import Node


def run_on_cook(node: Node) -> None:
    """Call `onCook(scriptOp)` of the DAT named in `callbacks`; what it raises is a script error of the operator."""
    callbacks = node.value("callbacks")
    if not isinstance(callbacks, Node):
        return
    face: Any = node.world.face(callbacks)
    on_cook = getattr(face.module, "onCook", None)
    if on_cook is not None:
        call(node.world, node, on_cook, node.world.face(node))


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
