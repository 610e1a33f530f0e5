"""What an edit broke: new errors and warnings, one frame later, on what was touched and what it feeds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import perf_counter
from typing import Any, Self

from pydantic import BaseModel, Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import bounding
from tdmcp_embedded.tools.tool import Call, Output, Steps, at_once
from tdmcp_embedded.touchdesigner import diagnostics, undo
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.wording import counted

#: How many operators one edit looks at again: enough for what an agent touches, never a whole project.
MOST_WATCHED = 200
_MOST_PROBLEMS = 30
#: How many of them are cooked to see their errors; the rest show theirs when something asks for them.
_MOST_COOKED = 32


class Problem(BaseModel):
    """An error or warning that was not there before the edit."""

    path: str
    severity: str = Field(description="error, warning, script_error or shader")
    message: str


class Edited(Output):
    """What every edit's answer carries."""

    problems: list[Problem] = Field(
        default=[],
        description="errors and warnings new one frame after the edit, on touched operators and downstream",
    )
    undo: str = Field(default="", description="name of the undo step; empty if nothing changed")

    left_out: list[str] | None = Field(default=None, description="what is not shown for its length")

    def bounded(self) -> Self:
        """Without what would make the answer long: the edit is done, and must not fail for the length of its answer."""
        self.left_out = bounding.bound(self) or None
        return self

    def trailer(self) -> str:
        """The common end of the text."""
        lines = [f"{p.severity} {p.path}: {p.message}" for p in self.problems]
        if lines:
            lines.insert(0, "New problems:")
        lines += self.left_out or []
        lines.append(f"undo: {self.undo}" if self.undo else "undo: nothing to undo")
        return "\n".join(lines)


def access(call: Call) -> Access:
    """What the caller's level lets an edit bring in."""
    return Access(code=call.level.allows(Level.FULL), component=str(call.instance.get("component", "")))


def done(call: Call, changed: bool = True) -> str:
    """The name of the undo step; where nothing changed, the step is given up and the name is empty."""
    if changed:
        return call.undo_name
    undo.journal().abandon()
    return ""


class Watch:
    """Remembers what was wrong before an edit, and says afterwards what is new."""

    def __init__(self) -> None:
        self._before: dict[str, diagnostics.Said] = {}

    def before(self, operators: Iterable[Any]) -> None:
        """Note the problems of operators that are about to be touched, and of what they feed.

        Part of the edit's one step, since a frame between the two could bring troubles of its own; so TD's words are
        only kept here, and understood later where they are others then.
        """
        for operator in at_once(_reach(operators)):
            path = str(operator.path)
            if path not in self._before:
                self._before[path] = diagnostics.said(operator)

    def after(self, call: Call, touched: Iterable[str]) -> Steps[list[Problem]]:
        """Wait a frame, look at what was touched (by path) and what it feeds, and give what is new.

        Errors, DAT text and callbacks show one frame after the edit that causes them (fact 11).
        """
        paths = list(dict.fromkeys(touched))[:MOST_WATCHED]
        yield NEXT_FRAME
        roots = [found for path in paths if (found := call.td.op(path)) is not None]
        news: list[Problem] = []
        yield from _cook(call, roots, news)
        if any(operator.isDAT for operator in roots if operator.valid):
            # What reads a DAT's text (a shader) sees it one cook later (fact 11).
            yield NEXT_FRAME
            yield from _cook(call, roots, news)
        reached = yield from _reach([operator for operator in roots if operator.valid])
        for operator in reached:
            if not operator.valid:
                continue
            path, texts = str(operator.path), diagnostics.said(operator)
            before = self._before.get(path)
            if texts == before:
                yield
                continue
            known = (
                {(p.severity, p.message) for p in diagnostics.understood(path, before)} if before else set()
            )
            for problem in diagnostics.understood(path, texts):
                if (problem.severity, problem.message) not in known and len(news) < _MOST_PROBLEMS:
                    news.append(
                        Problem(path=problem.path, severity=problem.severity, message=problem.message)
                    )
            yield
        return news


def _cook(call: Call, operators: list[Any], news: list[Problem]) -> Steps[None]:
    """Let operators cook that have something to cook: they only do when asked, and show no error before (fact 11).

    One a step: a cook is one call into TouchDesigner, which nobody can divide.

    The show comes first: what is known to cook for longer than the frame's budget is left alone, and the first that
    turns out so is the last.
    """
    budget = call.settings.budget_ms
    for operator in operators[:_MOST_COOKED]:
        if not operator.valid or operator.isCOMP or (operator.totalCooks and operator.cookTime > budget):
            continue
        began = perf_counter()
        try:
            operator.cook()
        except Exception as error:  # noqa: BLE001 - the edit is done; its answer must not be lost to a cook
            news.append(
                Problem(path=str(operator.path), severity="error", message=f"It cannot cook: {error}")
            )
        if (perf_counter() - began) * 1000 > budget:
            return
        yield


def _reach(operators: Iterable[Any]) -> Steps[list[Any]]:
    """Operators and everything they feed over wires, nearest first, bounded."""
    found: dict[str, Any] = {}
    waiting = deque(operators)
    pace = Pace()
    while waiting and len(found) < MOST_WATCHED:
        operator = waiting.popleft()
        if pace.due():
            yield
        if not operator.valid:
            continue
        path = str(operator.path)
        if path in found:
            continue
        found[path] = operator
        for connector in operator.outputConnectors:
            waiting.extend(far.owner for far in connector.connections)
    return list(found.values())


#: Deleting or overwriting up to this many operators needs no word from the user.
UNASKED = 3


def need_confirmation(confirm: bool, count: int, paths: list[str], what: str) -> None:
    """Refuse to take away more than a few operators without a word from the user.

    Raises:
        ToolFailure: `confirmation_required`, stating what would go.
    """
    if count <= UNASKED or confirm:
        return
    shown = ", ".join(paths[:10]) + (f" and {len(paths) - 10} more" if len(paths) > 10 else "")
    raise ToolFailure(
        Code.CONFIRMATION_REQUIRED,
        f"{what} {counted(count, 'operator')}: {shown}.",
        hint="Ask the user, then call again with confirm: true.",
        details={"count": count},
    )
