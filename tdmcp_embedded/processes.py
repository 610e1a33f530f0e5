"""Which computer this is, whether a process is alive and since when, and whether this one runs as administrator."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from ctypes import wintypes
from functools import cache
from typing import Any, Protocol


def alive(pid: int, system: str = sys.platform) -> bool:
    """Whether a process with this number runs now. One that belongs to somebody else counts."""
    if pid <= 0:
        return False
    if system == "win32":
        # os.kill(pid, 0) would end the process there.
        return windows_alive(pid, _windows_kernel())
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it belongs to somebody else
    # One that has ended keeps its number until its parent has asked how: to everybody else it is gone.
    return system != "linux" or _linux_fields(pid)[:1] != ["Z"]


def start_time(pid: int, system: str = sys.platform) -> float | None:
    """When a process started (seconds since 1970, good to a second); None where the system does not easily tell."""
    if system == "win32":
        return windows_start(pid, _windows_kernel())
    if system == "linux":
        return _linux_start(pid)
    if system == "darwin":
        try:
            return mac_start(pid, ctypes.CDLL("/usr/lib/libproc.dylib"))
        except OSError:
            return None
    return None


def mac_start(pid: int, library: Any) -> float | None:
    """`start_time` by macOS' proc_pidinfo: seconds and microseconds at byte 120 of `struct proc_bsdinfo` (136 bytes)."""
    facts = ctypes.create_string_buffer(_BSD_INFO_SIZE)
    size = library.proc_pidinfo(pid, _PIDTBSDINFO, ctypes.c_uint64(0), facts, _BSD_INFO_SIZE)
    if size != _BSD_INFO_SIZE:
        return None
    seconds, micro = struct.unpack_from("=QQ", facts.raw, 120)
    return float(seconds) + float(micro) / 1e6


@cache
def host_id(system: str = sys.platform) -> str:
    """This computer, as entries in the registry name it; the shim has the same function.

    The host name and the system, which a home can be shared with (WSL has the host name of its Windows). A Mac's host
    name changes with the network, so there it is the id of the hardware.
    """
    if system == "darwin":
        try:
            library = ctypes.CDLL(None)
            uuid, patience = ctypes.create_string_buffer(16), (ctypes.c_long * 2)(1, 0)
            if library.gethostuuid(uuid, ctypes.byref(patience)) == 0:
                return f"{uuid.raw.hex()}/{system}"
        except (OSError, AttributeError):
            pass
    return f"{socket.gethostname().casefold()}/{system}"


def elevated(system: str = sys.platform, shell: Any = None) -> bool:
    """Whether this process runs as administrator of a Windows (False on other systems)."""
    if system != "win32":
        return False
    try:
        library: Any = shell or ctypes.WinDLL("shell32")  # type: ignore[attr-defined,unused-ignore]  # Windows
        return bool(library.IsUserAnAdmin())
    except (OSError, AttributeError):
        return False


def packaged(system: str = sys.platform, kernel: Any = None) -> bool:
    """Whether Windows runs this process inside a package, whose AppData is a private copy (False on other systems)."""
    if system != "win32":
        return False
    size = ctypes.c_uint32(0)
    try:
        library: Any = kernel or ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]  # Windows
        # There is a name, for which we have left no room.
        return bool(library.GetCurrentPackageFullName(ctypes.byref(size), None) == _INSUFFICIENT_BUFFER)
    except (OSError, AttributeError):
        return False


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


#: PROC_PIDTBSDINFO of macOS, and the size of what it gives.
_PIDTBSDINFO, _BSD_INFO_SIZE = 3, 136
#: ERROR_INSUFFICIENT_BUFFER of the Windows API.
_INSUFFICIENT_BUFFER = 122
#: PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE and ERROR_ACCESS_DENIED of the Windows API.
_LIMITED_INFORMATION, _STILL_ACTIVE, _DENIED = 0x1000, 259, 5
#: Windows counts tenths of microseconds since 1601.
_EPOCH_S = 11644473600


class Kernel(Protocol):
    """What is used of the Windows API; `last_error` is of the call before."""

    def OpenProcess(self, access: int, inherit: bool, pid: int, /) -> int | None: ...
    def GetExitCodeProcess(self, handle: int, code: Any, /) -> int: ...
    def GetProcessTimes(self, handle: int, *times: Any) -> int: ...
    def CloseHandle(self, handle: int, /) -> int: ...
    def last_error(self) -> int: ...


def windows_alive(pid: int, kernel: Kernel) -> bool:
    """`alive` by the Windows API."""
    handle = kernel.OpenProcess(_LIMITED_INFORMATION, False, pid)
    if not handle:
        return kernel.last_error() == _DENIED
    try:
        return _runs(handle, kernel)
    finally:
        kernel.CloseHandle(handle)


def windows_start(pid: int, kernel: Kernel) -> float | None:
    """`start_time` by the Windows API."""
    handle = kernel.OpenProcess(_LIMITED_INFORMATION, False, pid)
    if not handle:
        return None
    try:
        times = [wintypes.FILETIME() for _ in range(4)]
        if not _runs(handle, kernel) or not kernel.GetProcessTimes(handle, *map(ctypes.byref, times)):
            return None
        created = (times[0].dwHighDateTime << 32) | times[0].dwLowDateTime
        return float(created / 10_000_000 - _EPOCH_S)
    finally:
        kernel.CloseHandle(handle)


def _runs(handle: int, kernel: Kernel) -> bool:
    # A process that has ended stays known while anybody holds a handle to it.
    code = wintypes.DWORD()
    return bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and code.value == _STILL_ACTIVE


def _windows_kernel() -> Kernel:
    library: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # Windows
    library.OpenProcess.restype = wintypes.HANDLE
    library.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    library.GetExitCodeProcess.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
    library.GetProcessTimes.argtypes = (wintypes.HANDLE, *[ctypes.POINTER(wintypes.FILETIME)] * 4)
    library.CloseHandle.argtypes = (wintypes.HANDLE,)
    library.last_error = ctypes.get_last_error  # type: ignore[attr-defined,unused-ignore]  # Windows
    kernel: Kernel = library
    return kernel
