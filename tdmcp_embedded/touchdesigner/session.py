"""The state of the TouchDesigner process as a whole: project, time, frame rate, licence."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner.builds import is_modified
from tdmcp_embedded.touchdesigner.project_file import is_saved
from tdmcp_embedded.touchdesigner.values import clean, rounded


def project_facts(td: ModuleType) -> dict[str, Any]:
    """Name, folder, whether it has a file, and whether that is up to date."""
    project, modified = td.project, is_modified(td)
    folder, name = clean(str(project.folder)), clean(str(project.name))
    return {
        # The name is what the *next* save will be called once the file carries a number (fact 36).
        "name": name,
        "folder": folder,
        "saved": is_saved(folder, name),
        **({} if modified is None else {"modified": modified}),
    }


def timeline_facts(td: ModuleType) -> dict[str, Any]:
    """The root timeline: whether it plays, its frame, its rate in frames a second, its range."""
    time = td.root.time
    return {
        "playing": bool(time.play),
        "frame": rounded(time.frame),
        "rate": rounded(time.rate),
        "range": [rounded(time.rangeStart), rounded(time.rangeEnd)],
    }


def application_facts(td: ModuleType) -> dict[str, Any]:
    """Version and build, system, Perform mode, power, and the frame rate aimed at."""
    return {
        "version": str(td.app.version),
        "build": str(td.app.build),
        "os": clean(str(td.app.osName)),
        "perform_mode": bool(td.ui.performMode),
        "power": bool(td.app.power),
        "fps_target": rounded(td.project.cookRate),
        "real_time": bool(td.project.realTime),
    }


def selection_facts(td: ModuleType) -> dict[str, Any]:
    """What the user looks at: the networks in open editor panes, what is selected there, the current operator."""
    panes: list[dict[str, Any]] = []
    for pane in td.ui.panes:
        row: dict[str, Any] = {
            "name": clean(str(pane.name)),
            "type": str(getattr(pane.type, "name", pane.type)),
        }
        owner = pane.owner
        if owner is not None:
            row["network"] = str(owner.path)
            row["selected"] = [str(child.path) for child in owner.selectedChildren][:100]
            current = owner.currentChild
            if current is not None:
                row["current"] = str(current.path)
        panes.append(row)
    return {"panes": panes}


def show(td: ModuleType, target: Any) -> None:
    """Bring a network editor to an operator, select it alone and make it current.

    Raises:
        ToolFailure: `precondition_failed`, when no network editor is open.
    """
    network = target.parent()
    if network is None:
        raise ToolFailure(Code.VALUE_INVALID, "The root has no network around it to show it in.")
    pane = next((p for p in td.ui.panes if str(getattr(p.type, "name", p.type)) == "NETWORKEDITOR"), None)
    if pane is None:
        raise ToolFailure(
            Code.PRECONDITION_FAILED,
            "No network editor is open.",
            hint="Ask the user to open a pane with one.",
        )
    pane.owner = network
    for other in network.selectedChildren:
        other.selected = False
    target.selected = True
    target.current = True
    pane.home(zoom=False, op=target)
