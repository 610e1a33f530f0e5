"""Where the tiles of a network stand: their boxes, what moves together, and setting places so that undo knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tdmcp_embedded.touchdesigner import undo

#: Free space kept between tiles: room for a wire to be seen, and for the name under a tile.
GAP_X = 60
GAP_Y = 40


@dataclass(frozen=True)
class Box:
    """A rectangle of the network editor: left and bottom edge (TD's nodeX, nodeY), width and height."""

    x: float
    y: float
    w: float
    h: float

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """Whether the two come closer than `gap`."""
        return (
            self.x < other.x + other.w + gap
            and other.x < self.x + self.w + gap
            and self.y < other.y + other.h + gap
            and other.y < self.y + self.h + gap
        )

    def encloses(self, other: Box) -> bool:
        """Whether the other lies wholly inside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.x + other.w <= self.x + self.w
            and other.y + other.h <= self.y + self.h
        )

    def moved(self, dx: float, dy: float) -> Box:
        return Box(self.x + dx, self.y + dy, self.w, self.h)


def box(operator: Any) -> Box:
    """The tile of one operator."""
    return Box(operator.nodeX, operator.nodeY, operator.nodeWidth, operator.nodeHeight)


def group(operator: Any) -> list[Any]:
    """An operator and everything docked to it, at any remove: what moves together."""
    found = [operator]
    for docked in operator.docked:
        found += group(docked)
    return found


def bounds(boxes: Sequence[Box]) -> Box:
    """The smallest rectangle around some boxes (at least one)."""
    left, bottom = min(b.x for b in boxes), min(b.y for b in boxes)
    right, top = max(b.x + b.w for b in boxes), max(b.y + b.h for b in boxes)
    return Box(left, bottom, right - left, top - bottom)


def crowded(boxes: Sequence[Box]) -> bool:
    """Whether any two of some boxes overlap."""
    open_now: list[Box] = []
    for each in sorted(boxes, key=lambda b: b.x):
        open_now = [other for other in open_now if other.x + other.w > each.x]
        if any(each.overlaps(other) for other in open_now):
            return True
        open_now.append(each)
    return False


def move(operator: Any, x: float, y: float) -> None:
    """Put an operator at a place; what is docked to it keeps its place beside it (TD leaves it behind, fact 20)."""
    dx, dy = x - operator.nodeX, y - operator.nodeY
    if not (dx or dy):
        return
    for each in group(operator):
        set_place(each, each.nodeX + dx, each.nodeY + dy)


def fan_out(host: Any, only: Sequence[Any] | None = None) -> None:
    """Put what is docked to a new operator (or some of that) in a row below it: TD leaves all of it in one place."""
    x, y = host.nodeX, host.nodeY
    for docked in group(host)[1:] if only is None else only:
        y_docked = y - GAP_Y / 2 - docked.nodeHeight
        set_place(docked, x, y_docked)
        x += docked.nodeWidth + GAP_Y / 2


def set_place(operator: Any, x: float, y: float) -> None:
    """Put one tile at a place, noted in the journal."""
    for name, value in (("nodeX", round(x)), ("nodeY", round(y))):
        if getattr(operator, name) != value:
            undo.journal().attribute(operator, name)
            setattr(operator, name, value)
    rooms = undo.journal().rooms
    if rooms:
        # What was surveyed before this block knows the operator where it stood then.
        room = rooms.get(str(operator.parent().path))
        if room is not None:
            room.moved(operator)


def hosts(operators: Sequence[Any]) -> list[Any]:
    """Those that move by themselves: without what is docked to another one of them."""
    docked = {each.path for operator in operators for each in group(operator)[1:]}
    return list({operator.path: operator for operator in operators if operator.path not in docked}.values())


def set_box(operator: Any, wanted: Box) -> None:
    """Give a tile (an annotation's, say) a place and a size, noted in the journal."""
    sizes = (("nodeWidth", round(wanted.w)), ("nodeHeight", round(wanted.h)))
    for name, value in sizes:
        if getattr(operator, name) != value:
            undo.journal().attribute(operator, name)
            setattr(operator, name, value)
    set_place(operator, wanted.x, wanted.y)
