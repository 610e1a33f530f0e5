"""What other threads may know of TouchDesigner: plain values, sampled on the main thread."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.touchdesigner.project_file import is_saved

#: Frames between two samples. At 60 fps what a client reads of the project is at most half a second old.
EVERY_FRAMES = 32


def sample(td: Any, owner: Any) -> dict[str, Any]:
    """The facts of this moment; main thread only, a few dozen attribute reads.

    `project` is its name (the *next* name, in TouchDesigner, once it was saved under a number), `project_folder` its
    folder, `saved` whether it has a file there, `modified` whether it has changes that are not saved. `fps` is the
    rate aimed at, `playing` whether the root timeline runs, `component` the path of the component, `python` the
    interpreter that comes with TouchDesigner (by which it is also found again on disk).
    """
    project, time = td.project, td.root.time
    folder, name = str(project.folder), str(project.name)
    return {
        "project": name,
        "project_folder": folder,
        "saved": is_saved(folder, name),
        "modified": bool(project.modified),
        "component": str(owner.path),
        "td_version": str(td.app.version),
        "build": str(td.app.build),
        # Builds before 2022 do not have it; the other facts must not be lost for it.
        "python": str(getattr(td.app, "pythonExecutable", "")),
        "perform_mode": bool(td.ui.performMode),
        "fps": float(project.cookRate),
        "playing": bool(time.play),
        "timeline_frame": float(time.frame),
        "timeline_rate": float(time.rate),
        "power": bool(td.app.power),
    }
