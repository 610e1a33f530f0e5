"""The registry of running servers: one JSON file a server in `$TDMCP_HOME/instances/`, which the stdio shim reads.

An entry holds the access key, so it is private to this user. Standard library only; any thread.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tdmcp_embedded import ACCEPTS, CONTRACT, __version__, processes
from tdmcp_embedded.files import home, read_private, remove, write_private

#: What every entry has.
KEYS = (
    "pid", "host", "instance_id", "instance_secret", "started", "project", "component", "url", "token", "build", "version", "contract", "accepts", "name", "dashboard"
)  # fmt: skip


def folder() -> Path:
    return home() / "instances"


class Entry:
    """This server's own entry. Several servers of one process (several components) have one each.

    Args:
        where: the registry's folder, `folder()` by default.
    """

    def __init__(self, where: Path | None = None) -> None:
        self._where = where
        self._path: Path | None = None
        self._facts: dict[str, Any] = {}

    @property
    def path(self) -> Path | None:
        """The file, while there is one."""
        return self._path

    def write(self, **facts: Any) -> Path:
        """Enter this server, or replace its entry.

        Args:
            facts: `project`, `component`, `url`, `token`, `build`, `name`, `dashboard`, and whatever else may help; what is
                known here (`pid`, `host`, `started`, `version`, `contract`, `accepts`) need not be given. JSON-ready.

        Raises:
            OSError: the registry cannot be written.
        """
        pid = os.getpid()
        known = dict.fromkeys(KEYS, "") | {
            "pid": pid,
            "host": processes.host_id(),
            "started": time.time(),
            "process_started": processes.start_time(pid),
            "version": __version__,
            "contract": CONTRACT,
            "accepts": ACCEPTS,
        }
        self._facts = known | self._facts | facts
        port = str(self._facts["url"]).rpartition(":")[2].partition("/")[0]
        path = (self._where or folder()) / f"{pid}-{port or 'server'}.json"
        if self._path is not None and self._path != path:
            remove(self._path)
        write_private(path, self._facts)
        self._path = path
        return path

    def update(self, **facts: Any) -> None:
        """Change some facts of the entry; does nothing when they are as given, or when there is no entry."""
        if self._path is not None and any(self._facts.get(name) != value for name, value in facts.items()):
            self.write(**facts)

    def remove(self) -> None:
        """Leave the registry."""
        if self._path is not None:
            remove(self._path)
            self._path = None


def listing(where: Path | None = None) -> list[dict[str, Any]]:
    """The entries of servers whose process is alive, oldest first; files of dead ones are removed.

    A file that is not (yet) a whole entry is left alone, and so is one of another computer that shares this home.
    """
    entries = []
    try:
        paths = sorted((where or folder()).glob("*.json"))
    except OSError:
        return []
    for path in paths:
        try:
            entry = read_private(path)
        except OSError:
            continue  # somebody else's file, or one that others can write: not to be believed
        if entry is None or not isinstance(entry.get("pid"), int) or is_elsewhere(entry):
            continue
        if alive(entry):
            entries.append(entry)
        else:
            remove(path)
    return sorted(entries, key=lambda entry: _number(entry.get("started")))


def is_elsewhere(entry: dict[str, Any]) -> bool:
    """Whether an entry is of another computer: its process ids and its loopback address say nothing here."""
    host = entry.get("host")
    return isinstance(host, str) and bool(host) and host != processes.host_id()


def alive(entry: dict[str, Any]) -> bool:
    """Whether the process that wrote an entry still runs, and is not another one that was given its number since."""
    pid = int(entry["pid"])
    if not processes.alive(pid):
        return False
    then, now = entry.get("process_started"), processes.start_time(pid)
    # A number can be used again after a crash. Both clocks tick coarsely: two seconds apart is the same process.
    return then is None or now is None or abs(_number(then) - now) < 2.0


def _number(value: Any) -> float:
    """A figure of an entry; 0 for whatever else stands there."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
