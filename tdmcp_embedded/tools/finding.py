"""find_operators: which operators there are below a path."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import paging
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import diagnostics, error_context, lookup, operators
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.flags import FLAGS
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS, Pace
from tdmcp_embedded.touchdesigner.search import Query, is_pattern
from tdmcp_embedded.touchdesigner.values import clean, cut, weight

Family = Literal["COMP", "TOP", "CHOP", "SOP", "POP", "DAT", "MAT"]
FieldName = Literal[
    "name",
    "type",
    "family",
    "tags",
    "flags",
    "comment",
    "position",
    "inputs",
    "outputs",
    "size",
    "cook",
    "problems",
]

#: Every flag is checked; the schema names those that are asked for.
_Flag = Annotated[
    Literal[FLAGS],  # type: ignore[valid-type]  # the literal is the one list of flags
    WithJsonSchema({"type": "string", "description": "One that must be on: bypass, display, render, lock …"}),
]

_DEFAULT_LIMIT = 50

#: Bytes of one comment or message, and entries of one list: inspect_operator and check_errors have more.
_MOST_CHARACTERS = 300
_MOST_ENTRIES = 20
#: Messages of an operator that get what they are about.
_MOST_EXPLAINED = 3


class FindOperators(Arguments):
    """What to look for; all that is given must hold."""

    path: str = Field(default="/", description="Look below this COMP.")
    name: str | None = Field(default=None, description="Name or pattern (* ?), any letter case.")
    type: str | None = Field(default=None, description="noiseTOP, or a pattern.")
    family: Family | None = None
    tag: str | None = Field(default=None, description="A tag it has.")
    flag: _Flag | None = None
    text: str | None = Field(default=None, description="Part of a DAT's text or of a comment.")
    param: str | None = Field(default=None, description="Name or pattern of a parameter it has.")
    value: str | None = Field(
        default=None,
        description="Its value, or part of its expression; without param: of any changed one.",
    )
    errors_only: bool = Field(default=False, description="Only with errors or warnings.")
    depth: int | None = Field(default=None, ge=1, description="Levels below path; default: all.")
    fields: list[FieldName] | None = Field(
        default=None, description="Facts of each beside path; default: type."
    )
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=1000, description="Operators a page.")
    cursor: paging.Cursor = None


class Found(paging.Page):
    """Operators that were found, in network order."""

    operators: list[dict[str, Any]]
    skipped: list[str] | None = None
    """Networks of TouchDesigner itself that were not searched."""

    def text(self) -> str:
        lines = [f"{self.paging_line('operators')}"]
        for row in self.operators:
            rest = [f"{key}={_short(value)}" for key, value in row.items() if key not in ("path", "type")]
            lines.append(" ".join([row["path"], *([row["type"]] if "type" in row else []), *rest]))
        if self.skipped:
            lines.append(f"not searched: {', '.join(self.skipped)} (give one as path)")
        return "\n".join(lines)


def _short(value: Any) -> str:
    return (
        value
        if isinstance(value, str) and value
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )


def find_operators(call: Call, given: FindOperators) -> Steps[Found]:
    """Walks the network a few operators at a time; only those on the page are described."""
    place = paging.place_of(given, given.cursor)
    top = lookup.component(call.td, given.path)
    query = _query(call, given)
    skipped = [p for p in SYSTEM_NETWORKS if top.path == "/" and lookup.exact(call.td, p) is not None]
    walk = partial(operators.walk, top, given.depth, skip=skipped, unchecked=True)
    page = yield from _look(given, walk, query, place.at)
    start = place.find(page.total, page.paths.__getitem__)
    if start != place.at:
        page = yield from _look(given, walk, query, start)
    following = start + len(page.rows)
    return Found(
        operators=page.rows,
        total=page.total,
        returned=len(page.rows),
        next_cursor=paging.cursor_at(
            given, following, total=page.total, shown=[row["path"] for row in page.rows]
        )
        if following < page.total
        else None,
        skipped=skipped or None,
    )


@dataclass
class _Page:
    rows: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    paths: list[str] = field(default_factory=list)
    """Of all that were found, where a page before must be found again."""


def _look(
    given: FindOperators, walk: Callable[[], Iterable[tuple[Any, int]]], query: Query, start: int
) -> Steps[_Page]:
    pace = Pace()
    page = _Page()
    size = 0
    full = False
    room = paging.PAGE_BYTES if given.limit <= _DEFAULT_LIMIT else paging.LARGE_PAGE_BYTES
    cost = query.cost
    for current, _ in walk():
        if pace.due(cost):
            yield
        before = page.total
        try:
            hits = query.find(current)
            if hits is None:
                continue
            if given.cursor is not None:
                page.paths.append(str(current.path))
            page.total += 1
            if page.total <= start or full:
                continue
            row = _row(current, given.fields)
        except Exception:
            # Somebody deleted it since the walk came by.
            if operators.gone(current):
                page.total = before
                del page.paths[before:]
                continue
            raise
        if hits:
            row["match"] = hits
        row = _bounded(row, room // 3)
        size += weight(row)
        full = bool(page.rows) and size > room
        if not full:
            page.rows.append(row)
            full = len(page.rows) >= given.limit
        if pace.due(8):
            yield
    return page


def _bounded(row: dict[str, Any], most: int) -> dict[str, Any]:
    """A row without those of its fields that would fill a page alone; `left_out` names them."""
    if weight(row) <= most:
        return row
    heavy = [key for key, value in row.items() if key not in ("path", "type") and weight(value) > most // 4]
    return {key: value for key, value in row.items() if key not in heavy} | {"left_out": heavy}


def _query(call: Call, given: FindOperators) -> Query:
    if given.type is not None and not is_pattern(given.type) and " " not in given.type:
        lookup.operator_type(call.td, given.type)
    return Query(
        name=given.name,
        type=given.type,
        family=given.family,
        tag=given.tag,
        flag=given.flag,
        text=given.text,
        param=given.param,
        value=given.value,
        errors_only=given.errors_only,
    )


def _row(op: Any, fields: list[FieldName] | None) -> dict[str, Any]:
    row: dict[str, Any] = {"path": str(op.path)}
    for name in ["type"] if fields is None else fields:
        row[name] = _field(op, name)
    return row


def _field(op: Any, field: str) -> Any:
    if field == "name":
        return str(op.name)
    if field == "type":
        return op_type(op)
    if field == "family":
        return str(op.family)
    if field == "tags":
        return operators.tags(op)[:_MOST_ENTRIES]
    if field == "flags":
        return operators.set_flags(op)
    if field == "comment":
        return cut(clean(str(op.comment)), _MOST_CHARACTERS)
    if field == "position":
        return operators.position(op)
    if field == "inputs":
        wires = operators.wires_in(op)[:_MOST_ENTRIES]
        return [None if wire is None else str(wire[0].path) for wire in wires]
    if field == "outputs":
        return [
            [str(far.path) for far, _ in wires[:_MOST_ENTRIES]]
            for wires in operators.wires_out(op)[:_MOST_ENTRIES]
        ]
    if field == "size":
        return operators.data_facts(op)
    if field == "cook":
        return operators.cook_facts(op)
    return [
        "\n".join([f"{p.severity}: {cut(p.message, _MOST_CHARACTERS)}", *_about(op, p.message, index)])
        for index, p in enumerate(diagnostics.problems(op)[:_MOST_ENTRIES])
    ]


def _about(op: Any, message: str, index: int) -> list[str]:
    """The expression or the line of a shader that one of the first messages of an operator speaks of."""
    return error_context.context(op, message) if index < _MOST_EXPLAINED else []


TOOLS = [
    Tool(
        name="find_operators",
        title="Find operators",
        description=(
            "List operators below a path by name, type, family, tag, flag, text, parameter value or expression, "
            "or errors; all given must hold. Pages by limit and cursor; /ui and /sys are "
            "searched only as path."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=FindOperators,
        output=Found,
        run=find_operators,
        core=True,
    )
]
