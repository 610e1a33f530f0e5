"""Edits of level *edit*, watched: what code the project can run is the same afterwards, or they are put back."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from inspect import isgenerator
from time import perf_counter
from typing import Any, Final, TypeVar

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Call
from tdmcp_embedded.touchdesigner import undo
from tdmcp_embedded.touchdesigner.code_policy import invariant
from tdmcp_embedded.touchdesigner.code_policy.index import Index

T = TypeVar("T")
Guarded = Generator[Any, None, tuple[T, Any, undo.Journal]]
"""Gives what the edit gives, and the journal of its block."""

#: Seconds after which the project is read again beside the edits, and milliseconds a frame that this may take.
_REFRESH_S: Final = 10.0
_SHARE_MS: Final = 1.0
#: Seconds that such a reading may take; in the largest projects the next edit reads the rest.
_LONGEST_S: Final = 300.0


def ready(call: Call) -> Generator[Any, None, invariant.Guard | None]:
    """The guard of a call of level edit, once the code of the project is known; None at level full."""
    if call.level.allows(Level.FULL):
        return None
    index = invariant.index_of(call.queue)
    component = str(call.instance.get("component", ""))
    guard = invariant.Guard(call.td, index, component)
    looked = False
    for _ in guard.ready(call.progress):
        looked = True
        yield
    if looked:
        # The edit has a frame with nothing spent.
        yield NEXT_FRAME
    _refresh(call, index, component)
    return guard


def edit(call: Call, run: Callable[[], tuple[T, Any]]) -> Guarded[T]:
    """Do an edit in one undo block, and within one step, with all that is looked at and put back. What a refusal still
    has to find out takes further ones.

    Returns:
        What `run` gives, and the journal of the block.

    Raises:
        ToolFailure: `access_denied`, where it changed code and was put back; and whatever `run` raises.
    """
    return (yield from _guarded(call, run, lambda: undo.block(call.td, call.undo_name)))


def attempt(call: Call, run: Callable[[], tuple[T, Any]]) -> Generator[Any, None, bool]:
    """Do an edit with nothing recorded, and put it back within the same step: neither undo nor redo knows of it.

    Returns:
        Whether all of it was tried; not what only TouchDesigner's undo could put back.

    Raises:
        ToolFailure: the edit is refused; nothing was changed.
    """
    try:
        value, _, _ = yield from _guarded(call, run, lambda: undo.trial(call.td))
        if isgenerator(value):
            value.close()
        return True
    except undo.TrialEnds:
        return False
    finally:
        if call.guard is not None:
            call.guard.put_back()


def _guarded(
    call: Call, run: Callable[[], tuple[T, Any]], block: Callable[[], AbstractContextManager[undo.Journal]]
) -> Guarded[T]:
    guard = call.guard
    for last in (False, True):
        value: Any = None
        try:
            if guard is not None:
                guard.begin()
            with block() as journal:
                journal.guard = guard
                value, signal = run()
                journal.look()
        except invariant.CodeChanged as changed:
            if isgenerator(value):
                value.close()
            assert guard is not None
            # The edit is put back. A frame may pass before anything else is read.
            refusal = yield from guard.judge(changed)
            if refusal is not None or last:
                raise refusal or invariant.denied(changed.slots, changed.place) from None
            # Somebody else had changed the slot before; the edit itself is fine. It has a frame to itself.
            yield NEXT_FRAME
            continue
        except ToolFailure:
            if guard is not None:
                guard.put_back()
            raise
        return value, signal, journal
    raise AssertionError("the second time returns or raises")


def _refresh(call: Call, index: Index, component: str) -> None:
    """Have the project read again, a little in each frame, where the last reading is not new."""
    if index.reading or index.age() < _REFRESH_S:
        return

    def read() -> Generator[Any, None, None]:
        index.reading = True
        try:
            began = perf_counter()
            for _ in index.scan(call.td, component):
                if (perf_counter() - began) * 1000 >= _SHARE_MS:
                    yield NEXT_FRAME
                    began = perf_counter()
        finally:
            index.reading = False

    try:
        call.queue.submit(read, label="reading the code of the project", deadline=_LONGEST_S, remember=False)
    except ToolFailure:
        # The queue is full: another edit asks again.
        return
