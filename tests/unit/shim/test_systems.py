"""What differs between systems, asked of each on any: the Windows API is a stand-in that remembers what it was asked."""

from __future__ import annotations

import ctypes
import ntpath
import os
import posixpath
import re
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

import stdio_shim.__main__ as shim
from tdmcp_embedded import processes

LIMITED, SYNCHRONIZE = 0x1000, 0x00100000
DENIED, INVALID = 5, 87


@dataclass
class Kernel:
    """Windows, as far as it is used. `exits` are exit codes by process id; STILL_ACTIVE is 259."""

    exits: dict[int, int] = field(default_factory=dict)
    denied: set[int] = field(default_factory=set)
    created: int = 0
    open: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    error: int = 0

    def OpenProcess(self, access: int, inherit: bool, pid: int) -> int | None:
        self.asked.append(access)
        if pid in self.denied or pid not in self.exits:
            self.error = DENIED if pid in self.denied else INVALID
            return None
        self.open.append(pid)
        return pid

    def GetExitCodeProcess(self, handle: int, code: Any) -> int:
        code._obj.value = self.exits[handle]
        return 1

    def GetProcessTimes(self, handle: int, *times: Any) -> int:
        ctypes.memmove(ctypes.addressof(times[0]._obj), struct.pack("<Q", self.created), 8)
        return 1

    def WaitForSingleObject(self, handle: int, ms: int) -> int:
        return 0

    def CloseHandle(self, handle: int) -> int:
        self.open.remove(handle)
        return 1

    def last_error(self) -> int:
        return self.error


@pytest.mark.parametrize("alive", [shim.windows_alive, processes.windows_alive])
def test_on_windows_a_process_is_asked_for_without_the_right_to_end_it(alive: Any) -> None:
    kernel = Kernel(exits={10: 259, 11: 0}, denied={12})
    assert alive(10, kernel), "it runs"
    assert not alive(11, kernel), "it has ended, though somebody still holds a handle to it"
    assert alive(12, kernel), "it is somebody else's"
    assert not alive(13, kernel), "there is none"
    assert set(kernel.asked) == {LIMITED} and kernel.open == []


def test_on_windows_the_start_of_a_process_is_told_in_seconds_since_1970() -> None:
    kernel = Kernel(exits={10: 259, 11: 1}, created=(1_700_000_000 + 11_644_473_600) * 10_000_000)
    assert shim.windows_start_time(10, kernel) == 1_700_000_000 and shim.windows_start_time(12, kernel) == 0
    assert processes.windows_start(10, kernel) == 1_700_000_000
    assert processes.windows_start(11, kernel) is None and processes.windows_start(12, kernel) is None
    assert kernel.open == []


def test_on_windows_the_end_of_the_client_is_waited_for() -> None:
    kernel = Kernel(exits={10: 259})
    assert shim.windows_ended(10, kernel)
    assert kernel.asked == [SYNCHRONIZE] and kernel.open == []
    assert not shim.windows_ended(11, kernel), "one that cannot be watched has not ended"


@pytest.mark.parametrize(
    ("system", "program", "command", "options"),
    [
        (
            "win32",
            r"C:\Program Files\Derivative\TouchDesigner\bin\TouchDesigner.exe",
            None,
            {"creationflags": 0x01000208},
        ),
        (
            "darwin",
            "/Applications/TouchDesigner.app/Contents/MacOS/TouchDesigner",
            ["/usr/bin/open", "-n", "-a", "/Applications/TouchDesigner.app", "show.toe"],
            {"start_new_session": True},
        ),
        ("darwin", "/opt/td", None, {"start_new_session": True}),
        ("linux", "/opt/td", None, {"start_new_session": True}),
    ],
)
def test_touchdesigner_is_started_so_that_it_outlives_the_client(
    system: str, program: str, command: list[str] | None, options: dict[str, Any]
) -> None:
    assert shim.start_command(program, "show.toe", system) == (command or [program, "show.toe"], options)


@pytest.mark.skipif(not hasattr(__import__("select"), "poll"), reason="this system has no poll")
def test_a_pipe_that_nobody_reads_any_more_is_told_from_one_that_is_full_or_idle() -> None:
    reading, writing = os.pipe()
    try:
        assert not shim.unread(writing)
        os.set_blocking(writing, False)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(writing, b"x" * 65536)
        assert not shim.unread(writing), "full is not closed"
        os.close(reading)
        assert shim.unread(writing)
    finally:
        os.close(writing)


class LibProc:
    """macOS' libproc, as far as it is used: the start of one process."""

    def proc_pidinfo(self, pid: int, kind: int, argument: Any, facts: Any, size: int) -> int:
        assert (kind, size) == (3, 136)
        if pid != 10:
            return 0
        struct.pack_into("=QQ", facts, 120, 1_700_000_000, 500_000)
        return 136


