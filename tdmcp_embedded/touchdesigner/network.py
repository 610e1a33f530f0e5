"""Reading a network in the one format in which networks are written (`tools/network_model.py`), as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import customs, describe, operators
from tdmcp_embedded.touchdesigner.flags import changed_flags
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.values import Json, clean, rounded
from tdmcp_embedded.wording import counted

#: Grey of a new operator's tile.
DEFAULT_COLOR = (0.67, 0.67, 0.67)

#: Tile sizes of new operators (fact 20).
DEFAULT_SIZE = {"COMP": [160, 130]}
_OTHER_SIZE = [130, 90]

#: Annotation parameters that have a field of their own in the format.
ANNOTATION_FIELDS = ("Titletext", "Bodytext", "Mode", "Backcolorr", "Backcolorg", "Backcolorb")


@dataclass(frozen=True)
class Extent:
    """How much of a network to read; None is no bound."""

    depth: int | None = 1
    """1 reads the operators in the network, 2 also what those hold, and so on."""
    limit: int | None = None
    """Operators directly in the network."""
    size: int | None = None
    """Bytes of JSON, about."""
    text: int | None = 4000
    """Characters of one DAT's text or table."""
    outline: bool = False
    """Only names, types, wires and docking."""
    free: str = ""
    """Path of an operator that does not count towards `size`: the server's own component, which would fill a page."""


class NetworkReader:
    """Reads one network; the generator `read` offers the frame back every few operators.

    What a bound cuts off is named in the operator's `left_out` together with the call that gets it.
    """

    def __init__(self, td: ModuleType, extent: Extent | None = None) -> None:
        self._td = td
        self._extent = extent or Extent()
        self._pace = Pace(every=4)
        self._size = 0
        self._sequences: dict[str, list[str]] = {}

    def read(self, network: Any, start: int = 0) -> Generator[None, None, dict[str, Json]]:
        """Operators from the `start`th on, the annotations (with the first page), `total` and `next` (or None)."""
        found, total, following = yield from self._operators(network, 1, start)
        annotations: list[Json] = []
        if start == 0:
            annotations = yield from self._annotations(network)
        return {"operators": found, "annotations": annotations, "total": total, "next": following}

    def _operators(
        self, network: Any, level: int, start: int = 0
    ) -> Generator[None, None, tuple[list[Json], int, int | None]]:
        inside = members(network)
        found: list[Json] = []
        for index, current in enumerate(inside):
            if index < start:
                continue
            full = level == 1 and self._extent.limit is not None and len(found) >= self._extent.limit
            if full or (found and self._full):
                return found, len(inside), index
            if self._pace.due(1 if self._extent.outline else 4):
                yield
            if not network.valid:
                break
            # Somebody may delete it while the frame is given back.
            if current.valid:
                found.append((yield from self._operator(current, network, level)))
        return found, len(inside), None

    @property
    def _full(self) -> bool:
        return self._extent.size is not None and self._size >= self._extent.size

    def _weigh(self, row: dict[str, Json]) -> None:
        if self._extent.size is not None:
            self._size += len(json.dumps(row, ensure_ascii=False))

    def _operator(self, op: Any, network: Any, level: int) -> Generator[None, None, dict[str, Json]]:
        row: dict[str, Json] = {"name": str(op.name), "type": str(op.opType)}
        left_out: list[str] = []
        _wires(op, network, row)
        if not self._extent.outline:
            self._parameters(op, row)
            _appearance(op, row)
            if op.isDAT:
                self._content(op, row, left_out)
        if op.dock is not None:
            row["dock"] = str(op.dock.name)
        if op.isCOMP:
            if not self._extent.outline:
                pages = customs.pages(op)
                if pages:
                    row["custom"] = pages
            yield from self._inside(op, row, left_out, level)
        if left_out:
            row["left_out"] = left_out
        children = row.pop("children", None)
        if op.path != self._extent.free:
            self._weigh(row)
        if children is not None:
            row["children"] = children
        return row

    def _parameters(self, op: Any, row: dict[str, Json]) -> None:
        sequences: dict[str, Json] = {}
        for name in self._sequences_of(op):
            blocks = int(op.par[name].sequence.numBlocks)
            if blocks != 1:
                sequences[name] = blocks
        stated = {str(par.name): describe.stated(par) for par in op.pars() if describe.is_changed(par)}
        if stated:
            row["params"] = stated
        if sequences:
            row["sequences"] = sequences

    def _sequences_of(self, op: Any) -> list[str]:
        """Names of sequential parameters: those of the type are looked up once, a reading meets few types."""
        kind = str(op.opType)
        if kind not in self._sequences:
            self._sequences[kind] = [str(par.name) for par in op.builtinPars if par.isSequence]
        own = [str(par.name) for par in op.customPars if par.isSequence] if op.isCOMP else []
        return self._sequences[kind] + own

    def _inside(
        self, op: Any, row: dict[str, Json], left_out: list[str], level: int
    ) -> Generator[None, None, None]:
        inner_annotations = boxes(self._td, op)
        count = len(members(op))
        if not count and not inner_annotations:
            row["children"] = []
            return
        deep_enough = self._extent.depth is not None and level >= self._extent.depth
        if deep_enough or self._full:
            left_out.append(f"{counted(count, 'operator')} inside; read_network {op.path} reads inside")
            return
        path = op.path
        found, total, following = yield from self._operators(op, level + 1)
        if following is not None:
            left_out.append(f"{total - following} of {total} operators inside; read_network {path} reads on")
        row["children"] = found
        inner = [self._annotation(a) for a in inner_annotations if a.valid]
        if inner:
            row["annotations"] = inner

    def _content(self, op: Any, row: dict[str, Json], left_out: list[str]) -> None:
        # What a DAT derives from inputs or from other operators is not its own and cannot be written (fact 40).
        if not op.isEditable or op.inputs:
            return
        text = clean(str(op.text))
        if self._extent.text is not None and len(text) > self._extent.text:
            word = "table" if op.isTable else "text"
            left_out.append(f"{word} of {len(text)} characters; read_data {op.path} reads it")
        elif op.isTable:
            rows = [[clean(str(cell.val)) for cell in line] for line in op.rows()]
            if rows:
                row["table"] = rows
        elif text:
            row["text"] = text

    def _annotations(self, network: Any) -> Generator[None, None, list[Json]]:
        found: list[Json] = []
        for current in boxes(self._td, network):
            if self._pace.due(8):
                yield
            if current.valid:
                found.append(self._annotation(current))
        return found

    def _annotation(self, op: Any) -> dict[str, Json]:
        row: dict[str, Json] = {
            "name": str(op.name),
            "title": clean(str(op.par.Titletext.eval())),
            "text": clean(str(op.par.Bodytext.eval())),
            "mode": str(op.par.Mode.eval()),
            "position": operators.position(op),
            "size": operators.size(op),
        }
        if not self._extent.outline:
            row["color"] = [rounded(op.par[f"Backcolor{c}"].eval(), 4) for c in "rgb"]
            others = {
                str(par.name): describe.stated(par)
                for par in describe.selected(op, "changed")
                if par.name not in ANNOTATION_FIELDS
            }
            if others:
                row["params"] = others
        self._weigh(row)
        return {name: value for name, value in row.items() if value != ""}


def members(network: Any) -> list[Any]:
    """The operators in a network, without annotations."""
    return [child for child in network.children if child.opType != "annotateCOMP"]


def boxes(td: ModuleType, network: Any) -> list[Any]:
    """The annotations in a network; TD hides them as utility operators (fact 14)."""
    return list(network.findChildren(type=td.annotateCOMP, depth=1, includeUtility=True))


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
