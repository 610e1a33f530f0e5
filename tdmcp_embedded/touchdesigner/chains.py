"""Laying tiles out by their wires: every chain from left to right, one below the other, nothing overlapping.

What stood above stays above, so that a network its author knows is known again; and laying out twice moves nothing the
second time: every order below follows either from the wires, or from the places that the first time gave.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tdmcp_embedded.touchdesigner import layout, tiles
from tdmcp_embedded.touchdesigner.layout import GAP_X, GAP_Y, Box
from tdmcp_embedded.touchdesigner.tiles import Unit

#: Free space between two chains.
_GAP_CHAINS = 2 * GAP_Y
#: Unwired operators stand in rows at least this wide, where no chain is wider.
_ROW = 1000


@dataclass
class _Links:
    """What one unit hangs on, by index: wires from the left, and COMPs above it in the hierarchy."""

    left: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)

    def all(self) -> list[tuple[int, int]]:
        """Each with the columns that lie between."""
        return [(index, 1) for index in self.left] + [(index, 0) for index in self.above]


def arrange(operators: Sequence[Any]) -> None:
    """Lay operators of one network out, with what is docked to them. Their top left corner stays."""
    units = [Unit.of(host) for host in layout.hosts(operators)]
    lay_out(units)
    tiles.put(units)


def lay_out(units: Sequence[Unit], notes: Sequence[Unit] = ()) -> None:
    """Give units new places. The order they come in must not depend on where they stand.

    Chains come first, then what is not wired, in rows; `notes` stand above all. The top left corner of the whole stays.
    """
    if not units and not notes:
        return
    corner = layout.bounds([unit.shape for unit in (*units, *notes)])
    links = _links(units)
    stands = {index: _standing(unit.shape) for index, unit in enumerate(units)}
    order = sorted(stands, key=lambda index: (*stands[index], index))
    chains = [chain for chain in _connected(order, links) if len(chain) > 1]
    wired = {index for chain in chains for index in chain}
    widest = max((_columns(units, chain, links) for chain in chains), default=0.0)
    single = [units[index] for index in order if index not in wired]
    left, y = round(corner.x), float(round(corner.y + corner.h))
    y = _rows(sorted(notes, key=lambda note: _standing(note.shape)), left, y, widest)
    for chain in chains:
        whole = Unit([tile for index in chain for tile in units[index].tiles])
        y = whole.put_corner(left, y).y - _GAP_CHAINS
    _rows(single, left, y, widest)


def _standing(shape: Box) -> tuple[float, float]:
    """Sorts from top to bottom, then from left to right."""
    return (-(shape.y + shape.h), shape.x)


def _links(units: Sequence[Unit]) -> list[_Links]:
    owner = {tile.path: index for index, unit in enumerate(units) for tile in unit.tiles}
    return [
        _Links(
            _sources(index, unit, owner, "inputConnectors"),
            _sources(index, unit, owner, "inputCOMPConnectors"),
        )
        for index, unit in enumerate(units)
    ]


def _sources(index: int, unit: Unit, owner: dict[str, int], connectors: str) -> list[int]:
    found: dict[int, None] = {}
    for tile in unit.tiles:
        # Only COMPs have connectors on top.
        for connector in getattr(tile.operator, connectors, ()):
            for far in connector.connections:
                source = owner.get(str(far.owner.path))
                if source is not None and source != index:
                    found[source] = None
    return list(found)


def _connected(order: Sequence[int], links: Sequence[_Links]) -> list[list[int]]:
    """Groups of units that wires hold together, and the units of each, in the given order."""
    beside: dict[int, set[int]] = defaultdict(set)
    for index, link in enumerate(links):
        for source, _ in link.all():
            beside[index].add(source)
            beside[source].add(index)
    group_of: dict[int, int] = {}
    for start in order:
        waiting = [start]
        while waiting:
            index = waiting.pop()
            if index not in group_of:
                group_of[index] = start
                waiting.extend(beside[index])
    groups: dict[int, list[int]] = defaultdict(list)
    for index in order:
        groups[group_of[index]].append(index)
    return list(groups.values())


def _columns(units: Sequence[Unit], chain: Sequence[int], links: Sequence[_Links]) -> float:
    """Lay one chain out, a column for each of its steps, its top left corner at 0, 0.

    Returns:
        Its width.
    """
    depth = _depths(sorted(chain), links)
    columns: dict[int, list[int]] = defaultdict(list)
    for index in chain:
        columns[depth[index]].append(index)
    tops: dict[int, float] = {}
    x = width = 0.0
    for number in sorted(columns):
        # Beside what feeds it: its uppermost source says how high it stands.
        beside = {
            index: max((tops[source] for source, _ in links[index].all() if source in tops), default=None)
            for index in columns[number]
        }
        ordered = sorted(columns[number], key=lambda index: _unless_none(beside[index]))
        y = widest = 0.0
        for index in _parents_first(ordered, links):
            above = beside[index]
            y = y if above is None else min(y, above)
            tops[index] = y
            shape = units[index].put_corner(x, y)
            y -= shape.h + GAP_Y
            widest = max(widest, shape.w)
        width = x + widest
        x = width + GAP_X
    return width


def _unless_none(top: float | None) -> float:
    return math.inf if top is None else -top


def _depths(chain: Sequence[int], links: Sequence[_Links]) -> dict[int, int]:
    """Column of each unit: one more than its deepest source's. Loops (feedback) are cut where they close."""
    depth: dict[int, int] = {}
    for start in chain:
        if start in depth:
            continue
        stack = [(start, iter(links[start].all()))]
        opened = {start}
        while stack:
            index, rest = stack[-1]
            for source, _ in rest:
                if source not in depth and source not in opened:
                    opened.add(source)
                    stack.append((source, iter(links[source].all())))
                    break
            else:
                stack.pop()
                depth[index] = max(
                    (depth[source] + steps for source, steps in links[index].all() if source in depth),
                    default=0,
                )
    return depth


def _parents_first(column: Sequence[int], links: Sequence[_Links]) -> list[int]:
    """The units of a column so that COMPs stand right below those they hang on."""
    there = set(column)
    below: dict[int, list[int]] = defaultdict(list)
    roots: list[int] = []
    for index in column:
        parent = next((each for each in links[index].above if each in there), None)
        (roots if parent is None else below[parent]).append(index)
    found: dict[int, None] = {}
    # What hangs on itself at some remove has no root.
    for root in (*roots, *column):
        waiting = [root]
        while waiting:
            index = waiting.pop()
            if index not in found:
                found[index] = None
                waiting.extend(reversed(below[index]))
    return list(found)


def _rows(units: Sequence[Unit], left: float, top: float, widest: float) -> float:
    """Put units in rows from left to right.

    Returns:
        Where what comes below may begin.
    """
    if not units:
        return top
    area = sum((unit.shape.w + GAP_X) * (unit.shape.h + GAP_Y) for unit in units)
    width = max(widest, _ROW, 1.6 * math.sqrt(area))
    x, y, lowest = left, top, top
    for unit in units:
        if x > left and x + unit.shape.w > left + width:
            x, y = left, lowest - GAP_Y
        shape = unit.put_corner(x, y)
        x += shape.w + GAP_X
        lowest = min(lowest, shape.y)
    return lowest - _GAP_CHAINS
