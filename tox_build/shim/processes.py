"""Our folder, and other processes: whether they live, when they end, how TouchDesigner is started."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def home_folder() -> str:
    return os.environ.get("TDMCP_HOME") or os.path.join(os.path.expanduser("~"), ".tdmcp")


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


def windows_kernel() -> Any:
    """What is used of the Windows API; `last_error()` is of the call before."""
    import ctypes

    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # Windows
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.GetExitCodeProcess.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_ulong)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
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


def start_command(program: str, path: str, system: str) -> tuple[list[str], dict[str, Any]]:
    """How TouchDesigner is started with a project so that it outlives us: the command, and options of Popen."""
    if system == "win32":
        return [program, path], {"creationflags": 0x00000208}  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
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
