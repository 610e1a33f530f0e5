"""Which values a parameter takes: checked by its style, since TD takes nearly anything and says nothing."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import describe
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import cut, same_number, short_repr

_LARGEST = sys.float_info.max
_MENU_SHOWN = 12
_LONGEST_TEXT = 1_000_000
_PATTERN = re.compile(r"[*?\[^]")
_NUMERAL = re.compile(r"[+-]?(\d{1,30}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def expression(operator: Any, name: str, form: str, text: Any) -> str:
    """The text of an expression or a bind, if it is one.

    Raises:
        ToolFailure: `value_invalid`, with what Python says about it.
    """
    if not isinstance(text, str) or not text.strip():
        raise invalid(operator, name, f"needs a text as {form}, not {short_repr(text, 60)}")
    try:
        compile(text.strip(), name, "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise invalid(
            operator,
            name,
            f"cannot take the {form} {cut(text, 120)!r}: {why}",
            "It is one Python expression.",
        ) from None
    return text.strip()


def constant(operator: Any, par: Any, name: str, value: Any) -> Any:
    """A plain value as this parameter takes it.

    Raises:
        ToolFailure: `value_invalid`, `menu_value_invalid` or `too_large`.
    """
    if isinstance(value, (Mapping, list, tuple)) or value is None:
        raise invalid(operator, name, f"takes one plain value, not {short_repr(value, 60)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise invalid(operator, name, f"takes a finite number, not {value}")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise invalid(operator, name, f"takes a number, and not one as large as {short_repr(value, 40)}")
    if par.isOP:
        return _text(operator, name, value)
    if par.isToggle:
        return _toggle(operator, name, value)
    if describe.is_menu(par):
        return _menu_word(operator, par, name, value)
    if par.isNumber:
        return _number(operator, par, name, value)
    return _text(operator, name, value)


def _text(operator: Any, name: str, value: Any) -> str:
    if isinstance(value, bool):
        raise invalid(operator, name, f"takes a text, not {value}")
    text = str(value)
    if len(text) > _LONGEST_TEXT:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{operator.path} {name}: {len(text)} characters are too many (at most {_LONGEST_TEXT}).",
            hint="Put the text into a textDAT and let the parameter refer to it.",
        )
    return text


def _toggle(operator: Any, name: str, value: Any) -> bool:
    # 1 and 0 equal True and False; some clients send either as text.
    word = value.strip().lower() if isinstance(value, str) else value
    if word in (True, False, "on", "off", "true", "false", "1", "0"):
        return word in (True, "on", "true", "1")
    raise invalid(operator, name, f"is a toggle: it takes true or false, not {short_repr(value, 60)}")


def _number(operator: Any, par: Any, name: str, value: Any) -> float | int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        if abs(value) > 3.4e38:
            raise invalid(operator, name, f"takes a number a float can hold, not {value}")
        return value
    if isinstance(value, str) and _NUMERAL.fullmatch(value.strip()):
        # Some clients send numbers as text.
        return _number(
            operator, par, name, int(value) if value.strip().lstrip("+-").isdigit() else float(value)
        )
    hint = 'Give a number; for an expression write {"expr": "…"}.'
    if par.isMenu:
        hint = f"Give a number; the menu beside it holds {', '.join(map(str, par.menuNames[:_MENU_SHOWN]))}."
    raise invalid(operator, name, f"takes a number, not {short_repr(value, 60)}", hint)


def _menu_word(operator: Any, par: Any, name: str, value: Any) -> Any:
    words = [str(word) for word in par.menuNames]
    if not words:
        return value  # a menu filled elsewhere (devices, fonts): only reading back can tell
    if value in words or value == told(lambda: par.val):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if str(value) in words:
            return str(value)
        if float(value).is_integer() and 0 <= value < len(words):
            return words[int(value)]
    labels = [str(label) for label in par.menuLabels]
    if (
        isinstance(value, str)
        and labels.count(value.strip()) == 1
        and labels.index(value.strip()) < len(words)
    ):
        # What a person reads in the menu; the answer names the word that stands for it.
        return words[labels.index(value.strip())]
    wanted = str(value).strip().lower()
    suggestions = [word for word, label in zip(words, labels, strict=False) if label.lower() == wanted]
    suggestions += [word for word in near(str(value), words) if word not in suggestions]
    by_label = dict(zip(reversed(labels), reversed(words), strict=False))
    suggestions += [
        by_label[label] for label in near(str(value), labels) if by_label[label] not in suggestions
    ]
    shown = ", ".join(words[:_MENU_SHOWN]) + (f" … ({len(words)})" if len(words) > _MENU_SHOWN else "")
    raise ToolFailure(
        Code.MENU_VALUE_INVALID,
        f"{operator.path} {name} has no menu entry {short_repr(value, 80)}.",
        hint=f"It has: {shown}.",
        suggestions=suggestions[:5] or words[:_MENU_SHOWN],
    )


def identical(par: Any, value: Any) -> bool:
    """Whether writing `value` could make no difference at all: numbers to the last digit."""
    held = told(lambda: par.val)
    if isinstance(held, (int, float)) and isinstance(value, (int, float)):
        return held == value
    return same(par, value)


def same(par: Any, value: Any) -> bool:
    """Whether the constant already is `value`; TD keeps numbers as float32 and operators as objects or paths."""
    held = told(lambda: par.val)
    if isinstance(held, (int, float)) and isinstance(value, (int, float)):
        return same_number(held, value)
    if par.isOP:
        text = describe.plain(par, held)
        return bool(text == value or _same_operators(par.owner, text, value))
    return bool(held == value)


def _same_operators(owner: Any, held: Any, value: Any) -> bool:
    """Whether two texts name the same operators in the same order: a relative path may be kept as an absolute one.

    A pattern is no path: what it names changes, and `op` gives the first of it only.
    """
    if not (isinstance(held, str) and isinstance(value, str)):
        return False
    there, asked = held.split(), value.split()
    return len(there) == len(asked) > 0 and all(
        one == other or (not _PATTERN.search(other) and one in _paths_of(owner, other))
        for one, other in zip(there, asked, strict=True)
    )


def _paths_of(owner: Any, value: Any) -> list[str]:
    """Where an operator reference may lead, seen from its owner: from inside, and from beside it."""
    homes = [each for each in (owner, owner.parent()) if each is not None]
    found = [told(lambda home=home: home.op(str(value))) for home in homes]  # type: ignore[misc]
    return [str(each.path) for each in found if each is not None]


def invalid(operator: Any, name: str, what: str, hint: str = "") -> ToolFailure:
    """The refusal for a value of a parameter; `what` goes on after its name."""
    return ToolFailure(Code.VALUE_INVALID, f"{operator.path} {name} {what}.", hint=hint)
