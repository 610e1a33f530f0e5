"""Saving the project, components to and from files, and the timeline."""

from __future__ import annotations

import ntpath
import os
import re
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import session, undo, undo_stack
from tdmcp_embedded.touchdesigner.builds import is_modified
from tdmcp_embedded.touchdesigner.values import Json, clean, cut

#: Names that Windows takes for devices, with any suffix.
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)\s*(\..*)?", re.IGNORECASE)


def file_path(td: ModuleType, given: str, suffix: str, outside: bool, *, system: str = sys.platform) -> str:
    """An absolute path for a file argument, relative ones starting in the project's folder.

    Args:
        outside: whether it may lie outside that folder.

    Raises:
        ToolFailure: `not_saved` where the project has no folder yet, `access_denied` outside of it, `value_invalid`
            for another suffix, a folder that does not exist, or what Windows takes for something else than a file.
    """
    folder = str(td.project.folder)
    given = given.replace("\\", os.sep) if os.sep == "/" else given
    if not given.lower().endswith(suffix):
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"{cut(clean(given), 200)!r} is no {suffix} file.",
            suggestions=[given + suffix] if given.strip() and len(given) < 200 else [],
        )
    if system == "win32" and (fault := _fault_on_windows(given)):
        raise ToolFailure(Code.VALUE_INVALID, f"{cut(clean(given), 200)!r} cannot be a file: {fault}.")
    if not os.path.isabs(given) and not folder:
        raise ToolFailure(
            Code.NOT_SAVED, "The project was never saved, so it has no folder.", hint="Save it first."
        )
    # realpath: a link inside the folder must not lead out of it.
    whole = os.path.realpath(os.path.join(folder, given))
    if not outside and not (folder and _is_inside(whole, os.path.realpath(folder))):
        raise ToolFailure(
            Code.ACCESS_DENIED,
            f"{cut(clean(given), 200)} lies outside the project's folder.",
            hint="Give a path inside it, or let a person allow more on the component's Security page.",
        )
    if not os.path.isdir(os.path.dirname(whole)):
        raise ToolFailure(Code.VALUE_INVALID, f"The folder of {cut(clean(given), 200)} does not exist.")
    return whole


def _is_inside(path: str, folder: str) -> bool:
    """Whether a path is below a folder, both without links; on a Mac it may be written in another case or Unicode form."""
    if path.startswith(folder.rstrip(os.sep) + os.sep):
        return True
    parent = os.path.dirname(path)
    while parent != os.path.dirname(parent):
        try:
            if os.path.samefile(parent, folder):
                return True
        except OSError:
            pass  # it is not there, so it is not that folder
        parent = os.path.dirname(parent)
    return False


def _fault_on_windows(given: str) -> str:
    """Why Windows would not take a path for that of a file; "" if it does."""
    if given.replace("/", "\\").startswith(("\\\\.\\", "\\\\?\\")):
        return "it names a device"
    drive, rest = ntpath.splitdrive(given)
    if ":" in rest:
        # NTFS would write to a stream of another file, which no folder shows.
        return "on Windows a colon stands after the letter of the drive only"
    if drive.endswith(":") and not rest.startswith(("\\", "/")):
        return "after the letter of the drive a slash is missing"
    device = next((name for name in re.split(r"[\\/]", rest) if _DEVICES.fullmatch(name)), "")
    return f"Windows keeps the name {device} for a device" if device else ""


def existing_file(td: ModuleType, given: str, suffix: str, outside: bool) -> str:
    """The same, of a file that is there.

    Raises:
        ToolFailure: as `file_path`; `value_invalid` with files of the same folder where it is not there.
    """
    whole = file_path(td, given, suffix, outside)
    if not os.path.isfile(whole):
        others = [name for name in os.listdir(os.path.dirname(whole)) if name.lower().endswith(suffix)]
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"There is no file {cut(clean(given), 200)}.",
            suggestions=near(os.path.basename(whole), others) or sorted(others)[:10],
        )
    return whole


def save(td: ModuleType, path: str | None) -> dict[str, Json]:
    """Save the project: to a path, or as its next version. Blocks for seconds (fact 36).

    Raises:
        ToolFailure: `td_error`.
    """
    try:
        saved = td.project.save(path) if path is not None else td.project.save()
    except Exception as error:  # noqa: BLE001 - the project's own onProjectPreSave may raise anything (fact 36)
        raise ToolFailure(
            Code.TD_ERROR, f"The project was not saved: {cut(clean(str(error)), 300)}"
        ) from None
    written = path or _newest(str(td.project.folder))
    if saved is False or written is None or not os.path.isfile(written):
        raise ToolFailure(Code.TD_ERROR, "TouchDesigner did not save the project.")
    return {"file": clean(written), "bytes": os.path.getsize(written), "modified": is_modified(td)}


