"""execute_python: the agent's own code, with its output, value, traceback and what it made and deleted."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Self

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import TimeLimitExceeded
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, bounding, extension_report
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import census, python, python_effects, undo, vanished
from tdmcp_embedded.touchdesigner.builds import find, is_annotation
from tdmcp_embedded.touchdesigner.census import Census
from tdmcp_embedded.touchdesigner.named_operators import NamedOperators
from tdmcp_embedded.touchdesigner.python_effects import Effects
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import cut, weight

_LONGEST_CODE = 1_000_000
_MOST_LISTED = 100
#: Bytes that an answer's structure may take, and that each part of it gets in any case.
_ROOM = 7_500
_LEAST = 500


class ExecutePython(Arguments):
    code: str = Field(description="Python; the last expression is the value")
    time_limit: float | None = Field(default=None, gt=0, le=600, description="seconds; default: a setting")
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


@dataclass
class Before:
    """What is known before the code runs."""

    effects: Effects
    listed: Census | None = None
    """The operators of a large project, listed over the frames before."""


def prepare(call: Call, arguments: ExecutePython) -> Steps[Before | None]:
    """In a large project the operators are listed beforehand, if the text speaks of making or deleting any, and does not
    spell out where."""
    if call.batched or len(arguments.code) > _LONGEST_CODE:
        return None
    known = Before(python_effects.of(arguments.code))
    effects = known.effects
    if effects.shows and not census.is_small(call.td):
        where_is_spelt_out = not effects.computed and (
            not effects.derived or NamedOperators(call.td, _me(call), effects).whole
        )
        if not where_is_spelt_out:
            known.listed = yield from census.over_frames(call.td)
    return known


def execute_python(call: Call, arguments: ExecutePython) -> Generator[Any, None, PythonResult | ToolFailure]:
    if len(arguments.code) > _LONGEST_CODE:
        raise ToolFailure(
            Code.TOO_LARGE,
            f"{len(arguments.code)} characters of code are too many.",
            hint="Put it into a textDAT with write_data and run that: op('name').run().",
        )
    td, journal = call.td, undo.journal()
    # Code is never tried: it may do anything.
    journal.irreversible()
    before = call.prepared if isinstance(call.prepared, Before) else Before(python_effects.of(arguments.code))
    effects = before.effects
    # Within the code's own step, so that nobody else's work is among what it did.
    counted = census.count(td) if effects.makes and before.listed is None else 0
    own = census.at_once(td) if 0 < counted <= census.MOST_AT_ONCE else None
    # In a large project: what the code names, and how many operators there are.
    named = (
        NamedOperators(td, _me(call), effects)
        if effects.makes and own is None and before.listed is None
        else None
    )
    named_before = named.listed() if named is not None else {}
    stored = census.stored(td) if effects.stores and (own is not None or not effects.opaque) else None
    spoken_of = _named(td, _me(call), effects) if effects.edits else []
    names = (
        vanished.Names(td, [str(each.path) for each in spoken_of], components=True) if effects.edits else None
    )
    sources = extension_report.Sources(td, spoken_of) if effects.edits else None
    failure: list[ToolFailure] = []

    def put_back() -> None:
        # After TouchDesigner's undo: code may have torn the undo block down (fact 35).
        if own is not None:
            census.remove_new(td, own)
        if stored is not None:
            census.put_storage_back(stored)
        if failure and own is not None:
            _tell_left_over(failure[0], census.compare(own, census.at_once(td)))

    if effects.edits:
        journal.aside(put_back)
        journal.writing()
    journal.foreign_code()
    limit = arguments.time_limit or call.settings.python_limit
    outcome = python.execute(td, arguments.code, _me(call), call.queue.limit(limit), TimeLimitExceeded)
    if outcome.error and not (arguments.keep and not call.batched):
        failure.append(_failure(outcome, kept=False))
        if own is None and effects.opaque:
            failure[0].hint = (failure[0].hint + _NOT_LISTED).strip()
        raise failure[0]
    # Not in `own`: whoever puts back later removes what is not in that.
    was = own
    after = census.at_once(td) if own is not None else None
    vanish = names.gone() if names is not None else None
    lost = aftermath.NamesGone(vanish.parameters, vanish.shortcuts) if vanish is not None else None
    written = sources.written() if sources is not None else []
    elsewhere = 0
    if named is not None:
        was, after = named_before, named.listed(named_before)
        elsewhere = census.count(td) - counted - (len(after) - len(was))
    if effects.edits:
        # The undo block ends here; its step has its name after that.
        yield
    if before.listed is not None and (call.undo_name or effects.opaque):
        was, after = before.listed, (yield from census.over_frames(td))
    changes = census.compare(was, after) if was is not None and after is not None else census.Changes()
    if outcome.error:
        return _failure(outcome, kept=True, changes=changes)
    output = PythonResult(
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        value=outcome.value,
        repr=outcome.repr,
        created=changes.created[:_MOST_LISTED],
        deleted=changes.deleted[:_MOST_LISTED],
        renamed=changes.renamed[:_MOST_LISTED],
        undo=call.undo_name if effects.edits else "",
    )
    for word, paths in (("created", changes.created), ("deleted", changes.deleted)):
        if len(paths) > _MOST_LISTED:
            output.stderr += f"\n[{len(paths)} operators {word}, the first {_MOST_LISTED} are listed]"
    if elsewhere and not any(is_annotation(each) for path in changes.created if (each := find(td, path))):
        output.stderr += _ELSEWHERE.format(abs(elsewhere), "made" if elsewhere > 0 else "deleted")
    if written:
        done = "initializeExtensions" in arguments.code
        output.extensions = yield from extension_report.build_extensions(call, comps=written, built=done)
    if effects.edits and (call.undo_name or changes != census.Changes()):
        watch = aftermath.Watch()
        output.problems = yield from watch.after(call, changes.created)
    gone = dict.fromkeys(changes.deleted, "") | dict(each.split(" → ", 1) for each in changes.renamed)
    output.broken_references = yield from aftermath.broken_references(call, gone, lost)
    return output


#: For code whose text does not show what it does, in a project too large to be listed in its own step.
_NOT_LISTED = (
    " The project is large and the code runs what its text does not show: operators made after an undo block was ended "
    "from inside, and changed storage, may be left over."
)


#: For code that changes networks its text does not name, in a project too large to be listed in its own step.
_ELSEWHERE = (
    "\n[{} more operators were {} in networks that the code does not name: they are not listed; "
    "find_operators shows what is there]"
)


def _tell_left_over(failure: ToolFailure, changes: census.Changes) -> None:
    """Say what neither undo nor we could put back."""
    for word, paths in (
        ("left_over", changes.created), ("not_restored", changes.deleted), ("renamed", changes.renamed)
    ):  # fmt: skip
        if paths:
            failure.details[word] = paths[:_MOST_LISTED]
            failure.message += f" {len(paths)} operators are {word.replace('_', ' ')}."


def _named(td: ModuleType, me: Any, effects: Effects) -> list[Any]:
    """The operators that the code names."""
    found = [told(partial(me.op, word)) for word in sorted(effects.names)[:_MOST_LISTED]]
    return [each for each in found if each is not None]


def _me(call: Call) -> Any:
    """The operator the code runs as: the network the server's component stands in."""
    component = call.td.op(str(call.instance.get("component") or "/"))
    parent = component.parent() if component is not None else None
    return parent if parent is not None else call.td.op("/")


def _failure(outcome: python.Outcome, *, kept: bool, changes: census.Changes | None = None) -> ToolFailure:
    details: dict[str, Any] = {"traceback": outcome.traceback}
    if outcome.line is not None:
        details["line"] = outcome.line
    details |= {"stdout": outcome.stdout, "stderr": outcome.stderr}
    if changes is not None:
        for word in ("created", "deleted", "renamed"):
            if paths := getattr(changes, word):
                details[word] = paths[:_MOST_LISTED]
    state = "What it did before is kept." if kept else "What it did was undone."
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
            "Run Python on TouchDesigner's main thread with its names in scope (op, me, parent, ui …); "
            "relative paths start where this server's component stands. Returns stdout, "
            "stderr, the last expression's value, operators created and deleted. An error gives the "
            "traceback with your line numbers and undoes everything, unless keep. Shaders compile a frame later."
        ),
        level=Level.FULL,
        effect=Effect.DESTRUCTIVE,
        arguments=ExecutePython,
        output=PythonResult,
        run=execute_python,
        prepare=prepare,
        deadline=_deadline,
        core=True,
    )
]
