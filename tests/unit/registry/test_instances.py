"""The registry of running servers: what the shim finds, and what it does not."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tdmcp_embedded import instances, processes
from tdmcp_embedded.instances import KEYS, Entry, listing

FACTS = {"url": "http://127.0.0.1:9988/mcp", "token": "secret", "project": "/show/a.toe", "name": "a"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "instances"


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL)
    process.wait()
    return process.pid


def test_an_entry_has_every_key_and_is_found(folder: Path) -> None:
    Entry(folder).write(**FACTS)
    (found,) = listing(folder)
    assert set(KEYS) <= set(found)
    assert found["pid"] == os.getpid()
    assert found["url"] == FACTS["url"]
    assert 1 <= found["accepts"] <= found["contract"]


def test_an_entry_is_for_this_user_only(folder: Path) -> None:
    path = Entry(folder).write(**FACTS)
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_default_place_is_below_tdmcp_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDMCP_HOME", str(tmp_path / "home"))
    path = Entry().write(**FACTS)
    assert path.parent == tmp_path / "home" / "instances"
    monkeypatch.delenv("TDMCP_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert instances.folder() == tmp_path / ".tdmcp" / "instances"


def test_an_update_changes_the_entry_and_keeps_the_rest(folder: Path) -> None:
    entry = Entry(folder)
    entry.write(**FACTS)
    entry.update(project="/show/b.toe")
    (found,) = listing(folder)
    assert found["project"] == "/show/b.toe"
    assert found["name"] == "a"


def test_an_update_that_changes_nothing_writes_nothing(folder: Path) -> None:
    entry = Entry(folder)
    path = entry.write(**FACTS)
    before = path.stat().st_ino
    entry.update(project=FACTS["project"])
    assert path.stat().st_ino == before


def test_an_entry_that_was_removed_stays_removed(folder: Path) -> None:
    entry = Entry(folder)
    entry.write(**FACTS)
    entry.remove()
    entry.update(project="/show/b.toe")
    entry.remove()
    assert listing(folder) == []
    assert list(folder.iterdir()) == []


def test_two_servers_of_one_process_have_an_entry_each(folder: Path) -> None:
    Entry(folder).write(**FACTS)
    Entry(folder).write(**{**FACTS, "url": "http://127.0.0.1:9989/mcp"})
    assert [entry["url"][-8:] for entry in listing(folder)] == ["9988/mcp", "9989/mcp"]


def test_a_server_that_moves_to_another_port_leaves_one_entry(folder: Path) -> None:
    entry = Entry(folder)
    entry.write(**FACTS)
    entry.update(url="http://127.0.0.1:10001/mcp")
    assert [found["url"] for found in listing(folder)] == ["http://127.0.0.1:10001/mcp"]


def test_the_entry_of_a_dead_process_is_cleaned_up(folder: Path) -> None:
    path = Entry(folder).write(**FACTS, pid=dead_pid())
    assert listing(folder) == []
    assert not path.exists()


def test_the_entry_of_a_crashed_process_whose_number_was_given_away_is_cleaned_up(folder: Path) -> None:
    Entry(folder).write(**FACTS, process_started=1_000_000.0)
    system_tells = processes.start_time(os.getpid()) is not None
    assert listing(folder) == [] or not system_tells


def test_an_entry_of_another_computer_that_shares_the_home_is_left_alone_and_not_listed(folder: Path) -> None:
    path = Entry(folder).write(**FACTS, pid=dead_pid(), host="studio-2/win32")
    assert listing(folder) == [] and path.exists()
    assert instances.is_elsewhere(json.loads(path.read_text(encoding="utf-8")))
    Entry(folder).write(**FACTS)
    assert [entry["host"] for entry in listing(folder)] == [processes.host_id()]


def test_a_file_that_is_no_entry_is_left_alone_and_not_listed(folder: Path) -> None:
    folder.mkdir()
    for name, text in {"half.json": '{"pid": 1', "list.json": "[]", "other.json": '{"pid": "x"}'}.items():
        (folder / name).write_text(text)
    assert listing(folder) == []
    assert len(list(folder.iterdir())) == 3


def test_an_entry_with_nonsense_in_it_hides_no_other(folder: Path) -> None:
    Entry(folder).write(**FACTS)
    for number, facts in enumerate(({"started": "now"}, {"pid": 10**30}, {"process_started": []})):
        (folder / f"{number}.json").write_text(json.dumps({"pid": os.getpid(), **facts}))
    assert FACTS["url"] in [entry.get("url") for entry in listing(folder)]


def test_no_registry_means_no_servers(tmp_path: Path) -> None:
    assert listing(tmp_path / "nothing") == []


def test_names_may_be_written_in_any_script(folder: Path) -> None:
    Entry(folder).write(**{**FACTS, "project": "/舞台/ショー.toe"})
    assert listing(folder)[0]["project"] == "/舞台/ショー.toe"


def test_readers_never_see_half_an_entry(folder: Path) -> None:
    path = Entry(folder).write(**FACTS)
    entry = Entry(folder)
    for number in range(50):
        entry.write(**FACTS, dashboard="x" * number * 100)
        json.loads(path.read_text(encoding="utf-8"))


def test_this_process_is_alive_and_started_in_the_past() -> None:
    assert processes.alive(os.getpid())
    started = processes.start_time(os.getpid())
    assert started is None or started > 1e9
    assert not processes.alive(0)
    assert not processes.alive(-1)


def test_a_process_that_ended_is_not_alive_though_nobody_has_asked_how_it_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.read() == b""  # its end is near; not waited for, since that is what collects it
    deadline = time.monotonic() + 30
    while processes.alive(child.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not processes.alive(child.pid) or sys.platform != "linux"
    child.wait()
    assert not processes.alive(child.pid)
