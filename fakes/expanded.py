"""Reading the expanded form of a component: `NAME.tox.dir/` beside `NAME.tox.toc`.

Pure text work: files in, `Expanded` operators out; `tox.py` makes operators of them. Strict on purpose: a line this
module does not know raises `ExpandedError`, because a builder that writes what nobody established would otherwise pass
here and fail in TouchDesigner.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fakes.expanded_lines import ExpandedError, lines
from fakes.expanded_parameters import CustomParameter, Setting, read_custom, read_settings

#: Parts of a node, in the order the table of contents lists them.
PARTS = (".n", ".cparm", ".parm", ".panel", ".network", ".text", ".table")


@dataclass
class Expanded:
    """One operator of the expanded form, with its children."""

    family: str
    kind: str
    name: str
    tile: tuple[float, float, float, float] | None = None
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
    listing = toc.read_bytes().decode("utf-8").split("\n")
    if listing[-1] != "":
        raise ExpandedError(f"{toc.name}: does not end with a line feed")
    if listing[0] != "# 4 0 0 0 1":
        raise ExpandedError(f"{toc.name}: first line is {listing[0]!r}, expected '# 4 0 0 0 1'")
    entries = listing[1:-1]
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
    words = [line.split(" ")[0] for line in lines(path)]
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
        node.pages, node.custom = read_custom(path)
    elif part == ".parm":
        node.settings = read_settings(path)
    elif part == ".text":
        node.text = read_text(path)
    elif part == ".table":
        node.table = read_table(path)
    elif path.read_bytes().strip():
        # What a .panel or .network holds is not established; an empty one says nothing.
        raise ExpandedError(f"{path.name}: the content of {part} files is not established")


# The .n file


def _read_node(path: Path, name: str) -> Expanded:
    text = lines(path)
    family, colon, kind = text[0].partition(":")
    if not colon or not family or not kind:
        raise ExpandedError(f"{path.name}: first line {text[0]!r} is not FAMILY:type")
    node = Expanded(family=family, kind=kind, name=name)
    if text[-1] != "end":
        raise ExpandedError(f"{path.name}: does not end with 'end'")
    body = iter(text[1:-1])
    for line in body:
        read_line(path, node, line, body)
    return node


def read_line(path: Path, node: Expanded, line: str, body: Iterator[str]) -> None:
    """One line of a `.n` file between the first and `end`; `body` gives the lines of a block that it opens."""
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
    elif word == "dock" and " " in line:
        node.dock = line.split(" ", 1)[1]
    else:
        raise ExpandedError(f"{path.name}: line {line!r} is not established")


def _numbers(path: Path, line: str, count: int) -> list[float]:
    words = line.split(" ")[1:]
    try:
        values = [float(w) for w in words]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
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
    block: list[str] = []
    for line in body:  # The caller goes on after the closing brace.
        block.append(line)
        if line == "}":
            break
    if not block or block[0] != "{" or block[-1] != "}":
        raise ExpandedError(f"{path.name}: 'inputs' is not followed by {{ ... }}")
    inputs: dict[int, str] = {}
    for line in block[1:-1]:
        found = re.fullmatch(r"(\d+) \t(\S+)", line)
        if not found:
            raise ExpandedError(f"{path.name}: input line {line!r} is not 'INDEX <TAB>NAME'")
        inputs[int(found[1])] = found[2]
    return inputs


# The .text and .table files


def read_text(path: Path) -> str:
    """The text of a `.text` file."""
    data = path.read_bytes()
    if not data.startswith(b"2\n*") or len(data) < 27:
        raise ExpandedError(f"{path.name}: does not begin with '2', a line feed and '*'")
    *head, length = struct.unpack(">6I", data[3:27])
    body = data[27:]
    if head != [1, 1, 1, 1, 2] or length != len(body):
        raise ExpandedError(f"{path.name}: header {head} {length} does not fit {len(body)} bytes of text")
    return body.decode("utf-8")


def read_table(path: Path) -> list[list[str]]:
    """The rows of a `.table` file."""
    data = path.read_bytes()
    if not data.startswith(b"1\n*") or len(data) < 19:
        raise ExpandedError(f"{path.name}: does not begin with '1', a line feed and '*'")
    one, rows, columns, zero = struct.unpack(">4I", data[3:19])
    if (one, zero) != (1, 0):
        raise ExpandedError(f"{path.name}: header holds {one} and {zero}, expected 1 and 0")
    if (rows == 0) != (columns == 0) or rows * columns * 8 > len(data) - 19:
        raise ExpandedError(f"{path.name}: {rows} rows of {columns} cells do not fit {len(data)} bytes")
    at = 19
    cells: list[str] = []
    for _ in range(rows * columns):
        if at + 8 > len(data):
            raise ExpandedError(f"{path.name}: the cell at byte {at} is broken")
        two, length = struct.unpack_from(">2I", data, at)
        if two != 2 or at + 8 + length > len(data):
            raise ExpandedError(f"{path.name}: the cell at byte {at} is broken")
        cells.append(data[at + 8 : at + 8 + length].decode("utf-8"))
        at += 8 + length
    if at != len(data):
        raise ExpandedError(f"{path.name}: {len(data) - at} bytes are left over")
    return [cells[r * columns : (r + 1) * columns] for r in range(rows)]
