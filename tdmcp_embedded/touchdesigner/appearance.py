"""How an operator looks and what it takes part in: flags, colour, tags, comment, tile; set and read back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import undo
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.flags import default_flags, read_flags
from tdmcp_embedded.touchdesigner.values import clean, cut


def set_attribute(operator: Any, name: str, value: Any) -> bool:
    """Set an attribute, noted in the journal, and read it back.

    Raises:
        ToolFailure: `td_error`, where TD refuses it or it is not there afterwards.
    """
    before = getattr(operator, name)
    if before == value:
        return False
    path = operator.path

    def put_back() -> None:
        if operator.valid and operator.path == path and getattr(operator, name) != before:
            setattr(operator, name, before)

    undo.journal().attribute_touched(operator, name)
    undo.journal().put_back_with(put_back)
    try:
        setattr(operator, name, value)
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR, f"TouchDesigner refused {name} of {operator.path}: {cut(clean(str(error)), 300)}"
        ) from None
    return True


def set_flags(operator: Any, flags: Mapping[str, bool]) -> bool:
    """Set flags.

    Returns:
        Whether anything changed.

    Raises:
        ToolFailure: `value_invalid` for a flag this family does not have; `td_error` where TD did not take one.
    """
    if not flags:
        return False
    known = default_flags(operator.family, operator.isObject)
    for name in flags:
        if name not in known:
            raise ToolFailure(
                Code.VALUE_INVALID,
                f"{operator.path} ({op_type(operator)}) has no flag {name!r}.",
                hint=f"It has: {', '.join(known)}.",
                suggestions=near(name, list(known)),
            )
    changed = False
    for name, value in flags.items():
        if name == "display" and value and operator.isSOP:
            _display_alone(operator)
        changed |= set_attribute(operator, name, bool(value))
    now = read_flags(operator)
    for name, value in flags.items():
        if now[name] != bool(value):
            raise ToolFailure(Code.TD_ERROR, f"{operator.path} did not take the flag {name}.")
    return changed


def _display_alone(operator: Any) -> None:
    """Take the display flag off the SOP that has it: TD does so without a word (fact 67); noted, it comes back."""
    network = operator.parent()
    displayed = undo.journal().displayed
    if network.path not in displayed:
        displayed[network.path] = [each for each in network.children if each.isSOP and each.display]
    for other in displayed[network.path]:
        if other.valid and other.path != operator.path:
            set_attribute(other, "display", False)
    displayed[network.path] = [operator]


def default_size(operator: Any) -> Sequence[int]:
    """Width and height of a new operator's tile (fact 20)."""
    return (160, 130) if operator.isCOMP else (130, 90)


def set_color(operator: Any, color: Sequence[float]) -> bool:
    """Set the tile's colour: red, green, blue from 0 to 1."""
    held = tuple(operator.color)
    # TD keeps colours as float32 (fact 20).
    if all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(held, color, strict=True)):
        return False
    return set_attribute(operator, "color", tuple(color))


def set_tags(operator: Any, tags: Sequence[str]) -> bool:
    """Make the tags exactly these."""
    before = set(operator.tags)
    if before == set(tags):
        return False

    def put_back() -> None:
        if operator.valid:
            _fill_tags(operator, before)

    journal, path, after = undo.journal(), str(operator.path), set(tags)

    def change(undoing: bool) -> None:
        found = journal.find(path)
        if found is not None:
            _fill_tags(found, before if undoing else after)

    # A script may choose what it runs by tags.
    journal.touch(operator)
    journal.put_back_with(put_back)
    # A set that is changed in place: nothing says that TD's own undo takes it along.
    journal.when_undone(change)
    _fill_tags(operator, after)
    return True


def _fill_tags(operator: Any, tags: set[str]) -> None:
    for tag in set(operator.tags) - tags:
        operator.tags.discard(tag)
    for tag in sorted(tags - set(operator.tags)):
        operator.tags.add(tag)
