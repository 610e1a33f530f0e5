"""Reading a network in the one format in which networks are written (`tools/network_model.py`), as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.rows import RowReader, boxes, members
from tdmcp_embedded.touchdesigner.values import Json
from tdmcp_embedded.wording import counted


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
        self._rows = RowReader(self._pace, self._extent.text, self._extent.outline)
        self._size = 0

    def read(self, network: Any, start: int = 0) -> Generator[None, None, dict[str, Json]]:
        """Operators from the `start`th on, the annotations (with the first page), `total` and `next` (or None)."""
        found, total, following = yield from self._operators(network, 1, start)
        annotations: list[Json] = []
        if start == 0 and network.valid:
            annotations = yield from self._annotations(network)
        return {"operators": found, "annotations": annotations, "total": total, "next": following}

    def _operators(
        self, network: Any, level: int, start: int = 0
    ) -> Generator[None, None, tuple[list[Json], int, int | None]]:
        inside = members(network)
        found: list[Json] = []
        for index in range(start, len(inside)):
            full = level == 1 and self._extent.limit is not None and len(found) >= self._extent.limit
            if full or (found and self._full):
                return found, len(inside), index
            if self._pace.due(1 if self._extent.outline else 4):
                yield
            if not network.valid:
                break
            # Somebody may delete it while the frame is given back.
            if inside[index].valid:
                found.append((yield from self._operator(inside[index], network, level)))
        return found, len(inside), None

    @property
    def _full(self) -> bool:
        return self._extent.size is not None and self._size >= self._extent.size

    def _weigh(self, row: dict[str, Json]) -> None:
        if self._extent.size is not None:
            self._size += len(json.dumps(row, ensure_ascii=False))

    def _operator(self, op: Any, network: Any, level: int) -> Generator[None, None, dict[str, Json]]:
        path = str(op.path)
        row = yield from self._rows.operator(op, network)
        inner: dict[str, Json] = {}
        if op.valid and op.isCOMP:
            inner, left_out = yield from self._inside(op, level)
            if left_out:
                row["left_out"] = [*row.get("left_out", ()), left_out]
        if path != self._extent.free:
            self._weigh(row)
        return row | inner

    def _inside(self, op: Any, level: int) -> Generator[None, None, tuple[dict[str, Json], str]]:
        """What is inside a COMP, and in a sentence what of it was not read."""
        notes = boxes(self._td, op)
        count = int(op.numChildren)
        if not count and not notes:
            return {"children": []}, ""
        path = str(op.path)
        deep_enough = self._extent.depth is not None and level >= self._extent.depth
        if deep_enough or self._full:
            return {}, f"{counted(len(members(op)), 'operator')} inside; read_network {path} reads inside"
        found, total, following = yield from self._operators(op, level + 1)
        inside: dict[str, Json] = {"children": found}
        read = [self._annotation(each) for each in notes if each.valid]
        if read:
            inside["annotations"] = read
        if following is None:
            return inside, ""
        left = total - following
        return inside, f"{left} of {total} operators inside; read_network {path} reads on"

    def _annotations(self, network: Any) -> Generator[None, None, list[Json]]:
        found: list[Json] = []
        for current in boxes(self._td, network):
            if self._pace.due(8):
                yield
            if current.valid:
                found.append(self._annotation(current))
        return found

    def _annotation(self, op: Any) -> dict[str, Json]:
        row = self._rows.annotation(op)
        self._weigh(row)
        return row


@dataclass(frozen=True)
class Entry:
    """One operator or annotation of a network read as a run."""

    path: str
    """Relative to the network."""
    kind: str
    """"operator", "component" (what is inside follows) or "annotation"."""
    row: dict[str, Json]


def run(td: ModuleType, network: Any) -> Iterator[Entry | None]:
    """A whole network, one row after the other, components before what is inside; None offers the frame back.

    Nothing of it is held together: ten thousand operators as one structure cost Python's collector a frame each time
    it looks through them.
    """
    pace = Pace(every=4)
    reader = RowReader(pace)
    waiting = _level(td, network, "")
    while waiting:
        current, home, prefix, note = waiting.pop()
        if pace.due(4):
            yield None
        if not current.valid:
            continue
        if note:
            row = reader.annotation(current)
            yield Entry(f"{prefix}{row['name']}", "annotation", row)
            continue
        steps = reader.operator(current, home)
        while True:
            try:
                yield next(steps)
            except StopIteration as end:
                row = end.value
                break
        path = f"{prefix}{row['name']}"
        component = bool(current.valid and current.isCOMP)
        if component:
            waiting += _level(td, current, f"{path}/")
        yield Entry(path, "component" if component else "operator", row)


def _level(td: ModuleType, network: Any, prefix: str) -> list[tuple[Any, Any, str, bool]]:
    """What a network holds, last first: operators, then annotations."""
    found = [(op, network, prefix, False) for op in members(network)]
    found += [(op, network, prefix, True) for op in boxes(td, network)]
    return found[::-1]
