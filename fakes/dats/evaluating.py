"""The Evaluate DAT: cells as expressions, and where it is while it evaluates one."""

from __future__ import annotations

from typing import Any

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.memory import recall
from fakes.nodes import Node
from fakes.operators import extends

from . import tables
from .cells import Cell
from .content import DatContent, rows_of
from .cooking import picked
from .tables import Rows


class Place:
    """Which cell an Evaluate DAT is at, for `me.inputRow` and its like."""

    __slots__ = ("col", "row", "source")

    def __init__(self) -> None:
        self.row = self.col = 0
        self.source: Node | None = None


@cooks("evaluateDAT")
def evaluate(node: Node, ctx: CookContext) -> DatContent:
    """Every cell (or line of text) as an expression, or by one given for it; what fails is empty and an error.

    Expressions come from a second table, cell for cell, whose last row and column go on; or from one parameter.
    """
    if node.value("outputsize") != "in1":
        raise NotFaked("evaluateDAT in the size of its expressions")
    source = _named_or_wired(node, "dat", 0)
    given = source.data() if source is not None else DatContent()
    if not isinstance(given, DatContent):
        return DatContent()
    formulas = _formulas(node)
    word = str(node.value("output") or "evaluate")
    if word == "data":
        return given
    cells = [list(row) for row in rows_of(given)]
    if word == "expression":
        shown = [[_last(formulas, r, c, cell) for c, cell in enumerate(row)] for r, row in enumerate(cells)]
    elif word == "evaluate":
        shown = _evaluated(node, ctx, source, cells, formulas)
    else:
        raise NotFaked(f"evaluateDAT output {word}")
    if given.rows is None:
        return DatContent("\n".join(row[0] for row in shown))
    return DatContent(rows=shown)


def _named_or_wired(node: Node, par: str, index: int) -> Node | None:
    named = node.value(par)
    return named if isinstance(named, Node) else node.input(index)


def _formulas(node: Node) -> Rows:
    """The table of expressions; one cell of the parameter; or none, where each cell is its own."""
    table = _named_or_wired(node, "datexpr", 1)
    if table is not None:
        return [list(row) for row in rows_of(table.data()) if row]
    text = str(node.value("expr") or "")
    return [[text]] if text.strip() else []


def _last(rows: Rows, row: int, col: int, otherwise: str) -> str:
    """A cell of a table whose last row and column go on for ever."""
    if not rows:
        return otherwise
    line = rows[min(row, len(rows) - 1)]
    return line[min(col, len(line) - 1)]


def _evaluated(node: Node, ctx: CookContext, source: Node | None, cells: Rows, formulas: Rows) -> Rows:
    from fakes import evaluation

    place = recall(node, Place)
    place.source = source
    rows = set(picked(node, "row", tables.row_names(cells))) - ({0} if node.value("xfirstrow") else set())
    cols = set(picked(node, "col", tables.col_names(cells))) - ({0} if node.value("xfirstcol") else set())

    def result(text: str, row: int, col: int) -> str:
        place.row, place.col = row, col
        formula = _last(formulas, row, col, text)
        if not formula.strip():
            return ""
        try:
            return tables.cell_text(_shown(evaluation.evaluate_text(node, formula)))
        except NotFaked:
            raise
        except Exception as error:  # noqa: BLE001  an expression raises anything
            ctx.error(f"{type(error).__name__}: {error} (row {row}, column {col})")
            return ""

    return [
        [result(cell, r, c) if r in rows and c in cols else cell for c, cell in enumerate(row)]
        for r, row in enumerate(cells)
    ]


def _shown(value: Any) -> Any:
    return value.eval() if hasattr(value, "eval") else value


@extends("evaluateDAT")
class Evaluating(Guarded):
    """Where an Evaluate DAT is: for the expressions in it."""

    __slots__ = ()
    _node: Node

    @property
    def inputRow(self) -> int:
        return recall(self._node, Place).row

    @property
    def inputCol(self) -> int:
        return recall(self._node, Place).col

    @property
    def inputTable(self) -> Any:
        """The DAT that is evaluated."""
        source = recall(self._node, Place).source
        return self._node.world.face(source) if source is not None else None

    @property
    def inputCell(self) -> Cell | None:
        """The cell that is evaluated."""
        place = recall(self._node, Place)
        return Cell(place.source, place.row, place.col) if place.source is not None else None
