"""What every operator object is made of: the node it stands for, and whether that still lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.errors import tdError
from fakes.guard import Guarded
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.world import World


class Held(Guarded):
    """The base that all parts of `OP` share."""

    __slots__ = ("_id", "_node")
    _speaks_as = "OP"
    _node: Node
    _id: int

    def __init__(self, node: Node) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_id", node.id)

    def _live(self) -> Node:
        node = self._node
        if not node.alive or node.id != self._id:
            raise tdError("Cannot use an operator that was destroyed.")
        return node

    def _td_name(self) -> str:
        return self._node.info.name

    @property
    def _world(self) -> World:
        return self._node.world


def flag(name: str) -> Any:
    """A property that is one of the operator's flags."""

    def get(self: Held) -> bool:
        return self._live().flag(name)

    def put(self: Held, on: bool) -> None:
        self._live().set_flag(name, bool(on))

    return property(get, put)


def wanted(given: Any, *arguments: Any) -> Node:
    """The operator that a method was given, which has to be one: names and paths are not taken (fact 91).

    Raises:
        tdError: it is something else, or gone; `arguments` are all that the method was given.
    """
    from fakes.operators import OP

    if not isinstance(given, OP):
        told = arguments or (given,)
        raise tdError(
            f"Invalid number or type of arguments. See help for details. Value:{told!r} Type:{type(told)}."
        )
    return given._live()
