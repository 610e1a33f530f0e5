"""get_status: what state TouchDesigner and this server are in, also while TouchDesigner is stuck."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import recent_edits
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Tool
from tdmcp_embedded.touchdesigner import session

#: Seconds the main thread is waited for; a status that hangs with the patient is no status.
_PATIENCE = 0.5

LIKELY = (
    "a dialog is open in TouchDesigner",
    "the power button is off",
    "a cook or a script takes long",
    "a project is loading or saving",
    "a script has cancelled every run() while the timeline is paused (Play, or Restart on the component, helps)",
)

#: The last answer of each server's main thread, for while there is none.
_last: WeakKeyDictionary[FrameQueue, dict[str, Any]] = WeakKeyDictionary()


class GetStatus(Arguments):
    """Nothing to ask."""


class Status(Output):
    """Facts of the moment; with the main thread not answering, the last known ones (`as_of` says so)."""

    main_thread: dict[str, Any]
    """state (ok, busy or stalled), stalled_for in seconds, and then what is likely the reason."""
    as_of: str
    """now, last_answer or last_sample."""
    project: dict[str, Any] | None = None
    timeline: dict[str, Any] | None = None
    application: dict[str, Any] | None = None
    server: dict[str, Any]
    queue: dict[str, Any]
    """Calls waiting and running, and frame figures since the start; times in milliseconds."""
    recent_edits: list[dict[str, Any]] | None = None
    """The last calls of this key that could change the project, the newest first (`recent_edits.rows`)."""

    def text(self) -> str:
        facts = self.structured()
        found = facts.pop("recent_edits", None)
        lines = [f"{name}: {_line(value)}" for name, value in facts.items() if name != "as_of"]
        if self.as_of != "now":
            lines.append(
                "The main thread does not answer: project, timeline and application are the last known."
            )
        if found:
            lines += ["Last calls of this key that could edit:", *recent_edits.lines(found)]
        return "\n".join(lines)


def _line(facts: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in facts.items()
    )


async def get_status(call: Call, given: GetStatus) -> Status:
    """Asks the main thread, briefly; whatever happens there, answers."""
    state: dict[str, Any] = {"state": "ok", "stalled_for": 0.0}
    as_of = "now"
    try:
        job = call.queue.submit(
            lambda: _facts(call),
            session=call.session,
            owner=call.owner,
            label="get_status",
            deadline=_PATIENCE,
        )
        facts: dict[str, Any] = await asyncio.wrap_future(job.future)
        _last[call.queue] = facts
    except ToolFailure as failure:
        if failure.code not in (Code.BUSY, Code.NOT_STARTED, Code.STILL_RUNNING, Code.MAIN_THREAD_STALLED):
            raise
        state = _trouble(call)
        as_of = "last_answer" if call.queue in _last else "last_sample"
        facts = _last.get(call.queue) or _sampled(call.instance)
    return Status(
        main_thread=state,
        as_of=as_of,
        project=facts.get("project"),
        timeline=facts.get("timeline"),
        application=facts.get("application"),
        server=_server(call),
        queue=_queue(call.queue.stats(None if call.level is Level.FULL else call.owner)),
        recent_edits=recent_edits.rows(call) or None,
    )


def _facts(call: Call) -> dict[str, Any]:
    return {
        "project": session.project_facts(call.td),
        "timeline": session.timeline_facts(call.td),
        "application": session.application_facts(call.td),
    }


def _trouble(call: Call) -> dict[str, Any]:
    stalled = round(call.queue.stalled_for, 1)
    if not stalled:
        return {"state": "busy", "stalled_for": 0.0, "likely": "other calls are ahead in the queue"}
    # A job that only waits for its next frame is a victim of the stall; the one in the middle of a step is its cause.
    current = call.queue.current
    if current is not None:
        seen = call.level is Level.FULL or current.owner == call.owner
        likely = f"{current.label} ({current.id if seen else 'made with another key'}) is still at work"
    elif call.instance.get("power") is False:
        likely = LIKELY[1]
    else:
        likely = " or ".join(LIKELY)
    return {"state": "stalled", "stalled_for": stalled, "likely": likely}


def _sampled(instance: Mapping[str, Any]) -> dict[str, Any]:
    """What the server knew of TouchDesigner before anybody asked (`host_facts`), in the shape of `_facts`."""
    project = {"name": "project", "folder": "project_folder", "saved": "saved", "modified": "modified"}
    timeline = {"playing": "playing", "frame": "timeline_frame", "rate": "timeline_rate"}
    application = {
        "version": "td_version",
        "build": "build",
        "perform_mode": "perform_mode",
        "power": "power",
    }
    return {
        group: {new: instance[old] for new, old in names.items() if old in instance} or None
        for group, names in (("project", project), ("timeline", timeline), ("application", application))
    }


def _server(call: Call) -> dict[str, Any]:
    facts = {
        name: call.instance[name]
        for name in ("name", "version", "url", "component", "pid", "uptime_s")
        if call.instance.get(name) not in (None, "")
    }
    return facts | {"access_level": call.level.value}


#: What of the queue's figures helps an agent; /health and /metrics have the rest.
_QUEUE_FIGURES = (
    "depth",
    "waiting",
    "frames",
    "frames_over_budget",
    "max_pump_ms",
    "wait_ms",
    "step_ms",
    "stalls",
)


def _queue(stats: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: stats[name] for name in _QUEUE_FIGURES if name in stats}
    return kept | {"running": [f"{job['label']} {job['job']}" for job in stats["running"]][:5]}


TOOLS = [
    Tool(
        name="get_status",
        title="Get status",
        description=(
            "State of TouchDesigner and this server: project, saved, build, frame rate, timeline, Perform mode, access "
            "level, queue, and the outcome of this key's last edits (their answers may be lost). Answers within a second "
            "even if TouchDesigner is stuck, with the likely reason."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        arguments=GetStatus,
        output=Status,
        answer=get_status,
        core=True,
    )
]
