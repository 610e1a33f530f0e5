"""Whether a process is alive and since when, asked without harming it."""

from __future__ import annotations

import os
import sys


def alive(pid: int) -> bool:
    """Whether a process with this number runs now."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return _windows_times(pid) is not None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it belongs to somebody else
    # One that has ended keeps its number until its parent has asked how: to everybody else it is gone.
    return sys.platform != "linux" or _linux_fields(pid)[:1] != ["Z"]


def start_time(pid: int) -> float | None:
    """When a process started (seconds since 1970, good to a second); None where the system does not easily tell."""
    if sys.platform == "win32":
        return _windows_times(pid)
    elif sys.platform == "linux":
        return _linux_start(pid)
    return None


def _linux_start(pid: int) -> float | None:
    try:
        ticks = int(_linux_fields(pid)[19])
        with open("/proc/stat", encoding="utf-8") as file:
            boot = next(int(line.split()[1]) for line in file if line.startswith("btime "))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    return boot + ticks / os.sysconf("SC_CLK_TCK")


def _linux_fields(pid: int) -> list[str]:
    """What the system says of a process, from its state on (the third field); nothing if it says nothing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The second field, the name in parentheses, may hold spaces and parentheses itself.
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _LIMITED_INFORMATION = 0x1000
    _STILL_ACTIVE = 259
    #: Windows counts tenths of microseconds since 1601.
    _EPOCH_S = 11644473600

    def _windows_times(pid: int) -> float | None:
        # os.kill(pid, 0) would end the process on Windows.
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = wintypes.HANDLE
        kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
        handle = kernel.OpenProcess(_LIMITED_INFORMATION, False, pid)
        if not handle:
            return None
        try:
            code = wintypes.DWORD()
            kernel.GetExitCodeProcess.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
            # A process that has ended stays known while anybody holds a handle to it.
            if not kernel.GetExitCodeProcess(handle, ctypes.byref(code)) or code.value != _STILL_ACTIVE:
                return None
            times = [wintypes.FILETIME() for _ in range(4)]
            kernel.GetProcessTimes.argtypes = (wintypes.HANDLE, *[ctypes.POINTER(wintypes.FILETIME)] * 4)
            if not kernel.GetProcessTimes(handle, *map(ctypes.byref, times)):
                return 0.0
            created = (times[0].dwHighDateTime << 32) | times[0].dwLowDateTime
            return float(created / 10_000_000 - _EPOCH_S)
        finally:
            kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
            kernel.CloseHandle(handle)
else:

    def _windows_times(pid: int) -> float | None:
        raise OSError("only on Windows")
