"""One piece of work on its way through the frame queue, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import Any, Final, Literal

from tdmcp_embedded.errors import Code, ToolFailure


class _NextFrame:
    def __repr__(self) -> str:
        return "NEXT_FRAME"


#: `yield NEXT_FRAME` in a job waits for the next frame; a bare `yield` gives the frame back if the budget is spent.
NEXT_FRAME: Final = _NextFrame()

State = Literal["queued", "running", "done", "failed", "cancelled", "dropped"]
Work = Callable[[], Any]


@dataclass(frozen=True)
class Progress:
    """How far a job says it has come: `done` of `total` (None: unknown), in a sentence."""

    done: float
    total: float | None = None
    message: str = ""


class Job:
    """A submitted piece of work. Read it from any thread; only the queue changes it.

    `future` is what the *caller* waits for: the result, or a `ToolFailure`. It may be answered before the work has
    ended (`still_running`); what became of the work itself is `state` and `outcome()`. Cancelling the future cancels
    the job. Times are seconds of the queue's clock.
    """

    def __init__(
        self,
        job_id: str,
        work: Work | None,
        session: str,
        label: str,
        submitted: float,
        deadline: float,
        owner: str = "",
    ) -> None:
        self.id = job_id
        self.label = label
        self.session = session
        self.owner = owner
        """The name of the key it was made with; empty where no key is asked for."""
        self.state: State = "queued"
        self.future: Future[Any] = Future()
        self.submitted = submitted
        self.started: float | None = None
        self.finished: float | None = None
        self.deadline_at = submitted + deadline
        self.progressed: Progress | None = None
        self.traceback = ""
        """The traceback of an exception nobody foresaw, as text made on the main thread; for the log."""
        self.work = work
        self.steps: Generator[Any, Any, Any] | None = None
        self.cancel_reason: str | None = None
        """Set once somebody wants the job to end; the main thread then closes it at its next yield."""
        self.kept = ""
        """What became of the project should the job be broken off now, in a sentence; set by the work itself."""
        self.likely_step_s = 0.0
        """How long its next step will probably take."""
        self.stepped = False
        """Whether it has had a turn since its line was last turned over (see `lines.py`)."""
        self.undelivered = False
        """Whether the result must be kept for `get_job`: the caller went away with `still_running`, or never waited."""
        self.remembered = True
        """Whether it stays in the history once it is over."""
        self._result: Any = None
        self._failure: ToolFailure | None = None

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.label!r} {self.state}>"

    @property
    def over(self) -> bool:
        return self.state not in ("queued", "running")

    @property
    def answered(self) -> bool:
        """Whether the caller has its answer, be it only that the work goes on."""
        return self.future.done()

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Note how far the work has come. Any thread."""
        self.progressed = Progress(done, total, message)

    def outcome(self) -> Any:
        """The result of the work.

        Raises:
            ToolFailure: why there is none: the work's own failure, `cancelled`, `not_started`, `still_running` while
                it is queued or running, or `precondition_failed` when the result was given to its caller and let go.
        """
        if self._failure is not None:
            raise self._failure
        if self.state == "done":
            return self._result
        raise ToolFailure(
            Code.STILL_RUNNING, f"Job {self.id} ({self.label}) is {self.state}.", details={"job": self.id}
        )

    def describe(self, now: float) -> dict[str, Any]:
        """The job in JSON-ready words; seconds waited and run up to `now` (the queue's clock)."""
        facts: dict[str, Any] = {"job": self.id, "label": self.label, "state": self.state}
        facts["waited_s"] = round((self.started or self.finished or now) - self.submitted, 3)
        if self.started is not None:
            facts["ran_s"] = round((self.finished or now) - self.started, 3)
        if self.progressed is not None:
            facts["progress"] = {
                "done": self.progressed.done, "total": self.progressed.total, "message": self.progressed.message
            }  # fmt: skip
        return facts

    # What follows belongs to the queue.

    def end(
        self, state: State, now: float, *, result: Any = None, failure: ToolFailure | None = None
    ) -> None:
        """Record the outcome and let go of the work. Holding the queue's lock; generators are ended by then."""
        self.state = state
        self.finished = now
        self._result, self._failure = result, failure
        self.work = self.steps = None

    def answer(self) -> None:
        """Give the caller the outcome, unless there was an answer already. Never while holding the queue's lock."""
        try:
            if self._failure is not None:
                self.future.set_exception(self._failure)
            else:
                self.future.set_result(self._result)
        except InvalidStateError:
            pass  # answered before (still running), or the caller has cancelled

    def refusal(self, failure: ToolFailure) -> Callable[[], None]:
        """A call that answers the caller without an outcome: the work itself is not over."""

        def refuse() -> None:
            try:
                self.future.set_exception(failure)
            except InvalidStateError:
                pass

        return refuse

    def epitaph(self) -> Job:
        """What the queue remembers of a job whose caller has the result: everything but the result itself.

        Results can be pictures of many megabytes; a history of them would be a leak.
        """
        stone = Job(self.id, None, self.session, self.label, self.submitted, 0.0, self.owner)
        stone.deadline_at = self.deadline_at
        stone.started, stone.progressed, stone.traceback = self.started, self.progressed, self.traceback
        failure = self._failure
        if self.state == "done":
            failure = ToolFailure(
                Code.PRECONDITION_FAILED,
                f"Job {self.id} ({self.label}) is done; its result was given to its caller and is not kept.",
                details={"job": self.id},
            )
        stone.end(self.state, self.finished or self.submitted, failure=failure)
        stone.answer()
        return stone
