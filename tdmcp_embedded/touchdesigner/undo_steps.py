"""Steps of TouchDesigner's undo list taken back or done again, whoever made them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.undo import ParameterState


def steps(
    td: ModuleType, count: int, redo: bool, guarded: Any = None
) -> tuple[list[str], list[str], list[str]]:
    """Undo (or redo) up to `count` steps.

    Args:
        guarded: a COMP whose custom parameters may not change by it.

    Returns:
        The names of the steps undone, first undone first; then what can be undone and redone now, as TD lists it.

    Raises:
        ToolFailure: `access_denied`, if a step touches what is guarded; all of them are taken back then.
    """
    undo = td.ui.undo
    done: list[str] = []
    held = _held(guarded)
    for _ in range(count):
        before = list(undo.redoStack if redo else undo.undoStack)
        if not before:
            break
        (undo.redo if redo else undo.undo)()
        after = list(undo.redoStack if redo else undo.undoStack)
        if len(after) >= len(before):
            break
        # Which end of the list is the newest is not documented: the entry that went missing tells.
        done.append(str(before[0] if after == before[1:] and after != before[:-1] else before[-1]))
        if _held(guarded) != held:
            for _ in done:
                (undo.undo if redo else undo.redo)()
            raise ToolFailure(
                Code.ACCESS_DENIED,
                f"The step {done[-1]!r} changed this server's own component; taking it back needs access level full.",
                hint="Nothing was undone or redone. A person can do it in TouchDesigner.",
                details={"needs_level": "full"},
            )
    return done, [str(n) for n in undo.undoStack], [str(n) for n in undo.redoStack]


def _held(operator: Any) -> dict[str, ParameterState] | None:
    """What the custom parameters of an operator hold; None where there is no operator."""
    if operator is None or not operator.valid:
        return None
    return {str(par.name): ParameterState(par) for par in operator.customPars}
