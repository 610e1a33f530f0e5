"""check_errors: what is wrong below a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import paging
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import diagnostics, lookup, missing_files, operators
from tdmcp_embedded.touchdesigner.error_context import with_context
from tdmcp_embedded.touchdesigner.operators import SYSTEM_NETWORKS, Pace
from tdmcp_embedded.touchdesigner.values import cut, weight
from tdmcp_embedded.wording import counted

_DEFAULT_LIMIT = 30
_PATHS_SHOWN = 10

#: Distinct messages that get what they are about: the expression, the line of the shader.
_MOST_EXPLAINED = 500

#: The order in which an agent should read them.
_ORDER = {"error": 0, "shader": 1, "script_error": 2, "warning": 3}

Severity = Literal["error", "shader", "script_error", "warning"]


class CheckErrors(Arguments):
    """Where to look."""

    path: str = Field(default="/", description="This operator and everything below it.")
    depth: int | None = Field(
        default=None, ge=0, description="Levels below path; default: all; 0: path alone."
    )
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=500, description="Messages a page.")
    cursor: paging.Cursor = None


class ProblemGroup(BaseModel):
    """One message and everything that has it."""

    model_config = ConfigDict(extra="forbid")

    severity: Severity
    message: str
    count: int
    """Operators that have it."""
    paths: list[str]
    """The first ten of them."""


class Checked(paging.Page):
    """Distinct messages, worst first; `total` counts them, `by_severity` counts single problems."""

    ok: bool
    checked: int
    """Operators looked at."""
    by_severity: dict[str, int]
    problems: list[ProblemGroup]
    never_cooked: int = 0
    """Operators among them that have never cooked: nothing can be wrong with them yet."""
    skipped: list[str] | None = None

    def text(self) -> str:
        if self.ok:
            lines = [f"No errors or warnings on {counted(self.checked, 'operator')}."]
        else:
            counts = ", ".join(f"{count} {name}" for name, count in self.by_severity.items())
            lines = [
                f"{counts} on {counted(self.checked, 'operator')} checked; messages: {self.paging_line()}"
            ]
        for group in self.problems:
            more = f" and {group.count - len(group.paths)} more" if group.count > len(group.paths) else ""
            lines.append(f"{group.severity}: {', '.join(group.paths)}{more}")
            lines += [f"  {line}" for line in group.message.splitlines()]
        if self.never_cooked:
            lines.append(
                f"{counted(self.never_cooked, 'operator')} of {self.checked} never cooked, so nothing shows on them yet; "
                "capture_image and read_data make one cook"
            )
        if self.skipped:
            lines.append(f"not checked: {', '.join(self.skipped)} (give one as path)")
        return "\n".join(lines)


@dataclass
class _Seen:
    """What the main thread found, before anybody looked for files."""

    place: paging.Place
    skipped: list[str]
    folder: str
    """The project's, where relative paths begin."""
    reads: missing_files.FileReads = field(default_factory=missing_files.FileReads)
    groups: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    context: dict[tuple[str, str], str] = field(default_factory=dict)
    """The messages with what they are about."""
    checked: int = 0
    never_cooked: int = 0


def check_errors(call: Call, given: CheckErrors) -> Steps[_Seen]:
    """Asks a few operators at a time; each one's own messages, so that owners are certain."""
    place = paging.place_of(given, given.cursor)
    top = lookup.operator(call.td, given.path)
    skipped = [p for p in SYSTEM_NETWORKS if top.path == "/" and lookup.exact(call.td, p) is not None]
    seen = _Seen(place, skipped, missing_files.folder_of(call.td))
    pace = Pace(every=8)
    for current in _operators(top, given.depth, skipped):
        if pace.due():
            yield
        try:
            texts = diagnostics.said(current)
            found = diagnostics.understood(str(current.path), texts)
            seen.never_cooked += _idle(current)
            seen.reads.add(current)
            for problem in found:
                key = (problem.severity, problem.message)
                if key not in seen.groups and len(seen.context) < _MOST_EXPLAINED:
                    seen.context[key] = with_context(current, problem.message)
                seen.groups.setdefault(key, []).append(problem.path)
        except Exception:
            # Somebody deleted it since the walk came by.
            if operators.gone(current):
                continue
            raise
        if (cost := diagnostics.heaviness(texts)) > 1 and pace.due(cost):
            yield
        seen.checked += 1
    return seen


