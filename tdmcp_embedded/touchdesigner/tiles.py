"""Tiles to be laid out: moved as numbers, any number of times, and put into the network once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tdmcp_embedded.touchdesigner import layout
from tdmcp_embedded.touchdesigner.layout import GAP_Y, Box

#: What is docked farther away from its host than this is fetched.
_BESIDE = 400


class Tile:
    """One operator or annotation, and the box it is to have."""

    def __init__(self, operator: Any) -> None:
        self.operator = operator
        self.path = str(operator.path)
        self.box = layout.box(operator)
        self._before = self.box

    @property
    def changed(self) -> bool:
        """Whether it is to stand elsewhere, or to have another size."""
        return self.box != self._before

    def put(self) -> None:
        """Put the operator where its tile is."""
        if not self.changed:
            return
        if (self.box.w, self.box.h) != (self._before.w, self._before.h):
            layout.set_box(self.operator, self.box)
        else:
            layout.set_place(self.operator, self.box.x, self.box.y)


class Unit:
    """Tiles that move as one: an operator with what is docked to it, or an annotation with all that it frames."""

    def __init__(self, tiles: Sequence[Tile]) -> None:
        self.tiles = list(tiles)

    @classmethod
    def of(cls, host: Any) -> Unit:
        """An operator and what is docked to it, which is put in a row below it where it overlaps or is far away."""
        tiles = [Tile(each) for each in layout.group(host)]
        first, rest = tiles[0].box, [tile.box for tile in tiles[1:]]
        if layout.crowded([first, *rest]) or any(not first.overlaps(box, _BESIDE) for box in rest):
            x = first.x
            for tile in tiles[1:]:
                tile.box = Box(x, first.y - GAP_Y / 2 - tile.box.h, tile.box.w, tile.box.h)
                x += tile.box.w + GAP_Y / 2
        return cls(tiles)

    @property
    def shape(self) -> Box:
        """The rectangle around all of it."""
        return layout.bounds([tile.box for tile in self.tiles])

    def shift(self, dx: float, dy: float) -> None:
        if dx or dy:
            for tile in self.tiles:
                tile.box = tile.box.moved(dx, dy)

    def put_corner(self, left: float, top: float) -> Box:
        """Move it so that its top left corner is there.

        Returns:
            Its shape now.
        """
        shape = self.shape
        dx, dy = left - shape.x, top - (shape.y + shape.h)
        self.shift(dx, dy)
        return shape.moved(dx, dy)


def put(units: Iterable[Unit]) -> list[Tile]:
    """Put everything into the network.

    Returns:
        The tiles that changed.
    """
    changed = [tile for unit in units for tile in unit.tiles if tile.changed]
    for tile in changed:
        tile.put()
    return changed
