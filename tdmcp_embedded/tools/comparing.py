"""compare_network: what differs between a network now and another one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import paging
from tdmcp_embedded.tools.difference import Described, Difference, Side, differences
from tdmcp_embedded.tools.sides import Live, Remembered, checked
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import checkpoints, lookup
from tdmcp_embedded.touchdesigner.values import cut, weight

_DEFAULT_LIMIT = 50
_SHOWN = 200

#: Bytes of changes that one operator shows; a component may have hundreds of parameters of its own.
_MOST_CHANGES = 5_000


class CompareNetwork(Arguments):
    """Two networks; the first is the one that is there now."""

    path: str = Field(description="The COMP whose network is compared.")
    with_: str | dict[str, Any] = Field(
        alias="with",
        description="What it was: the path of another COMP, the name of a checkpoint, or {operators, annotations}.",
    )
    depth: int | None = Field(default=None, ge=1, description="Levels; all if left out.")
    layout: bool = Field(default=True, description="Whether positions, sizes, colours and comments count.")
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=1000)
    cursor: paging.Cursor = None


class Compared(paging.Page):
    """Operators that differ, from `with` to `path`."""

    equal: bool
    differences: list[dict[str, Any]]
    """path (relative), kind (added, removed, changed), type, changes: {field: [before, after]}, more_changes: how many
    fields of the operator are not shown."""

    def text(self) -> str:
        if self.equal:
            return "No difference."
        lines = [f"{self.paging_line('differences')}"]
        marks = {"added": "+", "removed": "-", "changed": "~"}
        for row in self.differences:
            lines.append(f"{marks[row['kind']]} {row['path']} {row.get('type', '')}".rstrip())
            lines += [
                f"    {name}: {_json(was)} -> {_json(now)}"
                for name, (was, now) in row.get("changes", {}).items()
            ]
            if "more_changes" in row:
                lines.append(f"    and {row['more_changes']} more changes")
        return "\n".join(lines)


def _json(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False, separators=(",", ":")), _SHOWN)


@dataclass
class Page:
    """What was found on the main thread: how many differences there are, and those of one page."""

    start: int
    total: int
    found: list[Difference]
    paths: list[str]
    """Of all differences, where a page before must be found again."""


def compare_network(call: Call, given: CompareNetwork) -> Steps[Page]:
    """Reads both networks side by side, an operator at a time, and keeps only what differs."""
    place = paging.place_of(given, given.cursor)
    network = lookup.component(call.td, given.path)
    own = str(call.instance.get("component", ""))
    before: Side
    if not isinstance(given.with_, str):
        before = Described((yield from checked(given.with_)))
    elif given.with_.startswith("/") or not given.with_.strip():
        before = Live(call.td, lookup.component(call.td, given.with_), given.depth, own)
    else:
        before = Remembered((yield from checkpoints.opened(call.td, str(network.path), given.with_)))
    after = Live(call.td, network, given.depth, own)
    page = yield from _look(given, before, after, place.at)
    start = place.find(page.total, page.paths.__getitem__)
    if start != place.at:
        page = yield from _look(given, before, after, start)
    return page


def _look(given: CompareNetwork, before: Side, after: Side, start: int) -> Steps[Page]:
    page = Page(start, 0, [], [])
    for difference in differences(before, after, layout=given.layout):
        if difference is None:
            yield
            continue
        if page.start <= page.total < page.start + given.limit:
            page.found.append(difference)
        if given.cursor is not None:
            page.paths.append(difference.path)
        page.total += 1
    return page


def finish(call: Call, given: CompareNetwork, page: Page) -> Compared:
    """The differences of one page, long values named by their beginning."""
    rows: list[dict[str, Any]] = []
    room = paging.PAGE_BYTES if given.limit <= _DEFAULT_LIMIT else paging.LARGE_PAGE_BYTES
    for difference in page.found:
        row = _row(difference)
        room -= weight(row)
        if rows and room < 0:
            break
        rows.append(row)
    following = page.start + len(rows)
    return Compared(
        equal=not page.total,
        differences=rows,
        total=page.total,
        returned=len(rows),
        next_cursor=paging.cursor_at(given, following, total=page.total, shown=[row["path"] for row in rows])
        if following < page.total
        else None,
    )


def _row(difference: Difference) -> dict[str, Any]:
    row: dict[str, Any] = {"path": difference.path, "kind": difference.kind}
    if difference.type:
        row["type"] = difference.type
    if difference.changes:
        changes: dict[str, list[Any]] = {}
        room = _MOST_CHANGES
        for name, sides in difference.changes.items():
            shown = [_short(side) for side in sides]
            room -= weight(shown)
            if changes and room < 0:
                row["more_changes"] = len(difference.changes) - len(changes)
                break
            changes[name] = shown
        row["changes"] = changes
    return row


def _short(value: Any) -> Any:
    """Long text, tables and custom pages are named by their beginning: read_data shows them whole."""
    if isinstance(value, str):
        return cut(value, _SHOWN)
    return value if weight(value) <= 4 * _SHOWN else cut(json.dumps(value, ensure_ascii=False), _SHOWN)


def _deadline(given: CompareNetwork) -> float:
    """Seconds: two whole networks of any size are read, a little in each frame."""
    return 120.0


TOOLS = [
    Tool(
        name="compare_network",
        title="Compare networks",
        description=(
            "What differs between a network now and another path, a checkpoint, or a network given as read_network wrote "
            "it: operators added, removed, and changed fields as [before, after]; '.' is the COMP itself: its parameters."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=CompareNetwork,
        output=Compared,
        run=compare_network,
        finish=finish,
        deadline=_deadline,
    )
]
