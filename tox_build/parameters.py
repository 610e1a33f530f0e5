"""Writing parameters in the expanded form: `.parm` (values) and `.cparm` (definitions of custom parameters)."""

from __future__ import annotations

from collections.abc import Iterable

from td_component.model import Page, Parameter, Range, Style, Value
from tox_build.words import NotWritable, constant, number, quoted

# Bits of the second word of a `.parm` line.
EXPRESSION_MODE = 0x1
BIND_MODE = 0x3
HAS_EXPRESSION = 0x10
HAS_BIND = 0x200
CUSTOM = 0x04000040

# The leading word of a `.cparm` line.
_WORD = 0x2E100000
_HAS_ENABLE = 0x20000
_HAS_HELP = 0x40000
_PLAIN, _ONE = 1 << 12, 1 << 8
_STYLES = {
    Style.FLOAT: 0x01,
    Style.INT: 0x02,
    Style.TOGGLE: 0x03,
    Style.STR: 0x04,
    Style.PULSE: 0x05,
    Style.MENU: 0x0F,
    Style.FILE: 0x10,
}
#: What TouchDesigner writes as the range of a style that has none. The first three were seen, the others follow them.
_NO_RANGE = {
    Style.TOGGLE: Range(None, None, 0, 10),
    Style.PULSE: Range(None, None, 0, 10),
    Style.MENU: Range(None, None, 0, 1),
    Style.FLOAT: Range(None, None, 0, 1),
    Style.INT: Range(None, None, 0, 10),
    Style.STR: Range(None, None, 0, 1),
    Style.FILE: Range(None, None, 0, 1),
}
_TEXTS = (Style.STR, Style.MENU, Style.FILE)


def setting(
    name: str, value: Value = 0, *, expression: str = "", bind: str = "", is_custom: bool = False
) -> str:
    """One line of a `.parm`: a value, and the expression or bind that gives it."""
    flags = CUSTOM if is_custom else 0
    words = [name, "", constant(value)]
    if expression:
        flags |= EXPRESSION_MODE | HAS_EXPRESSION
        words.append(quoted(expression))
    if bind:
        flags |= BIND_MODE | HAS_BIND
        words.append(quoted(bind))
    words[1] = str(flags)
    return " ".join(words)


def settings_file(values: Iterable[tuple[str, Value]]) -> bytes:
    """A whole `.parm` of constants of built-in parameters."""
    return _between_marks(setting(name, value) for name, value in values)


def definition(
    parameter: Parameter, page: str, order: int, *, menu_source: str = "", enable_expression: str = ""
) -> str:
    """One line of a `.cparm`: a custom parameter of size one.

    Raises:
        NotWritable: a menu's default is none of its words, or a text has no established form.
    """
    if parameter.menu and parameter.default not in [word for word, _ in parameter.menu]:
        raise NotWritable(f"{parameter.name}: the default {parameter.default!r} is not in the menu")
    word = _WORD | _PLAIN | _ONE | _STYLES[parameter.style]
    word |= (_HAS_ENABLE if enable_expression else 0) | (_HAS_HELP if parameter.help else 0)
    words = [str(word), parameter.name, quoted(parameter.label), "1"]
    words += _range(parameter.range or _NO_RANGE[parameter.style])
    words += _default(parameter)
    words.append(quoted(page))
    if parameter.menu:
        words += ["4097", str(len(parameter.menu))]
        words += [quoted(text) for entry in parameter.menu for text in entry]
    words.append(str(order))
    if menu_source:
        words += ["2", quoted(menu_source)]
    if enable_expression:
        words.append(quoted(enable_expression))
    if parameter.help:
        words += ["1", quoted(parameter.help)]
    return " ".join(words)


def definitions_file(pages: Iterable[Page]) -> bytes:
    """A whole `.cparm`: the pages, then their parameters, counted from 0 on each page."""
    pages = tuple(pages)
    lines = [" ".join(["pages", str(len(pages)), *(quoted(page.name) for page in pages)])]
    for page in pages:
        lines += [definition(parameter, page.name, i) for i, parameter in enumerate(page.parameters)]
    return _between_marks(lines)


def _range(limits: Range) -> list[str]:
    # A free end still carries a number; TouchDesigner writes 0 below and 1 above.
    low = ["1", "0"] if limits.low is None else ["3", number(limits.low)]
    high = ["1", "1"] if limits.high is None else ["3", number(limits.high)]
    return [*low, number(limits.slider_low), *high, number(limits.slider_high)]


def _default(parameter: Parameter) -> list[str]:
    if parameter.style in _TEXTS:
        return ["2", "0", quoted(str(parameter.default)), '""']
    return ["2", number(float(parameter.default)), '""', '""']


def _between_marks(lines: Iterable[str]) -> bytes:
    return "\n".join(["?", *lines, "?", ""]).encode("utf-8")
