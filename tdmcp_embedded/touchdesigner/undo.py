"""One undo step per call; and when a call fails in the middle, everything put back as it was.

TD's own undo does most of the putting back, and is on while we work. A journal of what we did checks it afterwards and
restores the rest: some operations tear an open block down (making an annotation does, fact 35).

TD's block opens with the first change that is noted, not before: a block that stays empty may clear what the user could
redo. A change that can be redone clears it in any case, so a call that may still be refused is tried first with nothing
recorded, where there is something to lose (`trial`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import ModuleType
from typing import Any, Protocol

from tdmcp_embedded.touchdesigner import undo_stack
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.code_policy import steps
from tdmcp_embedded.touchdesigner.code_policy.slot import Slot
from tdmcp_embedded.touchdesigner.footprint import Footprint
from tdmcp_embedded.touchdesigner.telling import told

_open: list[Journal] = []


class Guard(Protocol):
    """Whoever looks at what an edit touches while its block is open (`code_policy.invariant`)."""

    removed: list[Slot]
    added: list[Slot]

    def look(self, footprint: Footprint) -> None:
        """Look at what was touched since the last look; an exception puts the edit back."""

    def born(self, operators: Iterable[Any]) -> None:
        """Operators are as TouchDesigner has just made them."""


class TrialEnds(Exception):
    """A trial has come to something that could not be put back without TD's undo: it ends here, undecided."""


@contextmanager
def block(td: ModuleType, name: str) -> Iterator[Journal]:
    """Everything done inside becomes one undo step called `name`; an exception inside leaves nothing behind.

    A block inside a block joins the outer one: its failure, once it leaves the outer block, undoes both. Main thread
    only, and never across frames: TD ends an open block when the callback returns.
    """
    if _open and _open[-1].active:
        yield _open[-1]
        return
    journal = Journal(td, name)
    _open.append(journal)
    try:
        yield journal
    except BaseException:
        journal.roll_back()
        raise
    else:
        journal.close()
    finally:
        _open.remove(journal)
        journal.release()


@contextmanager
def trial(td: ModuleType) -> Iterator[Journal]:
    """Everything done inside is put back at the end, and neither undo nor redo knows of it. Main thread, one step.

    Raises:
        TrialEnds: something inside could not be put back, and was not begun.
    """
    journal = Journal(td, "", trial=True)
    _open.append(journal)
    try:
        yield journal
    finally:
        try:
            journal.roll_back()
        finally:
            _open.remove(journal)
            journal.release()


def at_risk(td: ModuleType) -> bool:
    """Whether the user has undone something that could still be redone, which any recorded change makes impossible."""
    return bool(td.ui.undo.redoStack)


def journal() -> Journal:
    """The journal of the block around the present call; outside any block, one that is never used to put back."""
    return _open[-1] if _open else Journal(None, "")


