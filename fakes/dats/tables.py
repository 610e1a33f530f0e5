"""Rows of cells as plain lists of text: finding, adding, removing, reading and writing. Pure, no operators."""

from __future__ import annotations

import csv
import fnmatch
import io
from collections.abc import Iterable, Sequence
from typing import Any

Rows = list[list[str]]
_WILD = frozenset("*?[")


def cell_text(value: Any) -> str:
    """A value as a cell holds it: everything is text, True is 1 and False 0, None is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return str(value)


def row_of(values: Any) -> list[str]:
    """Cells from what a script passes for a row: a list of values, or a single one."""
    if values is None:
        return []
    if isinstance(values, (str, int, float, bool)):
        return [cell_text(values)]
    return [cell_text(value) for value in values]


def width(rows: Rows) -> int:
    """Columns of the table. Tables are kept square, so that the first row tells."""
    return len(rows[0]) if rows else 0


def square(rows: Rows) -> Rows:
    """The same table with every row as long as the longest."""
    wide = max(map(len, rows), default=0)
    for row in rows:
        row.extend([""] * (wide - len(row)))
    return rows


def parse(text: str) -> Rows:
    """A table from text: lines are rows, tabs part cells. A line break at the very end adds no row."""
    if text == "":
        return []
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return square([line.split("\t") for line in lines])


def as_text(rows: Rows) -> str:
    """Rows as lines, cells parted by tabs. Line breaks and tabs inside a cell become spaces (fact 40)."""
    return "\n".join(
        "\t".join(" ".join(cell.splitlines()).replace("\t", " ") for cell in row) for row in rows
    )


def parse_csv(text: str) -> Rows:
    """A table from comma-separated text, where quoted cells may hold line breaks."""
    return square([list(row) for row in csv.reader(io.StringIO(text, newline=""))])


def as_csv(rows: Rows) -> str:
    """The table as comma-separated text with quotes only where needed."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def matches(name: str, pattern: str, case: bool = True) -> bool:
    """Whether `name` is meant by `pattern`: words parted by spaces, with `*`, `?`, `[abc]` and `^` to take back."""
    if not case:
        name, pattern = name.lower(), pattern.lower()
    if name == pattern:
        return True
    hit = False
    for word in pattern.split():
        if word.startswith("^"):
            hit = hit and not fnmatch.fnmatchcase(name, word[1:])
        else:
            hit = hit or fnmatch.fnmatchcase(name, word)
    return hit


def find(names: Sequence[str], wanted: Any, case: bool = True) -> int | None:
    """Place of a row or column given by index (negative from the end) or by the text of its first cell."""
    if isinstance(wanted, bool) or not isinstance(wanted, (int, str)):
        wanted = str(wanted) if not isinstance(wanted, (int, float)) else int(wanted)
    if isinstance(wanted, int):
        place = wanted + len(names) if wanted < 0 else wanted
        return place if 0 <= place < len(names) else None
    for place, name in enumerate(names):
        if name == wanted or (not case and name.lower() == wanted.lower()):
            return place
    if _WILD & set(wanted):
        return next((i for i, name in enumerate(names) if matches(name, wanted, case)), None)
    return None


def find_all(names: Sequence[str], wanted: Iterable[Any], case: bool = True) -> list[int]:
    """Places of all rows or columns meant by indices, names or patterns, in the order asked, each once."""
    places: dict[int, None] = {}
    for one in wanted:
        if isinstance(one, str):
            for place, name in enumerate(names):
                if matches(name, one, case):
                    places[place] = None
        else:
            place_or_none = find(names, one)
            if place_or_none is not None:
                places[place_or_none] = None
    return list(places)


def row_names(rows: Rows) -> list[str]:
    return [row[0] if row else "" for row in rows]


def col_names(rows: Rows) -> list[str]:
    return list(rows[0]) if rows else []


def transpose(rows: Rows) -> Rows:
    return [list(column) for column in zip(*square([list(row) for row in rows]), strict=True)]


def insert(rows: Rows, values: Any, place: int) -> Rows:
    """The table with one more row at `place`, in place; shorter rows are filled with empty cells."""
    new, wide = row_of(values), width(rows)
    rows.insert(place, new)
    if len(new) < wide:
        new.extend([""] * (wide - len(new)))
    elif len(new) > wide and len(rows) > 1:
        square(rows)
    return rows


def resize(rows: Rows, height: int, wide: int) -> Rows:
    """Cut or filled up with empty cells."""
    kept = [row[:wide] + [""] * (wide - len(row)) for row in rows[:height]]
    return kept + [[""] * wide for _ in range(height - len(kept))]


def split(text: str, delimiters: str, skip_blank: bool = False) -> Rows:
    """Lines into cells at any one of the `delimiters`."""
    if text == "":
        return []
    rows = []
    for line in text.removesuffix("\n").split("\n"):
        if skip_blank and not line.strip():
            continue
        cells, start = [], 0
        for place, letter in enumerate(line):
            if letter in delimiters:
                cells.append(line[start:place])
                start = place + 1
        rows.append([*cells, line[start:]])
    return square(rows)
