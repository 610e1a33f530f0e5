"""Access keys are made, kept, renewed and revoked; nothing but the right one opens the door."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from pathlib import Path

import pytest

from tdmcp_embedded.file_lock import lock_path
from tdmcp_embedded.http.keys import FIRST, Keys
from tdmcp_embedded.settings import Level


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "keys.json"


def test_the_first_key_is_full_for_this_machine_and_the_same_next_time(path: Path) -> None:
    key = Keys(path).first()
    assert key.level is Level.FULL
    assert key.local_only
    assert len(key.token) >= 40
    assert Keys(path).first() == key


def test_the_file_is_for_this_user_only(path: Path) -> None:
    Keys(path).first()
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(path.parent.iterdir()) == {path, lock_path(path)}, "no temporary file stays behind"


def test_only_the_right_token_matches(path: Path) -> None:
    keys = Keys(path)
    key = keys.first()
    assert keys.match(key.token.encode()) == key
    for wrong in (b"", b"x", key.token.encode() + b"x", key.token.upper().encode(), b"\xff" * 10_000):
        assert keys.match(wrong) is None


def test_a_given_token_replaces_the_random_one(path: Path) -> None:
    keys = Keys(path)
    keys.first()
    assert keys.first("given").token == "given"
    assert keys.match(b"given") is not None
    assert Keys(path).first().token == "given"


def test_renewing_kills_the_old_token_also_in_other_servers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.keys._LOOK_AGAIN_S", 0.0)
    here, there = Keys(path), Keys(path)
    old = here.first()
    assert there.match(old.token.encode()) is not None
    new = here.renew()
    assert here.match(old.token.encode()) is None
    assert there.match(old.token.encode()) is None
    assert there.match(new.token.encode()) == new


def test_named_keys_have_a_level_and_a_reach(path: Path) -> None:
    Keys(path).make("stage left", Level.OBSERVE, local_only=False)
    key = Keys(path).find("stage left")
    assert key is not None
    assert (key.level, key.local_only) == (Level.OBSERVE, False)


def test_a_key_stops_working_when_it_expires(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys(path)
    key = keys.make("tonight", Level.EDIT, expires_in=3600)
    assert keys.match(key.token.encode()) == key
    later = time.time() + 3601
    monkeypatch.setattr(time, "time", lambda: later)
    assert keys.match(key.token.encode()) is None


def test_a_revoked_key_is_gone(path: Path) -> None:
    keys = Keys(path)
    key = keys.make("guest", Level.EDIT)
    assert keys.revoke("guest")
    assert not keys.revoke("guest")
    assert keys.match(key.token.encode()) is None
    assert Keys(path).find("guest") is None


def test_names_are_unique_and_not_empty(path: Path) -> None:
    keys = Keys(path)
    keys.make("guest", Level.EDIT)
    with pytest.raises(ValueError, match="already"):
        keys.make("guest", Level.FULL)
    with pytest.raises(ValueError, match="needs a name"):
        keys.make("  ", Level.FULL)


def test_the_token_is_in_no_repr(path: Path) -> None:
    key = Keys(path).first()
    assert key.token not in repr(key)
    assert key.token not in f"{key}"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"keys": 3}',
        '{"keys": [{}]}',
        '{"keys": [{"name": "x", "token": "", "level": "full", "local_only": true, "expires": null, "created": 0}]}',
        '{"keys": [{"name": "x", "token": "t", "level": "king", "local_only": true, "expires": null, "created": 0}]}',
    ],
)
def test_a_spoiled_file_opens_nothing_and_can_be_begun_anew(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    keys = Keys(path)
    assert list(keys) == []
    assert keys.match(b"") is None
    assert keys.first().name == FIRST


def test_a_file_that_becomes_unreadable_does_not_lock_its_user_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.keys._LOOK_AGAIN_S", 0.0)
    keys = Keys(path)
    key = keys.first()
    path.write_text("{ half a fi")
    assert keys.match(key.token.encode()) == key


def test_a_removed_file_takes_its_keys_with_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.keys._LOOK_AGAIN_S", 0.0)
    keys = Keys(path)
    key = keys.first()
    path.unlink()
    assert keys.match(key.token.encode()) is None


def test_keys_without_a_file_work_from_memory() -> None:
    keys = Keys()
    key = keys.first()
    assert keys.match(key.token.encode()) == key
    assert keys.renew().token != key.token


def test_what_is_written_is_json_a_person_can_read(path: Path) -> None:
    Keys(path).make("stage left", Level.OBSERVE)
    assert json.loads(path.read_text())["keys"][0]["name"] == "stage left"


def test_a_renewed_key_has_its_time_anew_and_the_old_one_is_in_force_no_more(path: Path) -> None:
    keys = Keys(path)
    old = keys.make("guest", Level.EDIT, expires_in=60)
    assert keys.valid(old)
    new = keys.renew("guest")
    assert new.expires is not None and old.expires is not None and new.expires >= old.expires
    assert new.level is old.level and new.local_only == old.local_only
    assert not keys.valid(old) and keys.valid(new)
    keys.revoke("guest")
    assert not keys.valid(new)


class TestAnotherProcess:
    """What another process has done counts with the very next request."""

    def test_a_key_just_made_works_at_once(self, path: Path) -> None:
        here, there = Keys(path), Keys(path)
        here.first()
        for n in range(5):
            made = here.make(f"guest{n}", Level.EDIT)
            assert there.match(made.token.encode()) == made

    def test_a_key_just_revoked_is_dead_at_once(self, path: Path) -> None:
        here, there = Keys(path), Keys(path)
        made = here.make("guest", Level.EDIT)
        assert there.match(made.token.encode()) == made
        assert here.revoke("guest")
        assert not there.valid(made)
        assert there.match(made.token.encode()) is None

    def test_two_servers_that_start_at_once_share_the_first_key(self, path: Path) -> None:
        here, there = Keys(path), Keys(path)
        assert here.first() == there.first()

    def test_unknown_tokens_read_the_file_only_when_it_is_another_one(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keys = Keys(path)
        keys.first()
        reads: list[Path] = []
        monkeypatch.setattr("tdmcp_embedded.http.keys.read_private", lambda path: reads.append(path))
        monkeypatch.setattr("tdmcp_embedded.http.keys._LOOK_AGAIN_S", 1e9)
        for n in range(1000):
            keys.match(f"guess {n}".encode())
        assert reads == []
        monkeypatch.setattr(
            Keys, "_stat", lambda self: object()
        )  # a file system that never says the same twice
        for n in range(1000):
            keys.match(f"guess {n}".encode())
        assert 1 <= len(reads) <= 20

    def test_the_serial_number_tells_changes_apart_that_the_clock_does_not(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Keys, "_stat", lambda self: (0, 0, 0))  # a coarse clock
        monkeypatch.setattr("tdmcp_embedded.http.keys._LOOK_AGAIN_S", 0.0)
        here, there = Keys(path), Keys(path)
        made = here.make("guest", Level.EDIT)
        assert there.match(made.token.encode()) == made
        here.revoke("guest")
        assert there.match(made.token.encode()) is None
        serial = json.loads(path.read_text())["serial"]
        there.make("other", Level.EDIT)
        assert json.loads(path.read_text())["serial"] == serial + 1
        assert Keys(path).find("guest") is None


# (a name for a key, what is wrong with it)
NAMES = [
    ("studio", ""),
    ("  Jürgen 日本 (2)  ", ""),
    ("", "needs a name"),
    ("   ", "needs a name"),
    ("a\nb", "U+000A at position 2"),
    ("a\tb", "U+0009"),
    ("a\0", "U+0000 at position 2"),
    ("\x1b[31mred", "U+001B at position 1"),
    ("owner\u202egnp", "U+202E at position 6"),
    ("\u2066owner\u2069", "U+2066"),
    ("own\u200ber", "U+200B"),
    ("\ufeffowner", "U+FEFF"),
    ("a\u2028b", "U+2028"),
    ("half \ud800", "U+D800"),
    ("x" * 81, "at most 80"),
]


@pytest.mark.parametrize(("name", "wrong"), NAMES)
def test_a_name_that_cannot_be_shown_as_it_is_makes_no_key(name: str, wrong: str) -> None:
    keys = Keys()
    if not wrong:
        assert keys.make(name, Level.EDIT).name == name.strip()
        return
    with pytest.raises(ValueError, match=re.escape(wrong)):
        keys.make(name, Level.EDIT)
    assert list(keys) == []


def test_a_key_stays_itself_when_it_is_renewed_and_a_later_one_of_its_name_is_another(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys.json")
    first = keys.make("studio", Level.EDIT)
    assert keys.renew("studio").id == first.id == Keys(tmp_path / "keys.json").find("studio").id  # type: ignore[union-attr]
    keys.revoke("studio")
    assert keys.make("studio", Level.EDIT).id != first.id
