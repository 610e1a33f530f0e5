"""What scripts can do with a DAT (`td.DAT`): read and write text and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fakes.errors import NotFaked, tdError
from fakes.module import lookup, provide_bound, provide_class
from fakes.operators import OP
from fakes.runs import DatScript

from . import content, tables
from .cells import Cell, set_cell
from .editing import Index, TableEditing, several
from .modules import MOD

provide_class(Cell)
provide_bound("mod", lambda world, node: MOD(world, node))


class DAT(TableEditing, OP):
    """A DAT: an operator that holds text or a table."""

    __slots__ = ()

    # -- the whole -------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The content as text; of a table, rows as lines and cells parted by tabs."""
        return content.text_of(self._live())

    @text.setter
    def text(self, value: Any) -> None:
        content.set_text(self._live(), str(value))

    @property
    def csv(self) -> str:
        """The table as comma-separated text."""
        return tables.as_csv(self._rows())

    @csv.setter
    def csv(self, value: str) -> None:
        content.set_rows(self._live(), list(tables.parse_csv(str(value))))

    @property
    def jsonObject(self) -> Any:
        """The text parsed as JSON.

        Raises:
            ValueError: it is none.
        """
        return json.loads(self._content().text)

    @property
    def module(self) -> Any:
        """The content as a Python module, compiled again when it changed."""
        from .modules import module_of

        return module_of(self._live())

    @property
    def isTable(self) -> bool:
        return self._content().rows is not None

    @property
    def isText(self) -> bool:
        return self._content().rows is None

    @property
    def isEditable(self) -> bool:
        """Whether scripts may change the content."""
        return content.is_editable(self._live())

    @property
    def numRows(self) -> int:
        return len(self._rows())

    @property
    def numCols(self) -> int:
        return tables.width(self._rows())

    def copy(self, DAT: Any) -> None:
        """Take over another DAT's content; a Table DAT takes text as rows, a Text DAT a table as lines."""
        given = content.content_of(DAT._node)
        if self.isTable:
            content.set_rows(self._live(), list(content.rows_of(given)))
        else:
            content.set_text(self._live(), given.text)

    def write(self, *args: Any) -> str:
        """Append to the text, as `print(..., file=dat)` does (fact 40)."""
        words = "".join(str(a) for a in args)
        content.set_text(self._live(), content.text_of(self._live()) + words)
        return words

    def flush(self) -> None:
        """Nothing to do; `print` wants it."""

    def isatty(self) -> bool:
        return False

    def save(self, filepath: str | None = None, append: bool = False, createFolders: bool = False) -> str:
        """Write the content to a file; the path comes back.

        Raises:
            NotFaked: without a path, when TD chooses one.
        """
        if filepath is None:
            raise NotFaked("DAT.save without a path")
        path = Path(filepath)
        if createFolders:
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if append else "w", encoding="utf-8", newline="\n") as out:
            out.write(tables.as_csv(self._rows()) if path.suffix == ".csv" else self._content().text)
        return str(filepath)

    def run(self, *args: Any, **options: Any) -> Any:
        """Run the content as a script, with `args` in its scope and this DAT as `me`, as `td.run` does with a text."""
        options.setdefault("fromOP", self)
        return lookup(self._world, self._live(), "run")(DatScript(self), *args, **options)

    # -- one cell or several ---------------------------------------------------------------------------------

    def __getitem__(self, where: Any) -> Cell | None:
        row, col = self._pair(where)
        found: Cell | None = self.cell(row, col)
        return found

    def __setitem__(self, where: Any, value: Any) -> None:
        row, col = self._pair(where)
        found = self.cell(row, col)
        if found is None:
            raise tdError(f"Invalid row or column for {self._node.path}.")
        set_cell(self._live(), found._row, found._col, value)

    def cell(
        self, rowNameOrIndex: Index, colNameOrIndex: Index, caseSensitive: bool = True, val: bool = False
    ) -> Any:
        """The cell at a row and column given by index or name (the first match of a pattern), or None."""
        rows = self._rows()
        row = _place(len(rows), lambda: tables.row_names(rows), rowNameOrIndex, caseSensitive)
        col = _place(tables.width(rows), lambda: tables.col_names(rows), colNameOrIndex, caseSensitive)
        if row is None or col is None:
            return None
        return self._give(row, col, val)

    def cells(
        self, rowNameOrIndex: Index, colNameOrIndex: Index, caseSensitive: bool = True, val: bool = False
    ) -> list[Any]:
        """All cells that the two patterns meet in."""
        rows = self._rows()
        return [
            self._give(r, c, val)
            for r in tables.find_all(tables.row_names(rows), [rowNameOrIndex], caseSensitive)
            for c in tables.find_all(self._col_names(rows), [colNameOrIndex], caseSensitive)
        ]

    def row(self, *nameOrIndexes: Index, caseSensitive: bool = True, val: bool = False) -> list[Any]:
        """The cells of the rows meant, in one list."""
        return [c for row in self.rows(*nameOrIndexes, caseSensitive=caseSensitive, val=val) for c in row]

    def rows(self, *nameOrIndexes: Index, caseSensitive: bool = True, val: bool = False) -> list[list[Any]]:
        """Lists of cells: the rows meant, or all."""
        rows = self._rows()
        picks: Iterable[int] = range(len(rows))
        if nameOrIndexes:
            picks = tables.find_all(tables.row_names(rows), nameOrIndexes, caseSensitive)
        return [[self._give(r, c, val) for c in range(len(rows[r]))] for r in picks]

    def col(self, *nameOrIndexes: Index, caseSensitive: bool = True, val: bool = False) -> list[Any]:
        """The cells of the columns meant, in one list."""
        return [c for col in self.cols(*nameOrIndexes, caseSensitive=caseSensitive, val=val) for c in col]

    def cols(self, *nameOrIndexes: Index, caseSensitive: bool = True, val: bool = False) -> list[list[Any]]:
        """Lists of cells: the columns meant, or all."""
        rows = self._rows()
        picks: Iterable[int] = range(tables.width(rows))
        if nameOrIndexes:
            picks = tables.find_all(self._col_names(rows), nameOrIndexes, caseSensitive)
        return [[self._give(r, c, val) for r in range(len(rows))] for c in picks]

    def findCell(
        self,
        pattern: str,
        rows: Any = None,
        cols: Any = None,
        valuePattern: bool = True,
        rowPattern: bool = True,
        colPattern: bool = True,
        caseSensitive: bool = False,
        val: bool = False,
    ) -> Any:
        """The first cell whose text fits, or None."""
        found = self._find(pattern, rows, cols, valuePattern, caseSensitive, val)
        return found[0] if found else None

    def findCells(
        self,
        pattern: str,
        rows: Any = None,
        cols: Any = None,
        valuePattern: bool = True,
        rowPattern: bool = True,
        colPattern: bool = True,
        caseSensitive: bool = False,
        val: bool = False,
    ) -> list[Any]:
        """All cells whose text fits, row by row."""
        return self._find(pattern, rows, cols, valuePattern, caseSensitive, val)

    # -- inside ----------------------------------------------------------------------------------------------

    def _give(self, row: int, col: int, val: bool) -> Any:
        cell = Cell(self._live(), row, col)
        return cell._text() if val else cell

    @staticmethod
    def _pair(where: Any) -> tuple[Index, Index]:
        if not isinstance(where, tuple) or len(where) != 2:
            raise NotFaked("a DAT indexed by anything but a row and a column")
        return where

    def _find(self, pattern: str, rows: Any, cols: Any, wild: bool, case: bool, val: bool) -> list[Any]:
        table = self._rows()
        row_picks: Iterable[int] = range(len(table))
        col_picks: list[int] = list(range(tables.width(table)))
        if rows is not None:
            row_picks = tables.find_all(tables.row_names(table), several(rows))
        if cols is not None:
            col_picks = tables.find_all(self._col_names(table), several(cols))
        found = []
        for r in row_picks:
            for c in col_picks:
                text = table[r][c] if c < len(table[r]) else ""
                same = text == pattern if case else text.lower() == pattern.lower()
                if same or (wild and tables.matches(text, pattern, case)):
                    found.append(self._give(r, c, val))
        return found


def _place(count: int, names: Callable[[], list[str]], wanted: Index, case: bool) -> int | None:
    """Place of a row or column; the names are only gathered where one is asked for."""
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        place = wanted + count if wanted < 0 else wanted
        return place if 0 <= place < count else None
    return tables.find(names(), wanted, case)
