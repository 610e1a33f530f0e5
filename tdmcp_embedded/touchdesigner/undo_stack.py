"""TouchDesigner's lists of steps to undo and redo: reading them, and knowing which steps calls of this server made.

Live builds list the newest step first and give some steps names of their own (fact 56); how many they keep is not
established. So nothing here relies on a length, and a step's name is read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from types import ModuleType
from typing import Any

#: More steps than any one call leaves behind; a loop over the undo list must end.
MOST_STEPS = 100


#: Whether this build lists the newest step last after all; found out by the first step that tells.
_reversed = False


def undoable(td: ModuleType) -> list[str]:
    """The names of the steps that can be undone, the newest first."""
    return _newest_first(td.ui.undo.undoStack)


def redoable(td: ModuleType) -> list[str]:
    """The names of the steps that can be redone, the next one first."""
    return _newest_first(td.ui.undo.redoStack)


def _newest_first(names: Any) -> list[str]:
    listed = [str(name) for name in names]
    return listed[::-1] if _reversed else listed


def redo_lost(td: ModuleType, before: Sequence[str]) -> str:
    """What to say where steps that could be redone `before` no longer can, though nothing new can be undone; else ""."""
    now = redoable(td)
    if not before or now[max(len(now) - len(before), 0) :] == list(before):
        return ""
    shown = ", ".join(repr(name) for name in before[:5]) + (", …" if len(before) > 5 else "")
    return (
        f"What had been undone can no longer be redone ({shown}): TouchDesigner empties that list when an undo block is "
        "opened, and only with a block can this call be taken back."
    )


def added(before: Sequence[str], after: Sequence[str]) -> int:
    """How many steps `after` has on top of `before`; the oldest may have been dropped for them.

    Where all names are the same, a list that is full looks as before: that counts as no step.
    """
    if list(before) == list(after):
        return 0
    grown = max(len(after) - len(before), 0)
    for new in range(max(grown, 1), min(grown + MOST_STEPS, len(after))):
        if list(after[new:]) == list(before[: len(after) - new]):
            return new
    return grown or int(len(after) == 1)


@contextmanager
def unrecorded(td: ModuleType) -> Iterator[None]:
    """Have nothing of what happens inside recorded; without a block of our own, since an empty one may clear redo."""
    undo = td.ui.undo
    was_on = bool(undo.globalState)
    if was_on:
        undo.globalState = False
    try:
        yield
    finally:
        if was_on:
            undo.globalState = True


@dataclass
class Ledger:
    """Which of the steps that can be undone were made by calls of this server. Main thread only.

    It is brought up to date by comparing names: TD gives a step no identity.
    """

    names: list[str] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    """For each name the number of the call that made it; 0 for what others did."""
    redo_names: list[str] = field(default_factory=list)
    """What could be redone after the last step that a call of this server took back."""
    redo_calls: list[int] = field(default_factory=list)
    """For each of these the number of the call that made it."""
    about: dict[int, Any] = field(default_factory=dict)
    """What is known of the steps of a call, by its number."""
    numbers: Iterator[int] = field(default_factory=lambda: count(1), repr=False)

    def look(self, now: list[str]) -> None:
        """Take in what happened since the last look: others have undone steps and made new ones."""
        if now == self.names:
            return
        self.calls = self._aligned(now)
        self.names = list(now)

    def _aligned(self, now: list[str]) -> list[int]:
        """The calls of what is listed now: what is left of the old list, below what is new."""
        for dropped in (False, True):
            # The oldest steps are only dropped from a list that is full: first without that.
            for gone in range(min(len(self.names), MOST_STEPS)):
                rest = self.names[gone:]
                for new in range(min(len(now), MOST_STEPS)) if dropped else [len(now) - len(rest)]:
                    if 0 <= new < len(now) and now[new] == rest[0] and now[new:] == rest[: len(now) - new]:
                        return [0] * new + self.calls[gone : gone + len(now) - new]
        return [0] * len(now)

    def undone(self, undo_now: list[str], redo_now: list[str]) -> None:
        """We have undone the newest step ourselves."""
        number = self.calls[0] if self.calls else 0
        known = self.redo_calls if redo_now[1:] == self.redo_names else [0] * len(redo_now[1:])
        if self.names[1:] == undo_now:
            self.names, self.calls = undo_now, self.calls[1:]
        else:
            self.look(undo_now)
        self.redo_names, self.redo_calls = redo_now, [number, *known][: len(redo_now)]

    def redone(self, undo_now: list[str], redo_now: list[str]) -> None:
        """We have redone the next step ourselves."""
        number = self.redo_calls[0] if self.redo_calls else 0
        known = self.redo_calls[1:] if self.redo_names[1:] == redo_now else [0] * len(redo_now)
        self.calls = [number, *self.calls][: len(undo_now)]
        self.calls += [0] * (len(undo_now) - len(self.calls))
        self.names, self.redo_names, self.redo_calls = undo_now, redo_now, known

    def next_redo(self, now: list[str]) -> int:
        """How many steps the call made that is next to be redone, if one of ours took it back; else 0."""
        if now != self.redo_names or not self.redo_calls or not self.redo_calls[0]:
            return 0
        first = self.redo_calls[0]
        return next((i for i, call in enumerate(self.redo_calls) if call != first), len(self.redo_calls))

    def made(self, before: list[str], after: list[str], about: Any = None) -> int:
        """A block of ours has ended: which steps are its.

        Args:
            about: what is to be known of them as long as they are listed.

        Returns:
            How many steps it has added; usually one, none if nothing was recorded.
        """
        global _reversed
        if len(after) == len(before) + 1 and after[:-1] == before != after[1:]:
            # The lists come the other way round in this build.
            _reversed = not _reversed
            before, after = before[::-1], after[::-1]
        self.look(before)
        new = added(before, after)
        if new:
            number = next(self.numbers)
            self.calls = ([number] * new + self.calls)[: len(after)]
            self.names = list(after)
            self.redo_names, self.redo_calls = [], []
            self.about = {n: kept for n, kept in self.about.items() if n in self.calls}
            self.about[number] = about
        return new

    def newest(self) -> int:
        """How many steps the newest call of this server has made, if they are the newest of all; else 0."""
        if not self.calls or not self.calls[0]:
            return 0
        return next((i for i, call in enumerate(self.calls) if call != self.calls[0]), len(self.calls))


_ledgers: dict[int, tuple[ModuleType, Ledger]] = {}


def ledger(td: ModuleType) -> Ledger:
    """The ledger of this TouchDesigner."""
    kept = _ledgers.get(id(td))
    if kept is None or kept[0] is not td:
        _ledgers.clear()
        kept = _ledgers[id(td)] = (td, Ledger())
    return kept[1]


def take_back(td: ModuleType, steps: int) -> bool:
    """Undo the newest steps without leaving them to be redone, as far as this build allows.

    With undo off nothing is recorded (fact 56); whether `undo()` works then, and whether the step can be redone, is
    not established, so both are looked at.

    Returns:
        Whether all of them are undone.
    """
    undo = td.ui.undo
    could_redo = redoable(td)
    for _ in range(steps):
        before = undoable(td)
        with unrecorded(td):
            _undo(undo)
        if undoable(td) == before:
            undo.globalState = True
            _undo(undo)
            if undoable(td) == before:
                return False
    left = redoable(td)
    if left and left != could_redo:
        _forget_redo(td, left)
    return True


def _undo(undo: Any) -> None:
    with suppress(Exception):
        undo.undo()


def _forget_redo(td: ModuleType, left: list[str]) -> None:
    """Make steps that were just taken back impossible, or harmless, to redo."""
    undo = td.ui.undo
    undo.globalState = True
    # An empty block clears the list in some builds.
    _block(td, "Taken back", lambda: None)
    if redoable(td) != left:
        return
    # Else a step that does nothing takes their place: half of a failed call must not come back.
    _block(td, "Taken back", lambda: undo.addCallback(lambda undoing, info: None, None))
    _undo(undo)


def _block(td: ModuleType, name: str, work: Any) -> None:
    with suppress(Exception):
        td.ui.undo.startBlock(name)
        try:
            work()
        finally:
            td.ui.undo.endBlock()
