"""A computer of its own for each test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded.clients.machine import Machine
from tdmcp_embedded.instances import Entry


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A Linux computer with an empty home."""
    home = tmp_path / "Jürgen 日本"
    home.mkdir()
    return Machine("linux", home, {})


@pytest.fixture
def windows(tmp_path: Path) -> Machine:
    """A Windows computer, as far as its folders go."""
    home = tmp_path / "Users" / "Jo Ann"
    home.mkdir(parents=True)
    env = {
        "APPDATA": str(home / "AppData" / "Roaming"),
        "LOCALAPPDATA": str(home / "AppData" / "Local"),
        "ProgramFiles": str(tmp_path / "Program Files"),
    }
    return Machine("win32", home, env)


@pytest.fixture
def mac(tmp_path: Path) -> Machine:
    home = tmp_path / "Users" / "jo"
    home.mkdir(parents=True)
    return Machine("darwin", home, {"TDMCP_APPLICATIONS": str(tmp_path / "Applications")})


@pytest.fixture
def running(machine: Machine) -> Callable[..., Path]:
    """Enter a server in the registry; its process is this one."""

    def enter(**facts: Any) -> Path:
        given = {
            "url": "http://127.0.0.1:9988/mcp",
            "token": "secret",
            "project": "show.toe",
            "name": "show",
        } | facts
        return Entry(machine.tdmcp / "instances").write(**given)

    return enter


@pytest.fixture
def key(machine: Machine) -> str:
    """The owner's access key."""
    machine.tdmcp.mkdir(exist_ok=True)
    keys = {"keys": [{"name": "guest", "token": "other"}, {"name": "owner", "token": "secret"}]}
    (machine.tdmcp / "keys.json").write_text(json.dumps(keys), encoding="utf-8")
    return "secret"
