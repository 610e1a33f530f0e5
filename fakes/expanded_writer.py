"""Writing one operator of the expanded form: the opposite of `expanded.py`, line by line."""

from __future__ import annotations

import struct

from fakes import expanded_parameters as parameters
from fakes.expanded import Expanded
from fakes.expanded_parameters import CustomParameter, Range, Setting

_STYLE_CODES = {style: code for code, style in parameters.STYLES.items()}
#: The first and the last lines of a `.parm` or `.cparm`.
MARK = "?"


def node_lines(node: Expanded) -> list[str]:
    """The lines of a `.n` file, without the first and `end`."""
    lines = []
    if node.tile is not None:
        lines.append(f"tile {_numbers(*node.tile)}")
    if node.flags:
        lines.append("flags =  " + " ".join(f"{name} {value}" for name, value in node.flags.items()))
    if node.inputs:
        lines += ["inputs", "{", *(f"{index} \t{name}" for index, name in node.inputs.items()), "}"]
    if node.color is not None:
        lines.append(f"color {_numbers(*node.color)} ")
    if node.dock:
        lines.append(f"dock {node.dock}")
    return lines


def setting_line(setting: Setting) -> str:
    """One line of a `.parm`."""
    flags = parameters.MODES.index(setting.mode)
    flags |= parameters.CUSTOM if setting.custom else 0
    flags |= parameters.READ_ONLY if setting.read_only else 0
    flags |= parameters.HAS_EXPRESSION if setting.expression is not None else 0
    flags |= parameters.HAS_BIND if setting.bind is not None else 0
    words = [setting.name, str(flags), _quoted(setting.value)]
    words += [_quoted(text) for text in (setting.expression, setting.bind) if text is not None]
    return " ".join(words)


def pages_line(pages: list[str]) -> str:
    """The first line of a `.cparm`."""
    return " ".join(["pages", str(len(pages)), *map(_quoted, pages)])


def definition_line(parameter: CustomParameter) -> str:
    """One line of a `.cparm` after the names of the pages."""
    code = parameters.WORD_BASE | _STYLE_CODES[parameter.style] | parameter.size << 8 | parameter.vector << 12
    code |= parameters.WORD_ENABLE_EXPRESSION if parameter.enable_expression else 0
    code |= parameters.WORD_HELP if parameter.help else 0
    words = [str(code), _quoted(parameter.name), _quoted(parameter.label), "1"]
    words += [_range(limits) for limits in parameter.ranges]
    words += [f'2 {_quoted(number)} {_quoted(text)} ""' for number, text in parameter.defaults]
    words.append(_quoted(parameter.page))
    if parameter.menu:
        words += ["4097", str(len(parameter.menu))]
        words += [_quoted(word) for entry in parameter.menu for word in entry]
    words.append(str(parameter.order))
    if parameter.menu_source:
        words += ["2", _quoted(parameter.menu_source)]
    if parameter.enable_expression:
        words.append(_quoted(parameter.enable_expression))
    if parameter.help:
        words += ["1", _quoted(parameter.help)]
    return " ".join(words)


def text_bytes(text: str) -> bytes:
    """A `.text` file."""
    body = text.encode()
    return b"2\n*" + struct.pack(">6I", 1, 1, 1, 1, 2, len(body)) + body


def table_bytes(rows: list[list[str]]) -> bytes:
    """A `.table` file."""
    cells = [cell.encode() for row in rows for cell in row]
    head = b"1\n*" + struct.pack(">4I", 1, len(rows), len(rows[0]) if rows else 0, 0)
    return head + b"".join(struct.pack(">2I", 2, len(cell)) + cell for cell in cells)


def _range(limits: Range) -> str:
    lower, upper = (3 if clamped else 1 for clamped in (limits.clamp_minimum, limits.clamp_maximum))
    least = _numbers(limits.minimum, limits.slider_minimum)
    most = _numbers(limits.maximum, limits.slider_maximum)
    return f"{lower} {least} {upper} {most}"


def _numbers(*values: float) -> str:
    return " ".join(str(int(v)) if v == int(v) else repr(v) for v in values)


def _quoted(text: str) -> str:
    return f'"{text}"' if not text or " " in text else text
