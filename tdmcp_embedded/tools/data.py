"""read_data: what an operator holds, as numbers and text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.resources.addresses import MOST_CHARACTERS, operator_uri
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import paging
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import contents, lookup
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.dats import hash_of
from tdmcp_embedded.touchdesigner.values import clean, cut, rounded, weight

_DEFAULT_COUNT = {"text": 200, "table": 100, "channels": 20, "points": 100}

#: Channels and samples in all in an answer of default size.
_DEFAULT_CHANNELS = 60
_DEFAULT_SAMPLES = 600

#: Bytes of text in an answer of default size, and in a larger one.
_DEFAULT_BYTES = 8_000
_MOST_BYTES = 300_000
#: Bytes of one cell: resources and longer texts hold the whole.
_LONGEST_CELL = 2_000


class ReadData(Arguments):
    """Which operator, and which part of what it holds."""

    path: str = Field(description="The operator.")
    start: int = Field(default=0, ge=0, description="First line, row, sample or point.")
    limit: int | None = Field(default=None, ge=1, le=20_000, description="How many of those.")
    names: list[str] | None = Field(default=None, description="Only these columns, channels or attributes.")
    grid: int = Field(default=8, ge=1, le=64, description="TOP: grid of this many by this many colours.")
    cursor: paging.Cursor = None


class Data(paging.Page):
    """Lines, rows, samples, points or grid rows (`total` of the operator, `returned` here), by `kind`."""

    path: str
    kind: str
    """text, table, channels, points or pixels."""
    start: int
    text_: str | None = Field(default=None, alias="text", serialization_alias="text")
    table: list[list[str]] | None = None
    whole: str | None = None
    """Resource that holds all of it, where this is a part of a DAT."""
    hash: str | None = None
    """Of a DAT's whole content; write_data's expected_hash takes it."""
    rate: float | None = None
    """Samples a second."""
    channels: list[dict[str, Any]] | None = None
    """name, min, max, mean and last over all samples, and samples from `start` on."""
    channels_left_out: int | None = None
    """Channels beyond these; ask for them by names."""
    columns_left_out: int | None = None
    """The same of a table's columns."""
    points: dict[str, Any] | None = None
    """Attribute name to one value a point."""
    primitives: int | None = None
    size: list[int] | None = None
    """Width and height in pixels."""
    pixels: list[list[list[Any]]] | None = None
    """Grid rows from the top, each of [r, g, b, a], taken at the middle of its cell."""
    statistics: dict[str, Any] | None = None
    """Per colour channel over all pixels: min, max, mean."""

    def structured(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True, by_alias=True)

    def link(self) -> str | None:
        return self.whole

    def text(self) -> str:
        facts = self.structured()
        head = [f"{self.path} {self.kind}: from {self.start}, {self.paging_line()}"]
        for key in (
            "whole",
            "hash",
            "rate",
            "channels_left_out",
            "columns_left_out",
            "primitives",
            "size",
            "statistics",
        ):
            if key in facts:
                head.append(f"{key}: {_json(facts[key])}")
        if self.text_ is not None:
            return "\n".join([*head, self.text_])
        body: Sequence[Any] = self.table or self.channels or self.pixels or []
        lines = [_json(row) for row in body]
        lines += [f"{name}: {_json(values)}" for name, values in (self.points or {}).items()]
        return "\n".join([*head, *lines])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


#: Points or rows taken in one step: a few hundred attribute reads stay well within a frame's budget.
_CHUNK = 200


def read_data(call: Call, given: ReadData) -> Steps[dict[str, Any]]:
    """Takes what is asked for out of TD; `finish` does the sums."""
    try:
        return (yield from _take(call, given))
    except (ToolFailure, AttributeError):
        raise
    except Exception as error:  # noqa: BLE001 - an operator that cannot cook says so in words of its own
        raise ToolFailure(
            Code.TD_ERROR,
            f"{given.path} cannot be read: {cut(clean(str(error)), 300)}",
            hint="check_errors may tell why it does not cook.",
        ) from None


