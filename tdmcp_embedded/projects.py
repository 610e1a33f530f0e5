"""The projects that were open here, with the build that last ran each: what `open_project` of the shim may start.

One private file, `projects.json` in our own folder. Standard library only; any thread.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tdmcp_embedded.clients.installations import beside
from tdmcp_embedded.files import home, read, write_private

#: Older ones are forgotten.
_MOST = 50


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
        self._noted = now
        program = beside(python)
        if program is None or not _on_disk(folder, name):
            return
        path = f"{folder.rstrip('/')}/{name}"
        entry: dict[str, Any] = {
            "path": path,
            "build": build,
            "executable": str(program),
            "seen": time.time(),
        }
        where = self._path or home() / "projects.json"
        # Another server may write at the same moment: then one of the two is noted when it is opened next.
        former = [
            one for one in known(where) if one.get("path") and not _same(str(one["path"]), entry["path"])
        ]
        write_private(where, {"projects": [entry, *former][:_MOST]})


def known(path: Path | None = None) -> list[dict[str, Any]]:
    """The projects that were noted, latest first."""
    found = (read(path or home() / "projects.json") or {}).get("projects")
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
