"""What each DAT type cooks to: written content handed on, and content computed from others."""

from __future__ import annotations

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.nodes import Node
from fakes.scripted import run_on_cook

from . import content, defaults, tables
from .content import DatContent, rows_of
from .tables import Rows

_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}


def _first(ctx: CookContext) -> DatContent:
    found = ctx.inputs[0] if ctx.inputs else None
    return found if isinstance(found, DatContent) else DatContent()


def _plain(text: str) -> str:
    """A parameter's text with its escapes (`\\t`, `\\n`) meant as such."""
    for escape, letter in _ESCAPES.items():
        text = text.replace(escape, letter)
    return text


@cooks("textDAT", "tableDAT", *defaults.CALLBACKS)
def written(node: Node, ctx: CookContext) -> DatContent:
    """What scripts wrote, one cook late (fact 11); with a wire, the input's content."""
    if ctx.inputs and isinstance(ctx.inputs[0], DatContent) and node.type == "textDAT":
        return DatContent(ctx.inputs[0].text)
    if node.type == "tableDAT" and node.value("fill") != "manual":
        raise NotFaked(f"tableDAT fill {node.value('fill')}")
    return content.shown(node)


@cooks("nullDAT", "inDAT", "outDAT", needs=1)
def same(node: Node, ctx: CookContext) -> DatContent:
    """The input."""
    return _first(ctx)


@cooks("selectDAT")
def select(node: Node, ctx: CookContext) -> DatContent:
    """Rows and columns of the DAT in `dat`, or of the input."""
    target = node.value("dat")
    source = target.data() if isinstance(target, Node) and target.family == "DAT" else _first(ctx)
    if not isinstance(source, DatContent):
        return DatContent()
    ways = {axis: str(node.value(f"extract{axis}")) for axis in ("rows", "cols")}
    if set(ways.values()) == {"all"}:
        return source
    rows = [list(row) for row in rows_of(source)]
    rows = _extract(node, rows, "row", ways["rows"], tables.row_names(rows))
    if ways["cols"] != "all" and rows:
        turned = tables.transpose(rows)
        names = tables.col_names(rows_of(source))
        rows = tables.transpose(_extract(node, turned, "col", ways["cols"], names))
    return DatContent(rows=rows)


def picked(node: Node, axis: str, names: list[str]) -> list[int]:
    """Which rows (or columns, by `axis`: row or col) the Select parameters of a DAT pick.

    Raises:
        NotFaked: by a condition.
    """
    way = str(node.value(f"extract{axis}s"))
    if way == "all":
        return list(range(len(names)))
    if way == "bynames":
        return tables.find_all(names, str(node.value(f"{axis}names")).split())
    ends = {
        "byname": (f"{axis}namestart", f"{axis}nameend"),
        "byindex": (f"{axis}indexstart", f"{axis}indexend"),
        "bynameindex": (f"{axis}namestart", f"{axis}indexend"),
        "byindexname": (f"{axis}indexstart", f"{axis}nameend"),
    }.get(way)
    if ends is None:
        raise NotFaked(f"{node.type} extracting {axis}s {way}")
    low, high = (tables.find(names, node.value(end)) for end in ends)
    return list(range(low, high + 1)) if low is not None and high is not None else []


def _extract(node: Node, rows: Rows, axis: str, way: str, names: list[str]) -> Rows:
    if way == "all":
        return rows
    picks = picked(node, axis, names)
    keep_first = bool(node.value("firstrow" if axis == "row" else "firstcol"))
    if keep_first and rows and 0 not in picks:
        picks = [0, *picks]
    return [rows[place] for place in picks if place < len(rows)]


@cooks("mergeDAT")
def merge(node: Node, ctx: CookContext) -> DatContent:
    """All inputs and the DATs in `dat`, under one another or side by side."""
    sources = [i for i in ctx.inputs if isinstance(i, DatContent)]
    sources += [i for i in (n.data() for n in node.nodes("dat")) if isinstance(i, DatContent)]
    how = str(node.value("how"))
    if how not in ("row", "col") or node.value("byname"):
        raise NotFaked(f"mergeDAT {how}{' by name' if node.value('byname') else ''}")
    if how == "row" and sources and all(source.rows is None for source in sources):
        return DatContent("\n".join(source.text for source in sources))
    parts = [[list(row) for row in rows_of(source)] for source in sources]
    if how == "row":
        return DatContent(rows=tables.square([row for part in parts for row in part]))
    tall = max(map(len, parts), default=0)
    sized = [tables.resize(part, tall, tables.width(part)) for part in parts]
    return DatContent(rows=[[cell for part in sized for cell in part[r]] for r in range(tall)])


@cooks("convertDAT", needs=1)
def convert(node: Node, ctx: CookContext) -> DatContent:
    """Text into a table, or a table into text."""
    source = _first(ctx)
    skip = bool(node.value("removeblank"))
    if node.value("how") == "text":
        if source.rows is None:
            return source
        spacer = _plain(str(node.value("spacers")))
        lines = [spacer.join(row) for row in source.rows]
        return DatContent("\n".join(line for line in lines if line.strip() or not skip))
    if source.rows is not None:
        return source
    return DatContent(rows=tables.split(source.text, _plain(str(node.value("delimiters"))), skip))


@cooks("transposeDAT", needs=1)
def transpose(node: Node, ctx: CookContext) -> DatContent:
    """Rows become columns."""
    return DatContent(rows=tables.transpose(rows_of(_first(ctx))))


@cooks("scriptDAT")
def script(node: Node, ctx: CookContext) -> DatContent:
    """The table that onCook made."""
    run_on_cook(node)
    return content.scripted(node).copy()


@cooks("infoDAT")
def info(node: Node, ctx: CookContext) -> DatContent:
    """What another operator has to say: of a GLSL operator, the result of its compilation (fact 34)."""
    target = node.value("op")
    if not isinstance(target, Node):
        return DatContent()
    if target.type in ("glslTOP", "glslmultiTOP"):
        from fakes.tops.glsl import compile_result

        return DatContent(compile_result(target))
    raise NotFaked(f"what an Info DAT tells of a {target.type}")


@cooks("choptoDAT")
def from_chop(node: Node, ctx: CookContext) -> DatContent:
    """A CHOP's samples as cells, a column or a row a channel."""
    from fakes.chops.samples import Samples

    target = node.value("chop")
    found = target.data() if isinstance(target, Node) else None
    if not isinstance(found, Samples):
        return DatContent(rows=[])
    values = found.values[:, -1:] if node.value("latestsample") else found.values
    columns = [[f"{value:g}" for value in row] for row in values]
    if node.value("names"):
        columns = [[name, *column] for name, column in zip(found.names, columns, strict=True)]
    return DatContent(rows=columns if node.value("output") == "rowperchan" else tables.transpose(columns))