class Journal:
    """What a block did, newest last, and how each of it is put back."""

    def __init__(self, td: ModuleType | None, name: str, trial: bool = False) -> None:
        self._td = td
        self.name = name
        self.trial = trial
        """Whether all of it will be put back in any case."""
        self._entries: list[Callable[[], None]] = []
        self._asides: list[Callable[[], None]] = []
        self.active = td is not None
        """Whether what is done now belongs to this block."""
        self.begun = False
        """Whether TD's block was opened, for the first change."""
        self.shared = False
        """Whether several calls share this block (a batch): then none of them may give it up."""
        self.rooms: dict[str, Any] = {}
        """What `layout` knows of networks in which this block makes something, by path."""
        self.displayed: dict[str, list[Any]] = {}
        """The SOPs that are displayed in networks in which this block displays one, by path."""
        self.reserved: dict[str, str] = {}
        """Names, by path, of what the block makes in frames to come (`annotations.reserve`)."""
        self.parameters_gone: dict[str, set[str]] = {}
        """Names of custom parameters that were destroyed, by the path of their component; some may be there again."""
        self.footprint = Footprint()
        """What the block has touched, up to the last `look`."""
        self.guard: Guard | None = None
        self._recent = Footprint()
        self.step = ""
        """After the end: the name of the step as TD lists it; "" if it has recorded none."""
        self.stands = False
        """After the end: whether something was done and is kept."""
        self._steps = 0
        self._given_up = td is None
        self._foreign: int | None = None
        self._last: list[tuple[Callable[[], object], Callable[[object], None], list[str]]] = []
        self._first: Callable[[], None] | None = None
        self._gone: set[str] = set()
        self._made: set[str] = set()
        self._aside = 0
        self._putting_back = False
        self._before: list[str] = []
        self._state_was: bool | None = None
        self._state_first: bool | None = None
        if trial:
            self._record(False)

    def writing(self) -> None:
        """Open TD's block, if this is the first change. Before the change, and before what is noted of it."""
        if self.begun or not self.active:
            return
        self.begun = True
        if self.trial or self._td is None:
            return
        self._before = undo_stack.undoable(self._td)
        # What is destroyed only TD brings back: without its undo a failure in the middle would lose it for good.
        self._state_first = bool(self._undo.globalState)
        self._record(True)
        self._undo.startBlock(self.name)

    def _record(self, on: bool) -> None:
        was = bool(self._undo.globalState)
        if was != on:
            self._state_was = was
            self._undo.globalState = on

    @property
    def grew(self) -> bool:
        """After the end: whether TD's undo list has become longer."""
        return self._steps > 0

    @property
    def _undo(self) -> Any:
        assert self._td is not None
        return self._td.ui.undo

    @property
    def empty(self) -> bool:
        """Whether nothing was noted."""
        return not self._entries

    def find(self, path: str) -> Any:
        """The operator at a path, or None; for what is put back later, when operators held before may be gone."""
        return find(self._td, path) if self._td is not None else None

    def at_end(
        self, work: Callable[[], object], check: Callable[[object], None], failures: list[str]
    ) -> None:
        """Have something done after everything else: the first at the end of the block, then one a frame.

        Args:
            check: called with what the first gave, in the frame of the edit; raises what is wrong with this one.
            failures: for what goes wrong in a later frame all the same, when the edit stands.
        """
        if not self.trial:
            self._last.append((work, check, failures))

    def finish(self) -> None:
        """Do the first of what was kept for the end, and have the others checked."""
        if self._last:
            done = self._last.pop(0)[0]()
            for _, check, _ in self._last:
                check(done)

    def later(self) -> Iterator[Callable[[], None]]:
        """What is left for the frames to come, each to be done in one of its own; whatever happens, it does not raise."""
        while self._last:
            work, _, failures = self._last.pop(0)
            yield partial(_guarded, work, failures)

    def put_back_with(self, entry: Callable[[], None]) -> None:
        """Note how to put one thing back. `entry` must do nothing where it already is as it was."""
        self.writing()
        self._entries.append(entry)
        if self._first is not None:
            first, self._first = self._first, None
            first()

    def aside(self, entry: Callable[[], None]) -> None:
        """Note how to put back what TD's undo does not know of (the timeline, say); this opens no block."""
        if self.active:
            self._asides.append(entry)

    def irreversible(self) -> None:
        """Say that what comes next cannot be put back without TD's undo, or not at all.

        Raises:
            TrialEnds: in a trial.
        """
        if self.trial:
            raise TrialEnds

    @contextmanager
    def at_first(self, work: Callable[[], None]) -> Iterator[None]:
        """Have something done when the first thing inside is noted, before it happens; if nothing is, never."""
        self._first = work
        try:
            yield
        finally:
            self._first = None

    def touch(self, operator: Any, *names: str) -> None:
        """Note that an operator changes in what code may depend on: wires, definitions, its type, its `names`."""
        self._recent.touch(operator, *names)

    def replacing(self, operator: Any) -> None:
        """Note an operator in whose place TouchDesigner makes another one, of the same name."""
        self._recent.replace(operator)

    def attribute_touched(self, operator: Any, name: str) -> None:
        """Note that an attribute of an operator changes; those that only people look at do not count."""
        self._recent.attribute(operator, name)

    def born(self, operators: Iterable[Any]) -> None:
        """Note that operators are as TouchDesigner has just made them."""
        if self.guard is not None:
            self.guard.born(operators)

    def shortcuts_gone(self) -> set[str]:
        """Global shortcuts of what was destroyed since the last look."""
        return set(self._recent.shortcuts_lost)

    def look(self) -> None:
        """Have what was touched since the last look compared with what it was, if somebody guards this block."""
        recent, self._recent = self._recent, Footprint()
        self.footprint.add(recent)
        if self.guard is not None:
            self.guard.look(recent)

    def created(self, operator: Any) -> None:
        """Note an operator that was made; `writing` comes before it is."""
        self._recent.create(operator)
        td, path = self._td, operator.path
        replaces = _inside(path, self._gone)
        self._made.add(path)

        def put_back() -> None:
            found = find(td, path) if td is not None else None
            # What it took the place of may be back already, by TD's undo.
            if found is not None and found.path == path and (operator.valid or not replaces):
                destroy(found)

        self.put_back_with(put_back)

    def destroying(self, operator: Any) -> bool:
        """Note an operator that is about to be destroyed; to bring it back is TD's part.

        Returns:
            Whether to destroy it. In a trial it is only taken out of the way, under another name.
        """
        self.writing()
        if self.trial and self.guard is not None:
            # What is only out of the way can still run.
            raise TrialEnds
        if not self.trial or self._putting_back or _inside(operator.path, self._made):
            self._gone.add(operator.path)
            self._recent.destroy(operator)
            return True
        name = operator.name

        def put_back() -> None:
            if operator.valid and operator.name != name:
                operator.name = name

        self.put_back_with(put_back)
        self._aside += 1
        operator.name = f"_{self._aside}_{name}"
        return False

    def parameter(self, par: Any) -> None:
        """Note the state of a parameter that is about to be written."""
        self._recent.parameter(par)
        td, path, name = self._td, par.owner.path, par.name
        if _inside(path, self._made):
            # It goes with its operator; what stood in its place and comes back is not to be written to.
            self.put_back_with(_nothing)
            return
        before = ParameterState(par)

        def put_back() -> None:
            owner = find(td, path) if td is not None else None
            found = owner.par[name] if owner is not None else None
            if found is not None and ParameterState(found) != before:
                before.write(found)

        self.put_back_with(put_back)

    def attribute(self, operator: Any, name: str, value: Any = None) -> None:
        """Note an attribute of an operator (a flag, its position, its text) that is about to be set."""
        self._recent.attribute(operator, name)
        td, path = self._td, operator.path
        if _inside(path, self._made):
            self.put_back_with(_nothing)
            return
        before = getattr(operator, name) if value is None else value

        def put_back() -> None:
            found = find(td, path) if td is not None else None
            if found is not None and getattr(found, name) != before:
                setattr(found, name, before)

        self.put_back_with(put_back)

    def when_undone(self, change: Callable[[bool], None]) -> None:
        """Have `change(undoing)` called when the user undoes (or redoes) this step, for what TD does not record."""
        self.writing()
        if self.active and not self.trial:
            with suppress(Exception):
                self._undo.addCallback(lambda undoing, info: change(bool(undoing)), None)

    def foreign_code(self) -> None:
        """Note that code of the agent's own changes things from here on, which nobody notes.

        What is noted after that may be a state this code made: putting it back is only right where TD's undo is off.

        Raises:
            TrialEnds: in a trial.
        """
        self.irreversible()
        self._recent.foreign = True
        if self._foreign is None:
            self._foreign = len(self._entries)

    def close(self) -> None:
        """End the block, keeping what was done as one undo step."""
        if not self.active:
            return
        self.active = False
        self.footprint.add(self._recent)
        self._recent = Footprint()
        self.stands = bool(self._entries or self._asides) or self.begun
        if self.guard is None and not self.trial:
            steps.unwatched(self.footprint)
        if not self.begun or self.trial or self._td is None:
            return
        # The block may be gone already (fact 35): endBlock then raises, and there is nothing left to end.
        with suppress(Exception):
            self._undo.endBlock()
        guard = self.guard
        # Without a guard nobody knows which code went with it, so that undoing it must bring none.
        gone, come = (list(guard.removed), list(guard.added)) if guard is not None else ([], [])
        after = undo_stack.undoable(self._td)
        self._steps = undo_stack.ledger(self._td).made(
            self._before, after, steps.Step(self.footprint, gone, come)
        )
        # Read back: TD has names of its own for some steps (fact 56).
        self.step = undo_stack.undoable(self._td)[0] if self._steps else ""

    def release(self) -> None:
        """Leave TD's undo on or off, as the user had it."""
        if self._putting_back and self._state_first is not None:
            # Code that is taken back may have switched it.
            self._undo.globalState = self._state_first
        elif self._state_was is not None:
            self._undo.globalState = self._state_was
            self._state_was = None

    def abandon(self) -> None:
        """End the block without an undo step: for calls that changed nothing, or that undo by themselves."""
        if self.active and not self.shared and not self.trial:
            self.close()
            self._take_back()
            self._given_up = True
            self.stands = False

    def roll_back(self) -> None:
        """Put everything back: by TD's undo, then by the journal, which restores what is not back yet.

        Nothing of that is recorded, and as far as the build allows nothing is left to redo.
        """
        if self._given_up:
            return
        self.close()
        self.stands, self._putting_back = False, True
        undone = self._take_back()
        with self._unrecorded():
            entries = self._entries[: self._foreign] if undone else self._entries
            for entry in [*reversed(entries), *reversed(self._asides)]:
                # One thing that cannot be put back must not keep the others from it.
                with suppress(Exception):
                    entry()
        self._entries.clear()
        self._asides.clear()

    @contextmanager
    def _unrecorded(self) -> Iterator[None]:
        if self._td is None:
            yield
            return
        with undo_stack.unrecorded(self._td):
            yield

    def _take_back(self) -> bool:
        """Undo what the block added to TD's undo list; whether there was something and it is gone."""
        if self._td is None or not self._steps:
            return False
        gone = undo_stack.take_back(self._td, self._steps)
        undo_stack.ledger(self._td).look(undo_stack.undoable(self._td))
        self.step, self._steps = "", 0
        return gone


