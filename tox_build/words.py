"""How a word is written in the expanded form: numbers short, strings quoted only where they must be."""

from __future__ import annotations

from td_component.model import Value


class NotWritable(ValueError):
    """The value cannot be written in a form that is established for TouchDesigner."""


def quoted(text: str) -> str:
    """A string as one word: as it is, or in double quotes when empty or spaced.

    Raises:
        NotWritable: it holds a double quote or a line break, for which no escape is established.
    """
    if any(mark in text for mark in '"\n\r\t'):
        raise NotWritable(f"{text!r} holds a double quote, a tab or a line break")
    return f'"{text}"' if not text or " " in text else text


def number(value: float) -> str:
    """A number as short as it goes: `4` for 4.0."""
    return f"{value:.10g}"


def constant(value: Value) -> str:
    """A constant as it stands in a `.parm`: toggles `on` and `off`, numbers short, text quoted where needed."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return number(value)
    return quoted(value)
