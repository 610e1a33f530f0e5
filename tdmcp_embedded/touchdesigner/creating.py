"""Making operators: the right type, the asked name or a clear word why not."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import layout, lookup, undo
from tdmcp_embedded.touchdesigner.builds import find_in, op_type
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import clean, cut

_NAME = re.compile(r"^[A-Za-z0-9_]+$")
_LONGEST_NAME = 200
#: Numbers that are tried one after the other.
_PROBED = 50


def check_name(name: str) -> None:
    """Refuse a name that TD would change or refuse.

    Raises:
        ToolFailure: `value_invalid`, with a name that would do.
    """
    if _NAME.match(name) and len(name) <= _LONGEST_NAME:
        return
    repaired = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:_LONGEST_NAME]
    raise ToolFailure(
        Code.VALUE_INVALID,
        f"{cut(clean(name), 80)!r} cannot name an operator.",
        hint="Names are made of letters, digits and underscores, without spaces or paths.",
        suggestions=[repaired] if repaired else [],
    )


def child(parent: Any, name: str) -> Any:
    """The operator of exactly this name in a network, or None."""
    found = find_in(parent, name) if _NAME.match(name) else None
    return found if found is not None and found.name == name and found.parent().path == parent.path else None


def create(
    td: ModuleType, parent: Any, type_name: str, name: str | None, access: Access, if_exists: bool = False
) -> Any:
    """Make one operator.

    Args:
        name: the name to have; None lets TD number one.
        if_exists: whether the caller has an argument for a name that is taken, for the hint.

    Raises:
        ToolFailure: `operator_type_unknown`, `value_invalid`, `name_taken`, `access_denied`, or `td_error` where TD
            refuses to make it.
    """
    access.target(parent)
    access.type(type_name)
    lookup.operator_type(td, type_name)
    if name is not None:
        check_name(name)
        if child(parent, name) is not None:
            raise taken(parent, name, if_exists)
    journal = undo.journal()
    if type_name == "annotateCOMP":
        # Making one is a step of TD's own (fact 56).
        journal.irreversible()
    journal.writing()
    try:
        made = parent.create(type_name, name) if name is not None else parent.create(type_name)
    except Exception as error:  # noqa: BLE001 - retired types have a class, but cannot be made (fact 16)
        raise ToolFailure(
            Code.TD_ERROR,
            f"TouchDesigner would not make a {type_name} in {parent.path}: {cut(clean(str(error)), 300)}",
        ) from None
    let_dock(made)
    for each in layout.group(made):
        journal.created(each)
        # As the editor does; TD's own create() leaves it off (fact 20).
        each.viewer = not each.isCOMP
    journal.born(layout.group(made))
    access.made(made)
    layout.fan_out(made)
    if name is not None and made.name != name:
        # TD numbers a name it does not like, without a word (fact 17).
        raise ToolFailure(
            Code.NAME_TAKEN,
            f"TouchDesigner named it {made.name} instead of {name}.",
            suggestions=[str(made.name)],
        )
    return made


def let_dock(made: Any) -> None:
    """A GLSL POP gets its docked DATs with its first cook (fact 17): that has to be now, in this undo step."""
    if made.family == "POP" and op_type(made).startswith("glsl") and not made.docked:
        # What keeps it from cooking is none of making it; it shows among the problems.
        told(lambda: made.cook(force=True))


def taken(parent: Any, name: str, if_exists: bool = False) -> ToolFailure:
    """The refusal for a name that another operator of the network has.

    Args:
        if_exists: whether the caller has the argument of that name.
    """
    other = child(parent, name)
    return ToolFailure(
        Code.NAME_TAKEN,
        f"{parent.path} already has an operator {name} ({op_type(other)})."
        if other is not None
        else f"{name} is taken.",
        hint='if_exists "return" uses the one that is there, "rename" makes a new one with the next free number.'
        if if_exists
        else "Give another name, or rename or delete the one that is there.",
        suggestions=[free_name(parent, name)],
    )


def free_name(parent: Any, name: str) -> str:
    """A free name of this stem, numbered as TD numbers: noise1, noise2 … The next, unless very many are taken."""
    stem = name.rstrip("0123456789") or name
    number = int(name[len(stem) :] or 0) + 1

    def free(candidate: int) -> bool:
        return child(parent, f"{stem}{candidate}") is None

    for candidate in range(number, number + _PROBED):
        if free(candidate):
            return f"{stem}{candidate}"
    # Thousands are numbered through: ever larger leaps to one that is free, then back to the last that is taken.
    taken, leap = number + _PROBED - 1, 1
    while not free(taken + leap):
        taken, leap = taken + leap, leap * 2
    low, high = taken, taken + leap
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if free(middle) else (middle, high)
    return f"{stem}{high}"


def rename(operator: Any, name: str) -> None:
    """Give an operator another name.

    Raises:
        ToolFailure: `value_invalid`, `name_taken`, or `td_error` where TD refuses.
    """
    if operator.name == name:
        return
    check_name(name)
    parent = operator.parent()
    if child(parent, name) is not None:
        raise taken(parent, name)
    before = operator.name

    def put_back() -> None:
        if operator.valid and operator.name != before:
            operator.name = before

    undo.journal().touch(operator, str(before), name)
    undo.journal().put_back_with(put_back)
    try:
        operator.name = name
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR, f"TouchDesigner refused the name {name}: {cut(clean(str(error)), 200)}"
        ) from None
    if operator.name != name:
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner kept the name {operator.name} instead of {name}.")