@pytest.mark.parametrize("start", [shim.mac_start_time, processes.mac_start])
def test_on_a_mac_the_start_of_a_process_is_told_by_libproc(start: Callable[..., Any]) -> None:
    assert start(10, LibProc()) == 1_700_000_000.5
    assert not start(11, LibProc()), "it does not say"


@pytest.mark.skipif(sys.platform not in ("linux", "darwin", "win32"), reason="no start times here")
def test_shim_and_server_agree_on_start_times_and_on_the_computer() -> None:
    started = processes.start_time(os.getpid())
    assert started is not None and abs(shim.process_start(os.getpid()) - started) < 1
    assert shim.host_id() == processes.host_id()
    assert shim.host_id("other") != shim.host_id(), "Windows and its WSL share a host name"


@pytest.mark.parametrize(
    ("started", "same"),
    [(0, True), (None, True), ("yesterday", True), (True, True), (1e9, False), (1e9 + 0.5, False)],
)
def test_a_process_id_that_was_used_again_is_another_process(started: Any, same: bool) -> None:
    assert shim.same_process(os.getpid(), started) is same
    assert shim.same_process(os.getpid(), shim.process_start(os.getpid()) + 1.5), "clocks tick coarsely"


#: (rules of paths, home, folder, whether it is too wide to mean a project)
FOLDERS: list[tuple[Any, str, str, bool]] = [
    (posixpath, "/Users/jo", "/", True),  # where macOS starts Claude Desktop
    (posixpath, "/Users/jo", "/Users/jo", True),
    (posixpath, "/Users/jo", "/Users", True),
    (posixpath, "/Users/jo", "/Users/jo/show", False),
    (posixpath, "/Users/jo", "/Users/joanna", False),
    (posixpath, "/Users/jo", "/Volumes/show", False),
    (ntpath, r"C:\Users\jo", "C:\\", True),
    (ntpath, r"C:\Users\jo", "D:\\", True),
    (ntpath, r"C:\Users\jo", r"c:\users\JO", True),
    (ntpath, r"C:\Users\jo", r"C:\Users", True),
    (ntpath, r"C:\Users\jo", r"D:\show", False),
    (ntpath, r"C:\Users\jo", r"C:\Users\jo\show", False),
]


@pytest.mark.parametrize(("paths", "home", "folder", "wide"), FOLDERS)
def test_the_root_and_the_home_are_near_no_project(paths: Any, home: str, folder: str, wide: bool) -> None:
    assert shim.broad(folder, home, paths) is wide


def test_a_client_that_works_in_the_home_is_near_no_project_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert not shim._near(f"{tmp_path}/show", str(tmp_path)) and not shim._near(f"{tmp_path}/show", "/")
    assert not shim._near(str(tmp_path), f"{tmp_path}/work"), (
        "a project saved in the home is around everything"
    )
    assert shim._near(f"{tmp_path}/show", f"{tmp_path}/show/scripts")
    assert shim._near(f"{tmp_path}/jobs/show", f"{tmp_path}/jobs")


@dataclass
class Packages:
    """Windows, as far as packages go: 122 is "there is a name, longer than the room for it"."""

    answer: int

    def GetCurrentPackageFullName(self, size: Any, name: Any) -> int:
        return self.answer


@pytest.mark.parametrize(("answer", "inside"), [(122, True), (15700, False)])
def test_a_packaged_client_is_noticed(answer: int, inside: bool) -> None:
    assert shim.packaged(Packages(answer)) is inside
    assert shim.packaged(object()) is False, "Windows 7 has no packages"
    assert processes.packaged("win32", Packages(answer)) is inside
    assert not processes.packaged("darwin") and not processes.packaged("linux")


def test_out_of_a_package_touchdesigner_is_started_by_windows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SystemRoot", r"C:\Windows")
    command, options = shim.start_outside(
        r"C:\Program Files\TD\TouchDesigner.exe", r"D:\Jo's show\a.toe", r"D:\Jo's show"
    )
    assert command[0] == r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe"
    assert "Win32_Process" in command[-1] and options == {"creationflags": 0x08000000}
    assert (
        r"""CommandLine = '"C:\Program Files\TD\TouchDesigner.exe" "D:\Jo''s show\a.toe"';""" in command[-1]
    )
    assert "CurrentDirectory = 'D:\\Jo''s show'" in command[-1]


class Starter:
    """The process that has Windows start another one."""

    def __init__(self, code: int) -> None:
        self._code = code

    def wait(self, timeout: float) -> int:
        return self._code


