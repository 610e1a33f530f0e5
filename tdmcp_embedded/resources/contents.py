"""Readings for resources that no tool gives in that form: a DAT's bare text or table, the project's state."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.resources.addresses import MOST_CHARACTERS
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, session
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.contents import cells, text
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS
from tdmcp_embedded.touchdesigner.rows import members

#: Table rows taken in one step.
_CHUNK = 200


class Target(Arguments):
    """Which operator."""

    path: str


class Words(Output):
    """Text as it stands in a resource."""

    content: str

    def text(self) -> str:
        return self.content


class Facts(Output):
    """JSON as it stands in a resource."""

    content: dict[str, Any]

    def structured(self) -> dict[str, Any]:
        return self.content

    def text(self) -> str:
        return json.dumps(self.content, ensure_ascii=False)


def read_text(call: Call, given: Target) -> Words:
    dat = _dat(call, given.path)
    return Words(content=_bounded(text(dat), given.path))


def read_table(call: Call, given: Target) -> Steps[list[list[str]]]:
    dat = _dat(call, given.path)
    rows: list[list[str]] = []
    size = 0
    for start in range(0, int(dat.numRows), _CHUNK):
        part = cells(dat, start, _CHUNK, None)
        rows += part
        size += sum(len(cell) + 1 for row in part for cell in row)
        if size > MOST_CHARACTERS:
            break
        yield
        if not dat.valid:
            raise ToolFailure(Code.OPERATOR_NOT_FOUND, f"{given.path} was deleted while it was read.")
    return rows


def write_table(call: Call, given: Target, rows: list[list[str]]) -> Words:
    """As comma-separated values, whose quoting keeps line breaks in cells; on a worker thread."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return Words(content=_bounded(lines.getvalue(), given.path))


def read_project(call: Call, given: Arguments) -> Steps[Facts]:
    project, timeline = session.project_facts(call.td), session.timeline_facts(call.td)
    yield
    application = session.application_facts(call.td)
    networks = [
        {"path": str(comp.path), "operators": len(members(comp))}
        for comp in members(call.td.op("/"))
        if comp.isCOMP and comp.path not in SYSTEM_NETWORKS
    ]
    return Facts(
        content={"project": project, "timeline": timeline, "application": application, "networks": networks}
    )


def _dat(call: Call, path: str) -> Any:
    dat = lookup.operator(call.td, path)
    if not dat.isDAT:
        raise ToolFailure(
            Code.VALUE_INVALID, f"{dat.path} is a {op_type(dat)}: only DATs hold text and tables."
        )
    return dat


def _bounded(content: str, path: str) -> str:
    if len(content) > MOST_CHARACTERS:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{path} holds {len(content)} characters or more; a message takes {MOST_CHARACTERS}.",
            hint="read_data reads it in parts.",
        )
    return content


def _row(name: str, arguments: type[Arguments], output: type[Output], **work: Any) -> Tool:
    return Tool(
        name=name, title=name, description="", level=Level.OBSERVE, effect=Effect.READ, arguments=arguments,
        output=output, **work,
    )  # fmt: skip


TEXT = _row("read text", Target, Words, run=read_text)
TABLE = _row("read table", Target, Words, run=read_table, finish=write_table)
PROJECT = _row("read project", Arguments, Facts, run=read_project)
