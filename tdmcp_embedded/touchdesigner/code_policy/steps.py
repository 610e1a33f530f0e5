"""What a step on TouchDesigner's undo list has touched, as far as a call made it.

Undo and redo at level *edit* compare the code slots that a step can reach; of a person's step nobody knows what it
holds. Which step is which call's is kept by `undo_stack.Ledger`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count

from tdmcp_embedded.touchdesigner.code_policy.slot import Slot
from tdmcp_embedded.touchdesigner.footprint import Footprint


@dataclass
class Step:
    """What one call has touched."""

    footprint: Footprint
    removed: list[Slot] = field(default_factory=list)
    """Slots that went with it at level edit: undoing it may bring them back."""
    added: list[Slot] = field(default_factory=list)
    """Slots that came with it at level edit, as TouchDesigner makes new operators: redoing it may bring them again."""


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
