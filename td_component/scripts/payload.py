"""Brings the server's code and libraries from the DATs beside this one into reach of `import`.

Everything that takes time happens on threads, a step of it after the other; `load` is called in each frame meanwhile.
"""

from __future__ import annotations

import builtins
import json
import sys
import threading
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT

#: What `tdmcp build` packed: version, Python, and each archive with its size, digest and number of parts.
MANIFEST: dict[str, Any] = json.loads("@MANIFEST@")

#: Where the work in progress is found again: a DAT's own globals are lost whenever it is compiled anew.
HOME = "_tdmcp_unpacking"
#: What `embed` imports, for a thread to import first. Not `embed` itself: whoever finds that in `sys.modules` takes it
#: for whole.
BEFORE_EMBED = (
    "tdmcp_embedded.display",
    "tdmcp_embedded.host_facts",
    "tdmcp_embedded.lifeline",
    "tdmcp_embedded.loading",
    "tdmcp_embedded.main_thread",
    "tdmcp_embedded.pump",
)
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
    work: Any = jobs.get(key)
    if work is None:
        work = jobs[key] = Reading(owner.op("unpacking").text)
    elif work.state == "read":
        looks = work.looks
        work = jobs[key] = work.module.Unpacking(MANIFEST, str(getattr(td.app, "pythonExecutable", "")))
        work.looks = looks
    elif work.state == "wanted":
        # One part a frame: reading a long text takes the main thread some milliseconds.
        archive, number = work.missing()
        work.feed(owner.op(part_name(archive, number)).text)
    elif work.state == "done":
        work.notice = _install(work)
        work.bring(BEFORE_EMBED)
    if work.state == "failed":
        # Whoever tries again may have put right what was wrong.
        del jobs[key]
        raise ImportError(work.sentence)
    if work.state == "brought":
        from tdmcp_embedded import embed

        return embed, work.notice
    last, whose = work.looks.get(owner.id, (-_LOST, owner))
    # Of another project there may have been an operator with the same id, whose look will never come (fact 59).
    if time.monotonic() - last >= _LOST or not whose.valid:
        _look_again(owner, td, work)
    return None


class Reading:
    """Makes a module of the text of `unpacking`, on a thread: what it imports would cost the main thread some frames.

    A plain module. In one that TouchDesigner makes of a DAT, an `import` may look for DATs of that name, which must not
    happen on a thread.
    """

    def __init__(self, text: str) -> None:
        self.state, self.sentence = "reading", ""
        self.looks: dict[int, tuple[float, Any]] = {}
        """When each component was to be looked at again, by id, and the component."""
        self.module = ModuleType("_tdmcp_unpacking_code")
        # Else it would have this DAT's, in which TouchDesigner's own import looks for DATs, on our thread.
        self.module.__dict__["__builtins__"] = builtins
        self._text = text
        threading.Thread(target=self._read, name="tdmcp-unpacking", daemon=True).start()

    def _read(self) -> None:
        try:
            exec(compile(self._text, "unpacking", "exec", dont_inherit=True), vars(self.module))  # noqa: S102 - see above
        except Exception as error:  # noqa: BLE001 - nobody is above this thread; whatever it was must be said
            self.sentence = f"What the component carries is damaged ({type(error).__name__}: {error}): put a fresh copy of it in its place."
            self.state = "failed"
        else:
            self.state = "read"


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
    work.looks[owner.id] = (time.monotonic(), owner)
    # delayRef: delays on any other clock stand still while the timeline is paused.
    # As text: builds of 2023 take no function (fact 63).
    td.run(
        "args[0](*args[1:])", _again, owner, owner.id, work,
        delayFrames=1, delayRef=td.op.TDResources, fromOP=td.root,
    )  # fmt: skip


def _again(owner: Any, owner_id: int, work: Any) -> None:
    work.looks.pop(owner_id, None)
    if owner.valid:
        owner.op("Tdmcp").module.Tdmcp(owner).Boot()


def _install(work: Any) -> str:
    private = work.private
    try:
        private.install(work.folder, work.identity)
    except private.AlreadyLoaded as loaded:
        if loaded.version != MANIFEST["version"]:
            return f"Restart TouchDesigner to use version {MANIFEST['version']}; until then version {loaded.version} serves."
        if loaded.identity:
            return (
                "Restart TouchDesigner to use this build; until then another one of the same version serves."
            )
    return ""
