"""What differs between systems, asked of each on any: the Windows API is a stand-in that remembers what it was asked."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

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
        times[0]._obj.dwHighDateTime, times[0]._obj.dwLowDateTime = divmod(self.created, 1 << 32)
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
            {"creationflags": 0x208},
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
