"""What the steps on TouchDesigner's undo list have touched, as far as calls made them.

Undo and redo at level *edit* compare the code slots that a step can reach. A step is known by its place on the list and
its name; of a person's step nobody knows what it holds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from tdmcp_embedded.touchdesigner.code_policy.slots import Slot
from tdmcp_embedded.touchdesigner.footprint import Footprint


@dataclass
class Step:
    """One step that a call made."""

    name: str
    footprint: Footprint
    removed: list[Slot] = field(default_factory=list)
    """Slots that went with it at level edit: undoing it may bring them back."""
    added: list[Slot] = field(default_factory=list)
    """Slots that came with it at level edit, as TouchDesigner makes new operators: redoing it may bring them again."""


_steps: dict[int, Step] = {}

#: What calls have touched that nobody watched, newest last, with their numbers.
_unwatched: deque[tuple[int, Footprint]] = deque(maxlen=200)
_numbers = count(1)


def unwatched(footprint: Footprint) -> None:
    """Note what a call of level full has touched."""
    if footprint:
        _unwatched.append((next(_numbers), footprint))


def since(number: int) -> tuple[int, Footprint | None]:
    """What was touched unwatched after a number: the latest number, and all of it, or None if that is too long ago."""
    if not _unwatched:
        return number, Footprint()
    latest, oldest = _unwatched[-1][0], _unwatched[0][0]
    if number < oldest - 1 and len(_unwatched) == _unwatched.maxlen:
        return latest, None
    whole = Footprint()
    for each, footprint in _unwatched:
        if each > number:
            whole.add(footprint)
    return latest, whole


def record(before: int, names: Sequence[str], step: Step) -> None:
    """Note the steps that a call has put on the list.

    Args:
        before: length of the undo list before the call.
        names: the undo list now; which end is the newest is not documented.
    """
    for number in [number for number in _steps if number > before]:
        del _steps[number]
    new = len(names) - before
    if new <= 0:
        return
    ours = list(names[:new]) if step.name in names[:new] else list(reversed(names[before:]))
    for offset, name in enumerate(reversed(ours)):
        _steps[before + 1 + offset] = Step(str(name), step.footprint, step.removed, step.added)


def at(place: int, name: str) -> Step | None:
    """The step at a place of the list (the oldest is 1), if a call made it."""
    step = _steps.get(place)
    return step if step is not None and step.name == name and not step.footprint.foreign else None
