"""Turning what scripts write, or expressions give, into what a parameter holds (facts 23-24)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes import paths
from fakes.catalogue import NUMBER_STYLES, OP_STYLES
from fakes.errors import tdError
from fakes.nodes import Node, ParState

if TYPE_CHECKING:
    from fakes.catalogue import ParInfo
    from fakes.custom import CustomInfo

NOT_A_NUMBER = "Cannot cast value to a numeric object. Set .expr member instead."


def coerce(info: ParInfo | CustomInfo, given: Any) -> Any:
    """A value as a parameter stores it.

    Raises:
        tdError: text or an object where a number is needed (fact 24).
    """
    from fakes.operators import OP
    from fakes.parameters import Par

    if isinstance(given, Par):
        given = given.eval()
    style = info.style
    if style in NUMBER_STYLES or style in ("Toggle", "Momentary", "Pulse", "Sequence"):
        number = _number(given, info)
        if style in ("Toggle", "Momentary", "Pulse"):
            return bool(number)
        if style == "Sequence" or info.is_int:
            return _clamped(int(number), info)
        return float(number)
    if style == "Menu":
        return _menu_word(given, info)
    if style in OP_STYLES:
        return _path_text(given)
    if isinstance(given, OP):
        return given._node.path
    return "" if given is None else str(given)


def _number(given: Any, info: ParInfo | CustomInfo) -> float:
    if info.style == "Toggle" and given in ("off", "on"):
        return float(given == "on")
    try:
        return float(given)
    except (TypeError, ValueError):
        raise tdError(NOT_A_NUMBER) from None


def _clamped(number: int, info: ParInfo | CustomInfo) -> int:
    # Only whole numbers are held to their limits; floats are not, whatever clampMin says (fact 24).
    low, high = info.clamp
    if low is not None:
        number = max(number, int(low))
    return number if high is None else min(number, int(high))


def _menu_word(given: Any, info: ParInfo | CustomInfo) -> str:
    names = info.menu_names
    if not names:
        return str(given)
    if isinstance(given, (int, float)):
        return names[min(max(int(given), 0), len(names) - 1)]
    # TD turns an unknown menu word into the first entry, without a word (fact 23).
    return given if given in names else names[0]


def _path_text(given: Any) -> str:
    from fakes.operators import OP

    if given is None:
        return ""
    if isinstance(given, OP):
        return given._node.path
    if isinstance(given, Node):
        return given.path
    if isinstance(given, (list, tuple)):
        return " ".join(_path_text(g) for g in given)
    if isinstance(given, str):
        return given
    raise tdError(f"Cannot cast {type(given).__name__} to an operator reference.")


def from_script(state: ParState, found: Any) -> Any:
    """What an expression, bind or export gives, as the parameter's value; a Node or None for OP styles."""
    from fakes.parameters import Par

    if isinstance(found, Par):
        found = found.eval()
    if state.info.style in OP_STYLES:
        return next(iter(every(state, found)), None)
    if state.info.style == "Python":
        return found
    if isinstance(found, Node):
        found = state.node.world.face(found)
    if isinstance(found, bool) or state.info.style not in NUMBER_STYLES:
        return coerce(state.info, found)
    try:
        number = float(found)
    except (TypeError, ValueError):
        raise TypeError(f"float() argument must be a number, not {type(found).__name__}") from None
    return int(number) if state.info.is_int else number


def every(state: ParState, found: Any) -> list[Node]:
    """Every operator that an expression of a parameter gives, seen from the parameter's owner."""
    from fakes.parameters import Par

    return paths.several(state.node, _path_text(found.eval() if isinstance(found, Par) else found))
