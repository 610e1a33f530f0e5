"""Reading the expanded form of a component: `NAME.tox.dir/` beside `NAME.tox.toc`.

Pure text work: files in, `Expanded` operators out; `tox.py` makes operators of them. Strict on purpose: a line this
module does not know raises `ExpandedError`, because a builder that writes what nobody established would otherwise pass
here and fail in TouchDesigner.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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
#: Parts of a node, in the order the table of contents lists them.
PARTS = (".n", ".cparm", ".parm", ".panel", ".network", ".text", ".table")


class ExpandedError(ValueError):
    """The expanded form holds something that is not established, or contradicts itself."""


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


@dataclass
class Expanded:
    """One operator of the expanded form, with its children."""

    family: str
    kind: str
    name: str
    tile: tuple[float, float, float, float] = (0, 0, 0, 0)
    flags: dict[str, int] = field(default_factory=dict)
    inputs: dict[int, str] = field(default_factory=dict)
    color: tuple[float, float, float] | None = None
    dock: str = ""
    pages: list[str] = field(default_factory=list)
    custom: list[CustomParameter] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    text: str | None = None
    table: list[list[str]] | None = None
    children: list[Expanded] = field(default_factory=list)


def read(toc: Path) -> Expanded:
    """The component described by the table of contents `NAME.tox.toc` and the folder `NAME.tox.dir` beside it.

    Raises:
        ExpandedError: something is missing, left over, or not established; the message names file and line.
    """
    toc = Path(toc)
    if toc.suffix != ".toc":
        raise ExpandedError(f"{toc.name}: the table of contents of an expanded component ends in .toc")
    folder = toc.with_suffix(".dir")
    if not folder.is_dir():
        raise ExpandedError(f"{folder.name}: the folder belonging to {toc.name} is missing")
    lines = toc.read_bytes().decode("utf-8").split("\n")
    if lines[-1] != "":
        raise ExpandedError(f"{toc.name}: does not end with a line feed")
    if lines[0] != "# 4 0 0 0 1":
        raise ExpandedError(f"{toc.name}: first line is {lines[0]!r}, expected '# 4 0 0 0 1'")
    entries = lines[1:-1]
    if not entries or entries[0] != ".build":
        raise ExpandedError(f"{toc.name}: the first entry is not .build")
    _check_files(toc, folder, entries)
    _check_build(folder / ".build")
    return _read_nodes(toc, folder, entries[1:])


def _check_files(toc: Path, folder: Path, entries: list[str]) -> None:
    """Every entry is a file, every file an entry, and none differs from another only in letter case."""
    lowered: dict[str, str] = {}
    for entry in entries:
        if "\\" in entry:
            raise ExpandedError(f"{toc.name}: {entry!r} uses a backslash; separators are '/'")
        other = lowered.setdefault(entry.lower(), entry)
        if other is not entry:
            raise ExpandedError(f"{toc.name}: {entry!r} and {other!r} are the same file on Windows and macOS")
        if not (folder / entry).is_file():
            raise ExpandedError(f"{toc.name}: {entry!r} is listed but {folder.name} does not hold it")
    held = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    if left := sorted(held - set(entries)):
        raise ExpandedError(f"{folder.name}: {left[0]!r} is not in {toc.name}")


def _check_build(path: Path) -> None:
    words = [line.split(" ")[0] for line in _lines(path)]
    if words != ["version", "build", "time", "osname", "osversion"]:
        raise ExpandedError(f"{path.name}: expected version, build, time, osname, osversion; found {words}")


def _read_nodes(toc: Path, folder: Path, entries: list[str]) -> Expanded:
    nodes: dict[str, Expanded] = {}
    top: Expanded | None = None
    current, reached = "", -1
    for entry in entries:
        path, part = _split(toc, entry)
        if part == ".n":
            node = _read_node(folder / entry, path.rsplit("/", 1)[-1])
            parent = path.rpartition("/")[0]
            if parent:
                if parent not in nodes:
                    raise ExpandedError(f"{toc.name}: {entry!r} comes before its parent")
                nodes[parent].children.append(node)
            elif top is not None:
                raise ExpandedError(f"{toc.name}: {entry!r} is a second operator at the top")
            else:
                top = node
            nodes[path] = node
            current, reached = path, 0
            continue
        if path != current or PARTS.index(part) <= reached:
            raise ExpandedError(f"{toc.name}: {entry!r} is out of order")
        reached = PARTS.index(part)
        _read_part(folder / entry, part, nodes[path])
    if top is None:
        raise ExpandedError(f"{toc.name}: no operator is listed")
    return top


def _split(toc: Path, entry: str) -> tuple[str, str]:
    stem, dot, suffix = entry.rpartition(".")
    if not stem or dot + suffix not in PARTS:
        raise ExpandedError(f"{toc.name}: {entry!r} is no known part of an operator")
    return stem, dot + suffix


def _read_part(path: Path, part: str, node: Expanded) -> None:
    if part == ".cparm":
        node.pages, node.custom = _read_custom(path)
    elif part == ".parm":
        node.settings = _read_settings(path)
    elif part == ".text":
        node.text = _read_text(path)
    elif part == ".table":
        node.table = _read_table(path)
    elif path.read_bytes().strip():
        # What a .panel or .network holds is not established; an empty one says nothing.
        raise ExpandedError(f"{path.name}: the content of {part} files is not established")


# The .n file


def _read_node(path: Path, name: str) -> Expanded:
    lines = _lines(path)
    family, colon, kind = lines[0].partition(":")
    if not colon or not family or not kind:
        raise ExpandedError(f"{path.name}: first line {lines[0]!r} is not FAMILY:type")
    node = Expanded(family=family, kind=kind, name=name)
    if lines[-1] != "end":
        raise ExpandedError(f"{path.name}: does not end with 'end'")
    body = iter(lines[1:-1])
    for line in body:
        word = line.split(" ", 1)[0]
        if word == "tile":
            x, y, w, h = _numbers(path, line, 4)
            node.tile = (x, y, w, h)
        elif word == "flags":
            node.flags = _read_flags(path, line)
        elif line == "inputs":
            node.inputs = _read_inputs(path, body)
        elif word == "color":
            if not line.endswith(" "):
                raise ExpandedError(f"{path.name}: {line!r} lacks the trailing space that TD writes")
            r, g, b = _numbers(path, line.rstrip(" "), 3)
            node.color = (r, g, b)
        elif word == "dock":
            node.dock = line.split(" ", 1)[1]
        else:
            raise ExpandedError(f"{path.name}: line {line!r} is not established")
    return node


def _numbers(path: Path, line: str, count: int) -> list[float]:
    words = line.split(" ")[1:]
    try:
        values = [float(w) for w in words]
    except ValueError:
        values = []
    if len(values) != count:
        raise ExpandedError(f"{path.name}: {line!r} should hold {count} numbers")
    return values


def _read_flags(path: Path, line: str) -> dict[str, int]:
    if not line.startswith("flags =  "):
        raise ExpandedError(f"{path.name}: {line!r} should begin with 'flags =  ' (two spaces)")
    words = line[len("flags =  ") :].split(" ")
    if len(words) % 2 or not all(w in ("0", "1") for w in words[1::2]):
        raise ExpandedError(f"{path.name}: {line!r} is not pairs of a flag and 0 or 1")
    flags = {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    if unknown := sorted(set(flags) - {"viewer", "parlanguage"}):
        raise ExpandedError(f"{path.name}: the flag {unknown[0]!r} is not established")
    if flags.get("parlanguage", 0) != 0:
        raise ExpandedError(f"{path.name}: parlanguage {flags['parlanguage']} is not Python")
    return flags


def _read_inputs(path: Path, body: Iterator[str]) -> dict[int, str]:
    lines: list[str] = []
    for line in body:  # The caller goes on after the closing brace.
        lines.append(line)
        if line == "}":
            break
    if not lines or lines[0] != "{" or lines[-1] != "}":
        raise ExpandedError(f"{path.name}: 'inputs' is not followed by {{ ... }}")
    inputs: dict[int, str] = {}
    for line in lines[1:-1]:
        found = re.fullmatch(r"(\d+) \t(\S+)", line)
        if not found:
            raise ExpandedError(f"{path.name}: input line {line!r} is not 'INDEX <TAB>NAME'")
        inputs[int(found[1])] = found[2]
    return inputs


# The .parm and .cparm files


def _read_settings(path: Path) -> list[Setting]:
    settings = []
    for line in _between_marks(path):
        words = words_of(path, line)
        if len(words) < 3 or not words[1].isdigit():
            raise ExpandedError(f"{path.name}: {line!r} is not 'NAME FLAGS VALUE'")
        name, flags, value, rest = words[0], int(words[1]), words[2], words[3:]
        if flags & ~KNOWN_FLAGS:
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
        settings.append(setting)
    return settings


def _read_custom(path: Path) -> tuple[list[str], list[CustomParameter]]:
    lines = _between_marks(path)
    if not lines:
        raise ExpandedError(f"{path.name}: no 'pages' line")
    head = words_of(path, lines[0])
    if head[0] != "pages" or not head[1].isdigit() or len(head) != int(head[1]) + 2:
        raise ExpandedError(f"{path.name}: {lines[0]!r} is not 'pages N NAME...'")
    pages = head[2:]
    parameters = [_read_definition(path, line) for line in lines[1:]]
    for parameter in parameters:
        if parameter.page not in pages:
            raise ExpandedError(
                f"{path.name}: {parameter.name} sits on {parameter.page!r}, not among {pages}"
            )
    return pages, parameters


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
            return float(word)
        except ValueError:
            raise self.fail(f"{word!r} should be a number") from None

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


def _read_definition(path: Path, line: str) -> CustomParameter:
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


def words_of(path: Path, line: str) -> list[str]:
    """The words of a line; `"..."` holds empty or spaced ones. How TD escapes quotes is not established."""
    words: list[str] = []
    for found in re.finditer(r'"([^"]*)"(?= |$)|([^" ][^ ]*)|(\S)', line):
        if found[3] is not None or (found[2] is not None and '"' in found[2]):
            raise ExpandedError(f"{path.name}: how quotes are written in {line!r} is not established")
        words.append(found[1] if found[1] is not None else str(found[2]))
    return words


def _between_marks(path: Path) -> list[str]:
    lines = _lines(path)
    if len(lines) < 2 or lines[0] != "?" or lines[-1] != "?":
        raise ExpandedError(f"{path.name}: the lines do not stand between two '?'")
    return lines[1:-1]


def _lines(path: Path) -> list[str]:
    data = path.read_bytes()
    if b"\r" in data:
        raise ExpandedError(f"{path.name}: holds carriage returns; lines end with a line feed")
    if not data.endswith(b"\n"):
        raise ExpandedError(f"{path.name}: does not end with a line feed")
    return data.decode("utf-8").split("\n")[:-1]


# The .text and .table files


def _read_text(path: Path) -> str:
    data = path.read_bytes()
    if not data.startswith(b"2\n*") or len(data) < 27:
        raise ExpandedError(f"{path.name}: does not begin with '2', a line feed and '*'")
    *head, length = struct.unpack(">6I", data[3:27])
    body = data[27:]
    if head != [1, 1, 1, 1, 2] or length != len(body):
        raise ExpandedError(f"{path.name}: header {head} {length} does not fit {len(body)} bytes of text")
    return body.decode("utf-8")


def _read_table(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    if not data.startswith(b"1\n*") or len(data) < 19:
        raise ExpandedError(f"{path.name}: does not begin with '1', a line feed and '*'")
    one, rows, columns, zero = struct.unpack(">4I", data[3:19])
    if (one, zero) != (1, 0):
        raise ExpandedError(f"{path.name}: header holds {one} and {zero}, expected 1 and 0")
    at = 19
    cells: list[str] = []
    for _ in range(rows * columns):
        two, length = struct.unpack_from(">2I", data, at)
        if two != 2 or at + 8 + length > len(data):
            raise ExpandedError(f"{path.name}: the cell at byte {at} is broken")
        cells.append(data[at + 8 : at + 8 + length].decode("utf-8"))
        at += 8 + length
    if at != len(data):
        raise ExpandedError(f"{path.name}: {len(data) - at} bytes are left over")
    return [cells[r * columns : (r + 1) * columns] for r in range(rows)]
