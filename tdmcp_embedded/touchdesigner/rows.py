"""One operator or annotation as a row of the network format (`tools/network_model.py`): all but what is inside it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import customs, describe, operators
from tdmcp_embedded.touchdesigner.builds import make_sequences, op_type
from tdmcp_embedded.touchdesigner.flags import changed_flags
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import Json, clean, rounded, weight
from tdmcp_embedded.wording import counted

#: Grey of a new operator's tile.
DEFAULT_COLOR = (0.67, 0.67, 0.67)

#: Tile sizes of new operators (fact 20).
DEFAULT_SIZE = {"COMP": [160, 130]}
_OTHER_SIZE = [130, 90]

#: Annotation parameters that have a field of their own in the format.
ANNOTATION_FIELDS = ("Titletext", "Bodytext", "Mode", "Backcolorr", "Backcolorg", "Backcolorb")

#: Cells of a table that are read at one go; larger tables are read a few rows at a time.
_FEW_CELLS = 200


#: Fields that a bounded reading leaves out where they are too long; `left_out` then has a sentence with their name.
_LEAVABLE = ("title", "params", "custom", "comment", "tags", "inputs", "comp_inputs")


def unread(row: Mapping[str, Any]) -> set[str]:
    """What a bounded reading did not carry, of which nothing can be said: fields of the row, and "inside"."""
    words = {word for sentence in row.get("left_out") or () for word in sentence.replace(";", "").split()}
    return words & {"text", "table", "inside", *_LEAVABLE}


def members(network: Any) -> list[Any]:
    """The operators in a network, without annotations."""
    # By class, not by attribute: among thousands of siblings every attribute read is felt.
    return [child for child in network.children if type(child).__name__ != "annotateCOMP"]


def boxes(td: ModuleType, network: Any) -> list[Any]:
    """The annotations in a network; TD hides them as utility operators (fact 14)."""
    return list(network.findChildren(type=td.annotateCOMP, depth=1, includeUtility=True))


class RowReader:
    """Reads rows.

    Args:
        pace: when to offer the frame back within one operator; only a large table takes so long.
        text: bytes of one DAT's text or table (of other things twice as many); what is longer is named in
            `left_out`. None is no bound.
        outline: only names, types, wires and docking.
    """

    def __init__(self, pace: Pace, text: int | None = None, outline: bool = False) -> None:
        self._pace = pace
        self._text = text
        self._outline = outline
        self._sequences: dict[str, list[str]] = {}

    def operator(self, op: Any, network: Any) -> Generator[None, None, dict[str, Json]]:
        """The row of one operator of `network`. What a bound cuts off stands in `left_out`, as a sentence."""
        row: dict[str, Json] = {"name": str(op.name), "type": op_type(op)}
        _wires(op, network, row)
        if not self._outline:
            self._parameters(op, row)
            _appearance(op, row)
        if op.dock is not None:
            row["dock"] = str(op.dock.name)
        if self._outline:
            if self._text is not None:
                _leave_out(op, row, 2 * self._text)
            return row
        if op.isCOMP:
            pages = customs.pages(op, sequences=False)
            if pages:
                row["custom"] = pages
        if self._text is not None:
            _leave_out(op, row, 2 * self._text)
        if op.isDAT:
            # Last of all: it may let frames pass, after which the operator may be gone.
            yield from self._content(op, row)
        return row

    def own(self, comp: Any) -> dict[str, Json]:
        """What belongs to a network itself: the parameters of its COMP, and its custom pages."""
        row: dict[str, Json] = {}
        self._parameters(comp, row)
        pages = customs.pages(comp, sequences=False)
        if pages:
            row["custom"] = pages
        return row

    def annotation(self, op: Any) -> dict[str, Json]:
        """The row of one annotation."""
        row: dict[str, Json] = {
            "name": str(op.name),
            "title": clean(str(op.par.Titletext.eval())),
            "text": clean(str(op.par.Bodytext.eval())),
            "mode": str(op.par.Mode.eval()),
            "position": operators.position(op),
            "size": operators.size(op),
        }
        if not self._outline:
            row["color"] = [rounded(op.par[f"Backcolor{c}"].eval(), 4) for c in "rgb"]
            others = {
                str(par.name): describe.stated(par)
                for par in describe.selected(op, "changed")
                if par.name not in ANNOTATION_FIELDS
            }
            if others:
                row["params"] = others
        for name, par in (("title", "Titletext"), ("text", "Bodytext"), ("mode", "Mode")):
            # A new one has a title (fact 28): that somebody took it away must be said.
            if row[name] == "" and op.par[par].isDefault:
                del row[name]
        if self._text is not None:
            _leave_out(op, row, self._text)
        return row

    def _parameters(self, op: Any, row: dict[str, Json]) -> None:
        make_sequences(op)
        sequences: dict[str, Json] = {}
        for name in self._sequences_of(op):
            blocks = int(op.par[name].sequence.numBlocks)
            if blocks != 1:
                sequences[name] = blocks
        custom_sequences = [par for par in op.customPars if par.isSequence] if op.isCOMP else []
        stated = {
            str(par.name): describe.stated(par)
            for par in op.pars()
            if describe.is_changed(par) and not (custom_sequences and customs.in_block(par))
        }
        for par in custom_sequences:
            held = counted(int(par.sequence.numBlocks), "block")
            sentence = (
                f"custom sequence {par.name} of {held}; inspect_operator {op.path} shows its parameters"
            )
            row["left_out"] = [*row.get("left_out", ()), sentence]
        if stated:
            row["params"] = stated
        if sequences:
            row["sequences"] = sequences

    def _sequences_of(self, op: Any) -> list[str]:
        """Names of sequential parameters: those of the type are looked up once, a reading meets few types."""
        kind = op_type(op)
        if kind not in self._sequences:
            self._sequences[kind] = [str(par.name) for par in op.builtinPars if par.isSequence]
        # The blocks of custom sequences are left out (`_parameters` says so).
        return self._sequences[kind]

    def _content(self, op: Any, row: dict[str, Json]) -> Generator[None, None, None]:
        # What a DAT derives from inputs or from other operators is not its own and cannot be written (fact 40).
        if not op.isEditable or op.inputs:
            return
        table = bool(op.isTable)
        cells = int(op.numRows) * int(op.numCols) if table else 0
        if self._text is not None:
            left_out = ""
            # Not even a cell a character: no need to have TD write all of it.
            if cells > self._text:
                left_out = f"table of {op.numRows} x {op.numCols} cells"
            # In JSON a cell has quotes and a comma.
            elif (size := len(text := str(op.text))) > self._text or weight(
                text
            ) + 3 * cells > self._text + 2:
                left_out = f"{'table' if table else 'text'} of {size} characters"
            if left_out:
                row["left_out"] = [*row.get("left_out", ()), f"{left_out}; read_data {op.path} reads it"]
                return
        if not table:
            text = clean(str(op.text))
            if text:
                row["text"] = text
        elif cells <= _FEW_CELLS:
            rows = [[clean(str(cell.val)) for cell in line] for line in op.rows()]
            if rows:
                row["table"] = rows
        else:
            row["table"] = yield from self._long_table(op)

    def _long_table(self, op: Any) -> Generator[None, None, list[Json]]:
        rows: list[Json] = []
        for index in range(int(op.numRows)):
            # Somebody may shorten it, or delete the whole, while the frame is given back.
            if not op.valid or index >= op.numRows:
                break
            rows.append([clean(str(op[index, column].val)) for column in range(int(op.numCols))])
            if self._pace.due(0):
                yield
        return rows


def _leave_out(op: Any, row: dict[str, Json], most: int) -> None:
    """Take out what would make a page of one operator."""
    sentences = []
    fields = [*_LEAVABLE, "text"]
    for field in fields:
        if field in row and (size := weight(row[field])) > most:
            del row[field]
            sentences.append(f"{field} of {size} bytes; inspect_operator {op.path} shows more")
    # Each by itself may pass, and all of them together not.
    while weight(row) > 2 * most and (there := [field for field in fields if field in row]):
        field = max(there, key=lambda each: weight(row[each]))
        sentences.append(f"{field} of {weight(row.pop(field))} bytes; inspect_operator {op.path} shows more")
    if sentences:
        row["left_out"] = [*row.get("left_out", ()), *sentences]


def _wires(op: Any, network: Any, row: dict[str, Json]) -> None:
    for field, comp in (("inputs", False), ("comp_inputs", True)):
        if comp and not op.isCOMP:
            continue
        sources: list[Json] = []
        for wire in operators.wires_in(op, comp):
            if wire is None:
                sources.append(None)
                continue
            source, output = wire
            name = operators.relative(source, network)
            sources.append({"from": name, "output": output} if output else name)
        if sources:
            row[field] = sources


def _appearance(op: Any, row: dict[str, Json]) -> None:
    row["position"] = operators.position(op)
    size = operators.size(op)
    if size != DEFAULT_SIZE.get(op.family, _OTHER_SIZE):
        row["size"] = size
    flags = changed_flags(op)
    if flags:
        row["flags"] = flags
    comment = clean(str(op.comment))
    if comment:
        row["comment"] = comment
    color = [rounded(part, 4) for part in op.color]
    if any(abs(part - usual) > 0.001 for part, usual in zip(color, DEFAULT_COLOR, strict=False)):
        row["color"] = color
    tags = operators.tags(op)
    if tags:
        row["tags"] = tags
