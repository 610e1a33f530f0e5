"""Parameters of the expanded form: values that are not at their default (`.parm`), and definitions (`.cparm`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from fakes.expanded_lines import ExpandedError, between_marks, words_of

MODES = ("CONSTANT", "EXPRESSION", "EXPORT", "BIND")
HAS_EXPRESSION = 0x10
HAS_BIND = 0x200
CUSTOM = 0x04000040
READ_ONLY = 0x100
KNOWN_FLAGS = 0x3 | HAS_EXPRESSION | HAS_BIND | CUSTOM | READ_ONLY

WORD_BASE = 0x2E100000
WORD_ENABLE_EXPRESSION = 0x20000
WORD_HELP = 0x40000
STYLES = {
    1: "Float",
    2: "Int",
    3: "Toggle",
    4: "Str",
    5: "Pulse",
    0x0A: "TOP",
    0x0B: "DAT",
    0x0D: "OP",
    0x0F: "Menu",
    0x10: "File",
}


@dataclass
class Setting:
    """One line of a `.parm`: a parameter that is not at its default."""

    name: str
    mode: str
    value: str
    expression: str | None = None
    bind: str | None = None
    custom: bool = False
    read_only: bool = False


@dataclass
class Range:
    """Limits of one member of a parameter. `clamped` says whether the value may not go beyond."""

    minimum: float
    slider_minimum: float
    maximum: float
    slider_maximum: float
    clamp_minimum: bool
    clamp_maximum: bool


@dataclass
class CustomParameter:
    """One line of a `.cparm`: the definition of a custom parameter."""

    name: str
    label: str
    style: str
    vector: int
    size: int
    ranges: list[Range]
    defaults: list[tuple[str, str]]
    """For each member the number and the text; which one counts, the style says."""
    page: str
    order: int
    menu: list[tuple[str, str]] = field(default_factory=list)
    menu_source: str = ""
    enable_expression: str = ""
    help: str = ""


def read_settings(path: Path) -> list[Setting]:
    """The lines of a `.parm`."""
    return [read_setting(path, line) for line in between_marks(path)]


def read_setting(path: Path, line: str) -> Setting:
    """One line of a `.parm`."""
    words = words_of(path, line)
    if len(words) < 3 or not words[1].isdigit():
        raise ExpandedError(f"{path.name}: {line!r} is not 'NAME FLAGS VALUE'")
    name, flags, value, rest = words[0], int(words[1]), words[2], words[3:]
    if flags & ~KNOWN_FLAGS or flags & CUSTOM not in (0, CUSTOM):
        raise ExpandedError(f"{path.name}: flags {flags} of {name!r} hold bits that are not established")
    setting = Setting(name, MODES[flags & 3], value)
    setting.custom = flags & CUSTOM == CUSTOM
    setting.read_only = bool(flags & READ_ONLY)
    if flags & HAS_EXPRESSION:
        setting.expression = rest.pop(0) if rest else None
    if flags & HAS_BIND:
        setting.bind = rest.pop(0) if rest else None
    if rest or (setting.expression is None) == bool(flags & HAS_EXPRESSION):
        raise ExpandedError(f"{path.name}: the words of {line!r} do not fit its flags")
    if setting.mode == "EXPRESSION" and setting.expression is None:
        raise ExpandedError(f"{path.name}: {line!r} is in expression mode without an expression")
    return setting


def read_custom(path: Path) -> tuple[list[str], list[CustomParameter]]:
    """The page names and the definitions of a `.cparm`."""
    lines = between_marks(path)
    if not lines:
        raise ExpandedError(f"{path.name}: no 'pages' line")
    pages = read_pages(path, lines[0])
    parameters = [read_definition(path, line) for line in lines[1:]]
    for parameter in parameters:
        if parameter.page not in pages:
            raise ExpandedError(
                f"{path.name}: {parameter.name} sits on {parameter.page!r}, not among {pages}"
            )
    return pages, parameters


def read_pages(path: Path, line: str) -> list[str]:
    """The names of the pages: the first line of a `.cparm`."""
    head = words_of(path, line)
    if len(head) < 2 or head[0] != "pages" or not head[1].isdigit() or len(head) != int(head[1]) + 2:
        raise ExpandedError(f"{path.name}: {line!r} is not 'pages N NAME...'")
    return head[2:]


class _Words:
    """The words of one definition, taken one after the other."""

    def __init__(self, path: Path, line: str) -> None:
        self._path, self._line = path, line
        self._left = words_of(path, line)[::-1]

    def __bool__(self) -> bool:
        return bool(self._left)

    def fail(self, what: str) -> ExpandedError:
        return ExpandedError(f"{self._path.name}: {what} in {self._line!r}")

    def text(self) -> str:
        if not self._left:
            raise self.fail("a word is missing")
        return self._left.pop()

    def number(self) -> float:
        word = self.text()
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.fail(f"{word!r} should be a number")
        return number

    def integer(self) -> int:
        number = self.number()
        if number != int(number):
            raise self.fail(f"{number} should be whole")
        return int(number)

    def expect(self, *wanted: str) -> str:
        word = self.text()
        if word not in wanted:
            raise self.fail(f"{word!r} should be {' or '.join(wanted)}")
        return word


def read_definition(path: Path, line: str) -> CustomParameter:
    """One line of a `.cparm` after the names of the pages."""
    words = _Words(path, line)
    code = words.integer() & 0xFFFFFFFF
    if code & ~0x6FFFF != WORD_BASE:
        raise words.fail(f"the leading number {code:#x} holds bits that are not established")
    style, size, vector = code & 0xFF, (code >> 8) & 0xF, (code >> 12) & 0xF
    if style not in STYLES:
        raise words.fail(f"style {style:#x} is not established")
    if vector not in (1, 2, 3, 5):
        raise words.fail(f"vector kind {vector} is not established")
    name, label = words.text(), words.text()
    words.expect("1")
    ranges = [_read_range(words) for _ in range(size)]
    defaults = [_read_default(words) for _ in range(size)]
    page = words.text()
    menu: list[tuple[str, str]] = []
    marker = words.integer()
    if marker == 4097:
        menu = [(words.text(), words.text()) for _ in range(words.integer())]
        marker = words.integer()
    parameter = CustomParameter(
        name, label, STYLES[style], vector, size, ranges, defaults, page, order=marker, menu=menu
    )
    tail: list[str] = []
    while words:
        tail.append(words.text())
    _read_tail(words, parameter, tail, bool(code & WORD_ENABLE_EXPRESSION), bool(code & WORD_HELP))
    return parameter


def _read_tail(
    words: _Words, parameter: CustomParameter, tail: list[str], has_enable: bool, has_help: bool
) -> None:
    """`[2 menuSource] [enableExpr] [1 help]`, read from the end because only the last two are announced."""
    if has_help:
        if len(tail) < 2 or tail[-2] != "1":
            raise words.fail("the help text is announced but not there")
        parameter.help = tail.pop()
        tail.pop()
    if has_enable:
        if not tail:
            raise words.fail("the enable expression is announced but not there")
        parameter.enable_expression = tail.pop()
    if len(tail) == 2 and tail[0] == "2":
        parameter.menu_source = tail[1]
        tail = []
    if tail:
        raise words.fail(f"left over: {tail}")


def _read_range(words: _Words) -> Range:
    lower = words.expect("1", "3")
    minimum, slider_minimum = words.number(), words.number()
    upper = words.expect("1", "3")
    maximum, slider_maximum = words.number(), words.number()
    return Range(minimum, slider_minimum, maximum, slider_maximum, lower == "3", upper == "3")


def _read_default(words: _Words) -> tuple[str, str]:
    words.expect("2")
    number, text = words.text(), words.text()
    words.expect("")
    return number, text
