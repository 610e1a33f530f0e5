"""Reading a network in the one format in which networks are written (`tools/network_model.py`), as plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.rows import RowReader, boxes, members
from tdmcp_embedded.touchdesigner.values import Json, weight
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

    def read(
        self, network: Any, start: int | Callable[[Sequence[Any]], int] = 0, notes: int = 0
    ) -> Generator[None, None, dict[str, Json]]:
        """Operators and annotations from some of each on.

        Args:
            start: the first operator; or how to find it among those that are there.
            notes: the first annotation. They come along on every page until there are no more.

        Returns:
            "operators", "annotations", "total" (operators), and "next" and "next_notes", where to go on (None: all read).
        """
        whole = self._extent.size
        annotations, left = yield from self._annotations(network, notes, whole and whole // 4)
        found, total, following = yield from self._operators(network, 1, start)
        if following is None and left is not None and network.valid:
            more, left = yield from self._annotations(network, left, whole)
            annotations += more
        if following is None and left is not None:
            following = total
        notes = left if left is not None else notes + len(annotations)
        return {
            "operators": found,
            "annotations": annotations,
            "total": total,
            "next": following,
            "next_notes": notes,
        }

    def _operators(
        self, network: Any, level: int, start: int | Callable[[Sequence[Any]], int] = 0
    ) -> Generator[None, None, tuple[list[Json], int, int | None]]:
        inside = members(network)
        found: list[Json] = []
        for index in range(start if isinstance(start, int) else start(inside), len(inside)):
            full = level == 1 and self._extent.limit is not None and len(found) >= self._extent.limit
            if full or ((found or level > 1) and self._full):
                return found, len(inside), index
            if self._pace.due(1 if self._extent.outline else 4):
                yield
            if not network.valid:
                break
            # Somebody may delete it while the frame is given back.
            if inside[index].valid:
                row = yield from self._operator(inside[index], network, level, not found and level == 1)
                if row is None:
                    return found, len(inside), index
                found.append(row)
        return found, len(inside), None

    @property
    def _full(self) -> bool:
        return self._extent.size is not None and self._size >= self._extent.size

    def _fits(self, row: Json, most: int | None, always: bool = False) -> bool:
        """Whether there is room for some more; if so, it is taken."""
        if most is None:
            return True
        size = weight(row) + 2
        if not always and self._size + size > most:
            # Nor is there for anything after it: pages have no holes.
            self._size = max(self._size, most)
            return False
        self._size += size
        return True

    def _operator(
        self, op: Any, network: Any, level: int, always: bool
    ) -> Generator[None, None, dict[str, Json] | None]:
        """A row with what is inside; None if there is no room for it."""
        path = str(op.path)
        row = yield from self._rows.operator(op, network)
        if level == 1 and not self._extent.outline:
            row["as_read"] = True
        most = self._extent.size if path != self._extent.free else None
        if not self._fits(row, most, always):
            return None
        inner: dict[str, Json] = {}
        if op.valid and op.isCOMP:
            inner, left_out = yield from self._inside(op, level)
            if left_out:
                row["left_out"] = [*row.get("left_out", ()), left_out]
                self._fits(left_out, most, True)
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
        read, left = (yield from self._annotations(op, 0, self._extent.size)) if notes else ([], None)
        if read:
            inside["annotations"] = read
        if following is not None:
            return inside, f"{total - following} of {total} operators inside; read_network {path} reads on"
        if left is not None:
            return inside, f"annotations inside from the {left + 1}th on; read_network {path} reads them"
        return inside, ""

    def _annotations(
        self, network: Any, start: int, most: int | None
    ) -> Generator[None, None, tuple[list[Json], int | None]]:
        """Annotations until `most` bytes are read in all, and where to go on."""
        found: list[Json] = []
        for index, current in enumerate(boxes(self._td, network)):
            if index < start:
                continue
            if self._pace.due(8):
                yield
            if current.valid:
                row = self._rows.annotation(current)
                size = self._size
                if not self._fits(row, most):
                    self._size = size
                    return found, index
                found.append(row)
        return found, None


@dataclass(frozen=True)
class Entry:
    """One operator or annotation of a network read as a run."""

    path: str
    """Relative to the network."""
    kind: str
    """"operator", "component" (what is inside follows), "annotation", or "own" (of the network itself, path "")."""
    row: dict[str, Json]


def run(td: ModuleType, network: Any) -> Iterator[Entry | None]:
    """A whole network, one row after the other, components before what is inside; None offers the frame back.

    Nothing of it is held together: ten thousand operators as one structure cost Python's collector a frame each time
    it looks through them.
    """
    pace = Pace(every=4)
    reader = RowReader(pace)
    yield Entry("", "own", reader.own(network))
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
