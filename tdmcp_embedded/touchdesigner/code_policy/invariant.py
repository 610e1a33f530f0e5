"""The code that a project can run is the same after an edit of level *edit* as before, or the edit is put back.

An edit notes what it touches (`footprint`). The index says which code slots of the whole project that can change: those
of the operators themselves, those that lead to them, those that find their code by a name that came or went, and those
found by a value. They are read again in the edit's own step, before anything runs. A slot may go, with its operator or
because a plain value takes its place; none may come, change or wake up. New are only slots in which nothing happens,
those that TouchDesigner itself gives a new operator, and expressions copied with their operator.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from types import ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.code_policy import reach, steps
from tdmcp_embedded.touchdesigner.code_policy.index import Index
from tdmcp_embedded.touchdesigner.code_policy.slot import Slot
from tdmcp_embedded.touchdesigner.code_policy.slots import SlotReader
from tdmcp_embedded.touchdesigner.footprint import Footprint
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS, Pace, walk
from tdmcp_embedded.touchdesigner.telling import told

#: Seconds after which an edit waits for the project to be read again: what people changed meanwhile must be known.
FRESH: Final = 60.0
#: Operators of the largest project that is compared as a whole within one step, for steps of which nothing is known.
MOST_AT_ONCE: Final = 150

#: Kinds of slots that copies of an operator may have too.
_COPIED: Final = frozenset({"expression", "bind", "source"})

_indexes: WeakKeyDictionary[Any, Index] = WeakKeyDictionary()

#: What was read of operators: by id, the operator, its path then, and its slots.
Read = dict[int, tuple[Any, str, tuple[Slot, ...]]]


class CodeChanged(ToolFailure):
    """A slot is not as the index has it. Either the edit did that, or somebody else before it."""

    def __init__(self, after: Read, footprint: Footprint, slots: list[Slot]) -> None:
        super().__init__(Code.ACCESS_DENIED, "The code of the project would change.")
        self.after = after
        self.footprint = footprint
        self.slots = slots
        self.place = ""
        """Which call of a batch it was, in words."""


def index_of(owner: Any) -> Index:
    """The index that belongs to a server, by its frame queue."""
    return _indexes.setdefault(owner, Index())


def denied(slots: list[Slot], place: str = "") -> ToolFailure:
    """The refusal of an edit that changes code, with the slots it changes."""
    first = min(slots, key=lambda slot: (slot.path, slot.where))
    others = len({(slot.path, slot.where) for slot in slots}) - 1
    more = f" (and {others} more)" if others else ""
    kind = first.likeness[0]
    what = f"changing the code that {first.path} {first.where} runs{more}"
    if first.kind == "settings" and (why := reach.reason(kind)) is not None:
        what = f"changing {first.path}, a {kind}, which {why},"
    elif first.kind == "source":
        what = f"changing where {first.path} {first.where} takes its content from{more}"
    return ToolFailure(
        Code.ACCESS_DENIED,
        f"{place}: {what} needs access level full; this key works at level edit. Nothing of the batch was done."
        if place
        else f"{what[0].upper()}{what[1:]} needs access level full; this key works at level edit.",
        hint="Nothing was changed. Level edit leaves the code that a project runs as it is: work on other operators, "
        "or ask the user for a key of level full.",
        details={"needs_level": "full", "slot": {"path": first.path, "parameter": first.where}},
    )


class Guard:
    """Watches one call of level edit.

    Args:
        component: path of the server's own component.
    """

    def __init__(self, td: ModuleType, index: Index, component: str) -> None:
        self._td = td
        self._index = index
        self._component = component
        self._born: dict[tuple[int, str], Slot] = {}
        self._looked_at: dict[int, Any] = {}
        self._paths: set[str] = set()
        self._committed = False
        """Whether the index has taken in a part of the edit."""
        self.removed: list[Slot] = []
        self.added: list[Slot] = []

    # Before the edit

    def ready(self, report: Callable[[float, float | None, str], None]) -> Generator[None, None, None]:
        """Have the index as new as an edit needs it; over frames, with progress."""
        index = self._index
        anchor = self._anchor()
        latest, changed = steps.since(index.known_to)
        old = not index.complete or index.age() > FRESH or index.anchor != anchor
        if old or changed is None or changed.foreign:
            yield from index.scan(
                self._td,
                self._component,
                lambda done, total: report(done, total, "Reading the code of the project"),
            )
            index.anchor, index.known_to = anchor, latest
            latest, changed = steps.since(latest)
        index.known_to = latest
        if changed is None:
            return
        pace = Pace(every=32)
        reader = SlotReader(self._td, self._component)
        for number, operator in self._operators(changed).items():
            if operator.valid:
                index.put(operator, reader.read(operator))
            else:
                index.drop(number)
            if pace.due():
                yield
                reader = SlotReader(self._td, self._component)

    def _anchor(self) -> tuple[int, str]:
        """Changes when another project is opened."""
        own = self._td.op(self._component or "/")
        return (int(own.id) if own is not None else 0, str(told(lambda: self._td.project.name)))

    # During the edit

    def begin(self) -> None:
        """The edit begins, perhaps once more."""
        self._born, self._looked_at, self._paths, self._committed = {}, {}, set(), False

    def born(self, operators: Iterable[Any]) -> None:
        """Note the slots that TouchDesigner gave to operators it has just made."""
        reader = SlotReader(self._td, self._component)
        made = list(_with_inside(operators))
        new = {int(operator.id) for operator in made}
        for operator in made:
            for slot in reader.read(operator):
                if all(part.id in new for part in slot.parts):
                    self._born[int(operator.id), slot.where] = slot

    def look(self, footprint: Footprint) -> None:
        """Compare what the edit has reached since the last look.

        Raises:
            CodeChanged: a slot is not as the index has it.
        """
        if not footprint:
            return
        self._refuse_system(footprint)
        after = self._read(self._operators(footprint))
        changed = self._different(after, footprint)
        self._looked_at |= {number: operator for number, (operator, _, _) in after.items()}
        self._paths |= footprint.paths
        if changed:
            raise CodeChanged(after, footprint, changed)
        self._commit(after, footprint)
        self._committed = True

    def _refuse_system(self, footprint: Footprint) -> None:
        for path in footprint.paths:
            if any(path == top or path.startswith(f"{top}/") for top in SYSTEM_NETWORKS):
                raise ToolFailure(
                    Code.ACCESS_DENIED,
                    f"Changing {path}, which belongs to TouchDesigner itself, needs access level full.",
                    hint="Work below /project1.",
                    details={"needs_level": "full"},
                )

    # After it

    def judge(self, changed: CodeChanged) -> Generator[None, None, ToolFailure | None]:
        """Decide, now that the edit was put back, whether it was the edit: None if a slot was old in the index.

        In steps of a frame's budget, but for an edit in several parts: the index has taken in some of them, and must not
        be seen like that by another edit.
        """
        at_once = self._committed
        if not at_once:
            yield
        for _ in self._put_back():
            if not at_once:
                yield
        slots = self._different(changed.after, changed.footprint)
        self._begin_again()
        return denied(slots, changed.place) if slots else None

    def put_back(self) -> None:
        """Read again what was looked at, after the edit was rolled back."""
        for _ in self._put_back():
            pass
        self._begin_again()

    def _put_back(self) -> Iterator[None]:
        found = {number: operator for number, operator in self._looked_at.items()}
        for path in self._paths:
            operator = find(self._td, path)
            if operator is not None:
                found[int(operator.id)] = operator
        for number in [number for number, operator in found.items() if not operator.valid]:
            self._index.drop(number)
        again = [op for number, op in found.items() if number not in self._looked_at]
        pace = Pace(every=32)
        reader = SlotReader(self._td, self._component)
        for operator in [*_with_inside(again), *self._looked_at.values()]:
            # Frames may pass: somebody else may delete it.
            if operator.valid:
                self._index.put(operator, reader.read(operator))
                if pace.due(4):
                    yield
                    reader = SlotReader(self._td, self._component)

    def _begin_again(self) -> None:
        self._looked_at, self._paths, self._committed = {}, set(), False
        self.removed.clear()
        self.added.clear()

    # Undo and redo

    def look_at_step(self, footprint: Footprint | None, back: Iterable[Slot]) -> tuple[Read, list[Slot]]:
        """What the slots that an undone or redone step reaches are now, and which of them are not as the index has them.

        Args:
            footprint: None where nothing is known of the step.
            back: slots that may come back with it.
        """
        reached = self._step_operators(footprint)
        after = self._read(reached)
        return after, self._different(after, footprint or Footprint(), tuple(back))

    def reread_step(self, footprint: Footprint | None, after: Read) -> None:
        """Read again what a step reaches, after it was taken back."""
        reader = SlotReader(self._td, self._component)
        operators = self._step_operators(footprint) | {n: op for n, (op, _, _) in after.items() if op.valid}
        for operator in operators.values():
            self._index.put(operator, reader.read(operator))

    def different(self, after: Read, footprint: Footprint | None, back: Iterable[Slot]) -> list[Slot]:
        """Compare slots that were read with the index as it is now."""
        return self._different(after, footprint or Footprint(), tuple(back))

    def accept(self, after: Read, footprint: Footprint | None) -> None:
        """Take in what a step has changed."""
        self._commit(after, footprint or Footprint())
        gone = self._index.everything() if footprint is None else {*footprint.touched, *footprint.made}
        for number in gone:
            entry = self._index.entries.get(number)
            if entry is not None and not entry.operator.valid:
                self._index.drop(number)

    @property
    def small(self) -> bool:
        """Whether the project is small enough to be compared as a whole in one step."""
        return self._index.operators <= MOST_AT_ONCE

    def _step_operators(self, footprint: Footprint | None) -> dict[int, Any]:
        if footprint is None:
            return {int(each.id): each for each, _ in walk(self._td.op("/"), skip=SYSTEM_NETWORKS)}
        return self._operators(footprint)

    # Inside

    def _operators(self, footprint: Footprint) -> dict[int, Any]:
        """Every operator whose slots an edit may have changed, that is there now."""
        roots = {**footprint.touched}
        for path in footprint.paths:
            operator = find(self._td, path)
            home = find(self._td, path.rpartition("/")[0] or "/")
            if home is not None:
                footprint.names.add((int(home.id), path.rpartition("/")[2]))
            if operator is not None:
                roots[int(operator.id)] = operator
        found = {number: operator for number, operator in roots.items() if operator.valid}
        known = set(self._index.entries)
        for operator in list(found.values()):
            if operator.isCOMP:
                footprint.shortcuts(operator)
        new = [op for number, op in footprint.made.items() if op.valid]
        new += [op for number, op in found.items() if number not in footprint.touched]
        for operator in _with_inside(new):
            found[int(operator.id)] = operator
            if operator.isCOMP and int(operator.id) not in known:
                footprint.shortcuts(operator)
        for path in footprint.networks:
            network = find(self._td, path)
            inside = _with_inside([network]) if network is not None else ()
            found |= {int(each.id): each for each in inside if int(each.id) in known}
        for number in self._index.reached(footprint):
            found.setdefault(number, self._index.entries[number].operator)
        return {number: operator for number, operator in found.items() if operator.valid}

    def _read(self, operators: dict[int, Any]) -> Read:
        reader = SlotReader(self._td, self._component)
        return {
            number: (operator, str(operator.path), tuple(reader.read(operator)))
            for number, operator in operators.items()
        }

    def _different(self, after: Read, footprint: Footprint, back: tuple[Slot, ...] = ()) -> list[Slot]:
        """Slots that run something which did not run before."""
        by_path: dict[str, tuple[Slot, ...]] = {}
        for number in {*footprint.gone, *after}:
            entry = self._index.entries.get(number)
            if entry is not None:
                by_path[entry.path] = entry.slots
        for slot in back:
            by_path[slot.path] = (*by_path.get(slot.path, ()), slot)
        found = []
        for number, (_, path, slots) in after.items():
            before = (*self._index.slots(number), *by_path.get(path, ()))
            made = number in footprint.made or number not in self._index.entries
            for slot in slots:
                present = [each for each in before if each.where == slot.where]
                if any(slot.same(each) for each in present) or (slot.inert and not present):
                    continue
                born = self._born.get((number, slot.where))
                if born is not None and slot.same(born):
                    continue
                if made and not present and slot.kind in _COPIED and self._index.known(slot):
                    continue
                found.append(slot)
        return found

    def _commit(self, after: Read, footprint: Footprint) -> None:
        for number in footprint.gone:
            self.removed += self._index.slots(number)
            self._index.drop(number)
        for number, (operator, _, slots) in after.items():
            now = {slot.where for slot in slots}
            before = {slot.where for slot in self._index.slots(number)}
            self.removed += [slot for slot in self._index.slots(number) if slot.where not in now]
            self.added += [slot for slot in slots if slot.where not in before]
            self._index.put(operator, slots)


def _with_inside(operators: Iterable[Any]) -> Iterator[Any]:
    for operator in operators:
        if not operator.valid:
            continue
        yield operator
        if operator.isCOMP:
            yield from (each for each, _ in walk(operator))
