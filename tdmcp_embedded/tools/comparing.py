"""compare_network: what differs between a network now and another one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import paging
from tdmcp_embedded.tools.difference import Difference, differences
from tdmcp_embedded.tools.network_model import Annotation, NetworkOperator
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import checkpoints, lookup
from tdmcp_embedded.touchdesigner.network import Extent, NetworkReader
from tdmcp_embedded.touchdesigner.values import cut

_DEFAULT_LIMIT = 50
_SHOWN = 200


class GivenNetwork(BaseModel):
    """A network as read_network gave it; further keys of such an answer are passed over."""

    model_config = ConfigDict(extra="ignore")

    operators: list[NetworkOperator]
    annotations: list[Annotation] = []


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
    """path (relative), kind (added, removed, changed), type, changes: {field: [before, after]}."""

    def text(self) -> str:
        if self.equal:
            return "No difference."
        lines = [f"{self.paging_line()} differences"]
        marks = {"added": "+", "removed": "-", "changed": "~"}
        for row in self.differences:
            lines.append(f"{marks[row['kind']]} {row['path']} {row.get('type', '')}".rstrip())
            lines += [
                f"    {name}: {_json(was)} -> {_json(now)}"
                for name, (was, now) in row.get("changes", {}).items()
            ]
        return "\n".join(lines)


def _json(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False, separators=(",", ":")), _SHOWN)


@dataclass(frozen=True)
class Kept:
    """A checkpoint as the project holds it."""

    text: str


def compare_network(call: Call, given: CompareNetwork) -> Steps[dict[str, Any]]:
    """Reads both networks whole, a few operators at a time; `finish` compares them on a worker."""
    start = paging.start_of(given, given.cursor)
    network = lookup.component(call.td, given.path)
    extent = Extent(depth=given.depth, limit=None, size=None, text=None)
    before: Any = given.with_
    if isinstance(before, str):
        if before.startswith("/"):
            other = lookup.component(call.td, before)
            before = yield from NetworkReader(call.td, extent).read(other)
        else:
            # Text as it is kept: parsing it takes longer than a frame, and `finish` has the time.
            before = Kept(checkpoints.text(call.td, given.path, before))
    after = yield from NetworkReader(call.td, extent).read(network)
    return {"before": before, "after": after, "start": start}


def finish(call: Call, given: CompareNetwork, read: dict[str, Any]) -> Compared:
    """The differences, one page of them."""
    before, after = read["before"], read["after"]
    if isinstance(before, Kept):
        before = checkpoints.parsed(before.text)
    elif before is given.with_:
        before = _given(before)
    found = list(differences(before, after, layout=given.layout))
    start: int = read["start"]
    rows: list[dict[str, Any]] = []
    room = paging.PAGE_BYTES if given.limit <= _DEFAULT_LIMIT else paging.LARGE_PAGE_BYTES
    for difference in found[start : start + given.limit]:
        row = _row(difference)
        room -= len(json.dumps(row, ensure_ascii=False))
        if rows and room < 0:
            break
        rows.append(row)
    following = start + len(rows)
    return Compared(
        equal=not found,
        differences=rows,
        total=len(found),
        returned=len(rows),
        next_cursor=paging.cursor_at(given, following) if following < len(found) else None,
    )


def _given(network: Any) -> dict[str, Any]:
    try:
        return GivenNetwork.model_validate(network).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"with is no network: {where}: {first['msg']}.",
            hint="Give what read_network answered, the path of a COMP, or the name of a checkpoint.",
        ) from None


def _row(difference: Difference) -> dict[str, Any]:
    row: dict[str, Any] = {"path": difference.path, "kind": difference.kind}
    if difference.type:
        row["type"] = difference.type
    if difference.changes:
        row["changes"] = {
            name: [_short(side) for side in sides] for name, sides in difference.changes.items()
        }
    return row


def _short(value: Any) -> Any:
    """Long text, tables and custom pages are named by their beginning: read_data shows them whole."""
    if isinstance(value, str):
        return cut(value, _SHOWN)
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= 4 * _SHOWN else cut(text, _SHOWN)


def _deadline(given: CompareNetwork) -> float:
    """Seconds: two whole networks of any size are read, a little in each frame."""
    return 120.0


TOOLS = [
    Tool(
        name="compare_network",
        title="Compare networks",
        description=(
            "What differs between a network now and another path, a checkpoint, or a network given as read_network wrote "
            "it: operators added, removed, and changed fields as [before, after]."
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
