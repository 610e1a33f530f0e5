"""The component's buttons *Install Client* and *Remove Client*."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tdmcp_embedded.errands import Errand, Steps, apart, start

READ_OUT = "Clientresult"


def install(owner: Any, td: Any, client: str) -> Errand:
    """Enter this server in a client's configuration. Main thread; returns at once."""
    python = str(getattr(td.app, "pythonExecutable", ""))
    return start(owner, td, READ_OUT, _changed("add", client, str(td.project.folder), python))


def remove(owner: Any, td: Any, client: str) -> Errand:
    """Take this server out of a client's configuration again. Main thread; returns at once."""
    return start(owner, td, READ_OUT, _changed("remove", client, str(td.project.folder), ""))


def _changed(what: str, client: str, folder: str, python: str) -> Steps:
    return (yield from apart(lambda: _change(what, client, folder, python)))


def _change(what: str, client: str, folder: str, python: str) -> str:
    # Imported here, on a thread: parsers for every client's configuration take longer than a frame.
    from tdmcp_embedded.clients import setup
    from tdmcp_embedded.clients.machine import Machine, Refused

    # What TouchDesigner tells is checked: an entry with a Python that is not there never starts (fact 82).
    choice = setup.Choice(folder=Path(folder or Path.home()), python=python if Path(python).is_file() else "")
    try:
        outcome = (setup.add if what == "add" else setup.remove)(client, choice, Machine())
    except Refused as refusal:
        return f"{refusal.message} {refusal.hint}".strip()
    return " ".join(outcome.sentences)
