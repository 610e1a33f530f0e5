"""`ParCollection`: all parameters of an operator, by name (fact 21)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fakes import evaluation
from fakes.errors import NotFaked, tdAttributeError, tdError
from fakes.guard import Guarded
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.parameters import Par


class ParCollection(Guarded):
    """`n.par`: an unknown name as an attribute raises, as an item gives None (fact 21)."""

    __slots__ = ("_block", "_node")
    _node: Node
    _block: str

    def __init__(self, node: Node, block: str = "") -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_block", block)

    def _find(self, name: str) -> Par | None:
        if not self._node.alive:
            raise tdError("Cannot use an operator that was destroyed.")
        name = self._block + name
        from fakes.parameters import Par

        info = self._node.par_info(name)
        return Par(self._node, name, info) if info is not None else None

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        par = self._find(name)
        if par is None:
            raise tdAttributeError(f"'td.ParCollection' object has no attribute '{name}'")
        return par

    def __setattr__(self, name: str, value: Any) -> None:
        par = self._find(name)
        if par is None:
            raise tdAttributeError(f"'td.ParCollection' object has no attribute '{name}'")
        evaluation.set_constant(par._state, value)

    def __getitem__(self, name: Any) -> Any:
        if not isinstance(name, str):
            raise NotFaked("ParCollection indexed by something other than a name")
        return self._find(name)

    def __setitem__(self, name: Any, value: Any) -> None:
        raise NotFaked("assigning to an item of a ParCollection")

    def __iter__(self) -> Any:
        raise NotFaked("iterating over a ParCollection")

    def __dir__(self) -> Iterable[str]:
        return [n for n in self._node.par_names() if n.startswith(self._block)]
