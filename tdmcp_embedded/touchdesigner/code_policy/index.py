"""The code slots of the whole project, by operator: read over frames, and kept up to date by the edits themselves.

TouchDesigner says nothing of what people and scripts change. So what the index says of a slot is only a first word:
where an edit finds a slot other than the index has it, the edit is put back and the slot is read again. What the index
must know is which slots an edit can reach, and for that it is read anew when it is old (see `invariant`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner.code_policy.slot import Slot
from tdmcp_embedded.touchdesigner.code_policy.slots import SlotReader
from tdmcp_embedded.touchdesigner.footprint import Footprint, Name
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS, Pace, walk

#: How many operators with the same text in the same parameter are asked whether it leads to the same code.
_MOST_ALIKE = 20


@dataclass
class Entry:
    """The slots of one operator."""

    operator: Any
    path: str
    slots: tuple[Slot, ...]
    scan: int
    """Number of the reading that saw it last."""


@dataclass
class Index:
    """Slots by the id of their operator, and which of them an edit can reach."""

    entries: dict[int, Entry] = field(default_factory=dict)
    read_at: float | None = None
    """When the last whole reading began, in seconds of `time.monotonic`; None before the first is complete."""
    reading: bool = False
    """Whether a reading beside the edits is under way."""
    operators: int = 0
    """How many operators the last whole reading saw."""
    known_to: int = 0
    """Number of the last call of level full whose footprint was looked at (`steps.since`)."""
    _by_operator: dict[int, set[int]] = field(default_factory=dict)
    _by_name: dict[Name, set[int]] = field(default_factory=dict)
    _dynamic: set[int] = field(default_factory=set)
    anchor: tuple[int, str] = (0, "")
    """Which project was read."""
    _likenesses: dict[tuple[str, str, str, bytes], set[int]] = field(default_factory=dict)
    _scan: int = 0

    @property
    def complete(self) -> bool:
        """Whether the whole project has been read once."""
        return self.read_at is not None

    def age(self) -> float:
        """Seconds since the last whole reading began."""
        return time.monotonic() - self.read_at if self.read_at is not None else float("inf")

    def put(self, operator: Any, slots: Iterable[Slot]) -> None:
        """Take in what one operator has now."""
        number = int(operator.id)
        self.drop(number)
        found = tuple(slots)
        if not found:
            return
        self.entries[number] = Entry(operator, str(operator.path), found, self._scan)
        for slot in found:
            for each in slot.operators:
                self._by_operator.setdefault(each, set()).add(number)
            for name in slot.names:
                self._by_name.setdefault(name, set()).add(number)
            if slot.dynamic:
                self._dynamic.add(number)
            self._likenesses.setdefault(slot.likeness, set()).add(number)

    def drop(self, number: int) -> None:
        """Forget an operator."""
        entry = self.entries.pop(number, None)
        if entry is None:
            return
        self._dynamic.discard(number)
        for slot in entry.slots:
            for each in slot.operators:
                _discard(self._by_operator, each, number)
            for name in slot.names:
                _discard(self._by_name, name, number)
            _discard(self._likenesses, slot.likeness, number)

    def slots(self, number: int) -> tuple[Slot, ...]:
        """What the index has of an operator."""
        entry = self.entries.get(number)
        return entry.slots if entry is not None else ()

    def known(self, slot: Slot) -> bool:
        """Whether some operator of the same type holds the same in the same parameter: a copy brings nothing new."""
        numbers = list(self._likenesses.get(slot.likeness, ()))[:_MOST_ALIKE]
        others = [each for number in numbers for each in self.slots(number) if each.likeness == slot.likeness]
        return any(slot.same(each) for each in others)

    def reached(self, footprint: Footprint) -> set[int]:
        """Operators whose slots an edit may have changed."""
        found = set(self._dynamic)
        for number in (*footprint.touched, *footprint.gone):
            found |= self._by_operator.get(number, set())
            if number in self.entries:
                found.add(number)
        for name in footprint.names:
            found |= self._by_name.get(name, set())
        return found

    def everything(self) -> set[int]:
        """Every operator that has slots."""
        return set(self.entries)

    def scan(
        self, td: ModuleType, component: str, report: Callable[[int, int], None] | None = None
    ) -> Generator[None, None, None]:
        """Read the whole project, a few operators a step."""
        began = time.monotonic()
        self._scan += 1
        this = self._scan
        total = int(td.op("/").numChildrenRecursive) if report is not None else 0
        pace, seen = Pace(every=32), 0
        reader = SlotReader(td, component)
        for operator, _ in walk(td.op("/"), skip=SYSTEM_NETWORKS):
            number = int(operator.id)
            self.put(operator, reader.read(operator))
            if number in self.entries:
                self.entries[number].scan = this
            seen += 1
            if pace.due():
                if report is not None and seen % 256 < 32:
                    report(seen, total)
                yield
                # What was read of a DAT is good for one step only.
                reader = SlotReader(td, component)
        for count, number in enumerate([n for n, entry in self.entries.items() if entry.scan < this]):
            entry = self.entries.get(number)
            if entry is not None and entry.scan < this and not entry.operator.valid:
                self.drop(number)
            if count % 64 == 63:
                yield
        self.read_at, self.operators = began, seen


def _discard(found: dict[Any, set[int]], key: Any, number: int) -> None:
    numbers = found.get(key)
    if numbers is not None:
        numbers.discard(number)
        if not numbers:
            del found[key]
