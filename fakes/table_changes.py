"""DAT Execute DATs: what changed in a table, and the callbacks about it (Derivative: DAT Execute DAT, 2025.30000 on).

`onTableChange(dat, prevDAT, info)` tells everything; one written for older builds takes the DAT alone. The four others
are older still: when the table's size changes, onSizeChange comes in the place of the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fakes.catalogue import type_info
from fakes.errors import NotFaked
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.dats.cells import Cell

Rows = list[list[str]]

#: Toggles that are told beside `tablechange`.
OLDER = ("rowchange", "colchange", "cellchange", "sizechange")


class Changes(NamedTuple):
    """The `info` of onTableChange. Indices of what was removed count in the previous table."""

    rowsChanged: list[int]
    rowsAdded: list[int]
    rowsRemoved: list[int]
    colsChanged: list[int]
    colsAdded: list[int]
    colsRemoved: list[int]
    cellsChanged: list[Cell]
    sizeChanged: bool


def tell(
    listener: Node, source: Node, before: Rows, now: Rows, call: Callable[[str, Callable[..., Any]], None]
) -> None:
    """Call what the toggles of a DAT Execute DAT ask for. `call(name, give)` has `give` call the function of that name.

    Raises:
        NotFaked: what rows, columns and cells a table tells of that has grown.
    """
    from fakes.dats.cells import Cell

    face: Any = source.world.face(source)
    places = [(r, c) for r, row in enumerate(now) for c, text in enumerate(row) if text != _at(before, r, c)]
    cells = [Cell(source, r, c) for r, c in places]
    resized = _size(before) != _size(now)
    if listener.value("tablechange"):
        info = Changes(
            *_lines(before, now),
            *_lines(_turned(before), _turned(now)),
            cellsChanged=cells,
            sizeChanged=resized,
        )
        previous = source.world.face(_previous(source, before))
        call("onTableChange", lambda function: function(*(face, previous, info)[: _takes(function)]))
    if resized:
        if listener.value("sizechange"):
            call("onSizeChange", lambda function: function(face))
        if _grown(before, now) and any(listener.value(toggle) for toggle in OLDER[:3]):
            raise NotFaked("onRowChange, onColChange and onCellChange of a table that has grown")
        return
    if listener.value("rowchange"):
        call("onRowChange", lambda function: function(face, sorted({r for r, _ in places})))
    if listener.value("colchange"):
        call("onColChange", lambda function: function(face, sorted({c for _, c in places})))
    if listener.value("cellchange"):
        texts = [before[r][c] for r, c in places]
        call("onCellChange", lambda function: function(face, cells, texts))


def _takes(function: Callable[..., Any]) -> int:
    """How many of the three arguments a callback takes: all, or one written for an older build."""
    kinds = [p.kind for p in inspect.signature(function).parameters.values()]
    plain = sum(
        k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds
    )
    return 3 if inspect.Parameter.VAR_POSITIONAL in kinds or plain > 1 else 1


def _previous(source: Node, before: Rows) -> Node:
    """A table in no network that holds what the DAT held before."""
    from fakes.dats.content import DatContent

    node = Node(source.world, type_info("tableDAT"), "prevDAT", source.parent)
    node.content = DatContent(rows=before)
    return node


def _at(rows: Rows, row: int, col: int) -> str | None:
    return rows[row][col] if row < len(rows) and col < len(rows[row]) else None


def _size(rows: Rows) -> tuple[int, int]:
    return len(rows), max((len(row) for row in rows), default=0)


def _grown(before: Rows, now: Rows) -> bool:
    return any(n > b for b, n in zip(_size(before), _size(now), strict=True))


def _turned(rows: Rows) -> Rows:
    width = max((len(row) for row in rows), default=0)
    return [[_at(rows, r, c) or "" for r in range(len(rows))] for c in range(width)]


def _lines(before: Rows, now: Rows) -> tuple[list[int], list[int], list[int]]:
    """Indices of rows that differ, that came and that went; by their names, which their first cells are."""
    names_before, names_now = {row[0] for row in before if row}, {row[0] for row in now if row}
    return (
        [i for i, row in enumerate(now) if i < len(before) and row != before[i]],
        [i for i, row in enumerate(now) if row and row[0] not in names_before],
        [i for i, row in enumerate(before) if row and row[0] not in names_now],
    )
