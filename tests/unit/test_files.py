"""Private files: whole, and without leftovers."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from pathlib import Path

import pytest

from tdmcp_embedded.file_lock import locked
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


class Held:
    """`os.replace` of a Windows on which somebody has one of the files open for so many tries."""

    def __init__(self, tries: int, code: int | None) -> None:
        self.tries, self.code, self.asked, self.real = tries, code, 0, os.replace

    def __call__(self, source: str, target: Path) -> None:
        self.asked += 1
        if self.asked <= self.tries:
            error = PermissionError(13, "Access is denied")
            if self.code is not None:
                error.winerror = self.code  # type: ignore[attr-defined,unused-ignore]  # Windows
            raise error
        self.real(source, target)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, in seconds; they take no time."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(time, "monotonic", lambda: sum(waited))
    return waited


@pytest.mark.parametrize("code", [5, 32])
def test_a_file_that_is_held_is_replaced_once_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float], code: int
) -> None:
    monkeypatch.setattr(os, "replace", held := Held(6, code))
    write_private(tmp_path / "keys.json", {"keys": []})
    assert json.loads((tmp_path / "keys.json").read_text()) == {"keys": []}
    assert held.asked == 7 and pauses == sorted(set(pauses))


@pytest.mark.parametrize(
    ("code", "least", "most"), [(32, 2.0, 4.0), (None, 0.0, 0.0)], ids=["held", "refused"]
)
def test_a_file_that_stays_refused_is_no_endless_matter_and_leaves_nothing_behind(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
    code: int | None,
    least: float,
    most: float,
) -> None:
    monkeypatch.setattr(os, "replace", Held(10**6, code))
    with pytest.raises(PermissionError):
        write_private(tmp_path / "keys.json", {})
    assert least <= sum(pauses) <= most
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("code", "opened"), [(5, True), (32, True), (None, False)])
def test_a_lock_whose_file_a_scanner_looks_at_is_had_once_it_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float], code: int | None, opened: bool
) -> None:
    path = tmp_path / "keys.json"
    real, refusals = os.open, [3]

    def held(name: str | Path, *arguments: int) -> int:
        if str(name).endswith(".lock") and refusals[0]:
            refusals[0] -= 1
            error = PermissionError(13, "Access is denied")
            if code is not None:
                error.winerror = code  # type: ignore[attr-defined,unused-ignore]  # Windows
            raise error
        return real(name, *arguments)

    monkeypatch.setattr(os, "open", held)
    with contextlib.suppress(PermissionError), locked(path):
        path.write_text("{}")
    assert path.exists() is opened and refusals == [0 if opened else 2]
    assert len(pauses) == (3 if opened else 0)
