"""Calling scripts' functions for an operator, also from within another script."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fakes.problems import script_error

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World


def call(world: World, node: Node, function: Callable[..., Any], *args: Any) -> Any:
    """Call `function` with `me` being `node`; an exception becomes a script error of the operator, and None.

    A callback within a callback (an extension built because a script asked for it, onProjectPreSave) leaves the outer
    one's undo block open: a block ends when the callback that opened it returns (fact 35).
    """
    if world.me is None:
        return world.callback(node, function, *args)
    try:
        with world.context(node):
            return function(*args)
    except Exception as problem:  # noqa: BLE001  Scripts raise anything.
        script_error(node, problem)
        return None
