"""execute_python: the agent's own code, with its output, value, traceback and what it made and deleted."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any, Self

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import TimeLimitExceeded
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, bounding
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import operators, python, undo
from tdmcp_embedded.touchdesigner.values import cut, weight

_LONGEST_CODE = 1_000_000
_MOST_LISTED = 100
#: Bytes that an answer's structure may take, and that each part of it gets in any case.
_ROOM = 7_500
_LEAST = 500


class ExecutePython(Arguments):
    code: str = Field(description="Python; the last expression is the value")
    time_limit: float | None = Field(
        default=None, gt=0, le=600, description="seconds; default: the server's setting"
    )
    keep: bool = Field(default=False, description="on an error, keep what was done before it")


class PythonResult(aftermath.Edited):
    stdout: str = ""
    stderr: str = ""
    value: Any = Field(default=None, description="of the last expression, as bounded JSON")
    repr: str = Field(default="", description="of the same")
    created: list[str] = Field(default=[])
    deleted: list[str] = Field(default=[])
    renamed: list[str] = Field(default=[], description="old path → new path")

    def bounded(self) -> Self:
        """With room shared out, so that both forms together stay small: to what happened, the value, and what was said."""
        self.left_out = (
            bounding.bound(self, ("created", "deleted", "renamed", "problems"), _ROOM // 2) or None
        )
        problems = [problem.model_dump() for problem in self.problems]
        room = _ROOM - weight([self.created, self.deleted, self.renamed, problems])
        self.repr = cut(self.repr, max(room // 4, _LEAST))
        # The text has the beginning of the value only.
        if weight(self.value) > max(room + 1_000, _LEAST):
            self.value = cut(json.dumps(self.value, ensure_ascii=False), max(room, _LEAST))
        room -= weight(self.value) // 2
        self.stdout = cut(self.stdout, max(room - min(weight(self.stderr), _LEAST), _LEAST))
        self.stderr = cut(self.stderr, max(room - weight(self.stdout), _LEAST))
        return self

    def text(self) -> str:
        lines = [f"value: {self.repr}" if self.repr else "no value"]
        for word in ("stdout", "stderr"):
            text = getattr(self, word)
            if text:
                lines.append(f"{word}:\n{text.rstrip()}")
        for word in ("created", "deleted", "renamed"):
            paths = getattr(self, word)
            if paths:
                lines.append(f"{word}: {', '.join(paths)}")
        return "\n".join([*lines, self.trailer()])


#: What operators hold in their storage, by path.
Stored = dict[str, dict[str, Any]]

#: Operators by path, with their ids: what a piece of code made or took away shows by comparing two of these.
Roll = dict[str, int]


def execute_python(call: Call, arguments: ExecutePython) -> Steps[PythonResult]:
    if len(arguments.code) > _LONGEST_CODE:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{len(arguments.code)} characters of code are too many.",
            hint="Put it into a textDAT with write_data and run that: op('name').run().",
        )
    nested = undo.journal().shared
    # Listing a large project takes frames, and an undo block may not stay open across them: this call opens its own.
    if not nested:
        undo.journal().abandon()
    stored: Stored = {}
    before: Roll = {} if nested else (yield from _roll_call(call, stored))
    outcome = python.Outcome()
    try:
        with undo.block(call.td, call.undo_name or "MCP Execute Python") as journal:
            journal.foreign_code()
            limit = arguments.time_limit or call.settings.python_limit
            outcome = python.execute(
                call.td, arguments.code, _me(call), call.queue.limit(limit), TimeLimitExceeded
            )
            if outcome.error and not arguments.keep:
                raise _Failed
    except _Failed:
        pass
    changed = journal.grew
    after: Roll = before if nested else (yield from _roll_call(call))
    if outcome.error and not arguments.keep and not nested:
        _remove_leftovers(call, before, after)
        yield from _put_storage_back(call, stored)
        after = yield from _roll_call(call)
    created, deleted, renamed = _compare(before, after)
    if outcome.error:
        raise _failure(outcome, arguments, created, deleted, nested)
    output = PythonResult(
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        value=outcome.value,
        repr=outcome.repr,
        created=created[:_MOST_LISTED],
        deleted=deleted[:_MOST_LISTED],
        renamed=renamed[:_MOST_LISTED],
        undo=call.undo_name if changed or created or deleted or renamed else "",
    )
    for word, paths in (("created", created), ("deleted", deleted)):
        if len(paths) > _MOST_LISTED:
            output.stderr += f"\n[{len(paths)} operators {word}, the first {_MOST_LISTED} are listed]"
    if created or deleted or changed:
        watch = aftermath.Watch()
        output.problems = yield from watch.after(call, created)
    gone = dict.fromkeys(deleted, "") | dict(each.split(" → ", 1) for each in renamed)
    output.broken_references = yield from aftermath.broken_references(call, gone)
    return output


class _Failed(Exception):
    """Leaves the undo block after the agent's code failed, so that everything is put back."""


