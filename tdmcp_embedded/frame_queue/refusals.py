"""The sentences with which the queue turns a caller away; each says what happened to the call, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue.job import Job

#: Seconds after which a caller who met a stalled main thread may sensibly try again.
STALLED_RETRY_S = 2.0

LIKELY_REASONS = (
    "Likely reasons: a dialog is open in TouchDesigner, its power button is off, a heavy cook or script is running, "
    "or a project is being loaded or saved. If it is drawing as usual and its timeline is paused, a script has cancelled "
    "every run(): Play, or Restart on the component, helps. Ask the person at TouchDesigner to have a look, then call again."
)


def _who(job: Job, now: float, owner: str) -> str:
    """A job in words; its id is for its own key only."""
    since = "" if job.started is None else f", running for {now - job.started:.1f} s"
    name = f"job {job.id}" if job.owner == owner else "a call made with another key"
    return f"{name} ({job.label or 'unnamed'}{since})"


def stalled(age: float, ever_pumped: bool, culprit: Job | None, now: float, owner: str) -> ToolFailure:
    """The main thread has not come by for `age` seconds; `culprit` is the job of ours that holds it, if one does.

    Args:
        owner: the key of the caller who is refused.
    """
    details: dict[str, Any] = {"stalled_s": round(age, 1), "retry_after_s": STALLED_RETRY_S}
    never = "This call was not started and will not run later."
    if culprit is not None:
        hint = "Call again when it has ended."
        if culprit.owner == owner:
            details["running_job"] = culprit.id
            hint = f"Look at it with get_job (job {culprit.id}); call again when it has ended."
        return ToolFailure(
            Code.MAIN_THREAD_STALLED,
            f"TouchDesigner's main thread is held by {_who(culprit, now, owner)}. {never}",
            hint=hint,
            details=details,
        )
    what = (
        f"TouchDesigner's main thread has not run a frame for {age:.1f} s."
        if ever_pumped
        else f"TouchDesigner has not run a single frame since this server started {age:.1f} s ago."
    )
    return ToolFailure(Code.MAIN_THREAD_STALLED, f"{what} {never}", hint=LIKELY_REASONS, details=details)


def busy(jobs: Iterable[Job], current: Job | None, now: float, retry_after: float, owner: str) -> ToolFailure:
    """The queue is full, or this caller's key has all the places it may have."""
    jobs = list(jobs)
    kinds = Counter(job.label or "unnamed" for job in jobs).most_common(3)
    crowd = ", ".join(f"{count} × {label}" for label, count in kinds)
    oldest = min((job.submitted for job in jobs), default=now)
    running = current or next((job for job in jobs if job.started is not None), None)
    details: dict[str, Any] = {
        "waiting": len(jobs), "oldest_s": round(now - oldest, 1), "retry_after_s": round(retry_after, 1)
    }  # fmt: skip
    at = ""
    if running is not None:
        if running.owner == owner:
            details["running_job"] = running.id
        at = f" At work: {_who(running, now, owner)}."
    return ToolFailure(
        Code.BUSY,
        f"Busy: {len(jobs)} calls wait for TouchDesigner's main thread ({crowd}), the oldest for "
        f"{now - oldest:.1f} s.{at} This call was not started and will not run later.",
        hint=f"Call again in {retry_after:.1f} s, one call at a time.",
        details=details,
    )


def not_started(job: Job, now: float) -> ToolFailure:
    """The deadline passed in the queue."""
    return ToolFailure(
        Code.NOT_STARTED,
        f"This call waited {now - job.submitted:.1f} s for TouchDesigner's main thread, past its deadline. "
        "It was not started and will not run later.",
        hint="Call again; if this repeats, send fewer calls at once.",
    )


def still_running(job: Job, now: float, stalled_for: float = 0.0) -> ToolFailure:
    """The work has begun and cannot be taken back; the caller can ask for its outcome later."""
    why = (
        f"TouchDesigner's main thread has stopped for {stalled_for:.1f} s in the middle of this call."
        if stalled_for
        else f"This call has been running for {now - (job.started or now):.1f} s, past its deadline."
    )
    return ToolFailure(
        Code.STILL_RUNNING,
        f"{why} It goes on as job {job.id}; do not repeat it.",
        hint=f'Ask for its outcome with get_job (job "{job.id}").'
        + (f" {LIKELY_REASONS}" if stalled_for else ""),
        details={"job": job.id},
    )


def cancelled(job: Job, reason: str) -> ToolFailure:
    if job.started is None:
        text = f"{reason} This call was not started and will not run later."
    else:
        kept = job.kept or "What it had already done stays done."
        text = f"{reason} This call was broken off. {kept}"
    return ToolFailure(Code.CANCELLED, text, details={"job": job.id})


def closed(reason: str) -> ToolFailure:
    return ToolFailure(
        Code.NOT_STARTED,
        f"{reason} This call was not started and will not run later.",
        hint="Call again when the server is back.",
    )


def unforeseen(error: BaseException) -> ToolFailure:
    """Any other exception of the work, in words. On the main thread: its text may come from a TouchDesigner object."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if kinds & {"tdError", "tdAttributeError"}:
        return ToolFailure(Code.TD_ERROR, f"TouchDesigner refused: {error}")
    if "TimeLimitExceeded" in kinds:
        return ToolFailure(Code.TIME_LIMIT, "The code ran past its time limit and was broken off.")
    return ToolFailure(Code.INTERNAL_ERROR, f"The call failed inside the server: {text}")
