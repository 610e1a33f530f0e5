"""get_job: what became of long work, or an end to it."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, runtime_checkable

from pydantic import Field, PrivateAttr

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue.job import Job
from tdmcp_embedded.logs.recent_edits import Answer
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Picture, Tool


class GetJob(Arguments):
    """Which job."""

    job: str = Field(description="The id, of still_running or get_status.")
    cancel: bool = Field(default=False, description="End it, at its next step.")


class JobState(Output):
    """State of a job, and its outcome once it has ended."""

    job: str
    tool: str
    state: str
    """queued, running, done, failed, cancelled or dropped (never started)."""
    waited_s: float
    ran_s: float | None = None
    progress: dict[str, Any] | None = None
    cancelled: bool | None = None
    """Whether a cancel that was asked for has taken effect, or will at the next step."""
    note: str | None = None
    """What a cancel has come to: whether the job has ended by it, and what became of the project."""
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None

    _outcome_text: str = PrivateAttr(default="")

    def text(self) -> str:
        line = f"job {self.job} ({self.tool}): {self.state}, waited {self.waited_s:g} s"
        lines = [line if self.ran_s is None else f"{line}, ran {self.ran_s:g} s"]
        if self.progress:
            total = self.progress.get("total")
            of = f" of {total:g}" if total else ""
            lines.append(
                f"progress: {self.progress['done']:g}{of} {self.progress.get('message', '')}".rstrip()
            )
        if self.cancelled is not None:
            lines.append(self.note or "")
        if self._outcome_text:
            lines.append(self._outcome_text)
        return "\n".join(lines)


#: How often, and how far apart in seconds, a job that is to end is looked at.
_LOOKS = 50
_BETWEEN_LOOKS_S = 0.02


@runtime_checkable
class _Outcome(Protocol):
    """What the runner leaves as the result of a tool's job."""

    def output(self) -> Output: ...


async def get_job(call: Call, given: GetJob) -> JobState:
    """Answers from the queue's books, on the server thread; an outcome is put in shape on a worker."""
    job = call.queue.job(given.job)
    # A job belongs to the key that made it. To any other it is as if it were not there, except at level full.
    if job is None or not (job.owner == call.owner or call.level is Level.FULL):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"There is no job {given.job!r}; finished jobs are remembered for a while only.",
            hint="Job ids come with still_running. Look at the project for what the call has done.",
        )
    effective = call.queue.cancel(job.id) if given.cancel else None
    if effective:
        # What really happens shows at its next step: in most cases that is a frame away.
        for _ in range(_LOOKS):
            if job.over:
                break
            await asyncio.sleep(_BETWEEN_LOOKS_S)
    facts = call.queue.describe(job)
    state = JobState(
        job=job.id,
        tool=job.label,
        state=facts["state"],
        waited_s=facts["waited_s"],
        ran_s=facts.get("ran_s"),
        progress=facts.get("progress"),
        cancelled=None if effective is None else effective and (not job.over or job.state == "cancelled"),
        note=None if effective is None else _what_came_of_it(job, effective),
    )
    if job.state in ("queued", "running"):
        return state
    if (
        call.recent is not None
        and (noted := call.recent.by_job(job.owner, job.id)) is not None
        and noted.answer
    ):
        # Its caller was given the answer, which may never have arrived.
        _fill(state, noted.answer)
        return state
    try:
        outcome = job.outcome()
        output = await asyncio.to_thread(outcome.output) if isinstance(outcome, _Outcome) else None
    except ToolFailure as failure:
        state.error = failure.structured()
        state._outcome_text = failure.text()
        return state
    if output is not None:
        state.result = output.structured()
        state._outcome_text = output.text()
        state._pictures = list[Picture](output.pictures)
    return state


def _fill(state: JobState, answer: Answer) -> None:
    if answer.failed:
        state.error = answer.structured
    else:
        state.result = answer.structured
    state._outcome_text = answer.text


def _what_came_of_it(job: Job, effective: bool) -> str:
    """What a cancel has come to, in a sentence or two."""
    if job.state == "cancelled":
        return "It was cancelled."
    if job.over:
        return f"It had ended before it could be cancelled: {job.state}."
    if not effective:
        return "It is in its only step, which cannot be cancelled."
    return f"It ends at its next step. {job.kept}".rstrip()


TOOLS = [
    Tool(
        name="get_job",
        title="Get a job",
        description=(
            "State and outcome of a call that answered still_running, or whose answer was lost, by its job id; cancel "
            "ends it. Answers also while TouchDesigner is stuck."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=GetJob,
        output=JobState,
        answer=get_job,
        may_give_pictures=True,
        core=True,
    )
]