def _together(seen: _Seen, files: set[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """The groups, those of many messages that differ only in numbers made one, where the first of them stood.

    A number in the name of a missing file is what the message is about.
    """
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for severity, message in seen.groups:
        key = (severity, message)
        alike.setdefault(key if key in files else (severity, diagnostics.shape(message)), []).append(key)
    together: dict[tuple[str, str], list[str]] = {}
    for shape, keys in alike.items():
        if len(keys) < diagnostics.ALIKE:
            together |= {key: seen.groups[key] for key in keys}
            continue
        first = seen.context.get(keys[0], keys[0][1])
        seen.context[shape] = diagnostics.one_of(first, len(keys))
        together[shape] = list(dict.fromkeys(path for key in keys for path in seen.groups[key]))
    return together


def finish(call: Call, given: CheckErrors, seen: _Seen) -> Checked:
    """Look for the files and make the page, on a worker: a drive may take its time."""
    place, groups, skipped, checked = seen.place, seen.groups, seen.skipped, seen.checked
    files: set[tuple[str, str]] = set()
    for read in missing_files.missing(seen.reads.found, seen.folder):
        key = ("error", missing_files.sentence(read))
        files.add(key)
        groups.setdefault(key, []).append(read.path)
    by_severity: dict[str, int] = {}
    for (severity, _), paths in sorted(groups.items(), key=lambda item: _ORDER[item[0][0]]):
        by_severity[severity] = by_severity.get(severity, 0) + len(paths)
    ordered = sorted(_together(seen, files).items(), key=lambda item: _ORDER[item[0][0]])
    start = place.find(len(ordered), lambda index: " ".join(ordered[index][0]))
    rows, following = _page(ordered, start, given.limit)
    shown = [" ".join(key) for key, _ in ordered[start:following]]
    for row, (key, _) in zip(rows, ordered[start:following], strict=True):
        row.message = cut(seen.context.get(key, row.message), paging.PAGE_BYTES)
    return Checked(
        ok=not ordered,
        checked=checked,
        by_severity=by_severity,
        problems=rows,
        total=len(ordered),
        returned=len(rows),
        next_cursor=paging.cursor_at(given, following, total=len(ordered), shown=shown)
        if following < len(ordered)
        else None,
        never_cooked=seen.never_cooked,
        skipped=skipped or None,
    )


def _idle(operator: Any) -> bool:
    """Whether an operator that must cook to show an error never did; components and texts need not."""
    return not (operator.totalCooks or operator.isCOMP or (operator.isDAT and operator.isEditable))


def _operators(top: Any, depth: int | None, skipped: list[str]) -> Any:
    yield top
    if top.isCOMP and depth != 0:
        for current, _ in operators.walk(top, depth, skip=skipped, unchecked=True):
            yield current


def _page(
    ordered: list[tuple[tuple[str, str], list[str]]], start: int, limit: int
) -> tuple[list[ProblemGroup], int]:
    rows: list[ProblemGroup] = []
    room = paging.PAGE_BYTES if limit <= _DEFAULT_LIMIT else paging.LARGE_PAGE_BYTES
    room_for_one = room // 2
    for (severity, message), paths in ordered[start : start + limit]:
        row = {
            "severity": severity,
            "message": cut(message, room_for_one),
            "count": len(paths),
            "paths": paths[:_PATHS_SHOWN],
        }
        room -= weight(row)
        group = ProblemGroup.model_validate(row)
        if rows and room < 0:
            break
        rows.append(group)
    return rows, start + len(rows)


TOOLS = [
    Tool(
        name="check_errors",
        title="Check for errors",
        description=(
            "Errors, warnings, script errors and shader (GLSL) compile messages of an operator and everything below it, "
            "each with the operators that have it. Use it when something looks wrong; edits report their own."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=CheckErrors,
        output=Checked,
        run=check_errors,
        finish=finish,
        core=True,
    )
]
