"""What a client's model is told first: how the tools work together. Short, since every session pays for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdmcp_embedded.settings import Level, Settings

_START = """\
You are connected to a running TouchDesigner. Its project is live: every edit shows at once.

Look first: get_status, then read_network (outline) or find_operators; check_errors tells what is broken; \
capture_image shows a picture of any operator. Paths are absolute, like /project1/noise1.
"""

_EDIT = """\
Build with build_network (many operators, wires and parameters in one undo step, all or nothing); change with \
set_parameters, wire_operators, delete_operators. A parameter value is a plain JSON value, {"expr": "..."} for an \
expression, {"bind": "..."}, {"reset": true} or {"pulse": true}.
Operator types are exact (noiseTOP, not noiseTop). After each edit the answer says what is there now and which new \
errors appeared one frame later. A failed call changed nothing: its code, hint and suggestions say how to repair it.
If an answer is lost (a broken connection, a timeout), get_status lists your last edits and whether they stand: look \
there before you repeat one; get_job has the answer.
"""

_END = """\
Frames matter: batch work in few calls; calls are answered about once a frame. main_thread_stalled means TouchDesigner \
itself is busy (a dialog, a heavy cook): wait, then try again. still_running gives a job: ask get_job.
"""

#: What holds for every project and level.
GENERAL = _START + _EDIT + _END

_LEVELS = {
    Level.OBSERVE: "This key may only look: tools that change the project are not listed.",
    Level.EDIT: "This key may edit but not run code: no expressions, scripts or callbacks by any route.",
}


def fitting(level: Level, settings: Settings, facts: Mapping[str, Any]) -> str:
    """The instructions for one client: what it may do, and which project this is."""
    text = _START + (_EDIT if level.allows(Level.EDIT) else "") + _END
    lines = [_project(facts)]
    if level in _LEVELS:
        lines.append(_LEVELS[level])
    if settings.toolset == "core":
        lines.append("The toolset is the small one: what it lacks, a person can switch on at the component.")
    component = facts.get("component")
    if component:
        lines.append(f"{component} is this server: leave it alone.")
    if facts.get("perform_mode"):
        lines.append("TouchDesigner is in Perform mode: a show may be running, so change nothing unasked.")
    return text + "\n" + "\n".join(line for line in lines if line) + "\n"


def _project(facts: Mapping[str, Any]) -> str:
    name = str(facts.get("project") or "")
    if not name:
        return ""
    build = f" in TouchDesigner {facts['build']}" if facts.get("build") else ""
    where = f", in {facts['project_folder']}" if facts.get("saved") else ", not saved yet"
    return f"The project is {name}{where}{build}."
