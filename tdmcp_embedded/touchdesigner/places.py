"""Free places in a network for operators that are made in it.

Looking at where ten thousand operators stand takes many frames' worth of time, making one is a single step. So a large
network is surveyed before the edit begins, in steps, and the edit looks again only at what is near.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from tdmcp_embedded.touchdesigner import undo
from tdmcp_embedded.touchdesigner.layout import GAP_X, GAP_Y, Box, arrange, bounds, box, group, move
from tdmcp_embedded.touchdesigner.operators import Pace

#: Tiles wider than this are not expected; annotations, which may be, are there to be stood on.
_WIDEST = 1000


class Room:
    """Where the operators of one network stand, as far as finding a free place needs it."""

    def __init__(self) -> None:
        self._columns: dict[int, list[tuple[float, float, Any]]] = {}
        """Left and bottom edge of each, and the operator; by strip of the network, `_WIDEST` wide."""
        self.left = self.bottom = 0.0
        self.count = -1
        """Operators in the network when it was last looked at."""

    def take(self, operators: Iterable[Any]) -> None:
        """Note where some more stand."""
        for each in operators:
            self._put(each.nodeX, each.nodeY, each)

    def survey(self, parent: Any) -> Generator[None, None, None]:
        """Look at the whole network, a few operators at a time."""
        # What comes or goes meanwhile shows in the number later.
        self.count = int(parent.numChildren)
        pace = Pace()
        for each in parent.children:
            if pace.due():
                yield
            if each.valid:
                self._put(each.nodeX, each.nodeY, each)

    def _put(self, x: float, y: float, operator: Any) -> None:
        if not self._columns:
            self.left, self.bottom = x, y
        self._columns.setdefault(int(x // _WIDEST), []).append((x, y, operator))
        self.left, self.bottom = min(self.left, x), min(self.bottom, y)

    def below(self, around: Box) -> tuple[float, float]:
        """A place below everything."""
        return (self.left, self.bottom - GAP_Y - around.h) if self._columns else (0, 0)

    def in_column(self, x: float, y: float, around: Box, passed: set[str]) -> list[Box]:
        """Tiles that a group of this size could hit on its way down from a place, as they stand now."""
        if y + around.h + GAP_Y <= self.bottom:
            return []
        near = [
            other
            for strip in range(int((x - _WIDEST) // _WIDEST), int((x + around.w + GAP_X) // _WIDEST) + 1)
            for left, bottom, other in self._columns.get(strip, ())
            if x - _WIDEST < left < x + around.w + GAP_X and bottom < y + around.h + GAP_Y
        ]
        return [
            box(other)
            for other in near
            if other.valid and other.opType != "annotateCOMP" and other.name not in passed
        ]


#: Networks with fewer operators are looked at in the step that makes something in them.
_LARGE = 200


def survey(parent: Any, known: Mapping[str, Room] | None = None) -> Generator[None, None, dict[str, Room]]:
    """Look at where the operators of a large network stand before something is made in it.

    Nothing is looked at of a small one, or of one that is known.

    Returns:
        By path, for `use`. What is placed by it is placed right even if operators came, went or moved a little since;
        one that somebody dragged from afar into the very place may be covered.
    """
    path = str(parent.path)
    if int(parent.numChildren) < _LARGE or path in (known or {}):
        return {}
    room = Room()
    yield from room.survey(parent)
    return {path: room}


def use(rooms: Mapping[str, Room] | None) -> None:
    """In the undo block that is open: find free places by what was surveyed before it."""
    undo.journal().rooms.update(rooms or {})


def _room(parent: Any, newcomers: Sequence[Any]) -> Room:
    """What is known of a network, brought up to date; kept for the next operators made in the same block."""
    rooms = undo.journal().rooms
    room: Room | None = rooms.get(parent.path)
    if room is not None:
        known = room.count + sum(each.parent().path == parent.path for each in newcomers)
        if int(parent.numChildren) == known:
            return room
    room = Room()
    names = {each.name for each in newcomers}
    room.take(child for child in parent.children if child.name not in names)
    rooms[str(parent.path)] = room
    return room


def place_free(
    parent: Any, operators: Sequence[Any], sources: Iterable[Any] = (), *, keep_shape: bool = False
) -> None:
    """Give operators that stand anywhere (new ones stand at 0, 0) a place where they overlap nothing.

    They are laid out as chains from left to right by their wires (or, with `keep_shape`, stay as they stand among
    themselves); the whole is put to the right of `sources` (what feeds it from outside), or below everything else.
    """
    if not operators:
        return
    moving = [each for operator in operators for each in group(operator)]
    if not keep_shape:
        arrange(operators)
    around = bounds([box(each) for each in moving])
    # Sources stand where they stand; of the others only those in the way are looked at closer.
    room = _room(parent, moving)
    passed = {str(each.name) for each in moving}
    x, y = _right_of([box(source) for source in sources], around) or room.below(around)
    # Straight down past what is in the way: columns stay columns. From the top, each tile is met once.
    for tile in sorted(room.in_column(x, y, around, passed), key=lambda t: -(t.y + t.h)):
        if Box(x, y, around.w, around.h).overlaps(tile, GAP_Y):
            y = tile.y - GAP_Y - around.h
    dx, dy = x - around.x, y - around.y
    for operator in operators:
        move(operator, operator.nodeX + dx, operator.nodeY + dy)
    room.take(moving)
    room.count = int(parent.numChildren)


def settled(parent: Any, operators: Iterable[Any]) -> None:
    """Note new operators that were given a place otherwise, so that those made after them keep clear of them."""
    room = undo.journal().rooms.get(parent.path)
    if room is not None:
        found = [each for operator in operators for each in group(operator)]
        room.take(found)
        room.count += len(found)


def _right_of(sources: list[Box], around: Box) -> tuple[float, float] | None:
    if not sources:
        return None
    right = max(sources, key=lambda b: b.x + b.w)
    return right.x + right.w + GAP_X, right.y + right.h - around.h
