"""batch: several calls in one frame and one undo step, all or nothing."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import isgenerator
from typing import Any, Self, cast

from pydantic import BaseModel, Field, PrivateAttr

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, bounding
from tdmcp_embedded.tools.parsing import parse
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import places, undo
from tdmcp_embedded.touchdesigner.code_policy.invariant import CodeChanged
from tdmcp_embedded.touchdesigner.values import weight

_log = logging.getLogger(__name__)

#: Tools that cannot share a frame and an undo step with others.
_ALONE = frozenset({"batch", "undo", "save_project", "get_job", "get_status"})
_MOST = 100

#: Bytes that all results together may take; a message holds no more.
_MOST_BYTES = 800_000
#: The same of those that edit: nobody asked for many words about them.
_MOST_OF_EDITS = 8_000
_LEFT_OUT = "done, not shown"


class BatchCall(BaseModel, extra="forbid"):
    """One call: the tool's name and its arguments."""

    tool: str
    arguments: dict[str, Any] = {}


class Batch(Arguments):
    calls: list[BatchCall] = Field(min_length=1, max_length=_MOST, description="done in order")
    confirm: bool = Field(default=False, description="agree to whatever its calls ask for")


class BatchResult(aftermath.Edited):
    results: list[dict[str, Any]] = Field(description="tool and result of each call, in order")

    _texts: list[str] = PrivateAttr(default_factory=list)

    def bounded(self) -> Self:
        """The problems of all calls together; each result is bounded already."""
        self.left_out = bounding.bound(self, ("problems",)) or None
        return self

    def text(self) -> str:
        return "\n\n".join([*self._texts, self.trailer()])


@dataclass
class _Running:
    tool: Tool
    call: Call
    arguments: Any
    steps: Generator[Any, None, Any] | None = None
    signal: Any = None
    value: Any = None
    later: bool = False
    """Whether it looks at what the calls before it have done, frames after them."""
    failure: ToolFailure | None = None
    """What went wrong with it after the edits were done."""


def prepare(call: Call, given: Batch) -> Steps[dict[str, places.Room]]:
    """Where its calls find room, as far as that can be known before the first is done."""
    rooms: dict[str, places.Room] = {}
    for index, each in enumerate(given.calls):
        running = _prepare(call, each, index, given.confirm)
        if running.tool.prepare is not None:
            # Each is told what is known: twenty operators in one network need one look at it.
            running.call.prepared = rooms
            with suppress(ToolFailure):
                rooms |= (yield from running.tool.prepare(running.call, running.arguments)) or {}
    return rooms


def batch(call: Call, given: Batch) -> Generator[Any, None, list[_Running]]:
    """The first part of every call in this very frame; then what each wants to look at afterwards, side by side."""
    prepared = [_prepare(call, each, index, given.confirm) for index, each in enumerate(given.calls)]
    undo.journal().shared = True
    places.use(call.prepared)
    edited = False
    for index, running in enumerate(prepared):
        reads = running.tool.effect is Effect.READ
        edited = edited or not reads
        if edited and reads:
            running.later = True
            continue
        try:
            _begin(running)
            # The calls after it may run code by cooking: each finds what was there before the batch.
            undo.journal().look()
        except CodeChanged as changed:
            changed.place = f"calls[{index}] ({running.tool.name})"
            raise
        except ToolFailure as failure:
            raise _placed(failure, index, running.tool.name) from None
    yield from _go_on([running for running in prepared if not running.later])
    looks = [running for running in prepared if running.later]
    if looks:
        # Callbacks run at the next frame, and a shader takes its text one cook after that (fact 11): what is looked at
        # after an edit is looked at when that has come through.
        yield NEXT_FRAME
        yield NEXT_FRAME
        for running in looks:
            with _kept(running):
                _begin(running)
            yield
        yield from _go_on(looks)
    return prepared


def _go_on(calls: list[_Running]) -> Generator[Any, None, None]:
    """The further steps of some calls, side by side."""
    while waiting := [running for running in calls if running.steps is not None]:
        yield NEXT_FRAME if all(running.signal is NEXT_FRAME for running in waiting) else None
        for running in waiting:
            with _kept(running):
                _step(running)


