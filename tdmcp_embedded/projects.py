"""The projects that were open here, with the build that last ran each: what `open_project` of the shim may start.

One private file, `projects.json` in our own folder. Standard library only; any thread.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Any

from tdmcp_embedded import processes
from tdmcp_embedded.clients.installations import beside
from tdmcp_embedded.file_lock import locked
from tdmcp_embedded.files import home, read, read_private, serial_of, write_private

#: Older ones are forgotten.
_MOST = 50
#: Seconds to wait for another process that notes a project; on the server's thread, so not for long.
_LOCK_WAIT_S = 0.5


class History:
    """Notes the project of one server; a call with the same facts does nothing.

    Args:
        path: the file, `projects.json` in our own folder by default.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._noted: tuple[str, ...] = ()

    def note(self, facts: dict[str, Any]) -> None:
        """Note a project that has a file; `facts` are those of `host_facts`.

        Raises:
            OSError: the file cannot be written.
        """
        folder, name = str(facts.get("project_folder") or ""), str(facts.get("project") or "")
        build, python = str(facts.get("build") or ""), str(facts.get("python") or "")
        now = (folder, name, build, python, str(facts.get("saved")))
        if now == self._noted or not folder or not name:
            return
        program = beside(python)
        if program is None or not _on_disk(folder, name):
            self._noted = now
            return
        path = f"{folder.rstrip('/')}/{name}"
        entry: dict[str, Any] = {
            "path": path,
            "build": build,
            "executable": str(program),
            "seen": time.time(),
        }
        where = self._path or home() / "projects.json"
        with locked(where, _LOCK_WAIT_S):
            content = read_private(where) or {}
            former = [
                one
                for one in _entries(content)
                if one.get("path") and not _same(str(one["path"]), entry["path"])
            ]
            write_private(where, {"serial": serial_of(content) + 1, "projects": [entry, *former][:_MOST]})
        self._noted = now


def known(path: Path | None = None) -> list[dict[str, Any]]:
    """The projects that were noted, latest first."""
    return _entries(read(path or home() / "projects.json") or {})


def identity(facts: dict[str, Any]) -> str:
    """What tells the component of one project from others, over restarts, as a word for a file's name.

    A project without a file is another one in each process.

    Args:
        facts: those of `host_facts`.
    """
    folder, name = str(facts.get("project_folder") or ""), str(facts.get("project") or "")
    if folder and name and _on_disk(folder, name):
        project = [os.path.normcase(os.path.abspath(folder)), _stem(name)]
    else:
        project = [processes.host_id(), str(os.getpid()), str(processes.start_time(os.getpid()))]
    words = "\n".join([*project, str(facts.get("component") or "")])
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _entries(content: dict[str, Any]) -> list[dict[str, Any]]:
    found = content.get("projects")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _on_disk(folder: str, name: str) -> bool:
    """Whether the project has a file: TouchDesigner calls it by the number under which it will be saved *next*."""
    if os.path.isfile(os.path.join(folder, name)):
        return True
    try:
        return any(
            other.lower().endswith(".toe") and _stem(other) == _stem(name) for other in os.listdir(folder)
        )
    except OSError:
        return False


def _same(one: str, other: str) -> bool:
    return os.path.dirname(one) == os.path.dirname(other) and _stem(one) == _stem(other)


def _stem(path: str) -> str:
    """`show.12.toe` is `show`."""
    name = os.path.basename(path).casefold().removesuffix(".toe")
    head, dot, number = name.rpartition(".")
    return head if dot and number.isdigit() else name