def _newest(folder: str) -> str | None:
    """The project file written last. `project.name` may already be the next one's (fact 36)."""
    files = [entry for entry in os.scandir(folder) if entry.name.lower().endswith(".toe")]
    return max(files, key=lambda entry: entry.stat().st_mtime_ns).path if files else None


def export(comp: Any, path: str) -> int:
    """Write a COMP to a .tox.

    Returns:
        The size of the file in bytes.

    Raises:
        ToolFailure: `td_error`.
    """
    try:
        comp.save(path)
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR, f"{comp.path} was not written: {cut(clean(str(error)), 300)}"
        ) from None
    if not os.path.isfile(path):
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner wrote no file for {comp.path}.")
    return os.path.getsize(path)


def load(parent: Any, path: str) -> Any:
    """Load a .tox into a network.

    Returns:
        The component that came.

    Raises:
        ToolFailure: `td_error`, also where TD says nothing and loads nothing (fact 34).
    """
    before = {str(child.path) for child in parent.children}
    # What is loaded may run scripts.
    undo.journal().irreversible()
    undo.journal().writing()
    try:
        made = parent.loadTox(path)
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR, f"{os.path.basename(path)} was not loaded: {cut(clean(str(error)), 300)}"
        ) from None
    if made is None:
        made = next((child for child in parent.children if str(child.path) not in before), None)
    if made is None:
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner loaded nothing from {os.path.basename(path)}.")
    undo.journal().created(made)
    return made


#: Attributes of the root's Time COMP that a caller may set, by the name the caller uses.
TIMELINE = {
    "play": "play",
    "rate": "rate",
    "start": "start",
    "end": "end",
    "range_start": "rangeStart",
    "range_end": "rangeEnd",
    "loop": "loop",
    "frame": "frame",
}


def timeline(td: ModuleType) -> dict[str, Json]:
    """The root timeline as it is."""
    time = td.root.time
    return session.timeline_facts(td) | {
        "start": float(time.start),
        "end": float(time.end),
        "loop": bool(time.loop),
    }


def set_timeline(td: ModuleType, wanted: Mapping[str, Any]) -> None:
    """Set attributes of the root timeline, by the names of `TIMELINE`.

    Raises:
        ToolFailure: `value_invalid` where the result would be no range; `td_error`.
    """
    time = td.root.time
    state = {name: getattr(time, attribute) for name, attribute in TIMELINE.items()} | dict(wanted)
    if state["start"] >= state["end"] or state["range_start"] >= state["range_end"]:
        raise ToolFailure(Code.VALUE_INVALID, "The timeline's start must come before its end.")
    if not state["start"] <= state["range_start"] or not state["range_end"] <= state["end"]:
        raise ToolFailure(
            Code.VALUE_INVALID,
            f"The playing range {state['range_start']:g}–{state['range_end']:g} leaves the timeline's "
            f"{state['start']:g}–{state['end']:g}.",
            hint="Set start and end along with it.",
        )
    was = {name: getattr(time, TIMELINE[name]) for name in TIMELINE if name in wanted}

    def put_back() -> None:
        for name, value in was.items():
            _set_time(time, name, value)

    undo.journal().aside(put_back)
    try:
        # The timeline is no part of an undo step; a call that fails puts it back by itself. In the order of TIMELINE: a
        # frame only counts within the range it is to be in.
        with undo_stack.unrecorded(td):
            for name in TIMELINE:
                if name in wanted:
                    _set_time(time, name, wanted[name])
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner refused: {cut(clean(str(error)), 300)}") from None


def _set_time(time: Any, name: str, value: Any) -> None:
    """Set one attribute; a frame by the seconds where it cannot be set itself (fact 89: sources differ)."""
    try:
        setattr(time, TIMELINE[name], value)
    except Exception:
        if name != "frame":
            raise
    if name == "frame" and float(time.frame) != float(value):
        time.seconds = (float(value) - 1) / float(time.rate)


def paused(td: ModuleType) -> str:
    """In words that nothing which depends on time can move; "" while the timeline plays."""
    clock = td.root.time
    if clock.play:
        return ""
    return (
        f"The timeline is paused at frame {clock.frame:g}: what depends on time cannot move. "
        "control_timeline with action play starts it."
    )
