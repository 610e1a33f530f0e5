"""Which operators there are, by id, to tell what a piece of code has made, deleted and renamed.

What happens within one step on the main thread is that code's own work: nobody else comes in between. So both lists are
taken in the code's own step where the project is small enough for that; in a large one they are taken over frames, only
to report, and never to remove anything.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.touchdesigner import operators, undo

#: Operators that are listed within one step at most.
MOST_AT_ONCE = 800

#: The path of each operator by its id.
Census = dict[int, str]


@dataclass
class Changes:
    """The difference of two lists: paths, and for renamed ones "old → new"."""

    created: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)


def count(td: ModuleType) -> int:
    """How many operators there are outside TouchDesigner's own networks: one question for each top network."""
    tops = _tops(td)
    return len(tops) + sum(int(each.numChildrenRecursive) for each in tops if each.isCOMP)


def is_small(td: ModuleType) -> bool:
    """Whether all operators can be listed within one step."""
    return count(td) <= MOST_AT_ONCE


def at_once(td: ModuleType) -> Census:
    """All operators, within this step."""
    return _listed(list(_tops(td)))


def everything(td: ModuleType) -> list[Any]:
    """All operators themselves, within this step."""
    found: list[Any] = []
    waiting = _tops(td)
    while waiting:
        operator = waiting.pop()
        found.append(operator)
        if operator.isCOMP:
            waiting.extend(operator.findChildren(depth=1, includeUtility=True))
    return found


def components(td: ModuleType) -> list[Any]:
    """All COMPs, within this step."""
    tops = [each for each in _tops(td) if each.isCOMP]
    return [*tops, *(each for top in tops for each in top.findChildren(type=td.COMP))]


def inside(comp: Any) -> Census:
    """All operators inside a COMP, within this step."""
    return _listed(list(comp.findChildren(depth=1, includeUtility=True)))


def _listed(waiting: list[Any]) -> Census:
    found: Census = {}
    while waiting:
        operator = waiting.pop()
        found[int(operator.id)] = str(operator.path)
        if operator.isCOMP:
            # Annotations are utility operators, which `children` leaves out (fact 55).
            waiting.extend(operator.findChildren(depth=1, includeUtility=True))
    return found


def over_frames(td: ModuleType) -> Generator[None, None, Census]:
    """All operators, a few a step."""
    found: Census = {}
    pace = operators.Pace(every=64)
    for operator, _ in operators.walk(td.op("/"), skip=operators.SYSTEM_NETWORKS):
        found[int(operator.id)] = str(operator.path)
        if pace.due():
            yield
    yield
    return found


def _tops(td: ModuleType) -> list[Any]:
    return [each for each in td.op("/").children if str(each.path) not in operators.SYSTEM_NETWORKS]


def compare(before: Census, after: Census) -> Changes:
    """What has changed from one list to the other. An operator that came back by undo has another id (fact 15)."""
    if before == after:
        return Changes()
    gone = {path for number, path in before.items() if number not in after}
    new = {path for number, path in after.items() if number not in before}
    moved = [(before[n], path) for n, path in after.items() if n in before and before[n] != path]
    # What is inside of a renamed one has another path along with it.
    tops = {old for old, _ in moved}
    renamed = [f"{old} → {now}" for old, now in moved if old.rpartition("/")[0] not in tops]
    return Changes(sorted(new - gone), sorted(gone - new), renamed)


def remove_new(td: ModuleType, before: Census) -> None:
    """Take away what was not there at the beginning of this step: what the code of this step made, and undo has left.

    What came back by undo has another id, so a path that was there before stays.
    """
    known = set(before.values())
    new = [path for number, path in at_once(td).items() if number not in before and path not in known]
    for path in sorted(new, key=len):
        found = td.op(path)
        # Below one that is gone already there is nothing left to find.
        if found is not None:
            with suppress(Exception):
                undo.destroy(found)


#: What operators hold in their storage: id, operator, and what it held.
Stored = list[tuple[int, Any, dict[str, Any]]]


def stored(td: ModuleType) -> Stored:
    """The storage of all operators, within this step. What is stored is held, not copied."""
    found: Stored = []
    waiting = list(_tops(td))
    root = td.op("/")
    found.append((int(root.id), root, dict(root.storage)))
    while waiting:
        operator = waiting.pop()
        found.append((int(operator.id), operator, dict(operator.storage)))
        if operator.isCOMP:
            waiting.extend(operator.children)
    return found


def put_storage_back(held: Stored) -> None:
    """Give each operator the storage it had at the beginning of this step; that undo does so is not established."""
    for _, operator, was in held:
        if not operator.valid:
            continue
        now = operator.storage
        # By identity: what is stored may be anything, and need not be comparable.
        if now.keys() == was.keys() and all(now[name] is was[name] for name in was):
            continue
        for name in now.keys() - was.keys():
            # Takes a pattern: what goes along with it comes back below.
            operator.unstore(name)
        for name, value in was.items():
            if name not in operator.storage or operator.storage[name] is not value:
                operator.store(name, value)
