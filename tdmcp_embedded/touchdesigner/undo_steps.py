"""Steps of TouchDesigner's undo list taken back or done again: those of this server's calls, or whoever made them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import undo_stack
from tdmcp_embedded.touchdesigner.code_policy.invariant import Guard, denied
from tdmcp_embedded.touchdesigner.code_policy.steps import Step
from tdmcp_embedded.touchdesigner.undo import ParameterState

#: Operators that are looked at for names which a step takes away.
_MOST_CONCERNED = 800


@dataclass
class Moved:
    """What became of the lists; names newest (or next) first."""

    done: list[str] = field(default_factory=list)
    """The steps undone or redone, the first one first."""
    left: str = ""
    """The next step, where it was left because no call of this server has made it."""
    can_undo: list[str] = field(default_factory=list)
    can_redo: list[str] = field(default_factory=list)


def steps(
    td: ModuleType,
    count: int,
    redo: bool,
    *,
    others: bool = False,
    guarded: Any = None,
    guard: Guard | None = None,
) -> Moved:
    """Undo (or redo) the steps of up to `count` calls.

    Args:
        others: also steps that no call of this server has made.
        guarded: a COMP whose custom parameters may not change by it.
        guard: watches that the steps change no code; None at level full.

    Raises:
        ToolFailure: `precondition_failed`, if the first step is another's and `others` is not given;
            `access_denied`, if a step touches what is guarded; all of them are taken back then.
    """
    moved = Moved()
    ledger = undo_stack.ledger(td)
    ledger.look(undo_stack.undoable(td))
    kept = dataclasses.replace(ledger)
    try:
        for _ in range(count):
            listed = undo_stack.redoable(td) if redo else undo_stack.undoable(td)
            if not listed:
                break
            own = ledger.next_redo(listed) if redo else ledger.newest()
            if not own and not others:
                moved.left = listed[0]
                break
            for _ in range(own or 1):
                if not _step(td, ledger, redo, moved.done, _held(guarded), guarded, guard):
                    break
    except ToolFailure:
        undo = td.ui.undo
        for _ in moved.done:
            (undo.undo if redo else undo.redo)()
        for name, value in vars(kept).items():
            setattr(ledger, name, value)
        raise
    moved.can_undo, moved.can_redo = undo_stack.undoable(td), undo_stack.redoable(td)
    if moved.left and not moved.done:
        raise _of_others(moved.left, redo)
    return moved


def concerned(td: ModuleType, count: int, redo: bool) -> tuple[list[str], set[str]]:
    """Paths of what the steps of the next calls touch, and the global shortcuts of what they had destroyed, as far as
    they were made by calls of this server."""
    ledger = undo_stack.ledger(td)
    calls = list(dict.fromkeys(ledger.redo_calls if redo else ledger.calls))[:count]
    found: dict[str, None] = {}
    shortcuts: set[str] = set()
    for each in calls:
        about = ledger.about.get(each)
        if about is not None:
            found |= dict.fromkeys(sorted(about.footprint.paths))
            found |= {str(op.path): None for op in about.footprint.touched.values() if op.valid}
            shortcuts |= about.footprint.shortcuts_lost
    return list(found)[:_MOST_CONCERNED], shortcuts


def _step(
    td: ModuleType,
    ledger: undo_stack.Ledger,
    redo: bool,
    done: list[str],
    held: dict[str, ParameterState] | None,
    guarded: Any,
    guard: Guard | None,
) -> bool:
    """Undo or redo one step; False if TouchDesigner did not.

    Raises:
        ToolFailure: `access_denied`; this step is taken back, or is among `done`.
    """
    undo = td.ui.undo
    forth, back = (undo.redo, undo.undo) if redo else (undo.undo, undo.redo)
    listed = undo_stack.redoable(td) if redo else undo_stack.undoable(td)
    calls = (ledger.redo_calls if listed == ledger.redo_names else []) if redo else ledger.calls
    about = ledger.about.get(calls[0]) if calls else None
    forth()
    if len(undo_stack.redoable(td) if redo else undo_stack.undoable(td)) >= len(listed):
        return False
    if _held(guarded) != held:
        back()
        raise _denied(listed[0], "changed this server's own component; taking it back")
    if guard is not None:
        _watched(guard, about, listed[0], redo, forth, back)
    (ledger.redone if redo else ledger.undone)(undo_stack.undoable(td), undo_stack.redoable(td))
    done.append(listed[0])
    return True


def _watched(
    guard: Guard,
    step: Step | None,
    name: str,
    redo: bool,
    forth: Callable[[], None],
    back: Callable[[], None],
) -> None:
    """Look at what a step that was just undone or redone has done to the code of the project.

    Args:
        step: what is known of it; None if it was made by somebody else.

    Raises:
        ToolFailure: `access_denied`; the step is taken back.
    """
    if step is not None and step.footprint.foreign:
        step = None
    if step is None and not guard.small:
        back()
        raise _denied(
            name,
            "was not made by a call of this server, and the project is too large to see at once which code it changes: that",
        )
    footprint = step.footprint if step is not None else None
    returning = () if step is None else step.added if redo else step.removed
    after, changed = guard.look_at_step(footprint, returning)
    if changed:
        # Somebody else may have changed these slots before: what they were is read where the step is taken back.
        back()
        guard.reread_step(footprint, after)
        changed = guard.different(after, footprint, returning)
        if changed:
            raise denied(changed)
        forth()
    guard.accept(after, footprint)


def _denied(name: str, what: str) -> ToolFailure:
    return ToolFailure(
        Code.ACCESS_DENIED,
        f"The step {name!r} {what} needs access level full.",
        hint="Nothing was undone or redone. A person can do it in TouchDesigner.",
        details={"needs_level": "full"},
    )


def _of_others(name: str, redo: bool) -> ToolFailure:
    if redo:
        return ToolFailure(
            Code.PRECONDITION_FAILED,
            f"The next step to redo, {name!r}, was not undone by a call of this server.",
            hint="Ask the person; others: true redoes it all the same.",
        )
    return ToolFailure(
        Code.PRECONDITION_FAILED,
        f"The newest step, {name!r}, was not made by a call of this server: somebody has worked here since.",
        hint="Nothing was undone. Ask the person; others: true undoes that step first.",
    )


def _held(operator: Any) -> dict[str, ParameterState] | None:
    """What the custom parameters of an operator hold; None where there is no operator."""
    if operator is None or not operator.valid:
        return None
    return {str(par.name): ParameterState(par) for par in operator.customPars}
