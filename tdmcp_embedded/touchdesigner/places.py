"""Free places in a network for operators that are made in it.

Looking at where ten thousand operators stand takes many frames' worth of time, making one is a single step. So a large
network is surveyed before the edit begins, in steps, and the edit looks again only at what is near.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import rows, undo
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.chains import arrange
from tdmcp_embedded.touchdesigner.layout import (
    GAP_X,
    GAP_Y,
    Box,
    bounds,
    box,
    crowded,
    fan_out,
    group,
    move,
    set_place,
)
from tdmcp_embedded.touchdesigner.operators import Pace

#: Width of the strips by which a network is known.
_STRIP = 1000


class Room:
    """Where the operators of one network stand, as far as finding a free place needs it."""

    def __init__(self, td: ModuleType, network: Any) -> None:
        self._strips: dict[int, list[tuple[float, float, float, Any]]] = {}
        """Left, right and bottom edge of each, and the operator; by the strips of the network that it touches."""
        self._frames = rows.boxes(td, network)
        self.left = self.bottom = 0.0
        self.count = -1
        """Operators in the network when it was last looked at."""

    def take(self, operators: Iterable[Any]) -> None:
        """Note where some more stand."""
        for each in operators:
            self._put(each)

    def moved(self, operator: Any) -> None:
        """Note where one stands that may have stood elsewhere."""
        self._put(operator)

    def survey(self, network: Any) -> Generator[None, None, None]:
        """Look at the whole network, a few operators at a time."""
        # What comes or goes meanwhile shows in the number later.
        self.count = int(network.numChildren)
        pace = Pace()
        yield
        for each in network.children:
            if pace.due():
                yield
            if each.valid:
                self._put(each)

    def _put(self, operator: Any) -> None:
        x, y = operator.nodeX, operator.nodeY
        right = x + operator.nodeWidth
        if not self._strips:
            self.left, self.bottom = x, y
        for strip in range(int(x // _STRIP), int(right // _STRIP) + 1):
            self._strips.setdefault(strip, []).append((x, right, y, operator))
        self.left, self.bottom = min(self.left, x), min(self.bottom, y)

    def below(self, around: Box) -> tuple[float, float]:
        """A place below everything."""
        lowest = [box(each).y for each in self._frames if each.valid]
        if self._strips:
            lowest.append(self.bottom)
        return (self.left, min(lowest) - GAP_Y - around.h) if lowest else (0, 0)

    def in_column(self, x: float, y: float, around: Box, passed: set[str]) -> list[Box]:
        """Tiles that a group of this size could hit on its way down from a place, as they stand now."""
        if y + around.h + GAP_Y <= self.bottom:
            return []
        near = {
            other.path: other
            for strip in range(int((x - GAP_X) // _STRIP), int((x + around.w + GAP_X) // _STRIP) + 1)
            for left, right, bottom, other in self._strips.get(strip, ())
            if x - GAP_X < right
            and left < x + around.w + GAP_X
            and bottom < y + around.h + GAP_Y
            and other.valid
        }
        return [
            box(other)
            for other in near.values()
            if op_type(other) != "annotateCOMP" and other.name not in passed
        ]

    def frames(self, sources: Sequence[Box], passed: set[str]) -> list[Box]:
        """Annotations to keep clear of. In one that frames a source there may be more like it."""
        found = [box(each) for each in self._frames if each.valid and each.name not in passed]
        return [each for each in found if not any(each.encloses(source) for source in sources)]


#: Networks with fewer operators are looked at in the step that makes something in them.
_LARGE = 200


def survey(
    td: ModuleType, parent: Any, known: Mapping[str, Room] | None = None
) -> Generator[None, None, dict[str, Room]]:
    """Look at where the operators of a large network stand before something is made in it.

    Nothing is looked at of a small one, or of one that is known.

    Returns:
        By path, for `use`. What is placed by it is placed right even if operators came, went or moved a little since;
        one that somebody dragged from afar into the very place may be covered.
    """
    path = str(parent.path)
    if int(parent.numChildren) < _LARGE or path in (known or {}):
        return {}
    room = Room(td, parent)
    yield from room.survey(parent)
    return {path: room}


def use(rooms: Mapping[str, Room] | None) -> None:
    """In the undo block that is open: find free places by what was surveyed before it."""
    undo.journal().rooms.update(rooms or {})


def _room(td: ModuleType, parent: Any, newcomers: Sequence[Any]) -> Room:
    """What is known of a network, brought up to date; kept for the next operators made in the same block."""
    rooms = undo.journal().rooms
    room: Room | None = rooms.get(parent.path)
    if room is not None:
        known = room.count + sum(each.parent().path == parent.path for each in newcomers)
        if int(parent.numChildren) in (room.count, known):
            return room
    room = Room(td, parent)
    names = {each.name for each in newcomers}
    room.take(child for child in parent.children if child.name not in names)
    rooms[str(parent.path)] = room
    return room


def place_free(
    td: ModuleType,
    parent: Any,
    operators: Sequence[Any],
    sources: Iterable[Any] = (),
    *,
    keep_shape: bool = False,
) -> None:
    """Give operators that stand anywhere (new ones stand at 0, 0) a place where they overlap nothing.

    They are laid out as chains from left to right by their wires (or, with `keep_shape`, stay as they stand among
    themselves, unless they overlap there); the whole is put to the right of `sources` (what feeds it from outside), or
    below everything else.
    """
    if not operators or undo.journal().trial:
        return
    moving = [each for operator in operators for each in group(operator)]
    if not keep_shape or crowded([box(each) for each in moving]):
        arrange(operators)
    around = bounds([box(each) for each in moving])
    # Sources stand where they stand; of the others only those in the way are looked at closer.
    room = _room(td, parent, moving)
    passed = {str(each.name) for each in moving}
    feeding = [box(source) for source in sources]
    x, y = _right_of(feeding, around) or room.below(around)
    in_the_way = [*room.in_column(x, y, around, passed), *room.frames(feeding, passed)]
    # Straight down past what is in the way: columns stay columns. From the top, each tile is met once.
    for tile in sorted(in_the_way, key=lambda t: -(t.y + t.h)):
        if Box(x, y, around.w, around.h).overlaps(tile, GAP_Y):
            y = tile.y - GAP_Y - around.h
    dx, dy = x - around.x, y - around.y
    for operator in operators:
        move(operator, operator.nodeX + dx, operator.nodeY + dy)
    room.take(moving)
    room.count = int(parent.numChildren)


def place_docked(td: ModuleType, host: Any, docked: Sequence[Any]) -> None:
    """Put what TD has docked to an operator in a row below it, and that below what stands there already."""
    if not docked or undo.journal().trial:
        return
    parent = host.parent()
    fan_out(host, docked)
    around = bounds([box(each) for each in docked])
    room = _room(td, parent, docked)
    y, passed = around.y, {str(each.name) for each in docked}
    for tile in sorted(room.in_column(around.x, y, around, passed), key=lambda t: -(t.y + t.h)):
        if Box(around.x, y, around.w, around.h).overlaps(tile):
            y = tile.y - GAP_Y / 2 - around.h
    for each in docked:
        set_place(each, each.nodeX, each.nodeY + y - around.y)
    room.take(docked)
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
