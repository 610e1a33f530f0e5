"""Our own files are closed to other users: tightened where they are not, or refused with the command that helps."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded import file_modes, instances, projects
from tdmcp_embedded.file_modes import NotPrivate
from tdmcp_embedded.files import read, write_private
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.logs.files import RotatingFile
from tdmcp_embedded.settings import Level

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are for POSIX; Windows has profiles")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def list_instances(path: Path) -> object:
    return instances.listing(path.parent)


#: What opens a file of ours, by the file's name.
OPENERS: dict[str, Callable[[Path], object]] = {
    "keys.json": Keys,
    "oauth-9988.json": Store,
    "1-9988.json": list_instances,
    "audit.log": lambda path: RotatingFile(path).append(["a line"]),
}


@pytest.mark.parametrize("name", OPENERS)
@pytest.mark.parametrize("loose", [0o644, 0o640, 0o666, 0o604, 0o620])
def test_a_file_that_others_could_open_is_closed_to_them(tmp_path: Path, name: str, loose: int) -> None:
    path = tmp_path / name
    path.write_text('{"pid": 1}')
    path.chmod(loose)
    OPENERS[name](path)
    assert mode(path) == 0o600


@pytest.fixture
def no_modes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file system that takes a new mode and keeps the old one; in memory, nothing was said of any yet."""
    monkeypatch.setattr(file_modes, "_without_modes", set())
    monkeypatch.setattr(os, "chmod", lambda *_: None)
    yield


@pytest.mark.parametrize("error", [None, PermissionError(1, "not permitted"), OSError(95, "not supported")])
@pytest.mark.parametrize("name", OPENERS)
def test_where_files_have_no_modes_they_are_used_and_a_person_is_warned(
    tmp_path: Path, name: str, error: OSError | None, no_modes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text('{"pid": 1}')
    os.fchmod(handle := os.open(path, os.O_RDONLY), 0o666)
    os.close(handle)
    if error is not None:
        monkeypatch.setattr(os, "chmod", _raising(error))
    assert file_modes.warning() == ""
    OPENERS[name](path)
    assert str(tmp_path) in file_modes.warning() and "TDMCP_HOME" in file_modes.warning()


def _raising(error: OSError) -> Callable[..., None]:
    def chmod(*_: object) -> None:
        raise error

    return chmod


@pytest.mark.parametrize("name", ["keys.json", "oauth-9988.json", "audit.log"])
def test_what_the_administrator_left_open_is_refused_with_the_command_that_helps(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    path = folder / name
    path.write_text("{}")
    path.chmod(0o644)
    monkeypatch.setattr(os, "chmod", _raising(PermissionError(1, "not permitted")))
    monkeypatch.setattr(os, "geteuid", lambda: 1000 + os.getuid())
    monkeypatch.setattr("tdmcp_embedded.file_modes.os.stat", _as_of(os.stat, 0))
    with pytest.raises(NotPrivate, match="chmod 600 '.*'"):
        OPENERS[name](path)


@pytest.mark.parametrize("name", ["keys.json", "oauth-9988.json", "audit.log"])
def test_what_belongs_to_another_user_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("{}")
    monkeypatch.setattr("tdmcp_embedded.file_modes.os.stat", _as_of_a_stranger(os.stat))
    with pytest.raises(NotPrivate, match="another user"):
        OPENERS[name](path)


def _as_of_a_stranger(real: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    return _as_of(real, os.geteuid() + 7)


def _as_of(real: Callable[..., os.stat_result], user: int) -> Callable[..., os.stat_result]:
    def found(*args: Any, **options: Any) -> os.stat_result:
        parts = list(real(*args, **options))
        parts[stat.ST_UID] = user
        return os.stat_result(parts)

    return found


def test_an_entry_that_another_user_wrote_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = instances.Entry(tmp_path)
    entry.write(url="http://127.0.0.1:9988/mcp")
    assert len(instances.listing(tmp_path)) == 1
    monkeypatch.setattr("tdmcp_embedded.file_modes.os.stat", _as_of_a_stranger(os.stat))
    assert instances.listing(tmp_path) == []
    assert entry.path is not None and entry.path.exists()


def test_a_folder_that_others_can_write_to_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o777)
    Keys(folder / "keys.json").make("guest", Level.EDIT)
    assert mode(folder) == 0o755


def test_a_folder_that_stays_open_is_refused_before_anything_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o777)
    monkeypatch.setattr(os, "chmod", lambda *_: None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000 + os.getuid())
    monkeypatch.setattr("tdmcp_embedded.file_modes.os.stat", _as_of(os.stat, 0))
    with pytest.raises(NotPrivate, match="chmod 755"):
        write_private(tmp_path / "keys.json", {"keys": []})
    assert not (tmp_path / "keys.json").exists()


def test_a_key_that_others_can_write_while_the_server_runs_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "keys.json"
    keys = Keys(path)
    key = keys.first()
    path.write_text(path.read_text().replace(key.token, "planted"))
    path.chmod(0o666)
    monkeypatch.setattr("tdmcp_embedded.file_modes.os.stat", _as_of_a_stranger(os.stat))
    assert keys.match(b"planted") is None
    assert keys.match(key.token.encode()) == key


def test_a_pipe_in_place_of_a_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "keys.json")
    assert read(tmp_path / "keys.json") is None
    assert projects.known(tmp_path / "keys.json") == []
    with pytest.raises(NotPrivate, match="not a file"):
        Keys(tmp_path / "keys.json")


# Folders: from mode 0o700 CPython 3.11.10 makes, on Windows, rights that lock the user out after a start as administrator.


def test_on_windows_a_folder_is_made_without_a_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(file_modes.os, "mkdir", lambda path, mode=0o777: asked.append(mode))
    for system in ("win32", "linux", "darwin"):
        file_modes.make_private_folder(tmp_path / system, system=system)
        monkeypatch.setattr(file_modes.tempfile, "gettempdir", lambda: str(tmp_path))
        file_modes.TemporaryFolder("x-", system=system)
    assert asked == [0o777, 0o777, 0o700, 0o700, 0o700, 0o700]


def test_a_temporary_folder_goes_with_its_end() -> None:
    with file_modes.TemporaryFolder("tdmcp-test-") as folder:
        (folder.path / "a").write_text("a")
        assert folder.path.name.startswith("tdmcp-test-")
    assert not folder.path.exists()


def test_no_folder_of_ours_is_made_otherwise() -> None:
    root = Path(file_modes.__file__).parents[1]
    made = re.compile(r"mode=0o7|mkdtemp\(|TemporaryDirectory\(")
    places = [root / "tdmcp_embedded", root / "td_component", root / "tox_build" / "shim"]
    found = [
        f"{path.relative_to(root)}:{number}"
        for place in places
        for path in sorted(place.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if made.search(line)
    ]
    # One in each of the three that share no code: server, component, shim.
    assert len(found) == 4 and {one.partition(":")[0] for one in found} == {
        "tdmcp_embedded/file_modes.py",
        "td_component/scripts/unpacking.py",
        "tox_build/shim/processes.py",
    }, found
