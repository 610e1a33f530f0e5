"""Our folder, this computer, and other processes: whether they live and since when, when they end, how one is started."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def home_folder(program: str = __file__, paths: Any = os.path) -> str:
    """Where the registry is. Some clients pass hardly any environment; but the copy that they start lies in that folder."""
    place = paths.dirname(paths.abspath(program))
    if [paths.basename(paths.dirname(place)), paths.basename(place)] == ["shim", "stdio_shim"]:
        own = paths.dirname(paths.dirname(place))
    else:
        own = paths.join(paths.expanduser("~"), ".tdmcp")
    return os.environ.get("TDMCP_HOME") or own


def make_private_folder(path: str, system: str = sys.platform) -> None:
    """Make a folder, and those above it, that only this user may read; it may be there already.

    On Windows without a mode: from 0o700 Python 3.11.10 makes access rights of their own, which keep the user out after
    one start as administrator. There the rights of the profile protect.
    """
    if system == "win32":
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(path, mode=0o700, exist_ok=True)


_host_of: list[str] = []


def host_id(system: str = sys.platform) -> str:
    """This computer, as entries in the registry name it; the same as `tdmcp_embedded.processes.host_id`.

    The host name and the system, which a home can be shared with (WSL has the host name of its Windows). A Mac's host
    name changes with the network, so there it is the id of the hardware.
    """
    if system != sys.platform:
        return _read_host_id(system)
    if not _host_of:
        _host_of.append(_read_host_id(system))
    return _host_of[0]


def _read_host_id(system: str) -> str:
    if system == "darwin":
        import ctypes

        try:
            library = ctypes.CDLL(None)
            uuid, patience = ctypes.create_string_buffer(16), (ctypes.c_long * 2)(1, 0)
            if library.gethostuuid(uuid, ctypes.byref(patience)) == 0:
                return f"{uuid.raw.hex()}/{system}"
        except (OSError, AttributeError):
            pass
    return f"{socket.gethostname().casefold()}/{system}"


def process_alive(pid: int) -> bool:
    """Whether a process of this id exists."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        # os.kill(pid, 0) would end the process there.
        return windows_alive(pid, windows_kernel())
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    if sys.platform.startswith("linux"):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # A process that ended but was not collected by its parent still has its id.
                return file.read().rpartition(b")")[2].split()[:1] != [b"Z"]
        except OSError:
            pass
    return True


def process_start(pid: int, system: str = sys.platform) -> float:
    """When a process started, in seconds since 1970, good to a second; 0.0 where the system does not say."""
    if system == "win32":
        return windows_start_time(pid, windows_kernel())
    if system == "darwin":
        import ctypes

        try:
            return mac_start_time(pid, ctypes.CDLL("/usr/lib/libproc.dylib"))
        except OSError:
            return 0.0
    if system.startswith("linux"):
        return _linux_start_time(pid)
    return 0.0


