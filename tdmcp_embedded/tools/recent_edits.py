"""What became of the last calls of a key that could change the project, in JSON-ready words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue.job import Job
from tdmcp_embedded.logs.recent_edits import EditCall
from tdmcp_embedded.logs.records import stamp
from tdmcp_embedded.tools.tool import Call

#: How many calls are listed.
SHOWN: Final = 10

#: Outcomes that say nothing of the work itself, which may have gone on, or ended, since.
_NOT_THE_WORK: Final = ("", Code.CANCELLED.value, Code.STILL_RUNNING.value)


def rows(call: Call, shown: int = SHOWN) -> list[dict[str, Any]]:
    """The last such calls of this call's key, the newest first.

    Each has `tool`, `call` (what it was about), `outcome` (ok, running, or the code of its failure), `edit` (stands,
    none, not over, or no undo step), `time` (UTC), `ago_s`, and `job` where it has one.
    """
    if call.recent is None:
        return []
    now = call.recent.clock()
    return [_row(each, call, now) for each in call.recent.of(call.owner, shown)]


def _row(each: EditCall, call: Call, now: float) -> dict[str, Any]:
    job = call.queue.job(each.job) if each.job else None
    outcome = _outcome(each, job)
    row = {
        "tool": each.tool,
        "call": each.about,
        "outcome": outcome,
        "edit": _edit(each, outcome),
        "time": stamp(each.began),
        "ago_s": round(max(0.0, now - each.began), 1),
        "job": each.job,
        "client": each.client,
    }
    return {name: value for name, value in row.items() if value != ""}


def _outcome(each: EditCall, job: Job | None) -> str:
    """What became of the work; of a call whose client went away, the job knows."""
    if each.outcome not in _NOT_THE_WORK:
        return each.outcome
    if job is None:
        return each.outcome or "running"
    if not job.over:
        return "running"
    if job.state == "done":
        return "ok"
    try:
        job.outcome()
    except ToolFailure as failure:
        return failure.code.value
    return job.state


def _edit(each: EditCall, outcome: str) -> str:
    if each.stands:
        return "stands"
    if outcome == "running":
        return "not over"
    return "no undo step" if outcome == "ok" else "none"


def lines(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """The same as text, a line each."""
    return [
        f"- {row['call']}: {row['outcome']}, edit {row['edit']}, {row['ago_s']:g} s ago ({row['time']})"
        + (f", {row['job']}" if "job" in row else "")
        + (f", by {row['client']}" if "client" in row else "")
        for row in found
    ]
