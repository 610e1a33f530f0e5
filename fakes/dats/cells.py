"""The public Cell: one place in a table, which reads as text."""

from __future__ import annotations

from typing import Any

from fakes.errors import tdError
from fakes.guard import Guarded
from fakes.nodes import Node

from . import tables
from .content import content_of, write


class Cell(Guarded):
    """A cell of a DAT's table by its row and column; it stays where it is when rows move (`td.Cell`)."""

    __slots__ = ("_col", "_node", "_row")

    def __init__(self, node: Node, row: int, col: int) -> None:
        self._node = node
        self._row = row
        self._col = col

    @property
    def row(self) -> int:
        return self._row

    @property
    def col(self) -> int:
        return self._col

    @property
    def owner(self) -> Any:
        """The DAT it belongs to."""
        return self._node.world.face(self._node)

    @property
    def valid(self) -> bool:
        """Whether the table still reaches to this place."""
        return self._node.alive and self._read() is not None

    @property
    def val(self) -> str:
        """The text of the cell.

        Raises:
            tdError: the table no longer reaches so far.
        """
        return self._text()

    @val.setter
    def val(self, value: Any) -> None:
        set_cell(self._node, self._row, self._col, value)

    def offset(self, r: int, c: int) -> Cell | None:
        """The cell that many rows and columns away, or None outside the table."""
        rows = content_of(self._node).rows or []
        row, col = self._row + int(r), self._col + int(c)
        return Cell(self._node, row, col) if 0 <= row < len(rows) and 0 <= col < tables.width(rows) else None

    def _read(self) -> str | None:
        rows = content_of(self._node).rows or []
        if 0 <= self._row < len(rows) and 0 <= self._col < len(rows[self._row]):
            return rows[self._row][self._col]
        return None

    def _text(self) -> str:
        text = self._read()
        if text is None:
            raise tdError("Cell is no longer valid.")
        return text

    def __str__(self) -> str:
        return self._text()

    def __repr__(self) -> str:
        return f"type:Cell cell:({self._row}, {self._col}) owner:{self._node.path} value:{self._text()}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Cell):
            return self._text() == other._text()
        if isinstance(other, (int, float)) and not isinstance(other, bool):
            try:
                return float(self._text()) == other
            except ValueError:
                return False
        return self._text() == other

    def __hash__(self) -> int:
        return hash(self._text())

    def __bool__(self) -> bool:
        return bool(self._text())

    def __len__(self) -> int:
        return len(self._text())

    def __int__(self) -> int:
        return int(self._text())

    def __float__(self) -> float:
        return float(self._text())

    def __add__(self, other: Any) -> str:
        return self._text() + str(other)

    def __radd__(self, other: Any) -> str:
        return str(other) + self._text()

    def __contains__(self, part: Any) -> bool:
        return str(part) in self._text()

    def __getitem__(self, index: Any) -> str:
        return self._text()[index]

    def __lt__(self, other: Any) -> bool:
        return self._text() < str(other)

    def __gt__(self, other: Any) -> bool:
        return self._text() > str(other)

    def __le__(self, other: Any) -> bool:
        return self._text() <= str(other)

    def __ge__(self, other: Any) -> bool:
        return self._text() >= str(other)


def set_cell(node: Node, row: int, col: int, value: Any) -> None:
    """Write one cell.

    Raises:
        tdError: the table has no such cell, or cannot be edited.
    """
    rows = content_of(node).rows
    if rows is None or not (0 <= row < len(rows) and 0 <= col < len(rows[row])):
        raise tdError(f"Invalid row or column for {node.path}.")

    def change(content: Any) -> None:
        content.rows[row][col] = tables.cell_text(value)

    write(node, change)
