"""A process that changes the files of a home many times: `python -m tests.unit.registry.updater FOLDER NAME COUNT`.

It says `ready`, waits for a line, and then works as fast as it can.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tdmcp_embedded import projects
from tdmcp_embedded.clients import files as client_files
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.logs.files import RotatingFile
from tdmcp_embedded.settings import Level

Step = Callable[[int], Any]


def keys(path: Path, name: str) -> Step:
    """Makes keys, revokes every second one, and renews its own."""
    held = Keys(path)
    held.make(f"{name}-own", Level.EDIT)

    def step(n: int) -> None:
        held.make(f"{name}-{n}", Level.EDIT)
        if n % 2:
            assert held.revoke(f"{name}-{n}")
        held.renew(f"{name}-own")

    return step


def agents(path: Path, name: str) -> Step:
    """Grants access to agents, and revokes every second one."""
    store = Store(path)

    def step(n: int) -> None:
        client = f"{name}-{n}"
        grant = store.grant(client, client, Level.EDIT, None).grant
        if n % 2:
            assert store.revoke(grant.id)

    return step


def noted_projects(path: Path, name: str) -> Step:
    """Notes projects."""
    folder = path.parent / name
    folder.mkdir()
    program = folder / "bin"
    program.mkdir()
    for file in ("TouchDesigner.exe", "python.exe"):
        (program / file).touch()

    def step(n: int) -> None:
        (folder / f"show{n}x.toe").touch()
        facts = {
            "project": f"show{n}x.toe",
            "project_folder": folder.as_posix(),
            "build": "2025.1",
            "python": str(program / "python.exe"),
            "saved": True,
        }
        projects.History(path).note(facts)

    return step


def journal(path: Path, name: str) -> Step:
    """Writes clients' configurations, each noted in the journal."""

    def step(n: int) -> None:
        client_files.edit(path.parent / f"{name}-{n}.json", lambda text: '{"a": 1}', journal=path)

    return step


def log(path: Path, name: str) -> Step:
    """Writes lines to a log that is put away now and then."""
    file = RotatingFile(path, max_bytes=4000, keep=100)
    return lambda n: file.append([f"{name}-{n} {'x' * 400}"])


KINDS: dict[str, Callable[[Path, str], Step]] = {
    "keys.json": keys,
    "oauth-9988.json": agents,
    "projects.json": noted_projects,
    "clients.json": journal,
    "logs/audit.log": log,
}


def main(folder: str, name: str, count: str) -> None:
    steps = [kind(Path(folder) / file, name) for file, kind in KINDS.items()]
    print("ready", flush=True)
    sys.stdin.readline()
    for step in steps:
        for n in range(int(count)):
            step(n)


if __name__ == "__main__":
    main(*sys.argv[1:])
