"""Text and tables of DATs: written whole or in exact places, read back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import undo
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.values import clean, cut

#: Largest text or table that one call may write, in characters and cells.
MOST_CHARACTERS = 2_000_000
MOST_CELLS = 200_000


def content_hash(dat: Any) -> str:
    """A short fingerprint of what a DAT holds, to tell whether somebody changed it meanwhile."""
    return hash_of(str(dat.text))


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_dat(operator: Any) -> None:
    """Refuse an operator that holds no text of its own.

    Raises:
        ToolFailure: `value_invalid`.
    """
    if not operator.isDAT:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{operator.path} is a {op_type(operator)}: only DATs hold text or a table.",
            suggestions=[str(d.path) for d in operator.docked if d.isDAT],
        )
    if not operator.isEditable or operator.inputs:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{operator.path} makes its content itself; it cannot be written.",
            hint="Write the DAT it reads from, or create a textDAT or tableDAT.",
        )


def set_text(dat: Any, text: str, access: Access) -> bool:
    """Make a text DAT hold exactly this text.

    Returns:
        Whether anything changed.

    Raises:
        ToolFailure: `value_invalid`, `too_large`, `access_denied`, or `td_error` where it is not there afterwards.
    """
    check_dat(dat)
    if len(text) > MOST_CHARACTERS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{len(text)} characters are too many for one call (at most {MOST_CHARACTERS}).",
            hint="Put it into a file that the DAT loads, or into several DATs.",
        )
    text = clean(text)
    if dat.text == text:
        return False
    access.text(dat, text)
    undo.journal().attribute(dat, "text")
    try:
        dat.text = text
    except Exception as error:  # noqa: BLE001 - generated companions refuse it (fact 40)
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{dat.path} refuses text: {cut(clean(str(error)), 200)}",
            hint="It may be generated.",
        ) from None
    if dat.text != text and _lines(dat.text) != _lines(text):
        raise ToolFailure(Code.TD_ERROR, f"{dat.path} does not hold the text that was written.")
    return True


def _lines(text: str) -> list[str]:
    """Text without what TD may change by itself: the kind of its line breaks, and those at its end."""
    return text.replace("\r\n", "\n").rstrip("\n").split("\n")


def table_of(dat: Any) -> list[list[str]]:
    """The cells of a table, as text."""
    return [[str(cell.val) for cell in row] for row in dat.rows()]


def set_table(dat: Any, rows: Sequence[Sequence[str]], access: Access) -> bool:
    """Make a table DAT hold exactly these rows; shorter rows are filled with empty cells.

    Returns:
        Whether anything changed.

    Raises:
        ToolFailure: as `set_text`.
    """
    check_dat(dat)
    if not dat.isTable:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{dat.path} is a {op_type(dat)}: it holds text, not a table.",
            hint='Give "text".',
        )
    width = max((len(row) for row in rows), default=0)
    if len(rows) * width > MOST_CELLS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{len(rows)} × {width} cells are too many for one call (at most {MOST_CELLS}).",
            hint="Put it into a file that the DAT loads, or into several tables.",
        )
    full = [[clean(str(cell)) for cell in row] + [""] * (width - len(row)) for row in rows]
    before = table_of(dat)
    if before == full:
        return False
    access.cells(dat, full)
    path = dat.path

    def put_back() -> None:
        if dat.valid and dat.path == path and table_of(dat) != before:
            _fill(dat, before)

    undo.journal().touch(dat)
    undo.journal().put_back_with(put_back)
    _fill(dat, full)
    if table_of(dat) != full:
        raise ToolFailure(Code.TD_ERROR, f"{dat.path} does not hold the table that was written.")
    return True


def _fill(dat: Any, rows: Sequence[Sequence[str]]) -> None:
    # Cell by row, not `.text`: that flattens line breaks inside cells (fact 40).
    dat.clear()
    for row in rows:
        dat.appendRow(list(row))


def replace_cells(dat: Any, replacements: Sequence[tuple[str, str]], access: Access) -> bool:
    """Exact replacements in a table, each of which must match once, inside one cell; the other cells are not written.

    The text of a table flattens line breaks and tabs inside cells (fact 40), so it is never written back as a text.

    Returns:
        Whether anything changed.

    Raises:
        ToolFailure: `text_not_found` or `text_not_unique`, saying which; and as `set_text`.
    """
    check_dat(dat)
    before = table_of(dat)
    cells = {(r, c): cell for r, row in enumerate(before) for c, cell in enumerate(row)}
    written: dict[tuple[int, int], str] = {}
    for number, (old, new) in enumerate(replacements, 1):
        if not old:
            raise ToolFailure(Code.VALUE_INVALID, f"Replacement {number} looks for an empty text.")
        hits = [(place, cell.count(old)) for place, cell in cells.items() if old in cell]
        if not hits:
            spans = "\t" in old or "\n" in old
            raise ToolFailure(
                Code.TEXT_NOT_FOUND,
                f"Replacement {number}: no cell of {dat.path} contains {cut(clean(old), 120)!r}.",
                hint="In a table each replacement is made inside one cell; to change several, give one for each, or "
                "the whole table."
                if spans
                else "It must match exactly, spaces included; read_data shows the cells.",
                suggestions=_resembling("\n".join(cells.values()), old),
            )
        if sum(count for _, count in hits) > 1:
            raise ToolFailure(
                Code.TEXT_NOT_UNIQUE,
                f"Replacement {number}: {cut(clean(old), 120)!r} stands {sum(count for _, count in hits)} times in "
                f"{dat.path}.",
                hint="Give more of the text around it, or the whole table.",
                details={"cells": [list(place) for place, _ in hits[:10]]},
            )
        place = hits[0][0]
        cells[place] = written[place] = clean(cells[place].replace(old, new))
    written = {place: text for place, text in written.items() if before[place[0]][place[1]] != text}
    if not written:
        return False
    access.cells(dat, [[cells[r, c] for c in range(len(row))] for r, row in enumerate(before)])
    path = dat.path
    held = {place: before[place[0]][place[1]] for place in written}

    def put_back() -> None:
        for (row, column), text in held.items() if dat.valid and dat.path == path else ():
            if dat[row, column] is not None and dat[row, column].val != text:
                dat[row, column] = text

    undo.journal().put_back_with(put_back)
    for (row, column), text in written.items():
        dat[row, column] = text
    lost = [place for place, text in written.items() if str(dat[place].val) != text]
    if lost:
        raise ToolFailure(
            Code.TD_ERROR, f"{dat.path} does not hold what was written to cell {list(lost[0])}."
        )
    return True


def replaced(dat: Any, replacements: Sequence[tuple[str, str]]) -> str:
    """The text of a DAT after exact replacements, each of which must match once.

    Raises:
        ToolFailure: `text_not_found` or `text_not_unique`, saying which.
    """
    text = str(dat.text)
    for number, (old, new) in enumerate(replacements, 1):
        if not old:
            raise ToolFailure(Code.VALUE_INVALID, f"Replacement {number} looks for an empty text.")
        count = text.count(old)
        if count == 0:
            raise ToolFailure(
                Code.TEXT_NOT_FOUND,
                f"Replacement {number}: {dat.path} does not contain {cut(clean(old), 120)!r}.",
                hint="It must match exactly, spaces and line breaks included; read_data shows the text.",
                suggestions=_resembling(text, old),
            )
        if count > 1:
            lines = [i for i, line in enumerate(text.splitlines(), 1) if old.splitlines()[0] in line][:10]
            raise ToolFailure(
                Code.TEXT_NOT_UNIQUE,
                f"Replacement {number}: {cut(clean(old), 120)!r} stands {count} times in {dat.path}.",
                hint="Give more of the text around it.",
                details={"lines": lines},
            )
        text = text.replace(old, new)
    return text


def _resembling(text: str, old: str) -> list[str]:
    from difflib import get_close_matches

    first = old.strip().splitlines()[0] if old.strip() else old
    return [
        cut(clean(line), 200) for line in get_close_matches(first, text.splitlines()[:5000], n=3, cutoff=0.6)
    ]