def _guarded(work: Callable[[], object], failures: list[str]) -> None:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - the edit is done; its answer says what is missing
        failures.append(str(error))


def _nothing() -> None:
    return None


def _inside(path: str, tops: set[str]) -> bool:
    """Whether a path is one of some, or below one."""
    while path not in tops:
        path = path.rpartition("/")[0]
        if not path:
            return False
    return True


class ParameterState:
    """The mode of a parameter and what it holds, comparable and writable again."""

    def __init__(self, par: Any) -> None:
        self.mode: str = par.mode.name
        self.expr: str = par.expr if self.mode == "EXPRESSION" else ""
        self.bind: str = par.bindExpr if self.mode == "BIND" else ""
        # `.val` is the constant, even in the other modes (fact 22).
        self.constant: Any = None if par.isPulse else told(lambda: par.val)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParameterState) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # compared by content, which changes

    def write(self, par: Any) -> None:
        """Put a parameter back into this state."""
        unbind(par)
        if self.constant is not None:
            par.val = self.constant
        elif not par.isPulse:
            # What nobody could read was never set.
            par.reset()
        if self.mode == "EXPRESSION":
            par.expr = self.expr
        elif self.mode == "BIND":
            par.bindExpr = self.bind


def unbind(par: Any) -> None:
    """Take a parameter's bind off: what is written to a bound one goes to the parameter it is bound to."""
    if par.mode.name == "BIND":
        par.mode = type(par.mode).CONSTANT


def destroy(operator: Any) -> None:
    """Destroy an operator and what is docked to it, in the order TD survives."""
    for docked in list(operator.docked):
        # A dock host destroyed before its docked operators raises an error nobody can catch (fact 19).
        if docked.valid:
            destroy(docked)
    if operator.valid and journal().destroying(operator):
        operator.destroy()