def _linux_start_time(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        with open("/proc/stat", "rb") as file:
            boot = next(int(line.split()[1]) for line in file if line.startswith(b"btime "))
        return boot + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return 0.0


def mac_start_time(pid: int, library: Any) -> float:
    """The same by macOS' proc_pidinfo: seconds and microseconds at byte 120 of `struct proc_bsdinfo` (136 bytes)."""
    import ctypes
    import struct

    facts = ctypes.create_string_buffer(136)
    # PROC_PIDTBSDINFO is 3.
    if library.proc_pidinfo(pid, 3, ctypes.c_uint64(0), facts, 136) != 136:
        return 0.0
    seconds, micro = struct.unpack_from("=QQ", facts.raw, 120)
    return float(seconds) + float(micro) / 1e6


def windows_start_time(pid: int, kernel: Any) -> float:
    """The same by the Windows API, which counts tenths of microseconds since 1601."""
    import ctypes

    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return 0.0
    try:
        # Pairs of 32 bits, the low one first.
        times = [(ctypes.c_uint32 * 2)() for _ in range(4)]
        if not kernel.GetProcessTimes(handle, *[ctypes.byref(one) for one in times]):
            return 0.0
        return float(((times[0][1] << 32) | times[0][0]) / 10_000_000 - 11_644_473_600)
    finally:
        kernel.CloseHandle(handle)


def same_process(pid: int, started: Any) -> bool:
    """Whether the process of this id, which lives, is the one that had it at that time: ids are used again.

    Args:
        started: seconds since 1970; anything that is no figure says nothing.
    """
    if isinstance(started, bool) or not isinstance(started, (int, float)) or not started:
        return True
    now = process_start(pid)
    # Clocks tick coarsely: two seconds apart is the same process.
    return not now or abs(now - started) < 2.0


def windows_kernel() -> Any:
    """What is used of the Windows API; `last_error()` is of the call before."""
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # Windows
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_ulong)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    kernel.GetProcessTimes.argtypes = (ctypes.c_void_p,) * 5
    kernel.last_error = ctypes.get_last_error  # type: ignore[attr-defined,unused-ignore]  # Windows
    return kernel


def windows_alive(pid: int, kernel: Any) -> bool:
    """Whether a process of this id exists, by the Windows API."""
    import ctypes

    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if not handle:
        return bool(kernel.last_error() == 5)  # ERROR_ACCESS_DENIED: it exists, and is somebody else's
    code = ctypes.c_ulong()
    told = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return bool(told) and code.value == 259  # STILL_ACTIVE


def packaged(kernel: Any) -> bool:
    """Whether Windows runs us inside a package (the client is one): what we start then shares its private AppData."""
    import ctypes

    size = ctypes.c_uint32(0)
    try:
        # ERROR_INSUFFICIENT_BUFFER: there is a name, which we do not need.
        return bool(kernel.GetCurrentPackageFullName(ctypes.byref(size), None) == 122)
    except AttributeError:  # Windows 7
        return False


def start_outside(program: str, path: str, folder: str) -> tuple[list[str], dict[str, Any]]:
    """How Windows' management service starts a program for us: outside our package, and outside the client's job."""
    import subprocess

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    line = quoted(subprocess.list2cmdline([program, path]))
    script = (
        "$ErrorActionPreference = 'Stop'; $made = Invoke-CimMethod -ClassName Win32_Process -MethodName Create "
        f"-Arguments @{{CommandLine = {line}; CurrentDirectory = {quoted(folder)}}}; exit $made.ReturnValue"
    )
    shell = os.environ.get("SystemRoot", r"C:\Windows") + r"\System32\WindowsPowerShell\v1.0\powershell.exe"
    command = [shell, "-NoProfile", "-NonInteractive", "-Command", script]
    return command, {"creationflags": 0x08000000}  # CREATE_NO_WINDOW


def start_command(program: str, path: str, system: str) -> tuple[list[str], dict[str, Any]]:
    """How TouchDesigner is started with a project so that it outlives us: the command, and options of Popen."""
    if system == "win32":
        # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP, CREATE_BREAKAWAY_FROM_JOB: a client may end its job with itself.
        return [program, path], {"creationflags": 0x01000208}
    if system == "darwin" and ".app/" in program:
        bundle = program.partition(".app/")[0] + ".app"
        # -n: a second one, if another project is open in this build.
        return ["/usr/bin/open", "-n", "-a", bundle, path], {"start_new_session": True}
    return [program, path], {"start_new_session": True}


def windows_ended(pid: int, kernel: Any) -> bool:
    """Wait for the end of a process, by the Windows API. False: it cannot be watched."""
    handle = kernel.OpenProcess(0x00100000, False, pid)  # SYNCHRONIZE
    if not handle:
        return False  # not ours to watch
    try:
        return bool(kernel.WaitForSingleObject(handle, 0xFFFFFFFF) == 0)  # INFINITE; WAIT_OBJECT_0
    finally:
        kernel.CloseHandle(handle)
