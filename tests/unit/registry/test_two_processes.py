"""Two processes change one file of the home at once: no update is lost, and what was removed stays removed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from tdmcp_embedded import projects
from tdmcp_embedded.file_lock import lock_path, locked
from tdmcp_embedded.http.keys import Key, Keys
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.settings import Level

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0
NAMES = ("one", "two")


COUNT = 24


@dataclass
class Home:
    """What two processes left that each made `COUNT` changes to every file, at the same time."""

    folder: Path
    guest: Key
    """A key that was revoked while they worked."""

    def names(self, step: int = 1) -> set[str]:
        return {f"{name}-{n}" for name in NAMES for n in range(0, COUNT, step)}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("home")
    here = Keys(folder / "keys.json")
    guest = here.make("guest", Level.OBSERVE)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.unit.registry.updater", str(folder), name, str(COUNT)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for name in NAMES
    ]  # fmt: skip
    try:
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.communicate(timeout=PATIENCE)[1]
        for process in running:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert here.revoke("guest")
        for process in running:
            _, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
    finally:
        for process in running:
            process.kill()
            process.wait()
    return Home(folder, guest)


def test_keys_are_neither_lost_nor_brought_back(home: Home) -> None:
    keys = Keys(home.folder / "keys.json")
    assert {key.name for key in keys} == home.names(step=2) | {f"{name}-own" for name in NAMES}
    assert keys.match(home.guest.token.encode()) is None


def test_each_change_of_the_keys_is_counted(home: Home) -> None:
    # Each process made its own key, then made, and renewed its own, each time, and revoked every second time.
    changes = 2 * (1 + COUNT + COUNT // 2 + COUNT) + 2
    assert json.loads((home.folder / "keys.json").read_text())["serial"] == changes


def test_agents_are_neither_lost_nor_brought_back(home: Home) -> None:
    grants = Store(home.folder / "oauth-9988.json").grants.values()
    assert {grant.client_id for grant in grants} == home.names(step=2)


def test_no_project_that_was_opened_is_forgotten(home: Home) -> None:
    noted = projects.known(home.folder / "projects.json")
    assert len(noted) == 2 * COUNT
    assert {Path(one["path"]).name for one in noted} == {f"show{n}x.toe" for n in range(COUNT)}


def test_no_note_of_a_changed_configuration_is_lost(home: Home) -> None:
    noted = json.loads((home.folder / "clients.json").read_text())["files"]
    assert {Path(file).stem for file in noted} == home.names()


def test_no_line_of_a_log_is_lost_when_two_put_it_away(home: Home) -> None:
    logs = home.folder / "logs"
    files = [file for file in logs.iterdir() if file != lock_path(logs / "audit.log")]
    lines = [line.split()[0] for file in files for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(home.names())


def test_a_grant_revoked_elsewhere_is_dead_at_once(tmp_path: Path) -> None:
    here, there = Store(tmp_path / "oauth.json"), Store(tmp_path / "oauth.json")
    tokens = here.grant("agent", "Agent", Level.EDIT, None)
    assert there.by_access(tokens.access) is not None
    assert there.revoke(tokens.grant.id)
    assert here.by_access(tokens.access) is None
    assert here.refresh(tokens.refresh) is None


def test_a_revocation_that_could_not_be_written_is_not_undone_by_the_next_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "oauth.json"
    store = Store(path)
    tokens = store.grant("agent", "Agent", Level.EDIT, None)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("tdmcp_embedded.http.oauth.store.write_private", full)
        assert store.revoke(tokens.grant.id)
    store.grant("other", "Other", Level.EDIT, None)
    assert store.by_access(tokens.access) is None
    assert Store(path).by_access(tokens.access) is None


def test_a_lock_that_somebody_keeps_is_waited_for_no_longer_than_asked(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    taken, done = threading.Event(), threading.Event()

    def keep() -> None:
        with locked(path):
            taken.set()
            done.wait(PATIENCE)

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        assert taken.wait(PATIENCE)
        with pytest.raises(TimeoutError, match="Another process"), locked(path, wait=0.0):
            pass
    finally:
        done.set()
        thread.join()
    with locked(path, wait=0.0):
        pass


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    code = (
        "import sys; from pathlib import Path; from tdmcp_embedded.file_lock import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError), locked(path, wait=0.0):
            pass
    finally:
        process.kill()
        process.wait()
    with locked(path, wait=0.0):
        pass


def test_a_change_that_could_not_be_written_takes_nothing_back_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Store(tmp_path / "oauth.json"), Store(tmp_path / "oauth.json")
    with locked(tmp_path / "oauth.json"):
        monkeypatch.setattr("tdmcp_embedded.http.oauth.store._LOCK_WAIT_S", 0.0)
        mine = here.grant("mine", "Mine", Level.EDIT, None)
    theirs = there.grant("theirs", "Theirs", Level.EDIT, None)
    assert here.by_access(mine.access) is not None, "in force as long as this server runs"
    last = here.grant("last", "Last", Level.EDIT, None)
    for made in (mine, theirs, last):
        assert there.by_access(made.access) is not None