def _take(call: Call, given: ReadData) -> Steps[dict[str, Any]]:
    start = paging.start_of(given, given.cursor) or given.start
    op = lookup.operator(call.td, given.path)
    names = None if given.names is None else list(dict.fromkeys(given.names))
    taken: dict[str, Any] = {"path": str(op.path), "start": start}
    if op.isDAT:
        taken["content"] = contents.text(op)
        if op.isTable:
            rows: list[list[str]] = []
            for at, count in _chunks(start, given.limit or _DEFAULT_COUNT["table"]):
                rows += contents.cells(op, at, count, names)
                if at + count >= op.numRows:
                    break
                yield
                _still_there(op, given.path)
            return taken | {"kind": "table", "table": rows, "total": int(op.numRows)}
        return taken | {"kind": "text"}
    if op.isCHOP:
        found, samples = contents.channels(op, names)
        return taken | {"kind": "channels", "names": found, "samples": samples, "rate": rounded(op.rate)}
    if op.family == "POP":
        count = given.limit or _DEFAULT_COUNT["points"]
        return taken | {"kind": "points"} | contents.pop_points(op, start, count, names)
    if op.isSOP:
        read: dict[str, Any] = {}
        for at, count in _chunks(start, given.limit or _DEFAULT_COUNT["points"]):
            part = contents.points(op, at, count, names)
            for name, values in read.get("points", {}).items():
                part["points"][name] = values + part["points"][name]
            read = part
            if at + count >= part["total"]:
                break
            yield
            _still_there(op, given.path)
        return taken | {"kind": "points"} | read
    if op.isTOP:
        return taken | {"kind": "pixels", "array": contents.pixels(op)}
    raise ToolFailure(
        Code.VALUE_INVALID,
        f"{op.path} is a {op_type(op)}: it holds no data of its own.",
        hint="read_network shows what is in a COMP; capture_image shows how it looks.",
    )


def _chunks(start: int, count: int) -> Iterator[tuple[int, int]]:
    for at in range(start, start + count, _CHUNK):
        yield at, min(_CHUNK, start + count - at)


def _still_there(op: Any, path: str) -> None:
    if not op.valid:
        raise ToolFailure(Code.OPERATOR_NOT_FOUND, f"{path} was deleted while it was read.")


def finish(call: Call, given: ReadData, taken: dict[str, Any]) -> Data:
    """One page in shape."""
    kind: str = taken["kind"]
    shape = {"text": _text, "table": _table, "channels": _channels, "points": _points, "pixels": _pixels}[
        kind
    ]
    fields: dict[str, Any] = shape(given, taken)
    start: int = taken["start"]
    following = start + fields["returned"]
    more = kind != "pixels" and following < fields["total"] and fields["returned"] > 0
    return Data(
        path=taken["path"],
        kind=kind,
        start=start,
        next_cursor=paging.cursor_at(given, following) if more else None,
        whole=_whole(taken, fields, more),
        **fields,
    )


def _whole(taken: dict[str, Any], fields: dict[str, Any], more: bool) -> str | None:
    """Where all of a DAT can be read, if this is not all of it and it fits there."""
    if taken["kind"] not in ("text", "table") or len(taken["content"]) > MOST_CHARACTERS:
        return None
    cut_off = taken["kind"] == "text" and taken["start"] == 0 and fields["text"] != taken["content"]
    return operator_uri(taken["kind"], taken["path"]) if more or cut_off else None


def _room(given: ReadData) -> int:
    return _DEFAULT_BYTES if given.limit is None else _MOST_BYTES


def _hash(taken: dict[str, Any]) -> str:
    return hash_of(taken["content"])


def _text(given: ReadData, taken: dict[str, Any]) -> dict[str, Any]:
    lines = taken["content"].splitlines(keepends=True)
    start, room = taken["start"], _room(given)
    shown: list[str] = []
    for line in lines[start : start + (given.limit or _DEFAULT_COUNT["text"])]:
        room -= weight(line)
        if shown and room < 0:
            break
        shown.append(line)
    # One endless line (minified, base64) is cut; the hash still is that of the whole.
    content = cut("".join(shown), _room(given), " in this line")
    return {"text": content, "hash": _hash(taken), "total": len(lines), "returned": len(shown)}


