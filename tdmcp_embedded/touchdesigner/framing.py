"""Laying out a whole network: annotations stay round what they frame, in each other where they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import layout, tiles
from tdmcp_embedded.touchdesigner.chains import lay_out
from tdmcp_embedded.touchdesigner.layout import GAP_Y, Box
from tdmcp_embedded.touchdesigner.tiles import Tile, Unit

#: Space kept free inside an annotation, and above its members for its title.
_MARGIN = GAP_Y
_TITLE = 2 * GAP_Y


class _Level:
    """What stands side by side: in the network itself, or in one annotation."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.notes: list[Unit] = []
        """Annotations that frame nothing."""

    def lay_out(self, ranks: Mapping[str, int]) -> None:
        """Lay out what is here; a note at an operator goes with it."""
        self.units.sort(key=lambda unit: min(ranks.get(tile.path, len(ranks)) for tile in unit.tiles))
        shapes = [(unit, unit.shape) for unit in self.units if unit.tiles[0].path in ranks]
        loose = []
        for note in sorted(self.notes, key=lambda note: note.tiles[0].path):
            box = note.tiles[0].box
            near = [(_apart(box, shape), unit) for unit, shape in shapes if box.overlaps(shape, GAP_Y)]
            if near:
                min(near, key=lambda each: each[0])[1].tiles += note.tiles
            else:
                loose.append(note)
        self.notes = loose
        lay_out(self.units, loose)


class _Frame:
    """An annotation: which operators it encloses, and which of them no smaller one does."""

    def __init__(self, annotation: Any) -> None:
        self.tile = Tile(annotation)
        self.enclosed: set[str] = set()
        """Paths of the operators inside it and inside the annotations in it."""
        self.level = _Level()
        self.parent: _Frame | None = None

    @property
    def size(self) -> tuple[int, float, str]:
        """Of two that frame the same operator, the one that frames fewer goes inside the other."""
        return (len(self.enclosed), self.tile.box.w * self.tile.box.h, self.tile.path)

    def holds(self, other: _Frame) -> bool:
        """Whether another, smaller one belongs inside: it lies there, or frames something that this one does, too."""
        lies = self.tile.box.encloses(other.tile.box)
        return lies or not self.enclosed.isdisjoint(other.enclosed)

    def close(self, ranks: Mapping[str, int]) -> Unit:
        """Lay out what is inside, and draw the annotation round it."""
        self.level.lay_out(ranks)
        inside = [tile for unit in (*self.level.units, *self.level.notes) for tile in unit.tiles]
        around = Unit(inside).shape
        self.tile.box = Box(
            around.x - _MARGIN, around.y - _MARGIN, around.w + 2 * _MARGIN, around.h + _MARGIN + _TITLE
        )
        return Unit([self.tile, *inside])


def tidy(td: ModuleType, network: Any, operators: Sequence[Any]) -> list[Tile]:
    """Lay out everything in a network.

    Args:
        operators: those of the network, without its annotations.

    Returns:
        The tiles that changed, annotations among them.
    """
    hosts = layout.hosts(operators)
    # TD's own order, that of making: it does not change when things move.
    ranks = {str(host.path): rank for rank, host in enumerate(hosts)}
    frames = _frames(td, network, set(ranks))
    top = _Level()
    for host in hosts:
        home = next((frame.level for frame in frames if str(host.path) in frame.enclosed), top)
        home.units.append(Unit.of(host))
    for frame in frames:
        home = frame.parent.level if frame.parent is not None else top
        if frame.level.units or frame.level.notes:
            home.units.append(frame.close(ranks))
        else:
            home.notes.append(Unit([frame.tile]))
    top.lay_out(ranks)
    return tiles.put([*top.units, *top.notes])


def _frames(td: ModuleType, network: Any, hosts: set[str]) -> list[_Frame]:
    """The annotations of a network, small ones first, each with the one it belongs in."""
    frames = [_Frame(each) for each in annotating.of(td, network)]
    for frame in frames:
        frame.enclosed = {str(each.path) for each in frame.tile.operator.enclosedOPs} & hosts
    frames.sort(key=lambda frame: frame.size)
    for index, frame in enumerate(frames):
        frame.parent = next((other for other in frames[index + 1 :] if other.holds(frame)), None)
        if frame.parent is not None:
            frame.parent.enclosed |= frame.enclosed
    return frames


def _apart(a: Box, b: Box) -> float:
    """How far the middles of two boxes are from each other."""
    return math.hypot((a.x + a.w / 2) - (b.x + b.w / 2), (a.y + a.h / 2) - (b.y + b.h / 2))
