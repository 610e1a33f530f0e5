"""The undo stack: named blocks of recorded changes that really are undone and redone (facts 35 and 56).

What is not established is done the worse way: a block that ends without a change clears what could be redone, TD gives
some steps names of its own, the stack may be short (`limit`), and what `undo()` does while undo is off is a switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from fakes.errors import tdError
from fakes.guard import Guarded

if TYPE_CHECKING:
    from fakes.world import World

#: How many steps are kept, unless `UndoStack.limit` says otherwise. TD's own number is not established.
_LIMIT = 1000

#: What TD calls a step that holds such a change, whatever name its block was given (fact 56).
_OWN_NAMES = {"destroy": "Delete Node", "flag bypass": "Change Bypass Flag"}


class Step:
    """One named block: what to call, backwards, to undo it, and forwards to redo it."""

    __slots__ = ("changes", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.changes: list[tuple[Callable[[], None], Callable[[], None]]] = []


class UndoStack:
    """The undo state of one world. Only changes made inside an open, enabled block are recorded."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.enabled = True
        """ui.undo.globalState."""
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self.open: Step | None = None
        self.depth = 0
        self.limit = _LIMIT
        """How many steps are kept; the oldest ones are forgotten."""
        self.undo_while_off: Literal["as always", "not redoable", "nothing"] = "as always"
        """What `undo()` does while `globalState` is off: the same as ever, undo without a step to redo, or nothing."""
        self.empty_clears_redo = True
        """Whether a block that ends without a change clears what could be redone."""
        self._replaying = False

    @property
    def recording(self) -> bool:
        """Whether a change made now becomes part of an undo step."""
        return self.open is not None and self.enabled and not self._replaying

    def record(self, label: str, undo: Callable[[], None], redo: Callable[[], None]) -> None:
        """Add a change that was just made to the open block; without one, do nothing.

        `undo` puts the state back and `redo` makes the change again; both must cope with being called in turns.
        """
        if self.recording and self.open is not None:
            self.open.changes.append((undo, redo))
            self.open.name = _OWN_NAMES.get(label, self.open.name)

    def start(self, name: str, enable: bool = True) -> None:
        """Open a block; a block within a block belongs to the outer one."""
        self.depth += 1
        if self.depth == 1:
            self.open = Step(name) if enable else None

    def end(self) -> None:
        """Close the block.

        Raises:
            tdError: none is open.
        """
        if self.depth == 0:
            raise tdError("No undo block is open.")
        self.depth -= 1
        if self.depth == 0:
            self._close()

    def tear_down(self) -> None:
        """Close every open block at once, as creating an annotation does (fact 35)."""
        if self.depth:
            self.depth = 0
            self._close()

    def annotated(self, undo: Callable[[], None], redo: Callable[[], None]) -> None:
        """What making an annotation does: the open block ends, and a step of TD's own is added (fact 56).

        With undo switched off around it nothing is recorded, but the block ends all the same: that it survives is not
        established.
        """
        self.tear_down()
        if self.enabled and not self._replaying:
            step = Step("Add Annotate")
            step.changes.append((undo, redo))
            self.done.append(step)
            self.undone.clear()

    #: A block ends when the callback that opened it returns (fact 35).
    callback_returned = tear_down

    def _close(self) -> None:
        step, self.open = self.open, None
        if step is None:
            return
        if step.changes or self.empty_clears_redo:
            self.undone.clear()
        if step.changes:
            self._push(step)

    def _push(self, step: Step) -> None:
        self.done.append(step)
        del self.done[: max(0, len(self.done) - self.limit)]

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """While inside, the open block is not there: for other callbacks that run while its script waits."""
        kept, self.open, self.depth = (self.open, self.depth), None, 0
        try:
            yield
        finally:
            self.tear_down()
            self.open, self.depth = kept

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing while inside: for changes that are part of one recorded as a whole."""
        was, self._replaying = self._replaying, True
        try:
            yield
        finally:
            self._replaying = was

    def undo(self) -> bool:
        """Undo the last step; False if there is none."""
        self.tear_down()
        if not self.done or (not self.enabled and self.undo_while_off == "nothing"):
            return False
        step = self.done.pop()
        with self.paused():
            for back, _ in reversed(step.changes):
                back()
        if self.enabled or self.undo_while_off == "as always":
            self.undone.append(step)
        return True

    def redo(self) -> bool:
        """Redo the step undone last; False if there is none."""
        self.tear_down()
        if not self.undone:
            return False
        step = self.undone.pop()
        with self.paused():
            for _, again in step.changes:
                again()
        self._push(step)
        return True

    def clear(self) -> None:
        self.done.clear()
        self.undone.clear()


class Undo(Guarded):
    """`ui.undo`."""

    __slots__ = ("_world",)
    _world: World

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def globalState(self) -> bool:
        """Whether undo is on at all."""
        return self._world.undo.enabled

    @globalState.setter
    def globalState(self, on: bool) -> None:
        self._world.undo.enabled = bool(on)

    @property
    def state(self) -> bool:
        """Whether changes made now are recorded."""
        return self._world.undo.recording

    @property
    def undoStack(self) -> list[str]:
        """Names of the steps that can be undone, the last one first."""
        return [s.name for s in reversed(self._world.undo.done)]

    @property
    def redoStack(self) -> list[str]:
        """Names of the steps that can be redone, the next one first."""
        return [s.name for s in reversed(self._world.undo.undone)]

    def startBlock(self, name: str, enable: bool = True) -> None:
        self._world.undo.start(name, enable)

    def endBlock(self) -> None:
        self._world.undo.end()

    def addCallback(self, callback: Callable[..., Any], info: Any = None) -> None:
        """Have `callback(isUndo, info)` called when the open block is undone or redone."""
        self._world.undo.record("callback", lambda: callback(True, info), lambda: callback(False, info))

    def undo(self) -> None:
        self._world.undo.undo()

    def redo(self) -> None:
        self._world.undo.redo()

    def clear(self) -> None:
        self._world.undo.clear()
