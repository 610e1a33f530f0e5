"""What every parameter object is made of: operator, name, and whether both still are what they were."""

from __future__ import annotations

from enum import Enum
from typing import Any

from fakes import evaluation
from fakes.catalogue import TAKE_SEVERAL, ParInfo
from fakes.custom import CustomInfo
from fakes.errors import tdError
from fakes.guard import Guarded
from fakes.nodes import Node, ParState


class ParMode(Enum):
    """How a parameter gets its value (fact 22)."""

    CONSTANT = 0
    EXPRESSION = 1
    EXPORT = 2
    BIND = 3


class HeldPar(Guarded):
    """The base that all parts of `Par` share."""

    __slots__ = ("_generation", "_id", "_known", "_name", "_node")
    _speaks_as = "Par"
    _node: Node
    _name: str
    _known: ParInfo | CustomInfo
    _id: int
    _generation: int

    def __init__(self, node: Node, name: str, info: ParInfo | CustomInfo) -> None:
        _put_node(self, node)
        _put_name(self, name)
        _put_known(self, info)
        _put_id(self, node.id)
        _put_generation(self, node.par_generation)

    def _alive(self) -> bool:
        # Asked by every access, and a reading of a large project makes millions of them.
        node = self._node
        if not node.alive or node.id != self._id or node.par_generation != self._generation:
            return False
        info = self._known
        # Neither custom nor one of a sequence: it lives as long as its operator.
        return (info.__class__ is ParInfo and not info.sequence) or node.par_info(self._name) is not None

    def _check(self) -> None:
        if not self._alive():
            raise tdError("Invalid Par object: its operator or a parameter of it was destroyed.")

    @property
    def _info(self) -> Any:
        self._check()
        return self._known

    @property
    def _state(self) -> ParState:
        self._check()
        return self._node.par(self._name)

    @property
    def _touched(self) -> ParState | None:
        self._check()
        return self._node.state(self._name)

    def _eval(self) -> Any:
        self._check()
        found = evaluation.value(self._node, self._name)
        if (self._node.type, self._name) in TAKE_SEVERAL:
            return [each.world.face(each) for each in evaluation.referenced(self._node, self._name)]
        return found.world.face(found) if isinstance(found, Node) else found

    def _define(self, attribute: str, value: Any) -> None:
        info = self._info
        if not isinstance(info, CustomInfo):
            raise tdError(f"Cannot set {attribute} of the built-in parameter {self._name}.")
        setattr(info, attribute, value)
        self._node.changed("pages")


# The slots' own setters: without a look-up of the attribute for each of millions of parameters.
_put_node = HeldPar.__dict__["_node"].__set__
_put_name = HeldPar.__dict__["_name"].__set__
_put_known = HeldPar.__dict__["_known"].__set__
_put_id = HeldPar.__dict__["_id"].__set__
_put_generation = HeldPar.__dict__["_generation"].__set__
