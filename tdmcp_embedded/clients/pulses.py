"""The component's buttons *Install Client* and *Remove Client*."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tdmcp_embedded.clients import setup
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.errands import Errand, Steps, apart, start

READ_OUT = "Clientresult"


def install(owner: Any, td: Any, client: str) -> Errand:
    """Enter this server in a client's configuration. Main thread; returns at once."""
    python = str(getattr(td.app, "pythonExecutable", ""))
    return start(owner, td, READ_OUT, _changed(setup.add, client, _choice(td, python)))


def remove(owner: Any, td: Any, client: str) -> Errand:
    """Take this server out of a client's configuration again. Main thread; returns at once."""
    return start(owner, td, READ_OUT, _changed(setup.remove, client, _choice(td, "")))


def _choice(td: Any, python: str) -> setup.Choice:
    return setup.Choice(folder=Path(str(td.project.folder) or Path.home()), python=python)


def _changed(work: Any, client: str, choice: setup.Choice) -> Steps:
    try:
        outcome = yield from apart(lambda: work(client, choice, Machine()))
    except Refused as refusal:
        return f"{refusal.message} {refusal.hint}".strip()
    return " ".join(outcome.sentences)
