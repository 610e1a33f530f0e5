"""CHOPs made of other families' data: tables."""

from __future__ import annotations

import numpy as np

from fakes.cooking import CookContext, cooks
from fakes.dats import tables
from fakes.dats.content import rows_of
from fakes.errors import NotFaked
from fakes.nodes import Node

from .samples import Samples, unique


@cooks("dattoCHOP")
def from_table(node: Node, ctx: CookContext) -> Samples:
    """A table's rows (or columns) as channels; what is no number becomes the default value."""
    target = node.value("dat")
    rows = [list(row) for row in rows_of(target.data())] if isinstance(target, Node) else []
    if {str(node.value("extractrows")), str(node.value("extractcols"))} != {"all"}:
        raise NotFaked("dattoCHOP of part of a table")
    output = str(node.value("output"))
    if output not in ("chanperrow", "chanpercol"):
        raise NotFaked(f"dattoCHOP output {output}")
    heads = (str(node.value("firstrow")), str(node.value("firstcolumn")))
    if output == "chanpercol":
        # Seen from the side, columns are rows and the first row is the first column.
        rows, heads = tables.transpose(rows), (heads[1], heads[0])
    if heads[0] != "values":
        rows = rows[1:]
    names = [row[0] for row in rows] if heads[1] == "names" else []
    if heads[1] != "values":
        rows = [row[1:] for row in rows]
    if not rows or not rows[0]:
        return Samples()
    names = [_name(name) for name in names] or [f"chan{i + 1}" for i in range(len(rows))]
    otherwise = float(node.value("defval")) if node.par_info("defval") is not None else 0.0
    values = np.array([[_number(cell, otherwise) for cell in row] for row in rows], dtype=np.float32)
    return Samples(unique(names), values)


def _name(text: str) -> str:
    """A cell as a channel's name: without what names do not allow."""
    return "".join(letter if letter.isalnum() or letter in "_/:" else "_" for letter in text) or "chan"


def _number(cell: str, otherwise: float) -> float:
    """A cell as a number."""
    try:
        return float(cell)
    except ValueError:
        return otherwise
