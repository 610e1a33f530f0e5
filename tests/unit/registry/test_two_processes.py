"""Two processes change one file of the home at once: no update is lost, and what was removed stays removed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tdmcp_embedded import projects
from tdmcp_embedded.file_lock import lock_path, locked
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.settings import Level

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0
NAMES = ("one", "two")


@contextmanager
def updaters(kind: str, path: Path, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that have begun at the same moment."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.unit.registry.updater", kind, str(path), name, str(count)],
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
        yield running
        for process in running:
            _, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_keys_are_neither_lost_nor_brought_back(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    here = Keys(path)
    guest = here.make("guest", Level.OBSERVE)
    count = 40
    with updaters("keys", path, count):
        assert here.revoke("guest")
        assert here.match(guest.token.encode()) is None
    kept = {f"{name}-{n}" for name in NAMES for n in range(0, count, 2)}
    assert {key.name for key in here} == kept | {f"{name}-own" for name in NAMES}
    assert here.match(guest.token.encode()) is None
    # Each process made its own key, made `count`, revoked half of them and renewed `count` times.
    changes = 2 * (1 + count + count // 2 + count) + 2
    assert json.loads(path.read_text())["serial"] == changes


def test_agents_are_neither_lost_nor_brought_back(tmp_path: Path) -> None:
    path, count = tmp_path / "oauth-9988.json", 24
    here = Store(path)
    with updaters("agents", path, count):
        pass
    here.by_access("")  # takes over what the others have done
    assert {grant.client_id for grant in here.grants.values()} == {
        f"{name}-{n}" for name in NAMES for n in range(0, count, 2)
    }


def test_no_project_that_was_opened_is_forgotten(tmp_path: Path) -> None:
    path, count = tmp_path / "projects.json", 20
    with updaters("projects", path, count):
        pass
    assert {Path(one["path"]).name for one in projects.known(path)} == {f"show{n}x.toe" for n in range(count)}
    assert len(projects.known(path)) == 2 * count


def test_no_note_of_a_changed_configuration_is_lost(tmp_path: Path) -> None:
    path, count = tmp_path / "clients.json", 40
    with updaters("journal", path, count):
        pass
    noted = json.loads(path.read_text())["files"]
    assert {Path(file).name for file in noted} == {f"{name}-{n}.json" for name in NAMES for n in range(count)}


def test_no_line_of_a_log_is_lost_when_two_put_it_away(tmp_path: Path) -> None:
    path, count = tmp_path / "audit.log", 300
    with updaters("log", path, count):
        pass
    files = [file for file in tmp_path.iterdir() if file != lock_path(path)]
    lines = [line.split()[0] for file in files for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(f"{name}-{n}" for name in NAMES for n in range(count))


def test_a_grant_revoked_elsewhere_is_dead_at_once(tmp_path: Path) -> None:
    here, there = Store(tmp_path / "oauth.json"), Store(tmp_path / "oauth.json")
    tokens = here.grant("agent", "Agent", Level.EDIT, None)
    assert there.by_access(tokens.access) is not None
    assert there.revoke(tokens.grant.id)
    assert here.by_access(tokens.access) is None
    assert here.refresh(tokens.grant) is None


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