def _table(given: ReadData, taken: dict[str, Any]) -> dict[str, Any]:
    room = _room(given)
    columns = _columns(taken["table"][0], room) if taken["table"] else 0
    left_out = len(taken["table"][0]) - columns if taken["table"] else 0
    shown: list[list[str]] = []
    for row in taken["table"]:
        cells = [cut(cell, _LONGEST_CELL) for cell in row[:columns]]
        room -= weight(cells)
        if shown and room < 0:
            break
        shown.append(cells)
    return {
        "table": shown,
        "columns_left_out": left_out or None,
        "hash": _hash(taken),
        "total": taken["total"],
        "returned": len(shown),
    }


def _columns(row: list[str], room: int) -> int:
    """How many columns of a table fit, told by its first row: others must have the same."""
    for index, cell in enumerate(row):
        room -= weight(cut(cell, _LONGEST_CELL)) + 2
        if room < 0:
            return max(1, index)
    return len(row)


def _channels(given: ReadData, taken: dict[str, Any]) -> dict[str, Any]:
    start, samples, names = taken["start"], taken["samples"], taken["names"]
    present = len(names)
    if given.limit is None and given.names is None:
        samples, names = samples[:_DEFAULT_CHANNELS], names[:_DEFAULT_CHANNELS]
    total = samples.shape[1] if samples.ndim == 2 else 0
    count = given.limit or _DEFAULT_COUNT["channels"]
    if given.limit is None and len(samples) * count > _DEFAULT_SAMPLES:
        count = max(1, _DEFAULT_SAMPLES // len(samples))
    rows = []
    for name, values in zip(names, samples, strict=True):
        row: dict[str, Any] = {"name": name}
        if total:
            row |= {
                "min": rounded(values.min()),
                "max": rounded(values.max()),
                "mean": rounded(values.mean()),
                "last": rounded(values[-1]),
            }
        row["samples"] = [rounded(value) for value in values[start : start + count]]
        rows.append(row)
    shown = max(0, min(count, total - start))
    return {
        "channels": rows,
        "channels_left_out": present - len(rows) or None,
        "rate": taken["rate"],
        "total": total,
        "returned": shown,
    }


def _points(given: ReadData, taken: dict[str, Any]) -> dict[str, Any]:
    columns = {
        name: [[rounded(part) if isinstance(part, float) else part for part in value] if isinstance(value, list) else value
               for value in values]
        for name, values in taken["points"].items()
    }  # fmt: skip
    returned = max((len(values) for values in columns.values()), default=0)
    return {
        "points": columns,
        "primitives": taken["primitives"],
        "total": taken["total"],
        "returned": returned,
    }


def _pixels(given: ReadData, taken: dict[str, Any]) -> dict[str, Any]:
    array = taken["array"]
    height, width, depth = array.shape
    rows, columns = min(given.grid, height), min(given.grid, width)
    picked = [
        [[rounded(float(part), 4) for part in array[int((y + 0.5) * height / rows), int((x + 0.5) * width / columns)]]
         for x in range(columns)]
        for y in range(rows)
    ]  # fmt: skip
    flat = array.reshape(-1, depth)
    statistics = {
        name: {
            "min": rounded(float(flat[:, i].min()), 4),
            "max": rounded(float(flat[:, i].max()), 4),
            "mean": rounded(float(flat[:, i].mean()), 4),
        }
        for i, name in enumerate("rgba"[:depth])
    }
    return {
        "pixels": picked,
        "statistics": statistics,
        "size": [width, height],
        "total": rows,
        "returned": rows,
    }


TOOLS = [
    Tool(
        name="read_data",
        title="Read data",
        description=(
            "What an operator holds: text or table of a DAT with the hash write_data wants; channels of a CHOP with "
            "min, max, mean and samples; points and attributes of a SOP or POP; colours of a TOP on a grid with "
            "statistics. Pages by start and limit, or cursor."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=ReadData,
        output=Data,
        run=read_data,
        finish=finish,
        core=True,
    )
]
