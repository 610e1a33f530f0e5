"""Steps of TouchDesigner's undo list taken back or done again, whoever made them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.code_policy import steps as code_steps
from tdmcp_embedded.touchdesigner.code_policy.invariant import Guard, denied
from tdmcp_embedded.touchdesigner.undo import ParameterState


def steps(
    td: ModuleType, count: int, redo: bool, guarded: Any = None, guard: Guard | None = None
) -> tuple[list[str], list[str], list[str]]:
    """Undo (or redo) up to `count` steps.

    Args:
        guarded: a COMP whose custom parameters may not change by it.
        guard: watches that the steps change no code; None at level full.

    Returns:
        The names of the steps undone, first undone first; then what can be undone and redone now, as TD lists it.

    Raises:
        ToolFailure: `access_denied`, if a step touches what is guarded; all of them are taken back then.
    """
    undo = td.ui.undo
    forth, back = (undo.redo, undo.undo) if redo else (undo.undo, undo.redo)
    done: list[str] = []
    held = _held(guarded)
    for _ in range(count):
        before = list(undo.redoStack if redo else undo.undoStack)
        if not before:
            break
        place = len(undo.undoStack) + (1 if redo else 0)
        forth()
        after = list(undo.redoStack if redo else undo.undoStack)
        if len(after) >= len(before):
            break
        # Which end of the list is the newest is not documented: the entry that went missing tells.
        done.append(str(before[0] if after == before[1:] and after != before[:-1] else before[-1]))
        if _held(guarded) != held:
            for _ in done:
                back()
            raise ToolFailure(
                Code.ACCESS_DENIED,
                f"The step {done[-1]!r} changed this server's own component; taking it back needs access level full.",
                hint="Nothing was undone or redone. A person can do it in TouchDesigner.",
                details={"needs_level": "full"},
            )
        if guard is not None:
            try:
                _watched(guard, place, done[-1], redo, forth, back)
            except ToolFailure:
                for _ in done[:-1]:
                    back()
                raise
    return done, [str(n) for n in undo.undoStack], [str(n) for n in undo.redoStack]


def _watched(
    guard: Guard, place: int, name: str, redo: bool, forth: Callable[[], None], back: Callable[[], None]
) -> None:
    """Look at what a step that was just undone or redone has done to the code of the project.

    Raises:
        ToolFailure: `access_denied`; the step is taken back.
    """
    step = code_steps.at(place, name)
    if step is None and not guard.small:
        back()
        raise ToolFailure(
            Code.ACCESS_DENIED,
            f"The step {name!r} was not made by a call of this server, and the project is too large to see at once which "
            "code it changes: that needs access level full.",
            hint="Nothing was undone or redone. A person can do it in TouchDesigner.",
            details={"needs_level": "full"},
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


def _held(operator: Any) -> dict[str, ParameterState] | None:
    """What the custom parameters of an operator hold; None where there is no operator."""
    if operator is None or not operator.valid:
        return None
    return {str(par.name): ParameterState(par) for par in operator.customPars}
