"""Private files: whole, and without leftovers."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest

from tdmcp_embedded.files import write_private

#: (name beside keys.json, seconds since it was written, whether the next write removes it)
LEFTOVERS = [
    (".keys.json.ab12_xyz", 3600, True),
    (".keys.json.4711.part", 3600, True),
    (".keys.json.ab12_xyz", 1, False),
    (".keys.json.4711.part", 1, False),
    (".keys.json.swp", 3600, False),
    (".keys.json.backup1.json", 3600, False),
    ("keys.json.bak", 3600, False),
    (".other.json.ab12_xyz", 3600, False),
]


@pytest.mark.parametrize(("name", "age", "removed"), LEFTOVERS)
def test_what_a_killed_writer_left_is_removed_and_nothing_else(
    tmp_path: Path, name: str, age: float, removed: bool
) -> None:
    leftover = tmp_path / name
    leftover.write_text('{"token": "secret"')
    then = time.time() - age
    os.utime(leftover, (then, then))
    write_private(tmp_path / "keys.json", {"keys": []})
    assert leftover.exists() is not removed
    assert json.loads((tmp_path / "keys.json").read_text()) == {"keys": []}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes; the user's profile is private")
def test_a_file_is_for_its_owner_only_whatever_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text("{}")
    path.chmod(0o666)
    write_private(path, {})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
