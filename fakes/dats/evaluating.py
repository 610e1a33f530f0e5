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
from .content import DatContent


class Place:
    """Which cell an Evaluate DAT is at, for `me.inputRow` and its like."""

    __slots__ = ("col", "row", "source")

    def __init__(self) -> None:
        self.row = self.col = 0
        self.source: Node | None = None


@cooks("evaluateDAT")
def evaluate(node: Node, ctx: CookContext) -> DatContent:
    """Every cell (or line of text) as an expression; what fails stays empty and is an error."""
    from fakes import evaluation

    target = node.value("dat")
    source = target if isinstance(target, Node) else node.input(0)
    given = source.data() if source is not None else DatContent()
    if (
        node.value("output") not in ("", "evaluate")
        or isinstance(node.value("datexpr"), Node)
        or len(ctx.inputs) > 1
    ):
        raise NotFaked("evaluateDAT with a table of expressions or another output")
    if {str(node.value("extractrows")), str(node.value("extractcols"))} != {"all"}:
        raise NotFaked("evaluateDAT on part of a table")
    expression = str(node.value("expr") or "")
    place = recall(node, Place)
    place.source = source

    def result(text: str, row: int, col: int) -> str:
        place.row, place.col = row, col
        if not (expression or text).strip():
            return ""
        try:
            return tables.cell_text(_shown(evaluation.evaluate_text(node, expression or text)))
        except NotFaked:
            raise
        except Exception as error:  # noqa: BLE001  an expression raises anything
            ctx.error(f"{type(error).__name__}: {error} (row {row}, column {col})")
            return ""

    if not isinstance(given, DatContent):
        return DatContent()
    if given.rows is None:
        return DatContent("\n".join(result(line, r, 0) for r, line in enumerate(given.text.split("\n"))))
    skip_row, skip_col = bool(node.value("xfirstrow")), bool(node.value("xfirstcol"))
    return DatContent(
        rows=[
            [
                cell if (skip_row and r == 0) or (skip_col and c == 0) else result(cell, r, c)
                for c, cell in enumerate(row)
            ]
            for r, row in enumerate(given.rows)
        ]
    )


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
