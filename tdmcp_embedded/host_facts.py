"""What other threads may know of TouchDesigner: plain values, sampled on the main thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tdmcp_embedded.touchdesigner.project_file import is_saved

#: Frames between two samples. At 60 fps what a client reads of the project is at most half a second old.
EVERY_FRAMES = 32

#: Each fact by itself, since a build may lack any of them: `project` is the project's name (the *next* name, in
#: TouchDesigner, once it was saved under a number), `project_folder` its folder, `saved` whether it has a file there,
#: `modified` whether it has changes that are not saved. `fps` is the rate aimed at, `playing` whether the root timeline
#: runs, `component` the path of the component, `python` the interpreter that comes with TouchDesigner (by which it is
#: also found again on disk).
_READERS: dict[str, Callable[[Any, Any], Any]] = {
    "project": lambda td, owner: str(td.project.name),
    "project_folder": lambda td, owner: str(td.project.folder),
    "saved": lambda td, owner: is_saved(str(td.project.folder), str(td.project.name)),
    "modified": lambda td, owner: bool(td.project.modified),
    "component": lambda td, owner: str(owner.path),
    "td_version": lambda td, owner: str(td.app.version),
    "build": lambda td, owner: str(td.app.build),
    "python": lambda td, owner: str(td.app.pythonExecutable),
    "perform_mode": lambda td, owner: bool(td.ui.performMode),
    "fps": lambda td, owner: float(td.project.cookRate),
    "playing": lambda td, owner: bool(td.root.time.play),
    "timeline_frame": lambda td, owner: float(td.root.time.frame),
    "timeline_rate": lambda td, owner: float(td.root.time.rate),
    "power": lambda td, owner: bool(td.app.power),
}


def sample(td: Any, owner: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts of this moment, and why others could not be read; main thread only, a few dozen attribute reads.

    Returns:
        Values by name, and an error text by name for each fact that this build does not give.
    """
    facts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, read in _READERS.items():
        try:
            facts[name] = read(td, owner)
        except Exception as error:  # noqa: BLE001 - whatever TouchDesigner raises, the others must not be lost
            missing[name] = f"{type(error).__name__}: {error}"
    return facts, missing
