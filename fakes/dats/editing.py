"""Changing tables (`td.DAT`): rows and columns added, replaced and removed, sizes set. Every change is undoable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.memory import affordable
from fakes.nodes import Node

from . import content, tables
from .content import DatContent
from .tables import Rows

Index = int | str


class TableEditing(Guarded):
    """The members of a DAT that change its table."""

    __slots__ = ()
    _live: Callable[[], Node]

    def appendRow(self, vals: Any = None, nameOrIndex: Index | None = None, sort: Any = None) -> int:
        """A row more at the end, filled with `vals` or like another row; its index."""
        place = len(self._rows())
        self._insert(vals, place, nameOrIndex, sort)
        return place

    def appendRows(self, vals: Any, nameOrIndex: Index | None = None, sort: Any = None) -> int:
        """Several rows more at the end; the index of the first."""
        place = len(self._rows())
        for row in vals:
            self._insert(row, len(self._rows()), nameOrIndex, sort)
        return place

    def insertRow(self, vals: Any = None, nameOrIndex: Index = 0, sort: Any = None) -> int:
        """A row more in front of the one meant; its index."""
        place = self._place(tables.row_names(self._rows()), nameOrIndex)
        self._insert(vals, place, None, sort)
        return place

    def replaceRow(self, nameOrIndex: Index, vals: Any = None, entireRow: bool = True) -> int:
        """Other values in a row; cells beyond them are emptied if `entireRow`. The row's index."""
        place = self._place(tables.row_names(self._rows()), nameOrIndex)

        def change(table: Rows) -> Rows:
            given = tables.row_of(vals)
            rest = table[place][len(given) :]
            table[place] = given + ([""] * len(rest) if entireRow else rest)
            return tables.square(table)

        self._change(change)
        return place

    def deleteRow(self, nameOrIndex: Index) -> None:
        """One row less."""
        place = self._place(tables.row_names(self._rows()), nameOrIndex)
        self._change(lambda table: [*table[:place], *table[place + 1 :]])

    def deleteRows(self, vals: Any = None) -> None:
        """The rows meant are removed; without `vals`, all."""
        names = tables.row_names(self._rows())
        gone = set(range(len(names)) if vals is None else tables.find_all(names, several(vals)))
        self._change(lambda table: [row for place, row in enumerate(table) if place not in gone])

    def appendCol(self, vals: Any = None, nameOrIndex: Index | None = None, sort: Any = None) -> int:
        """A column more at the end; its index."""
        place = tables.width(self._rows())
        self._sideways(lambda table: self._with_row(table, vals, place, nameOrIndex, sort))
        return place

    def appendCols(self, vals: Any, nameOrIndex: Index | None = None, sort: Any = None) -> int:
        """Several columns more at the end; the index of the first."""
        place = tables.width(self._rows())
        for col in vals:
            self.appendCol(col, nameOrIndex, sort)
        return place

    def insertCol(self, vals: Any = None, nameOrIndex: Index = 0, sort: Any = None) -> int:
        """A column more in front of the one meant; its index."""
        place = self._place(self._col_names(self._rows()), nameOrIndex)
        self._sideways(lambda table: self._with_row(table, vals, place, None, sort))
        return place

    def replaceCol(self, nameOrIndex: Index, vals: Any = None, entireCol: bool = True) -> int:
        """Other values in a column. Its index."""
        place = self._place(self._col_names(self._rows()), nameOrIndex)

        def change(table: Rows) -> Rows:
            given = tables.row_of(vals)
            rest = table[place][len(given) :]
            table[place] = given + ([""] * len(rest) if entireCol else rest)
            return table

        self._sideways(change)
        return place

    def deleteCol(self, nameOrIndex: Index) -> None:
        """One column less."""
        place = self._place(self._col_names(self._rows()), nameOrIndex)
        self._change(lambda table: [[*row[:place], *row[place + 1 :]] for row in table])

    def deleteCols(self, vals: Any = None) -> None:
        """The columns meant are removed; without `vals`, all."""
        names = self._col_names(self._rows())
        gone = set(range(len(names)) if vals is None else tables.find_all(names, several(vals)))
        self._change(lambda table: [[c for place, c in enumerate(row) if place not in gone] for row in table])

    def setSize(self, numrows: int, numcols: int) -> None:
        """Cut or extend the table."""
        affordable(float(numrows) * float(numcols), f"a table of {numrows} × {numcols} cells")
        self._change(lambda table: tables.resize(table, int(numrows), int(numcols)))

    def clear(self, keepSize: bool = False, keepFirstRow: bool = False, keepFirstCol: bool = False) -> None:
        """Empty the DAT; of a table, the size or the first row or column may stay."""
        if not content.is_table(self._live()):
            content.set_text(self._live(), "")
            return

        def change(table: Rows) -> Rows:
            if keepSize:
                return [
                    [
                        cell if (keepFirstRow and r == 0) or (keepFirstCol and c == 0) else ""
                        for c, cell in enumerate(row)
                    ]
                    for r, row in enumerate(table)
                ]
            if keepFirstRow and keepFirstCol:
                raise NotFaked("DAT.clear keeping first row and column")
            if keepFirstRow:
                return table[:1]
            return [row[:1] for row in table] if keepFirstCol else []

        self._change(change)

    # -- inside ----------------------------------------------------------------------------------------------

    def _content(self) -> DatContent:
        return content.content_of(self._live())

    def _rows(self) -> Rows:
        """The table's rows; text reads as a table of one column, a row a line."""
        return content.rows_of(self._content())

    @staticmethod
    def _col_names(rows: Rows) -> list[str]:
        return tables.col_names(rows)

    def _place(self, names: list[str], wanted: Index) -> int:
        place = tables.find(names, wanted)
        if place is None:
            raise tdError(f"Invalid row or column for {self._live().path}: {wanted}")
        return place

    def _insert(self, vals: Any, place: int, like: Index | None, sort: Any) -> None:
        self._change(lambda table: self._with_row(table, vals, place, like, sort))

    def _with_row(self, table: Rows, vals: Any, place: int, like: Index | None, sort: Any) -> Rows:
        if sort is not None:
            raise NotFaked("sorting while adding rows or columns")
        if vals is None and like is not None:
            vals = table[self._place(tables.row_names(table), like)]
        return tables.insert(table, vals, place)

    def _change(self, change: Callable[[Rows], Rows]) -> None:
        if not content.is_table(self._live()):
            raise tdError(f"{self._live().path} is not a table.")

        def write(held: DatContent) -> None:
            held.rows = change(held.rows or [])

        content.write(self._live(), write)

    def _sideways(self, change: Callable[[Rows], Rows]) -> None:
        self._change(lambda table: tables.transpose(change(tables.transpose(table))))


def several(wanted: Any) -> list[Any]:
    """A list of what is meant, from one or several."""
    return [wanted] if isinstance(wanted, (str, int)) else list(wanted)
