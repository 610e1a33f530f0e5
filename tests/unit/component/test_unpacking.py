"""What the component carries is unpacked once, whole or not at all, and every failure is said in words."""

import errno
import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from td_component.model import SCRIPTS
from tox_build import archive

PATIENCE = 60


@pytest.fixture
def unpacking():
    """The DAT's script as a module, with no locks held from before."""
    spec = importlib.util.spec_from_file_location("unpacking_script", SCRIPTS / "unpacking.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop(module.HOME, None)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TDMCP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    return tmp_path / "home"


class Carried:
    """A small payload for this machine."""

    def __init__(self, unpacking, word="hello", version="1.0"):
        code = {"code/mine/__init__.py": f"WORD = {word!r}\n".encode(), "code/mine/data.json": b"{}"}
        code["private_imports.py"] = b"HERE = True\n"
        packed = {
            "code": archive.pack(code),
            unpacking.system(): archive.pack({"libraries/core.so": b"\x7fELF"}),
        }
        self.texts = {name: list(one.parts) for name, one in packed.items()}
        self.manifest = {
            "version": version,
            "python": ".".join(map(str, sys.version_info[:2])),
            "longest": 21,
            "archives": {name: one.facts() for name, one in packed.items()},
        }

    def unpack(self, unpacking, interpreter=""):
        """To the end, as the component does it: look, feed what is wanted, wait."""
        work = unpacking.Unpacking(self.manifest, interpreter)
        settle(unpacking, work)
        while work.state == "wanted":
            name, number = work.missing()
            work.feed(self.texts[name][number])
        settle(unpacking, work)
        return work


def settle(unpacking, work):
    for thread in unpacking.threading.enumerate():
        if thread.name == "tdmcp-unpacking":
            thread.join(PATIENCE)
    assert work.state in ("wanted", "done", "failed")


def versions(home):
    return sorted(path.name for path in (home / "lib").iterdir() if not path.name.startswith("."))


def test_it_is_unpacked_below_the_home_under_a_name_of_its_own(unpacking, home):
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "done" and work.folder == home / "lib" / work.identity
    assert (work.folder / "code/mine/__init__.py").read_bytes() == b"WORD = 'hello'\n"
    assert (work.folder / "libraries/core.so").read_bytes() == b"\x7fELF"
    assert versions(home) == [work.identity]


def test_the_second_time_nothing_is_read_or_written(unpacking, home):
    carried = Carried(unpacking)
    first = carried.unpack(unpacking)
    carried.texts.clear()
    before = (first.folder / "code/mine/data.json").stat().st_mtime_ns
    assert carried.unpack(unpacking).state == "done"
    assert (first.folder / "code/mine/data.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", ["gone", "shorter", "other machine code"])
def test_what_was_damaged_since_is_unpacked_again(unpacking, harm):
    carried = Carried(unpacking)
    folder = carried.unpack(unpacking).folder
    if harm == "gone":
        (folder / "code/mine/__init__.py").unlink()
    elif harm == "shorter":
        (folder / "code/mine/__init__.py").write_bytes(b"")
    else:
        (folder / "libraries/core.so").write_bytes(b"\x7fEVI")
    assert carried.unpack(unpacking).state == "done"
    assert (folder / "code/mine/__init__.py").read_bytes() == b"WORD = 'hello'\n"
    assert (folder / "libraries/core.so").read_bytes() == b"\x7fELF"


def test_a_damaged_payload_is_said_and_leaves_nothing_behind(unpacking, home):
    carried = Carried(unpacking)
    text = carried.texts["code"][0]
    carried.texts["code"][0] = ("B" if text[0] == "A" else "A") + text[1:]
    work = carried.unpack(unpacking)
    assert work.state == "failed" and "damaged (code)" in work.sentence and "fresh copy" in work.sentence
    assert versions(home) == [] and not list((home / "lib").glob(f".{work.identity}*"))


def test_text_that_somebody_edited_is_damage_too(unpacking):
    carried = Carried(unpacking)
    carried.texts["code"][0] = "not base64 at all !"
    assert "damaged" in carried.unpack(unpacking).sentence


@pytest.mark.parametrize("name", ["名前 с пробелом ü", "x" * 200])
def test_homes_with_any_letters_and_of_any_length_do(unpacking, tmp_path, monkeypatch, name):
    home = tmp_path / name
    monkeypatch.setenv("TDMCP_HOME", str(home))
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "done" and home in work.folder.parents


def test_a_home_that_cannot_be_written_gives_way_to_the_temporary_folder(unpacking, tmp_path, home):
    home.write_text("a file stands where the folder would be")
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "done" and tmp_path / "temp" in work.folder.parents
    assert Carried(unpacking).unpack(unpacking).folder == work.folder


def test_where_nothing_can_be_written_the_remedy_is_named(unpacking, tmp_path, home):
    home.write_text("")
    (tmp_path / "temp").rmdir()
    (tmp_path / "temp").write_text("")
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "failed"
    assert str(home) in work.sentence and "set TDMCP_HOME to a folder that is" in work.sentence


def test_a_path_that_is_too_long_is_called_that(unpacking, tmp_path, monkeypatch):
    monkeypatch.setenv("TDMCP_HOME", str(tmp_path / ("x" * 300)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("y" * 300)))
    work = Carried(unpacking).unpack(unpacking)
    assert "too long" in work.sentence and "set TDMCP_HOME to a shorter folder" in work.sentence


def test_a_full_disk_is_called_that_with_what_is_needed(unpacking, monkeypatch, home):
    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    carried = Carried(unpacking)
    monkeypatch.setattr(Path, "write_bytes", full)
    work = carried.unpack(unpacking)
    assert work.sentence.startswith(f"The disk of {home / 'lib'} is full") and "MB" in work.sentence
    assert versions(home) == []


def test_code_in_a_folder_that_others_can_write_is_not_trusted(unpacking, home):
    carried = Carried(unpacking)
    carried.unpack(unpacking)
    (home / "lib").chmod(0o777)
    work = carried.unpack(unpacking)
    assert home not in work.folder.parents


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes; the user's profile is private")
@pytest.mark.parametrize(("owner", "taken"), [(0, True), (1, False)], ids=["one's own", "of another user"])
def test_a_home_on_a_file_system_without_modes_is_taken_if_it_is(unpacking, monkeypatch, home, owner, taken):
    real = Path.stat

    def stat(path, **how):
        facts = real(path, **how)
        if home not in (path, *path.parents):
            return facts
        return os.stat_result((facts.st_mode | 0o777, *facts[1:4], facts.st_uid + owner, *facts[5:]))

    monkeypatch.setattr(Path, "stat", stat)
    for _ in ("unpacked", "found again"):
        work = Carried(unpacking).unpack(unpacking)
        assert work.state == "done" and (home in work.folder.parents) == taken
    assert not list((home / "lib").glob(".modes.*"))


def test_another_system_and_another_python_are_refused_in_words(unpacking, monkeypatch):
    carried = Carried(unpacking)
    monkeypatch.setattr(unpacking, "system", lambda: "win_arm64")
    assert "not for win_arm64: take the build for all systems" in carried.unpack(unpacking).sentence
    monkeypatch.undo()
    carried.manifest["python"] = "3.9"
    assert "needs Python 3.9" in carried.unpack(unpacking).sentence


def test_whoever_comes_second_waits_for_the_first_and_uses_its_work(unpacking, home):
    carried = Carried(unpacking)
    identity = unpacking.identity(carried.manifest)
    (home / "lib").mkdir(parents=True)
    with unpacking.locked(home / "lib", identity):
        work = unpacking.Unpacking(carried.manifest)
        settle(unpacking, work)
        while work.state == "wanted":
            name, number = work.missing()
            work.feed(carried.texts[name][number])
        assert work.state == "unpacking" and versions(home) == []
        unpacking.unpack(carried.manifest, carried.texts, home / "lib")
        made = (home / "lib" / identity).stat().st_ino
    settle(unpacking, work)
    assert work.state == "done" and work.folder.stat().st_ino == made


def test_one_who_waits_too_long_says_for_whom(unpacking, monkeypatch, home):
    monkeypatch.setattr(unpacking, "PATIENCE", 0.0)
    carried = Carried(unpacking)
    (home / "lib").mkdir(parents=True)
    with unpacking.locked(home / "lib", unpacking.identity(carried.manifest)):
        assert "Another TouchDesigner" in carried.unpack(unpacking).sentence


def test_of_former_versions_the_one_used_last_stays(unpacking, home):
    names = []
    for number in range(4):
        work = Carried(unpacking, word=f"version {number}").unpack(unpacking)
        names.append(work.identity)
        # As when that TouchDesigner has ended: its locks are gone, and time has passed.
        sys.modules[unpacking.HOME].__dict__.pop("held").clear()
        os.utime(work.folder / "complete.json", (1000 + number, 1000 + number))
    assert versions(home) == sorted(names[-2:])


def test_a_version_that_is_in_use_is_never_removed(unpacking, home):
    first = Carried(unpacking, word="in use").unpack(unpacking)
    os.utime(first.folder / "complete.json", (1, 1))
    for number in range(3):
        Carried(unpacking, word=f"version {number}").unpack(unpacking)
    assert first.identity in versions(home)


def test_the_code_is_compiled_by_another_process(unpacking):
    folder = Carried(unpacking).unpack(unpacking, sys.executable).folder
    assert list((folder / "code/mine/__pycache__").glob("__init__.*.pyc"))


def test_files_outside_the_folder_are_refused(unpacking):
    carried = Carried(unpacking)
    packed = archive.pack({"../outside.py": b""})
    carried.manifest["archives"]["code"] = packed.facts()
    carried.texts["code"] = list(packed.parts)
    assert "damaged" in carried.unpack(unpacking).sentence


def test_the_listing_names_the_version(unpacking):
    folder = Carried(unpacking, version="7.1").unpack(unpacking).folder
    assert json.loads((folder / "complete.json").read_text())["version"] == "7.1"


def test_on_windows_a_folder_is_made_without_a_mode(unpacking, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(os, "mkdir", lambda path, mode=0o777: asked.append(mode))
    for system in ("win32", "linux", "darwin"):
        unpacking.make_folder(tmp_path / system, system=system)
    assert asked == [0o777, 0o700, 0o700]


class Holding:
    """A function of `os` on a Windows where a scanner holds a file for so many tries; `paths` limits it to some."""

    def __init__(self, real, tries, winerror=32, paths=lambda path: True):
        self.tries, self.winerror, self.real, self.paths, self.asked = tries, winerror, real, paths, 0

    def __call__(self, *arguments, **options):
        if not self.paths(str(arguments[0])):
            return self.real(*arguments, **options)
        self.asked += 1
        if self.asked <= self.tries:
            error = PermissionError(errno.EACCES, "used by another process")
            error.winerror = self.winerror
            raise error
        return self.real(*arguments, **options)


@pytest.fixture
def pauses(unpacking, monkeypatch):
    """The pauses between tries, in seconds; they take no time."""
    now, waited = [0.0], []

    def wait(seconds):
        waited.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(unpacking._once_more, "wait", wait)
    monkeypatch.setattr(unpacking.time, "monotonic", lambda: now[0])
    return waited


@pytest.mark.parametrize("winerror", [5, 32])
def test_a_folder_that_a_scanner_holds_is_renamed_once_it_lets_go(
    unpacking, tmp_path, monkeypatch, winerror, pauses
):
    holding = Holding(os.rename, 12, winerror)
    monkeypatch.setattr(unpacking.os, "rename", holding)
    monkeypatch.setattr(unpacking.os, "replace", None)  # Windows' own replaces files only
    (tmp_path / "made").mkdir()
    unpacking.move(tmp_path / "made", tmp_path / "there")
    assert (tmp_path / "there").is_dir() and holding.asked == 13
    assert pauses == sorted(pauses) and pauses[0] < 0.1 and pauses[-1] > 1.0


def test_a_folder_that_stays_held_is_waited_for_half_a_minute(unpacking, tmp_path, monkeypatch, pauses):
    monkeypatch.setattr(unpacking.os, "rename", Holding(os.rename, 10**6))
    with pytest.raises(PermissionError):
        unpacking.move(tmp_path / "made", tmp_path / "there")
    assert 30 <= sum(pauses) <= 35


def test_a_folder_that_may_not_be_written_is_not_tried_again(unpacking, tmp_path, monkeypatch):
    refusing = Holding(os.rename, 10**6, winerror=None)
    monkeypatch.setattr(unpacking.os, "rename", refusing)
    with pytest.raises(PermissionError):
        unpacking.move(tmp_path / "made", tmp_path / "there")
    assert refusing.asked == 1


@pytest.mark.parametrize("winerror", [5, 32])
def test_what_stays_held_is_said_with_what_may_hold_it(unpacking, monkeypatch, winerror):
    monkeypatch.setattr(unpacking, "HELD", 0.0)
    monkeypatch.setattr(unpacking.os, "rename", Holding(os.rename, 10**6, winerror))
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "failed"
    assert f"code {winerror}" in work.sentence and "virus scanner" in work.sentence
    assert "pulse Restart" in work.sentence and "make it writable" not in work.sentence


def test_the_first_start_outlasts_a_scanner_at_every_step(unpacking, monkeypatch):
    monkeypatch.setattr(unpacking, "_FIRST_PAUSE", 0.0)
    opened = Path.open

    def held(path, *arguments, **options):
        return lock(path, *arguments, **options)

    lock = Holding(opened, 2, 5, paths=lambda path: path.endswith(".lock"))
    monkeypatch.setattr(Path, "open", held)
    monkeypatch.setattr(unpacking.os, "rename", rename := Holding(os.rename, 2))
    work = Carried(unpacking).unpack(unpacking)
    assert work.state == "done", work.sentence
    assert (lock.asked, rename.asked) == (3, 3)


def test_a_library_that_a_scanner_reads_is_not_taken_for_damaged(unpacking, monkeypatch):
    monkeypatch.setattr(unpacking, "_FIRST_PAUSE", 0.0)
    folder = Carried(unpacking).unpack(unpacking).folder
    real = Path.read_bytes
    reading = Holding(real, 2, paths=lambda path: path.endswith(".so"))
    monkeypatch.setattr(Path, "read_bytes", lambda path: reading(path))
    assert unpacking.is_whole(folder) and reading.asked == 3


class Windows:
    """Renames no folder in which a file is open, as NTFS does."""

    def __init__(self, unpacking):
        self.unpacking = unpacking

    def rename(self, source, target):
        held = vars(sys.modules[self.unpacking.HOME])["held"]
        if any(not file.closed and Path(file.name).is_relative_to(source) for file in held):
            error = PermissionError(errno.EACCES, "used by another process")
            error.winerror = 32
            raise error
        os.replace(source, target)


def test_on_windows_a_file_of_the_version_in_use_is_kept_open_so_it_cannot_be_removed(unpacking, monkeypatch):
    works = [Carried(unpacking, word=f"version {number}").unpack(unpacking) for number in range(3)]
    place = works[0].folder.parent
    monkeypatch.setattr(unpacking.os, "rename", Windows(unpacking).rename)
    vars(sys.modules[unpacking.HOME])["held"].clear()
    for number, work in enumerate(works):
        os.utime(work.folder / "complete.json", (number, number))
    assert unpacking.hold(place, works[0].identity, system="win32")
    unpacking.clean(place, works[2].identity)
    assert works[0].folder.is_dir()
    # And with the process, the file is let go.
    vars(sys.modules[unpacking.HOME])["held"].pop().close()
    unpacking.clean(place, works[2].identity)
    assert not works[0].folder.exists()


def test_on_windows_a_version_that_is_gone_is_not_held(unpacking, tmp_path):
    assert not unpacking.hold(tmp_path, "gone", system="win32")


def test_the_payload_needs_no_lzma(unpacking, monkeypatch):
    monkeypatch.setitem(sys.modules, "lzma", None)
    carried = Carried(unpacking)
    work = carried.unpack(unpacking)
    assert work.state == "done", work.sentence
