"""What operators hold: text, cells, channels, points, pixels. Taken on the main thread, put in shape elsewhere."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner.values import Json, clean, json_value

#: Which row of the picture comes first in what `numpyArray` gives. Not established (fact 41): mend it here.
FIRST_ROW = "bottom"

#: Most pixels of a TOP that are downloaded for a look at numbers: 4K and a bit.
_MOST_PIXELS = 10_000_000


def text(dat: Any) -> str:
    """The text of a DAT; a table as tab-separated lines."""
    return clean(str(dat.text))


def cells(dat: Any, start: int, count: int, columns: list[str] | None) -> list[list[str]]:
    """Rows of a table from `start` on, of all columns or of those named (by heading, or by number as text).

    Raises:
        ToolFailure: `value_invalid`, when there is no such column.
    """
    wanted = None if columns is None else [_column(dat, name) for name in columns]
    rows = []
    for row in range(start, min(start + count, dat.numRows)):
        picked = range(dat.numCols) if wanted is None else wanted
        rows.append([clean(str(dat[row, column].val)) for column in picked])
    return rows


def _column(dat: Any, name: str) -> int:
    headings = [clean(str(cell.val)) for cell in dat.row(0)] if dat.numRows else []
    if name in headings:
        return headings.index(name)
    if name.isdigit() and int(name) < dat.numCols:
        return int(name)
    raise ToolFailure(
        Code.VALUE_INVALID,
        f"{dat.path} has no column {name!r}.",
        hint=f"It has {dat.numCols} columns, numbered from 0.",
        suggestions=near(name, headings),
    )


def channels(chop: Any, names: list[str] | None) -> tuple[list[str], Any]:
    """Names of the channels (all, or those asked for) and their samples as a float array [channel, sample], a copy.

    Raises:
        ToolFailure: `value_invalid`, when there is no such channel.
    """
    known = [clean(str(channel.name)) for channel in chop.chans()]
    for name in names or ():
        if name not in known:
            raise ToolFailure(
                Code.VALUE_INVALID,
                f"{chop.path} has no channel {name!r}.",
                suggestions=near(name, known) or known[:5],
            )
    samples = chop.numpyArray()
    if names is None:
        return known, samples
    return names, samples[[known.index(name) for name in names]]


def points(sop: Any, start: int, count: int, names: list[str] | None) -> dict[str, Json]:
    """Points of a SOP: P and the other attributes asked for, by attribute name.

    Raises:
        ToolFailure: `value_invalid`, when there is no such attribute.
    """
    wanted = names or ["P"]
    if wanted != ["P"]:
        known = ["P", *(name for name in (str(a.name) for a in sop.pointAttribs) if name != "P")]
        _check_attributes(sop, wanted, known)
    total = int(sop.numPoints)
    chosen = [sop.points[index] for index in range(start, min(start + count, total))]
    table: dict[str, Json] = {}
    for name in wanted:
        if name == "P":
            table[name] = [
                [json_value(point.x), json_value(point.y), json_value(point.z)] for point in chosen
            ]
        else:
            table[name] = [json_value(list(getattr(point, name))) for point in chosen]
    return {"total": total, "primitives": int(sop.numPrims), "points": table}


def pop_points(pop: Any, start: int, count: int, names: list[str] | None) -> dict[str, Json]:
    """The same for a POP; reading it back from the GPU takes milliseconds (fact 43), so only what is asked is read."""
    total = int(pop.numPoints())
    count = max(0, min(count, total - start))
    table = {name: json_value(pop.points(name, start, count)) if count else [] for name in names or ["P"]}
    return {"total": total, "primitives": int(pop.numPrims()), "points": table}


def _check_attributes(sop: Any, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise ToolFailure(
                Code.VALUE_INVALID,
                f"{sop.path} has no point attribute {name!r}.",
                suggestions=near(name, known) or known[:5],
            )


def pixels(top: Any) -> Any:
    """All pixels of a TOP as a float array [row, column, channel], first row at the top; a copy, safe anywhere.

    Raises:
        ToolFailure: `too_large`, or `td_error` where there are none.
    """
    width, height = int(top.width), int(top.height)
    if width * height > _MOST_PIXELS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{top.path} is {width} x {height}: too many pixels to download for numbers.",
            hint="Put a resolutionTOP behind it, or look at it with capture_image.",
        )
    array = top.numpyArray(delayed=False)
    if array is None:
        raise ToolFailure(
            Code.TD_ERROR, f"{top.path} has no pixels yet.", hint="Let it cook; capture_image waits for it."
        )
    return array[::-1] if FIRST_ROW == "bottom" else array