@contextmanager
def _kept(running: _Running) -> Iterator[None]:
    """Keep the failure of one call with that call: the edits of the others are done."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer must still say what was done
        running.steps, running.failure = None, _failure(error)


def _failure(error: Exception) -> ToolFailure:
    if isinstance(error, ToolFailure):
        return ToolFailure(error.code, error.message, hint=error.hint, suggestions=error.suggestions)
    _log.exception("a call of a batch failed after its edits")
    return ToolFailure(Code.INTERNAL_ERROR, f"Its answer could not be made: {type(error).__name__}: {error}")


def _prepare(call: Call, given: BatchCall, index: int, confirm: bool) -> _Running:
    # The table collects this module too.
    from tdmcp_embedded.tools.table import TABLE

    tool = TABLE.get(given.tool)
    if tool is None:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"calls[{index}]: there is no tool {given.tool!r}.",
            suggestions=near(given.tool, list(TABLE)),
        )
    if tool.run is None or tool.name in _ALONE:
        raise ToolFailure(
            Code.VALUE_INVALID, f"calls[{index}]: {tool.name} cannot be part of a batch; call it by itself."
        )
    if not call.level.allows(tool.level):
        raise ToolFailure(
            Code.ACCESS_DENIED,
            f"calls[{index}]: {tool.name} needs access level {tool.level.value}; this key works at level {call.level.value}.",
        )
    given_arguments = dict(given.arguments)
    if confirm and "confirm" in tool.arguments.model_fields:
        given_arguments["confirm"] = True
    try:
        arguments = parse(tool, given_arguments)
    except ToolFailure as failure:
        failure.message = f"calls[{index}]: {failure.message}"
        raise
    return _Running(tool, dataclasses.replace(call, tool=tool.name, batched=True, prepared=None), arguments)


def _begin(running: _Running) -> None:
    assert running.tool.run is not None
    value: Any = running.tool.run(running.call, running.arguments)
    if isgenerator(value):
        running.steps = cast("Generator[Any, None, Any]", value)
        _step(running)
    else:
        running.value = value


def _step(running: _Running) -> None:
    assert running.steps is not None
    try:
        running.signal = next(running.steps)
    except StopIteration as stop:
        running.value, running.steps = stop.value, None


def _placed(failure: ToolFailure, index: int, tool: str) -> ToolFailure:
    return ToolFailure(
        failure.code,
        f"calls[{index}] ({tool}): {failure.message} Nothing of the batch was done.",
        hint=failure.hint,
        suggestions=failure.suggestions,
        retryable=failure.retryable,
        details=failure.details | {"call": index},
    )


def finish(call: Call, given: Batch, done: list[_Running]) -> BatchResult:
    """Put the results in shape, on a worker: some of them encode images."""
    results: list[dict[str, Any]] = []
    texts, pictures = [], []
    problems: dict[tuple[str, str], aftermath.Problem] = {}
    changed = False
    room, room_of_edits = _MOST_BYTES, _MOST_OF_EDITS
    for running in done:
        output: Output | None = None
        if running.failure is None:
            try:
                output, structured, text = _answer(running, call.undo_name)
            except Exception as error:  # noqa: BLE001 - the edits are done, whatever their answers
                running.failure = _failure(error)
        if running.failure is not None or output is None:
            failure = running.failure or ToolFailure(Code.INTERNAL_ERROR, "No answer was made.")
            edits = running.tool.effect is not Effect.READ
            changed = changed or edits
            state: dict[str, Any] = {"done": True} if edits else {}
            results.append({"tool": running.tool.name, **state, "error": failure.structured()})
            texts.append(f"{running.tool.name}: {'done; ' if edits else ''}{failure.text()}")
            continue
        changed = changed or bool(getattr(output, "undo", ""))
        for problem in getattr(output, "problems", None) or []:
            if isinstance(problem, aftermath.Problem):
                problems.setdefault((problem.path, problem.message), problem)
        size = weight(text) + weight(structured)
        edit = running.tool.effect is not Effect.READ
        words = size if edit else 0
        size += sum(4 * len(picture.data) // 3 for picture in output.pictures)
        if size > room or words > room_of_edits:
            # The edits are done: an answer too large to be sent must not look as if they had failed.
            results.append({"tool": running.tool.name, "left_out": _LEFT_OUT})
            texts.append(f"{running.tool.name}: {_LEFT_OUT}")
            continue
        room, room_of_edits = room - size, room_of_edits - words
        results.append({"tool": running.tool.name, "result": structured})
        texts.append(f"{running.tool.name}: {text}")
        pictures += output.pictures
    result = BatchResult(
        results=results, problems=list(problems.values()), undo=call.undo_name if changed else ""
    )
    result._texts = texts
    result._pictures = pictures
    return result


def _answer(running: _Running, step: str) -> tuple[Output, dict[str, Any], str]:
    """The answer of one call, in both its forms."""
    output: Output = (
        running.tool.finish(running.call, running.arguments, running.value)
        if running.tool.finish is not None
        else running.value
    )
    if isinstance(output, aftermath.Edited) and output.undo:
        # All calls share one step, which TD may have given a name of its own.
        output.undo = step
    output = output.bounded()
    # What is empty says nothing, a hundred times.
    structured = {key: value for key, value in output.structured().items() if value not in ("", [], {})}
    return output, structured, output.text()


TOOLS = [
    Tool(
        name="batch",
        title="Batch",
        description=(
            "Several calls in order, in one frame and one undo step, all or nothing: if an edit is refused, nothing of the "
            "batch is done. Later calls may name what earlier ones make. Reads and pictures may follow the edits: they "
            "are made some frames later, when all edits have taken effect. Returns the result of each call; of many "
            "edits, only that they are done."
        ),
        level=Level.EDIT,
        effect=Effect.DESTRUCTIVE,
        arguments=Batch,
        output=BatchResult,
        run=batch,
        prepare=prepare,
        finish=finish,
        may_give_pictures=True,
    )
]
