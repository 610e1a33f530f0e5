"""Running a job's generator: how far it may go in one turn."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from enum import Enum
from typing import Any, Final

from tdmcp_embedded.frame_queue.job import NEXT_FRAME, Job

#: A step is expected to take as long as the last one, or this share of what was expected before: dear ones come again.
_FORGETTING: Final = 0.98

#: Collections of the youngest objects that a turn may bring on; the tenth one collects the next generation as well.
_AHEAD: Final = 4


class Pause(Enum):
    """Why a generator has stopped without having ended."""

    NEXT_FRAME = "it waits for the next frame"
    TURN_OVER = "its turn is over"


def advance(
    job: Job,
    steps: Generator[Any, Any, Any],
    clock: Callable[[], float],
    turn_end: float,
    budget_s: float,
) -> Any:
    """Run `steps` until it ends, waits for the next frame, or its turn is spent.

    Returns:
        The generator's result, or the `Pause`.
    """
    _collect_what_is_due()
    before = clock()
    fault: TypeError | None = None
    while True:
        try:
            word = next(steps) if fault is None else steps.throw(fault)
        except StopIteration as end:
            return end.value
        fault = None
        if word is NEXT_FRAME:
            return Pause.NEXT_FRAME
        if word is not None:
            # A forgotten `from`, most likely: the author learns it where the mistake is.
            fault = TypeError(f"A job yields nothing or NEXT_FRAME, not {type(word).__name__}.")
            continue
        now = clock()
        # A step longer than a whole budget fits in no frame anyway. Remembered at its full length, one that was long by
        # accident (the system gave the processor to somebody else) would leave one step a frame to dozens after it.
        job.likely_step_s = min(max(now - before, _FORGETTING * job.likely_step_s), budget_s)
        # A step as long as that would end past the turn: better stop a little early.
        if job.cancel_reason is not None or now + job.likely_step_s > turn_end:
            return Pause.TURN_OVER
        before = now


def _collect_what_is_due() -> None:
    """Have Python's collection of young objects now if it would come during this turn: that takes a millisecond or two.

    At the beginning of a turn they are within its time, near its end they would come on top of it.
    """
    if gc.isenabled() and gc.get_count()[1] + _AHEAD > gc.get_threshold()[1] > 0:
        gc.collect(1)
