"""Running a job's generator: how far it may go in one turn."""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import Any

from tdmcp_embedded.frame_queue.job import NEXT_FRAME, Job


class Pause(Enum):
    """Why a generator has stopped without having ended."""

    NEXT_FRAME = "it waits for the next frame"
    TURN_OVER = "its turn is over"


def advance(job: Job, steps: Generator[Any, Any, Any], clock: Callable[[], float], turn_end: float) -> Any:
    """Run `steps` until it ends, waits for the next frame, or its turn is spent.

    Returns:
        The generator's result, or the `Pause`.
    """
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
        job.last_step_s = now - before
        # As long again as this step took would end past the turn: better stop a little early.
        if job.cancel_reason is not None or now + job.last_step_s > turn_end:
            return Pause.TURN_OVER
        before = now
