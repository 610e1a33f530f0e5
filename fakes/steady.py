"""Parameter values that something asks for in every frame.

TouchDesigner reads its own operators' toggles at no cost worth mentioning. Here each reading is an evaluation, and a
frame has hundreds of them: what is a plain constant is therefore kept until somebody changes something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.nodes import Mode

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World


class Steady:
    """Reads parameters as `Node.value` does."""

    def __init__(self, world: World) -> None:
        self._engine = world.cooking
        self._revision = -1
        self._kept: dict[tuple[int, str], Any] = {}

    def value(self, node: Node, name: str) -> Any:
        """The parameter's value now.

        Raises:
            as `Node.value`.
        """
        if self._engine.noting:
            return node.value(name)  # Whoever is evaluating now depends on it.
        if self._engine.revision != self._revision:
            self._kept.clear()
            self._revision = self._engine.revision
        key = (node.id, name)
        if key in self._kept:
            return self._kept[key]
        value = node.value(name)
        state = node.state(name)
        if state is None or state.mode == Mode.CONSTANT:
            self._kept[key] = value
        return value