def test_a_start_out_of_a_package_that_fails_is_said() -> None:
    shim.begin_outside("td.exe", "a.toe", "", lambda command, options: Starter(0))
    with pytest.raises(shim.Refusal, match="packaged program") as caught:
        shim.begin_outside("td.exe", "a.toe", "", lambda command, options: Starter(9))
    assert "by hand" in caught.value.hint


class Started(Starter):
    """Popen on a Windows that lets nothing out of the client's job, if it is said so."""

    commands: ClassVar[list[list[str]]] = []
    closed = False

    def __init__(self, command: list[str], creationflags: int = 0, **_: Any) -> None:
        super().__init__(0)
        self.commands.append(command)
        if self.closed and creationflags & 0x01000000:
            raise PermissionError(13, "Access is denied")


@pytest.mark.parametrize(
    ("answer", "closed", "starters"),
    [
        (15700, False, ["td.exe"]),
        (122, False, ["powershell.exe"]),
        (15700, True, ["td.exe", "powershell.exe"]),
    ],
    ids=["an ordinary client", "a packaged one", "one whose job lets nothing out"],
)
def test_on_windows_touchdesigner_leaves_the_package_and_the_job_of_the_client(
    monkeypatch: pytest.MonkeyPatch, answer: int, closed: bool, starters: list[str]
) -> None:
    monkeypatch.setattr(shim.sys, "platform", "win32")
    monkeypatch.setattr(shim, "windows_kernel", lambda: Packages(answer))
    monkeypatch.setattr("subprocess.Popen", Started)
    monkeypatch.setattr(Started, "commands", [])
    monkeypatch.setattr(Started, "closed", closed)
    shim.Projects(shim.Instances("/nowhere"))._start("td.exe", "a.toe")
    assert [ntpath.basename(command[0]) for command in Started.commands] == starters


def test_on_windows_the_shim_makes_a_folder_without_a_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(os, "mkdir", lambda path, mode=0o777: asked.append(mode))
    for system in ("win32", "linux", "darwin"):
        shim.make_private_folder(str(tmp_path / system), system)
    assert asked == [0o777, 0o700, 0o700]


class Shell32:
    def __init__(self, admin: int) -> None:
        self.admin = admin

    def IsUserAnAdmin(self) -> int:
        return self.admin


@pytest.mark.parametrize(
    ("system", "shell", "elevated"),
    [
        ("win32", Shell32(1), True),
        ("win32", Shell32(0), False),
        ("win32", object(), False),
        ("linux", Shell32(1), False),
        ("darwin", Shell32(1), False),
    ],
)
def test_a_touchdesigner_run_as_administrator_is_noticed(system: str, shell: Any, elevated: bool) -> None:
    assert processes.elevated(system, shell) is elevated


def test_a_registry_that_may_not_be_read_is_told_from_one_that_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Any:
        raise PermissionError(13, "Access is denied")

    instances = shim.Instances(str(tmp_path))
    with pytest.raises(shim.Refusal, match="isn't running"):
        instances.choose()
    monkeypatch.setattr(shim.os, "scandir", refuse)
    instances.forget()
    with pytest.raises(shim.Refusal, match="may not be read by this user"):
        instances.choose()


def test_an_entry_that_may_not_be_read_is_told_unless_it_is_being_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "instances" / "1.json"
    path.parent.mkdir()
    path.write_text(f'{{"pid": {os.getpid()}, "url": "http://127.0.0.1:9/mcp", "name": "show"}}')
    path.chmod(0o600)
    known, fresh = shim.Instances(str(tmp_path)), shim.Instances(str(tmp_path))
    assert known.choose().name == "show"

    def refuse(*_: object) -> Any:
        raise PermissionError(13, "Access is denied")

    os.utime(path, (1e9, 1e9))
    monkeypatch.setattr(shim, "read_private", refuse)
    known.forget()
    assert known.choose().name == "show"
    monkeypatch.setattr(shim.sys, "platform", "win32")
    monkeypatch.setattr(shim, "process_alive", lambda pid: True)
    monkeypatch.setattr(shim, "same_process", lambda *_: True)
    with pytest.raises(shim.Refusal, match="administrator") as caught:
        fresh.choose()
    assert "icacls" in caught.value.message


# Threads of the shim


def test_every_thread_of_the_shim_is_started_where_exceptions_are_reported() -> None:
    source = Path(shim.__file__).read_text(encoding="utf-8")
    starts = re.findall(r"\bThread\((.{0,40})", source)
    assert starts and all("target=guarded" in found for found in starts), "use start_thread"


