"""What an edit broke: new errors and warnings, one frame later, on what was touched and what it feeds."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from time import monotonic, perf_counter
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, Field

from tdmcp_embedded import threads
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import bounding
from tdmcp_embedded.tools.tool import Call, Output, Steps, at_once
from tdmcp_embedded.touchdesigner import (
    diagnostics,
    missing_files,
    overwriting,
    parameters,
    references,
    undo,
)
from tdmcp_embedded.touchdesigner.builds import find, is_annotation, op_type
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.error_context import with_context
from tdmcp_embedded.touchdesigner.operators import Pace, cook_cost
from tdmcp_embedded.wording import counted

#: How many operators one edit looks at again: enough for what an agent touches, never a whole project.
MOST_WATCHED = 200
_MOST_PROBLEMS = 30
#: What stands beside and inside of what is touched may speak of it by name, without a wire. So many are looked at, in
#: networks no larger than that: a look costs the edit's own frame.
_MOST_AROUND = 30
_SMALL = 200
#: Seconds that a drive has for saying which of an edit's files are there.
_LONGEST_LOOK = 2.0
#: References that an answer names.
_MOST_REFERENCES = 40
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

    broken_references: list[str] | None = Field(
        default=None, description="parameters, expressions and script lines that name what is gone"
    )

    extensions: list[str] | None = Field(
        default=None, description="extensions whose source was written: ready, or why not"
    )

    redo_lost: str | None = Field(default=None, description="redo is lost: why")

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
        lines += self.extensions or []
        if self.broken_references:
            lines += ["Broken references:", *self.broken_references]
        lines += self.left_out or []
        if self.redo_lost:
            lines.append(self.redo_lost)
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
        self._around: dict[str, None] = {}
        self._reads: set[missing_files.FileRead] = set()
        """The files that were read before by what is touched."""
        self._full = False
        self._overwritten = ""
        self._looked: set[tuple[str, bool]] = set()

    def before(self, operators: Iterable[Any]) -> None:
        """Note the problems of operators that are about to be touched, of what they feed, and of what is around them.

        Part of the edit's one step, since a frame between the two could bring troubles of its own; so TD's words are
        only kept here, and understood later where they are others then.
        """
        about = list(operators)
        self._reads.update(_files(about).found)
        reached = at_once(_reach(about))
        self._full = self._full or len(reached) >= MOST_WATCHED
        for operator in reached:
            self._note(operator)
        self.beside(about)

    def beside(self, operators: Iterable[Any]) -> None:
        """Note the problems of what may speak of these operators by name."""
        about = list(operators)
        for operator in about:
            self._notice(operator)
        for operator in _around(about):
            if len(self._around) >= _MOST_AROUND:
                break
            path = str(operator.path)
            if path not in self._before:
                self._around[path] = None
                self._note(operator)

    def _notice(self, operator: Any) -> None:
        """Note what will overwrite an edit of this operator; the first of a call is said."""
        home = operator.parent()
        if self._overwritten or home is None:
            return
        # What is around a network is the same for all in it, but for what is immune to cloning.
        around = (str(home.path), bool(operator.cloneImmune))
        above = around not in self._looked
        self._looked.add(around)
        self._overwritten = overwriting.source(operator, above)

    def _note(self, operator: Any) -> None:
        path = str(operator.path)
        if path not in self._before:
            self._before[path] = diagnostics.said(operator)

    def moved(self, paths: Mapping[str, str]) -> None:
        """Know what was noted of operators, and of what is inside them, by the paths they have now.

        Args:
            paths: new path by old path.
        """
        paths = {old: new for old, new in paths.items() if old != new}
        if not paths:
            return

        def top(path: str) -> str:
            while path and path not in paths:
                path = path.rpartition("/")[0]
            return path

        def now(path: str, old: str) -> str:
            return paths[old] + path[len(old) :] if old else path

        def reworded(text: str, old: str) -> str:
            new = paths.get(old, old)
            return text.replace(f"({old})", f"({new})").replace(f"{old}/", f"{new}/") if old else text

        # TD's words name the operator they are about.
        self._before = {
            now(path, old): (reworded(said[0], old), reworded(said[1], old), reworded(said[2], old), said[3])
            for path, said in self._before.items()
            for old in (top(path),)
        }
        self._around = {now(path, top(path)): None for path in self._around}

    def after(self, call: Call, touched: Iterable[str], fresh: Iterable[str] = ()) -> Steps[list[Problem]]:
        """Wait a frame, look at what was touched (by path), what it feeds and what is around it, and give what is new.

        DAT text and callbacks show one frame after the edit (fact 11), errors one frame after a cook (fact 66).

        Args:
            fresh: which of them are new, so that nothing could be noted of them.
        """
        new = set(fresh)
        paths = list(dict.fromkeys(touched))[:MOST_WATCHED]
        news: list[Problem] = []
        # What a cook finds shows at the next frame, and who does not cook finds nothing (fact 66).
        yield
        roots, cooking = yield from self._cooking(call, paths)
        for operator in roots:
            self._notice(operator)
        if self._overwritten:
            news.append(
                Problem(path=paths[0] if paths else "", severity="warning", message=self._overwritten)
            )
        yield from _cook(call, cooking, news)
        yield NEXT_FRAME
        if any(operator.isDAT for operator in roots if operator.valid):
            # What reads a DAT's text (a shader) sees it one cook later (fact 11).
            yield from _cook(call, [each for each in cooking if each.valid], news)
            yield NEXT_FRAME
        roots = [found for path in paths if (found := find(call.td, path)) is not None]
        reached = yield from _reach(roots)
        seen = {str(operator.path) for operator in reached if operator.valid}
        reached += [
            found for path in self._around if path not in seen and (found := find(call.td, path)) is not None
        ]
        for operator in reached:
            if not operator.valid:
                continue
            path, texts = str(operator.path), diagnostics.said(operator)
            before = self._before.get(path)
            # Of more than could be noted nobody can say what is new.
            if texts == before or (before is None and self._full and path not in new):
                yield
                continue
            # By shape: what failed before with other numbers in its words is not new.
            known = diagnostics.shapes(path, before) if before else set()
            yield
            for problem in diagnostics.understood(path, texts):
                shape = (problem.severity, diagnostics.shape(problem.message))
                if shape not in known and len(news) < _MOST_PROBLEMS:
                    message = with_context(operator, problem.message)
                    news.append(Problem(path=problem.path, severity=problem.severity, message=message))
            yield
        for each in (yield from self._missing_files(call, [each for each in roots if each.valid])):
            if len(news) < _MOST_PROBLEMS:
                news.append(Problem(path=each.path, severity="error", message=missing_files.sentence(each)))
        return news

    def _missing_files(self, call: Call, touched: list[Any]) -> Steps[list[missing_files.FileRead]]:
        """The files that are read only now and are not there: of movies and sounds TouchDesigner says nothing.

        A drive may take its time: another thread asks it, and is waited for a while.
        """
        new = [each for each in _files(touched).found if each not in self._reads]
        if not new:
            return []
        missing: list[missing_files.FileRead] = []
        folder = missing_files.folder_of(call.td)
        looking = threads.start(lambda: missing.extend(missing_files.missing(new, folder)), "files")
        late = monotonic() + _LONGEST_LOOK
        while looking.is_alive() and monotonic() < late:
            yield NEXT_FRAME
        return list(missing)

    def _cooking(self, call: Call, paths: list[str]) -> Steps[tuple[list[Any], list[Any]]]:
        """What was touched, and that with all that is to cook: the ends of what it feeds, and what stands around it."""
        roots = [found for path in paths if (found := find(call.td, path)) is not None]
        reached = yield from _reach(roots)
        known = {str(operator.path) for operator in roots}
        cooking = list(roots)
        budget = call.settings.budget_ms
        # An end cooks all that it comes from.
        if sum(cook_cost(each) for each in reached if each.valid and each.totalCooks) <= budget:
            cooking += [each for each in reached if each.valid and each.path not in known and _is_end(each)]
        for path in self._around:
            found = find(call.td, path)
            # What never cooked is nobody's concern yet, and may take any time.
            if found is not None and path not in known and found.totalCooks:
                cooking.append(found)
        return roots, cooking


def _files(operators: Iterable[Any]) -> missing_files.FileReads:
    """The files that some operators read."""
    reads = missing_files.FileReads()
    for each in islice(operators, MOST_WATCHED):
        # The edit is done; its answer must not be lost to an operator that cannot be asked.
        with suppress(Exception):
            reads.add(each)
    return reads


class NamesGone(NamedTuple):
    """Names other than those of operators that an edit has taken away; some may be there again."""

    parameters: Mapping[str, Collection[str]]
    """Custom parameters, by the path of their component."""
    shortcuts: Collection[str] = ()
    """Global shortcuts (`op.Name`)."""


def names_gone() -> NamesGone:
    """What this call has taken away; within its edit."""
    journal = undo.journal()
    gone, journal.parameters_gone = journal.parameters_gone, {}
    return NamesGone(gone, journal.shortcuts_gone())


def _leads_somewhere(call: Call, shortcut: str) -> bool:
    try:
        return getattr(call.td.op, shortcut) is not None
    except Exception:  # noqa: BLE001 - what TD raises of one that does not is its own
        return False


def broken_references(
    call: Call, gone: Mapping[str, str], names: NamesGone | None = None
) -> Steps[list[str] | None]:
    """What in the project names operators, custom parameters or shortcuts that are no more; None if nothing does.

    Args:
        gone: old path of what was deleted, renamed or moved, and its new path ("" where it is deleted).
        names: what `names_gone` has given; what is there again is none of them.
    """
    names_lost = names or NamesGone({})
    shortcuts = [each for each in names_lost.shortcuts if not _leads_somewhere(call, each)]
    lost: dict[str, list[str]] = {}
    for path, known in names_lost.parameters.items():
        comp = find(call.td, gone.get(path) or path)
        if comp is not None:
            here = {str(group.name) for group in comp.customParGroups}
            lost[str(comp.path)] = [name for name in known if name not in here and comp.par[name] is None]
    if not gone and not shortcuts and not any(lost.values()):
        return None
    own = str(call.instance.get("component", ""))
    found = yield from references.broken(call.td, gone, own, lost, shortcuts)
    lines = [str(each) for each in found.references[:_MOST_REFERENCES]]
    if len(found.references) > len(lines):
        more = f"{len(found.references) - len(lines)} more"
        lines.append(more if found.complete else f"at least {more}")
    elif not found.complete:
        lines.append(f"not all were looked at: {counted(found.asked, 'operator')} were")
    return lines or None


def reread(call: Call, written: Iterable[parameters.Written]) -> Steps[list[str]]:
    """Look at parameters again, a frame after they were written: Parameter Execute DATs have had their say by then.

    Returns:
        What changed meanwhile, each sentence with the operator's path.
    """
    notes: list[str] = []
    pace = Pace(every=4)
    for each in written:
        if pace.due(1 + len(each.params) // 4):
            yield
        operator = find(call.td, each.path)
        if operator is not None:
            notes += [f"{each.path} {note}" for note in parameters.reread(operator, each)]
    return notes


#: Notes that say what an error or warning of the same operator says as well, and what both have in common.
_FAILS = re.compile(r": the expression fails: (?P<what>.+)$", re.DOTALL)
_LEADS_NOWHERE = re.compile(r": no operator at '(?P<what>.+)' as seen from ")


def unrepeated(notes: Iterable[str], problems: Iterable[Problem], path: str = "") -> list[str]:
    """The notes without those that a problem of the same answer repeats.

    Args:
        path: the operator that the notes are about; without one, each note begins with its path.
    """
    about: dict[str, str] = {}
    for problem in problems:
        about[problem.path] = f"{about.get(problem.path, '')}\n{problem.message}"
    kept = []
    for note in notes:
        said = about.get(path or note.partition(" ")[0], "")
        fails, nowhere = _FAILS.search(note), _LEADS_NOWHERE.search(note)
        if (fails and fails["what"] in said) or (nowhere and f'"{nowhere["what"]}"' in said):
            continue
        kept.append(note)
    return kept


def _cook(call: Call, operators: list[Any], news: list[Problem]) -> Steps[None]:
    """Let operators cook that have something to cook: they only do when asked, and show no error before (fact 11).

    One a step: a cook is one call into TouchDesigner, which nobody can divide.

    The show comes first: what is known to cook for longer than the frame's budget is left alone, and the first that
    turns out so is the last.
    """
    budget = call.settings.budget_ms
    for operator in operators[:_MOST_COOKED]:
        if not operator.valid or (operator.totalCooks and cook_cost(operator) > budget):
            continue
        began = perf_counter()
        try:
            operator.cook()
        except Exception as error:  # noqa: BLE001 - the edit is done; its answer must not be lost to a cook
            problem = Problem(path=str(operator.path), severity="error", message=f"It cannot cook: {error}")
            if problem not in news:
                news.append(problem)
        if (perf_counter() - began) * 1000 > budget:
            return
        yield


def _around(operators: Iterable[Any]) -> Iterator[Any]:
    """What is inside of operators, and what stands beside them."""
    homes: dict[str, Any] = {}
    for operator in operators:
        home = operator.parent()
        for network in (operator if operator.isCOMP and not is_annotation(operator) else None, home):
            if network is not None and network.path not in homes and 0 < network.numChildren <= _SMALL:
                homes[str(network.path)] = network
                yield from network.children


def _fed(operator: Any) -> Iterator[Any]:
    """What an operator feeds over wires, in and out of COMPs as well."""
    connectors = list(operator.outputConnectors)
    if op_type(operator).startswith("out"):
        # The connector of the COMP around it is its own.
        home = operator.parent()
        connectors += [
            each
            for each in home.outputConnectors
            if each.outOP is not None and each.outOP.path == operator.path
        ]
    for connector in connectors:
        for far in connector.connections:
            yield far.owner
            if far.owner.isCOMP and far.inOP is not None:
                yield far.inOP


def _is_end(operator: Any) -> bool:
    """Whether an operator feeds nothing over wires."""
    return not any(connector.connections for connector in operator.outputConnectors)


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
        waiting.extend(_fed(operator))
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
