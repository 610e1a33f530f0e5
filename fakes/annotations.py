"""Annotations: COMPs that frame other operators in a network, and are utility operators themselves (fact 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes.guard import Guarded
from fakes.nodes import Node
from fakes.operators import extends

if TYPE_CHECKING:
    from fakes.operators import OP


def _frames(annotation: Node, node: Node) -> bool:
    return (
        node is not annotation
        and annotation.x <= node.x
        and annotation.y <= node.y
        and node.x + node.w <= annotation.x + annotation.w
        and node.y + node.h <= annotation.y + annotation.h
    )


def _beside(node: Node) -> list[Node]:
    return list(node.parent.children.values()) if node.parent is not None else []


@extends("annotateCOMP")
class Annotation(Guarded):
    """What an Annotate COMP has beside other COMPs; places and sizes are network units."""

    __slots__ = ()
    _node: Node

    x = property(lambda self: float(self._node.x))
    y = property(lambda self: float(self._node.y))
    width = property(lambda self: float(self._node.w))
    height = property(lambda self: float(self._node.h))

    @property
    def enclosedOPs(self) -> list[OP]:
        """The operators of the network whose tiles lie wholly inside."""
        node = self._node
        return [node.world.face(n) for n in _beside(node) if _frames(node, n)]


@extends("OP")
class Enclosed(Guarded):
    """What every operator says about annotations."""

    __slots__ = ()
    _node: Node

    @property
    def enclosedBy(self) -> list[OP]:
        """The annotations around this operator."""
        node = self._node
        around = [n for n in _beside(node) if n.info.name == "annotateCOMP" and _frames(n, node)]
        return [node.world.face(n) for n in around]