def _me(call: Call) -> Any:
    """The operator the code runs as: the network the server's component stands in."""
    component = call.td.op(str(call.instance.get("component") or "/"))
    parent = component.parent() if component is not None else None
    return parent if parent is not None else call.td.op("/")


def _roll_call(call: Call, stored: Stored | None = None) -> Generator[None, None, Roll]:
    """All operators; `stored` gets what those hold in their storage."""
    found: Roll = {}
    pace = operators.Pace(every=32)
    for operator, _ in operators.walk(call.td.op("/"), skip=operators.SYSTEM_NETWORKS):
        found[str(operator.path)] = int(operator.id)
        if stored is not None and (held := operator.storage):
            stored[str(operator.path)] = dict(held)
        if pace.due():
            yield
    # Whatever comes next may take its time: the code, or two lists of ten thousand compared.
    yield
    return found


def _compare(before: Roll, after: Roll) -> tuple[list[str], list[str], list[str]]:
    if before == after:
        return [], [], []
    created = [path for path in after if path not in before]
    deleted = [path for path in before if path not in after]
    gone = {before[path]: path for path in deleted}
    renamed = {gone[after[path]]: path for path in created if after[path] in gone}
    return (
        [path for path in created if path not in renamed.values()],
        [path for path in deleted if path not in renamed],
        [f"{old} → {new}" for old, new in renamed.items()],
    )


def _remove_leftovers(call: Call, before: Roll, after: Roll) -> None:
    """Take away what undo left: code may have torn the undo block down (fact 35)."""
    for path in sorted((p for p in after if p not in before), key=len):
        found = call.td.op(path)
        # Below a leftover that is gone already there is nothing left to find.
        if found is not None:
            undo.destroy(found)


def _put_storage_back(call: Call, stored: Stored) -> Generator[None, None, None]:
    """Put every operator's storage back; that TouchDesigner's undo does so is not established."""
    pace = operators.Pace(every=32)
    for operator, _ in operators.walk(call.td.op("/"), skip=operators.SYSTEM_NETWORKS):
        if pace.due():
            yield
        was = stored.get(str(operator.path), {})
        for name in operator.storage.keys() - was.keys():
            # Takes a pattern: what goes along with it comes back below.
            operator.unstore(name)
        held = operator.storage
        for name, value in was.items():
            # By identity: what is stored may be anything, and need not be comparable.
            if name not in held or held[name] is not value:
                operator.store(name, value)


def _failure(
    outcome: python.Outcome, arguments: ExecutePython, created: list[str], deleted: list[str], nested: bool
) -> ToolFailure:
    details: dict[str, Any] = {"traceback": outcome.traceback}
    if outcome.line is not None:
        details["line"] = outcome.line
    details |= {"stdout": outcome.stdout, "stderr": outcome.stderr}
    if created:
        details["created"] = created[:_MOST_LISTED]
    if deleted:
        details["deleted" if arguments.keep else "not_restored"] = deleted[:_MOST_LISTED]
    state = "What it did before is kept." if arguments.keep else "What it did was undone."
    if outcome.timed_out:
        return ToolFailure(
            Code.TIME_LIMIT,
            f"The code was broken off at its time limit, at line {outcome.line}. {state}",
            hint="Give a larger time_limit, or do less in one call.",
            details=details,
        )
    where = f" (line {outcome.line})" if outcome.line is not None else ""
    return ToolFailure(Code.PYTHON_ERROR, f"{outcome.error}{where}. {state}", details=details)


def _deadline(arguments: ExecutePython) -> float:
    return max(30.0, (arguments.time_limit or 0) + 20.0)


TOOLS = [
    Tool(
        name="execute_python",
        title="Execute Python",
        description=(
            "Run Python on TouchDesigner's main thread with its names in scope (op, me, parent, project, "
            "ui, tdu …); relative paths start where this server's component stands. Returns stdout, "
            "stderr, the last expression's value, operators created and deleted. An error gives the "
            "traceback with your line numbers and undoes everything, unless keep."
        ),
        level=Level.FULL,
        effect=Effect.DESTRUCTIVE,
        arguments=ExecutePython,
        output=PythonResult,
        run=execute_python,
        deadline=_deadline,
        core=True,
    )
]
