"""What happens in a server is kept in memory, written to files that do not grow, and told without content."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded.logs.files import RotatingFile, Writer
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.logs.ring import Ring
from tdmcp_embedded.logs.targets import target


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "logs")


CALL: dict[str, Any] = {
    "tool": "set_parameters",
    "ms": 12.34,
    "key": "owner",
    "client": "Claude 1.0",
    "address": "127.0.0.1",
    "target": "/project1/noise1",
    "session": "a-secret-session-id",
}


class TestMemory:
    def test_the_newest_records_are_kept_and_numbered_without_gaps(self) -> None:
        ring = Ring(capacity=3)
        for n in range(5):
            ring.add("info", f"event {n}")
        assert [(r.number, r.event) for r in ring.newest(10)] == [
            (3, "event 2"),
            (4, "event 3"),
            (5, "event 4"),
        ]
        assert [r.number for r in ring.since(4)] == [5]
        assert ring.since(5) == []

    def test_a_level_leaves_out_what_is_below_it(self) -> None:
        ring = Ring()
        for level in ("debug", "info", "warning", "error"):
            ring.add(level, level)
        assert [r.event for r in ring.newest(10, "warning")] == ["warning", "error"]

    def test_text_from_outside_stays_one_encodable_bounded_line(self) -> None:
        record = Ring().add("info", "a\nb\x1b[31m\ud800", client="x" * 10_000)
        assert record.event == "a b [31m "
        assert len(record.client) == 2000

    def test_listeners_are_told_until_they_end_it(self) -> None:
        ring, heard = Ring(), []
        end = ring.listen(lambda record: heard.append(record.event))
        ring.add("info", "first")
        end()
        ring.add("info", "second")
        assert heard == ["first"]

    def test_threads_do_not_lose_each_others_records(self) -> None:
        ring = Ring(capacity=10_000)

        def work() -> None:
            for _ in range(500):
                ring.add("info", "x")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [r.number for r in ring.newest(10_000)] == list(range(1, 2001))


class TestFiles:
    def test_a_full_file_is_put_away_and_only_so_many_are_kept(self, tmp_path: Path) -> None:
        file = RotatingFile(tmp_path / "a.log", max_bytes=100, keep=2)
        for n in range(40):
            file.append([f"line {n:04d} {'x' * 20}"])
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == [".a.log.lock", "a.log", "a.log.1", "a.log.2"]
        assert all(path.stat().st_size <= 100 for path in tmp_path.iterdir())
        kept = "".join((tmp_path / name).read_text() for name in ("a.log.2", "a.log.1", "a.log"))
        numbers = [int(line.split()[1]) for line in kept.splitlines()]
        assert numbers == list(range(numbers[0], 40)), "the newest, in order, none missing"

    def test_two_servers_can_share_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.log"

        def work(name: str) -> None:
            file = RotatingFile(path)
            for n in range(200):
                file.append([f"{name} {n}"])

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        written = path.read_text().splitlines()
        for name in "ab":
            assert [line for line in written if line.startswith(name)] == [f"{name} {n}" for n in range(200)]

    def test_files_are_for_this_user_only(self, log: Log, tmp_path: Path) -> None:
        log.call(edits=True, outcome="ok", **CALL)
        assert log.flush()
        for path in (tmp_path / "logs").iterdir():
            # Windows has no file modes; the profile's own rights apply there.
            assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_a_disk_that_cannot_be_written_is_told_once_and_again_when_it_works(self, tmp_path: Path) -> None:
        told: list[str] = []
        (tmp_path / "logs").write_text("a file where the folder should be")
        log = Log(tmp_path / "logs", told.append)
        log.event("info", "one")
        log.flush()
        log.event("info", "two")
        log.flush()
        assert len(told) == 1 and "cannot be written" in told[0]
        (tmp_path / "logs").unlink()
        log.event("info", "three")
        log.flush()
        assert told[1:] == [""]
        assert [r.event for r in log.ring.newest(9)] == ["one", "two", "three"]

    def test_closing_writes_what_is_waiting_and_ends_the_thread(self, log: Log, tmp_path: Path) -> None:
        for n in range(100):
            log.event("info", f"event {n}")
        log.close()
        log.join(30)
        assert len(lines(tmp_path / "logs" / "server.log")) == 100
        assert log._writer._thread is not None and not log._writer._thread.is_alive()
        log.event("info", "afterwards")
        assert log.ring.newest(1)[0].event == "afterwards"

    def test_a_thread_with_nothing_to_write_ends_and_the_next_line_starts_another(
        self, tmp_path: Path
    ) -> None:
        file, writer = RotatingFile(tmp_path / "own.log"), Writer(idle=0.0)
        for text in ("one", "two"):
            # It may have ended before it could be looked at: then it has written all the same.
            writer.write(file, text)
            thread = writer._thread
            if thread is not None:
                thread.join(30)
            assert writer._thread is None and writer.flush()
        assert (tmp_path / "own.log").read_text("utf-8") == "one\ntwo\n"

    def test_a_log_that_was_never_used_has_no_thread(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.close()
        writer.join()
        assert writer.flush()


class TestAudit:
    def test_every_call_is_one_line_that_says_who_did_what_and_how_it_went(
        self, log: Log, tmp_path: Path
    ) -> None:
        log.call(edits=True, outcome="ok", **CALL)
        log.call(edits=False, outcome="ok", **{**CALL, "tool": "read_network"})
        log.call(edits=True, outcome="menu_value_invalid", **CALL)
        assert log.flush()
        written = lines(tmp_path / "logs" / "audit.log")
        assert [(line["tool"], line["outcome"]) for line in written] == [
            ("set_parameters", "ok"),
            ("read_network", "ok"),
            ("set_parameters", "menu_value_invalid"),
        ]
        first = written[0]
        assert first.pop("time").endswith("Z")
        assert first == {
            "key": "owner",
            "client": "Claude 1.0",
            "address": "127.0.0.1",
            "tool": "set_parameters",
            "target": "/project1/noise1",
            "outcome": "ok",
            "ms": 12.3,
        }

    def test_what_only_looks_and_succeeds_does_not_drown_the_servers_log(
        self, log: Log, tmp_path: Path
    ) -> None:
        log.call(edits=False, outcome="ok", **{**CALL, "tool": "read_network"})
        log.call(edits=False, outcome="operator_not_found", **{**CALL, "tool": "read_network"})
        assert log.flush()
        assert [line["outcome"] for line in lines(tmp_path / "logs" / "server.log")] == ["operator_not_found"]

    def test_a_client_cannot_forge_a_line(self, log: Log, tmp_path: Path) -> None:
        log.call(edits=True, outcome="ok", **{**CALL, "client": 'x"}\n{"key": "somebody else'})
        assert log.flush()
        (line,) = lines(tmp_path / "logs" / "audit.log")
        assert line["key"] == "owner"

    def test_a_sessions_id_which_lets_others_use_it_is_written_nowhere(
        self, log: Log, tmp_path: Path
    ) -> None:
        record = log.call(edits=True, outcome="ok", **CALL)
        assert log.flush()
        assert "a-secret-session-id" not in str(record.as_dict())
        assert all("a-secret" not in path.read_text() for path in (tmp_path / "logs").iterdir())


class TestTargets:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"path": "/a"}, "/a"),
            ({"paths": ["/a", "/b", "/a"]}, "/a, /b"),
            ({"parent": "/project1", "name": "secret"}, "/project1"),
            ({"changes": [{"path": "/a", "params": {"tx": "secret"}}, {"path": "/b"}]}, "/a, /b"),
            ({"connect": [{"from": "/a", "to": "/b", "input": 0}]}, "/a, /b"),
            ({"code": "secret = 1"}, ""),
            ({"path": "/a", "text": "secret"}, "/a"),
            ({"paths": [f"/{n}" for n in range(9)]}, "/0, /1, /2, /3, /4 and 4 more"),
            ({"path": 3, "paths": None, "changes": [1, {"path": ["/x"]}]}, ""),
            (None, ""),
        ],
    )
    def test_the_paths_of_a_call_are_named_and_nothing_of_its_content(
        self, arguments: Any, expected: str
    ) -> None:
        assert target(arguments) == expected

    def test_a_path_without_end_is_cut(self) -> None:
        assert len(target({"path": "/" + "x" * 100_000})) == 200
