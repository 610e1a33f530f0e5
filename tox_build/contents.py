"""Writing an operator itself in the expanded form: its `.n`, its text, its table."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from tox_build.words import number

#: Operator types as a `.n` names them: family and contracted type.
CONTRACTED = {
    "baseCOMP": "COMP:base",
    "textDAT": "DAT:text",
    "tableDAT": "DAT:table",
    "executeDAT": "DAT:execute",
    "parameterexecuteDAT": "DAT:parexec",
    "webserverDAT": "DAT:webserver",
}


def node(
    op_type: str,
    tile: tuple[float, float, float, float],
    *,
    inputs: Mapping[int, str] | None = None,
    color: tuple[float, float, float] | None = None,
    dock: str = "",
) -> bytes:
    """A `.n`: type, place (x, y, width, height), wires by input index, colour, dock host.

    Raises:
        KeyError: how TouchDesigner contracts the type's name is not established.
    """
    lines = [
        CONTRACTED[op_type],
        "tile " + " ".join(number(n) for n in tile),
        # Two spaces; parlanguage 0 is Python.
        "flags =  viewer 1 parlanguage 0",
    ]
    if inputs:
        lines += ["inputs", "{", *(f"{index} \t{name}" for index, name in sorted(inputs.items())), "}"]
    if color is not None:
        lines.append("color " + "".join(f"{number(c)} " for c in color))
    if dock:
        lines.append(f"dock {dock}")
    return "\n".join([*lines, "end", ""]).encode("utf-8")


def text(body: str) -> bytes:
    """A `.text`: the content of a text DAT, or the callbacks of an execute DAT."""
    data = body.encode("utf-8")
    return b"2\n*" + struct.pack(">6I", 1, 1, 1, 1, 2, len(data)) + data


def table(rows: Sequence[Sequence[str]]) -> bytes:
    """A `.table`: the cells of a table DAT, row by row.

    Raises:
        ValueError: the rows differ in length.
    """
    columns = len(rows[0]) if rows else 0
    if any(len(row) != columns for row in rows):
        raise ValueError("the rows of a table must be of one length")
    cells = [cell.encode("utf-8") for row in rows for cell in row]
    return b"".join(
        [
            b"1\n*",
            struct.pack(">4I", 1, len(rows), columns, 0),
            *(struct.pack(">2I", 2, len(cell)) + cell for cell in cells),
        ]
    )
