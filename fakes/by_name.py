"""What belongs to an operator and is reached by name: `n.par`, `n.parGroup`, `n.seq`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.operators import OP


class ByName(Guarded):
    """An unknown name as an attribute raises, as an item gives None (fact 21). `block` stands before every name."""

    __slots__ = ("_block", "_node")
    _speaks_as = "Collection"
    _node: Node
    _block: str

    def __init__(self, node: Node, block: str = "") -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_block", block)

    def _member(self, name: str) -> Any:
        """The member of that whole name, or None."""
        raise NotImplementedError

    def _find(self, name: str) -> Any:
        if not self._node.alive:
            raise tdError("Cannot use an operator that was destroyed.")
        return self._member(self._block + name)

    def _required(self, name: str) -> Any:
        found = self._find(name)
        if found is None:
            raise tdAttributeError(f"'td.{self._td_name()}' object has no attribute '{name}'")
        return found

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._required(name)

    def __getitem__(self, name: Any) -> Any:
        from fakes.parameters import Par

        if isinstance(name, Par):
            name = name.name  # fact 72
        if not isinstance(name, str):
            raise NotFaked(f"{self._td_name()} indexed by something other than a name")
        return self._find(name)

    def __iter__(self) -> Any:
        raise NotFaked(f"iterating over a {self._td_name()}")