def test_what_a_thread_raises_is_reported_and_the_watch_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    logged: list[str] = []
    instance = shim.Shim(shim.Instances("/nowhere"), lambda line: None, logged.append)
    looked = threading.Event()
    looks: list[int] = []

    def target() -> Any:
        looks.append(1)
        if len(looks) < 3:
            instance.servers.wake.set()
            raise ZeroDivisionError("of ours")
        looked.set()
        raise shim.Refusal("not_started", "none")

    instance.servers.target = target  # type: ignore[method-assign]
    instance._watch()
    assert looked.wait(30)
    instance.servers.closing = True
    instance.servers.wake.set()
    assert any("A look at the servers failed" in line for line in logged)
    assert "ZeroDivisionError: of ours" in capsys.readouterr().err


def test_connections_to_a_server_that_is_gone_are_closed_since_they_would_hold_its_port() -> None:
    class Idle:
        def __init__(self, url: str) -> None:
            self.url, self.instance_id, self.closed = shim.Url(url), "", False

        def reusable(self) -> bool:
            return True

        def stale(self) -> bool:
            return False

        def close(self) -> None:
            self.closed = True

    pool = shim.Pool()
    gone, there = Idle("http://127.0.0.1:9988/mcp"), Idle("http://127.0.0.1:9989/mcp")
    for one in (gone, there):
        pool.give_back(one)  # type: ignore[arg-type]
    pool.keep([there.url.text])
    assert gone.closed and not there.closed
    assert pool.take(there.url) is there  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("given", ["", "http://127.0.0.1:1/mcp"], ids=["by entries", "by an address"])
def test_the_watch_closes_them_unless_the_address_was_given(tmp_path: Path, given: str) -> None:
    proxy = shim.Shim(shim.Instances(str(tmp_path), given), lambda line: None, lambda text: None)
    kept: list[list[str]] = []
    proxy.servers.pool.keep = kept.append  # type: ignore[method-assign]
    proxy._look()
    assert kept == ([] if given else [[]])


#: (rules of paths, where the shim is, the home it goes by)
HOMES = [
    (posixpath, "/Users/me/.tdmcp/shim/stdio_shim/__main__.py", "/Users/me/.tdmcp"),
    (posixpath, "/Users/me/.tdmcp/shim/stdio_shim/../stdio_shim/__main__.py", "/Users/me/.tdmcp"),
    (posixpath, "/opt/show/home/shim/stdio_shim/__main__.py", "/opt/show/home"),
    (posixpath, "/src/tdmcp/stdio_shim/__main__.py", "~/.tdmcp"),
    (ntpath, "C:\\Users\\me\\.tdmcp\\shim\\stdio_shim\\__main__.py", "C:\\Users\\me\\.tdmcp"),
    (ntpath, "D:\\tdmcp\\shim\\stdio_shim\\__main__.py", "D:\\tdmcp"),
    (ntpath, "C:\\Claude Extensions\\tdmcp\\server\\stdio_shim\\__main__.py", "~\\.tdmcp"),
]


@pytest.mark.parametrize(("paths", "program", "home"), HOMES, ids=[one[1] for one in HOMES])
def test_without_an_environment_the_home_is_where_the_shim_was_copied_to(
    monkeypatch: pytest.MonkeyPatch, paths: Any, program: str, home: str
) -> None:
    monkeypatch.delenv("TDMCP_HOME", raising=False)
    monkeypatch.setattr(paths, "expanduser", lambda path: path)  # neither HOME nor USERPROFILE is set
    if paths is ntpath:
        monkeypatch.setattr(
            ntpath, "abspath", ntpath.normpath
        )  # elsewhere it would ask for the working folder
    assert shim.home_folder(program, paths) == home
    monkeypatch.setenv("TDMCP_HOME", "/given")
    assert shim.home_folder(program, paths) == "/given"


@pytest.mark.parametrize(
    ("system", "one", "other", "same"),
    [
        ("darwin", "/Users/Me/Ren\u00e9/show.toe", "/users/me/rene\u0301/SHOW.toe", True),
        ("linux", "/Users/Me/show.toe", "/users/me/show.toe", False),
        ("darwin", "/Users/me/show.toe", "/Users/me/show2.toe", False),
    ],
)
def test_a_mac_has_one_path_for_two_spellings(system: str, one: str, other: str, same: bool) -> None:
    assert (shim.path_form(one, posixpath, system) == shim.path_form(other, posixpath, system)) is same


def test_a_project_is_found_whatever_its_spelling_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    given = shim.path_form.__defaults__
    monkeypatch.setattr(shim.path_form, "__defaults__", (given[0], "darwin") if given else None)
    assert shim._inside("/Users/me/Shows/Ren\u00e9/a.toe", "/users/me/shows/rene\u0301")
    assert shim._same_file("/Shows/a.1.toe", "/shows/a.2.toe")


def test_a_path_with_characters_that_none_has_is_no_failure() -> None:
    assert not shim._inside("/a\0b", "/a") and not shim.broad("/a\0b", "/home/me")
