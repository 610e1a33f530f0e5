"""One tool call: from its arguments through the frame queue to its output."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from inspect import isgenerator
from typing import Any, Final

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol import code_guard
from tdmcp_embedded.tools import aftermath, undo_names
from tdmcp_embedded.tools.tool import (
    Arguments,
    Call,
    DoneUnanswered,
    EditDone,
    Effect,
    Output,
    Tool,
    unanswered,
)
from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import undo, undo_stack

_log = logging.getLogger(__name__)

#: Seconds between two signs of life of work that does not report its progress itself.
_SIGN_OF_LIFE: Final = 0.5


@dataclass(frozen=True)
class Done:
    """What a call left on the main thread; `output()` makes the answer of it, on any thread but that one."""

    call: Call
    tool: Tool
    arguments: Arguments
    value: Any
    edit: EditDone | None = None
    """The edit that was made and is kept; None if there was none."""
    redo_lost: str = ""
    """What to say of steps that can no longer be redone, though the call has no step of its own."""

    def output(self) -> Output:
        try:
            output = self._output()
            if self.redo_lost and isinstance(output, aftermath.Edited):
                output.redo_lost = self.redo_lost
            if self.edit is not None:
                # Both forms can be made: nothing may raise any more once this is given out.
                output.structured()
                output.text()
        except Exception as error:
            if self.edit is None:
                raise
            _log.exception("tool %s: the edit is done, its answer failed", self.tool.name)
            return unanswered(self.edit, error)
        output._edit = self.edit
        return output

    def _output(self) -> Output:
        if self.tool.finish is not None and not isinstance(self.value, DoneUnanswered):
            return self.tool.finish(self.call, self.arguments, self.value).bounded()
        assert isinstance(self.value, Output)
        return self.value.bounded()


def run_steps(call: Call, tool: Tool, arguments: Arguments) -> Generator[Any, None, Done]:
    """The call as a generator for the frame queue, to be driven on the main thread.

    Of an editing tool, the part before its first `yield` runs in one undo block, and an exception there leaves the
    project as it was; the block may not stay open across a frame, since TouchDesigner ends it with the callback.
    What the tool prepares comes before, in steps of its own; the edit then has a frame to itself.
    """
    assert tool.run is not None
    _report_to_job(call)
    if tool.effect is Effect.READ:
        _if_broken_off(call, "It only looks: nothing was changed.")
        value = tool.run(call, arguments)
        if isgenerator(value):
            value = yield from _onwards(call, tool, value)
        return Done(call, tool, arguments, value)

    _if_broken_off(call, "Its edit had not begun: nothing was changed.")
    call.undo_name = call.undo_name or undo_names.name(tool, arguments)
    call.guard = yield from code_guard.ready(call)
    if undo.at_risk(call.td):
        # What is refused must not cost the user what can be redone.
        trial = replace(call, prepared=None)
        if (yield from code_guard.attempt(trial, lambda: _begun(tool, trial, arguments))):
            yield NEXT_FRAME
    if tool.prepare is not None:
        call.prepared = yield from _prepared(call, tool, arguments)
        # Frames have passed.
        call.guard = yield from code_guard.ready(call)
    could_redo = undo_stack.redoable(call.td)
    try:
        value, signal, journal = yield from code_guard.edit(call, lambda: _begun(tool, call, arguments))
    except ToolFailure as refusal:
        _tell_redo_lost(refusal, undo_stack.redo_lost(call.td, could_redo))
        raise
    call.undo_name = journal.step
    # A change that can be undone takes the place of what could be redone: nobody expects anything else.
    lost = "" if journal.grew or not journal.begun else undo_stack.redo_lost(call.td, could_redo)
    edit = EditDone(journal.step) if journal.stands else None
    if edit is not None:
        if call.noted is not None:
            call.noted.stands = True
        _if_broken_off(call, edit.sentence())
    try:
        while call.later:
            yield NEXT_FRAME
            call.later.pop(0)()
    finally:
        # A call that is cancelled has edited all the same: what is left of the edit is done without it.
        annotating.spread(call.td, call.later)
    if isgenerator(value):
        try:
            value = yield from _onwards(call, tool, value, signal)
        except Exception as error:
            if edit is None:
                raise
            _log.exception("tool %s: the edit is done, looking at it failed", tool.name)
            value = unanswered(edit, error)
    if isinstance(value, ToolFailure):
        # What the tool did before it failed is kept, as its caller asked.
        _tell_redo_lost(value, lost)
        raise value
    if getattr(value, "undo", ""):
        value.undo = journal.step
    return Done(call, tool, arguments, value, edit, lost)


def _tell_redo_lost(refusal: ToolFailure, lost: str) -> None:
    if lost:
        refusal.details["redo_lost"] = lost


def _if_broken_off(call: Call, sentence: str) -> None:
    """What to say of the project should the call be cancelled from here on."""
    job = call.queue.current
    if job is not None:
        job.kept = sentence


def _begun(tool: Tool, call: Call, arguments: Arguments) -> tuple[Any, Any]:
    """The edit itself: what the tool returned, or the rest of its steps with what the first one yielded."""
    assert tool.run is not None
    value, signal = tool.run(call, arguments), None
    if isgenerator(value):
        try:
            signal = next(value)
        except StopIteration as stop:
            value = stop.value
    journal = undo.journal()
    journal.finish()
    call.later = list(journal.later())
    return value, signal


def _prepared(call: Call, tool: Tool, arguments: Arguments) -> Generator[Any, None, Any]:
    """What the tool finds out before its edit. If that took any steps, the edit waits for a frame with nothing spent."""
    assert tool.prepare is not None
    steps = _onwards(call, tool, tool.prepare(call, arguments))
    looked = False
    while True:
        try:
            signal = next(steps)
        except StopIteration as stop:
            if looked:
                yield NEXT_FRAME
            return stop.value
        looked = True
        yield signal


def _onwards(
    call: Call, tool: Tool, steps: Generator[Any, Any, Any], *begun: Any
) -> Generator[Any, None, Any]:
    """The steps of a tool, with a sign of life now and then; `begun` is what its first step yielded, if that is over."""
    told, count = time.monotonic(), len(begun)
    try:
        while True:
            try:
                signal = begun[0] if begun else next(steps)
            except StopIteration as stop:
                return stop.value
            begun = ()
            yield signal
            count += 1
            now = time.monotonic()
            if not tool.own_progress and now - told >= _SIGN_OF_LIFE:
                told = now
                call.progress(count, None, f"{tool.title}: at work, {count} steps so far")
    finally:
        steps.close()


def _report_to_job(call: Call) -> None:
    """Progress is told to the client, and kept with the job for whoever asks get_job."""
    job, tell = call.queue.current, call.progress

    def report(done: float, total: float | None, message: str) -> None:
        if job is not None:
            job.progress(done, total, message)
        tell(done, total, message)

    call.progress = report


async def run(call: Call, tool: Tool, arguments: Arguments) -> Output:
    """Run a tool and give its output; on the server thread's event loop.

    A cancelled call leaves the queue (or is closed at its next `yield`).

    Raises:
        ToolFailure: what the tool or the queue refused.
    """
    if tool.answer is not None:
        return await tool.answer(call, arguments)
    own = tool.deadline(arguments) if tool.deadline else 0.0
    deadline = max(own, call.settings.call_deadline, call.deadline)
    job = call.queue.submit(
        lambda: run_steps(call, tool, arguments),
        session=call.session,
        owner=call.owner,
        label=tool.name,
        deadline=deadline,
    )
    if call.noted is not None:
        call.noted.job = job.id
    try:
        done: Done = await asyncio.wrap_future(job.future)
    except asyncio.CancelledError:
        call.queue.cancel(job.id)
        raise
    if tool.finish is None:
        return done.output()
    return await asyncio.to_thread(done.output)
