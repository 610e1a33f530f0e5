"""Where operators stand in a network: chains from left to right, docked operators beside their host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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


def move(operator: Any, x: float, y: float) -> None:
    """Put an operator at a place; what is docked to it keeps its place beside it (TD leaves it behind, fact 20)."""
    dx, dy = x - operator.nodeX, y - operator.nodeY
    if not (dx or dy):
        return
    for each in group(operator):
        set_place(each, each.nodeX + dx, each.nodeY + dy)


def fan_out(host: Any) -> None:
    """Put what is docked to a new operator in a row below it: TD leaves all of it in one place."""
    x, y = host.nodeX, host.nodeY
    for docked in group(host)[1:]:
        y_docked = y - GAP_Y / 2 - docked.nodeHeight
        set_place(docked, x, y_docked)
        x += docked.nodeWidth + GAP_Y / 2


def set_place(operator: Any, x: float, y: float) -> None:
    """Put one tile at a place, noted in the journal."""
    for name, value in (("nodeX", round(x)), ("nodeY", round(y))):
        if getattr(operator, name) != value:
            undo.journal().attribute(operator, name)
            setattr(operator, name, value)


def arrange(operators: Sequence[Any]) -> None:
    """Lay operators out by their wires among themselves: one column per step of a chain, nothing overlapping.

    The first column starts at the left edge of the first operator given, its top at that operator's top.
    """
    if not operators:
        return
    free = hosts(operators)
    by_path = {operator.path: operator for operator in free}
    for operator in free:
        whole = [box(each) for each in group(operator)]
        if any(a.overlaps(b) for i, a in enumerate(whole) for b in whole[i + 1 :]):
            fan_out(operator)
    feeds = {operator.path: _sources(operator, by_path) for operator in free}
    columns: dict[int, list[Any]] = defaultdict(list)
    depth = _depths(feeds)
    for operator in free:
        columns[depth[operator.path]].append(operator)
    x, top = free[0].nodeX, free[0].nodeY + free[0].nodeHeight
    rows: dict[str, float] = {}
    for index in sorted(columns):
        members = (
            sorted(
                columns[index],
                key=lambda o: min((-rows[s] for s in feeds[o.path] if s in rows), default=float("inf")),
            )
            if index
            else columns[index]
        )
        shapes = {o.path: bounds([box(each) for each in group(o)]) for o in members}
        y = top
        for operator in members:
            shape = shapes[operator.path]
            above = max((rows[s] for s in feeds[operator.path] if s in rows), default=None)
            # Beside what feeds it, unless somebody above already stands there.
            y = min(y, above) if above is not None else y
            left = shape.x - operator.nodeX
            over = shape.y + shape.h - operator.nodeY
            move(operator, x - left, y - over)
            rows[operator.path] = y
            y -= shape.h + GAP_Y
        x += max(shape.w for shape in shapes.values()) + GAP_X


def hosts(operators: Sequence[Any]) -> list[Any]:
    """Those that move by themselves: without what is docked to another one of them."""
    docked = {each.path for operator in operators for each in group(operator)[1:]}
    return list({operator.path: operator for operator in operators if operator.path not in docked}.values())


def _sources(operator: Any, among: Mapping[str, Any]) -> list[str]:
    found = []
    for connector in operator.inputConnectors:
        for far in connector.connections:
            if far.owner.path in among and far.owner.path != operator.path:
                found.append(str(far.owner.path))
    return found


def _depths(feeds: Mapping[str, list[str]]) -> dict[str, int]:
    """Column of each operator: one more than its deepest source. Loops (feedback) are cut where they close."""
    depth: dict[str, int] = {}
    for start in feeds:
        stack = [(start, iter(feeds[start]))]
        open_paths = {start}
        while stack:
            path, rest = stack[-1]
            for source in rest:
                if source in feeds and source not in depth and source not in open_paths:
                    open_paths.add(source)
                    stack.append((source, iter(feeds[source])))
                    break
            else:
                stack.pop()
                open_paths.discard(path)
                depth[path] = max((depth[s] + 1 for s in feeds[path] if s in depth and s != path), default=0)
    return depth


def set_box(operator: Any, wanted: Box) -> None:
    """Give a tile (an annotation's, say) a place and a size, noted in the journal."""
    sizes = (("nodeWidth", round(wanted.w)), ("nodeHeight", round(wanted.h)))
    for name, value in sizes:
        if getattr(operator, name) != value:
            undo.journal().attribute(operator, name)
            setattr(operator, name, value)
    set_place(operator, wanted.x, wanted.y)
