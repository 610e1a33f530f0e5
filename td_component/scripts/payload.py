"""Brings the server's code and libraries from the DATs beside this one into reach of `import`."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT

#: What `tdmcp build` packed: version, Python, and each archive with its size, digest and number of parts.
MANIFEST: dict[str, Any] = json.loads("@MANIFEST@")

#: Where the work in progress is found again: a DAT's own globals are lost whenever it is compiled anew.
HOME = "_tdmcp_unpacking"
#: A look that did not come back within so many seconds was cancelled by somebody's script.
_LOST = 1.0


def load(owner: Any, td: Any) -> tuple[ModuleType, str] | None:
    """Give the module that starts the server, and a sentence that its status is to carry.

    Returns:
        None while the libraries are being unpacked; the component's `Boot` is then called again.

    Raises:
        ImportError: with a sentence for the person in front of TouchDesigner.
    """
    jobs = _jobs()
    key = json.dumps(MANIFEST, sort_keys=True)
    work = jobs.get(key)
    if work is None:
        unpacking = owner.op("unpacking").module
        work = jobs[key] = unpacking.Unpacking(MANIFEST, str(getattr(td.app, "pythonExecutable", "")))
        work.looks = {}
    if work.state == "wanted":
        # One part a frame: reading a long text takes the main thread some milliseconds.
        archive, number = work.missing()
        work.feed(owner.op(part_name(archive, number)).text)
    if work.state == "failed":
        # Whoever tries again may have put right what was wrong.
        del jobs[key]
        raise ImportError(work.sentence)
    if work.state == "done":
        return _installed(work)
    if time.monotonic() - work.looks.get(owner.id, -_LOST) >= _LOST:
        _look_again(owner, td, work)
    return None


def part_name(archive: str, number: int) -> str:
    """The DAT that holds a part of an archive."""
    return f"payload_{archive}_{number + 1}"


def _jobs() -> dict[str, Any]:
    home = sys.modules.setdefault(
        HOME, ModuleType(HOME, "Payloads of tdmcp-embedded that are being unpacked.")
    )
    jobs: dict[str, Any] = home.__dict__.setdefault("jobs", {})
    return jobs


def _look_again(owner: Any, td: Any, work: Any) -> None:
    work.looks[owner.id] = time.monotonic()
    # delayRef: delays on any other clock stand still while the timeline is paused.
    td.run(_again, owner, owner.id, work, delayFrames=1, delayRef=td.op.TDResources)


def _again(owner: Any, owner_id: int, work: Any) -> None:
    work.looks.pop(owner_id, None)
    if owner.valid:
        owner.Boot()


def _installed(work: Any) -> tuple[ModuleType, str]:
    private = _private_imports(work.folder)
    notice = ""
    try:
        private.install(work.folder, work.identity)
    except private.AlreadyLoaded as loaded:
        if loaded.version != MANIFEST["version"]:
            notice = f"Restart TouchDesigner to use version {MANIFEST['version']}; until then version {loaded.version} serves."
        elif loaded.identity:
            notice = (
                "Restart TouchDesigner to use this build; until then another one of the same version serves."
            )
    from tdmcp_embedded import embed

    return embed, notice


def _private_imports(folder: Any) -> Any:
    name = "_tdmcp_private_imports_code"
    spec = importlib.util.spec_from_file_location(name, folder / "private_imports.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} cannot be read: pulse Restart.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
