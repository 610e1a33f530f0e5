"""What one system's Python lacks is used behind a guard only: nothing here fails on Windows or macOS by its name alone.

The scan knows names that are missing in Python 3.11 there. It counts as guarded what stands below a test of the system
(`sys.platform`, `os.name`, `hasattr` ...), after one that leaves the function, in a `try` that catches the lack, below
a `skipif`, or in a function whose name says for which system it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    "tdmcp_embedded",
    "td_component",
    "tox_build",
    "stdio_shim",
    "fakes",
    "tests",
    "scripts",
    "examples",
    "run.py",
)

#: Names that Windows' Python 3.11 lacks, or that do something else there (`kill` ends the process whatever the signal).
NOT_ON_WINDOWS = {
    "os": [
        "chown",
        "chroot",
        "fchdir",
        "fchmod",
        "fchown",
        "fork",
        "forkpty",
        "fpathconf",
        "fstatvfs",
        "ctermid",
        "get_blocking",
        "getegid",
        "geteuid",
        "getgid",
        "getgroups",
        "getloadavg",
        "getpgid",
        "getpgrp",
        "getpriority",
        "getresuid",
        "getsid",
        "getuid",
        "initgroups",
        "kill",
        "killpg",
        "lchown",
        "lockf",
        "mkfifo",
        "mknod",
        "nice",
        "openpty",
        "pathconf",
        "pipe2",
        "posix_spawn",
        "pread",
        "pwrite",
        "register_at_fork",
        "sched_getaffinity",
        "sched_yield",
        "sendfile",
        "set_blocking",
        "setegid",
        "seteuid",
        "setgid",
        "setgroups",
        "setpgid",
        "setpriority",
        "setsid",
        "setuid",
        "statvfs",
        "sync",
        "sysconf",
        "tcgetpgrp",
        "tcsetpgrp",
        "ttyname",
        "uname",
        "wait",
        "wait3",
        "wait4",
        "waitid",
        "WNOHANG",
        "WEXITSTATUS",
        "WIFEXITED",
        "WIFSIGNALED",
        "WTERMSIG",
        "O_CLOEXEC",
        "O_DIRECTORY",
        "O_NOFOLLOW",
        "O_NONBLOCK",
        "O_SYNC",
        "O_NOCTTY",
    ],
    "signal": [
        "SIGALRM",
        "SIGCHLD",
        "SIGCONT",
        "SIGHUP",
        "SIGKILL",
        "SIGPIPE",
        "SIGQUIT",
        "SIGSTOP",
        "SIGTSTP",
        "SIGUSR1",
        "SIGUSR2",
        "SIGWINCH",
        "alarm",
        "getitimer",
        "pause",
        "pthread_kill",
        "pthread_sigmask",
        "setitimer",
        "siginterrupt",
        "sigpending",
        "sigwait",
    ],
    "socket": [
        "AF_UNIX",
        "SO_REUSEPORT",
        "MSG_DONTWAIT",
        "MSG_NOSIGNAL",
        "SCM_RIGHTS",
        "sethostname",
        "recv_fds",
        "send_fds",
    ],
    "select": ["poll", "epoll", "kqueue", "POLLOUT", "POLLIN", "POLLERR", "POLLHUP", "POLLNVAL"],
    "time": [
        "clock_gettime",
        "clock_settime",
        "CLOCK_MONOTONIC",
        "CLOCK_REALTIME",
        "tzset",
        "pthread_getcpuclockid",
    ],
}
#: Names that macOS' Python lacks.
NOT_ON_MAC = {
    "os": [
        "copy_file_range",
        "eventfd",
        "fdatasync",
        "getrandom",
        "getresuid",
        "memfd_create",
        "O_DIRECT",
        "O_PATH",
        "O_TMPFILE",
        "pipe2",
        "posix_fadvise",
        "posix_fallocate",
        "sched_getaffinity",
        "sched_setaffinity",
        "setresuid",
        "setns",
        "splice",
        "unshare",
    ],
    "signal": ["SIGPOLL", "SIGPWR", "SIGRTMAX", "SIGRTMIN", "SIGSTKFLT", "sigtimedwait", "sigwaitinfo"],
    "socket": ["AF_NETLINK", "AF_PACKET", "MSG_NOSIGNAL", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "SO_PEERCRED"],
    "select": ["epoll", "EPOLLIN", "EPOLLOUT"],
    "time": ["CLOCK_BOOTTIME"],
}
#: Names that only Windows has.
ONLY_WINDOWS = {
    "os": ["O_BINARY", "startfile", "add_dll_directory"],
    "signal": ["CTRL_C_EVENT", "CTRL_BREAK_EVENT", "SIGBREAK"],
    "socket": ["SO_EXCLUSIVEADDRUSE", "SIO_LOOPBACK_FAST_PATH", "ioctl"],
    "subprocess": [
        "CREATE_NO_WINDOW",
        "CREATE_NEW_PROCESS_GROUP",
        "DETACHED_PROCESS",
        "BELOW_NORMAL_PRIORITY_CLASS",
        "STARTUPINFO",
    ],
    "ctypes": ["WinDLL", "windll", "get_last_error", "WinError", "OleDLL"],
}
MODULES = {
    "fcntl",
    "resource",
    "pwd",
    "grp",
    "termios",
    "tty",
    "pty",
    "syslog",
    "posix",
    "readline",
    "msvcrt",
    "winreg",
    "winsound",
    "_winapi",
    "nt",
}

NAMES = {
    (module, name)
    for table in (NOT_ON_WINDOWS, NOT_ON_MAC, ONLY_WINDOWS)
    for module, names in table.items()
    for name in names
}

#: Any of them as a word: most files have none, and need no parsing.
_ANY = re.compile(rf"\b({'|'.join(sorted({name for _, name in NAMES} | MODULES))})\b")
_TEST = re.compile(r"platform|os\.name|hasattr|getattr|system|SYSTEM|WINDOWS|POSIX|os_name")
_FUNCTION = re.compile(r"(^|_)(linux|posix|windows|win32|mac|darwin|fork)(_|$)", re.IGNORECASE)
_LACK = {"AttributeError", "ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def unguarded(source: str) -> Iterator[tuple[int, str]]:
    """The line and the name of each use that would fail somewhere."""
    if not _ANY.search(source):
        return
    tree = ast.parse(source)
    uses = [(node, names) for node in ast.walk(tree) if (names := _used(node))]
    parents: dict[ast.AST, ast.AST] = {}
    if uses:
        parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    for node, names in uses:
        for name in names:
            if not _is_guarded(node, parents, source):
                yield getattr(node, "lineno", 0), name


def _used(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return [f"{node.value.id}.{node.attr}"] if (node.value.id, node.attr) in NAMES else []
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in MODULES]
    if isinstance(node, ast.ImportFrom):
        if node.module in MODULES:
            return [node.module]
        return [f"{node.module}.{alias.name}" for alias in node.names if (node.module, alias.name) in NAMES]
    return []


def _is_guarded(node: ast.AST, parents: dict[ast.AST, ast.AST], source: str) -> bool:
    def says(part: ast.AST) -> bool:
        return bool(_TEST.search(ast.get_source_segment(source, part) or ""))

    while node in parents:
        child, node = node, parents[node]
        if isinstance(node, ast.If | ast.IfExp) and child is not node.test and says(node.test):
            return True
        if isinstance(node, ast.BoolOp) and any(
            says(value) for value in node.values[: node.values.index(child)]
        ):  # type: ignore[arg-type]  # a child of it
            return True
        if isinstance(node, ast.Try) and child in node.body:
            caught = " ".join(ast.get_source_segment(source, h.type) or "" for h in node.handlers if h.type)
            if _LACK & set(re.findall(r"\w+", caught)):
                return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            _FUNCTION.search(node.name) or any("skip" in ast.unparse(one) for one in node.decorator_list)
        ):
            return True
        body = getattr(node, "body", None)
        if isinstance(body, list) and child in body:
            for former in body[: body.index(child)]:
                if (
                    isinstance(former, ast.If)
                    and says(former.test)
                    and isinstance(former.body[-1], ast.Return | ast.Raise | ast.Continue)
                ):
                    return True
                if (
                    isinstance(former, ast.Assign)
                    and ast.unparse(former.targets[0]) == "pytestmark"
                    and says(former.value)
                ):
                    return True
    return False


def files() -> list[Path]:
    found = []
    for name in FOLDERS:
        place = ROOT / name
        found += [place] if place.is_file() else sorted(place.rglob("*.py"))
    # Packages of clients under test bring scripts of their own, some for another Python.
    return [p for p in found if p != Path(__file__).resolve() and "node_modules" not in p.parts]


def test_nothing_is_used_unguarded_that_a_system_lacks() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in files()
        for line, name in unguarded(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "test the system first; see the docstring"


#: (what is written, what is found in it)
SAMPLES = [
    ("import os\nos.set_blocking(1, False)", ["os.set_blocking"]),
    ("import fcntl", ["fcntl"]),
    ("from signal import SIGKILL", ["signal.SIGKILL"]),
    ("import os, sys\nif sys.platform != 'win32':\n    os.set_blocking(1, False)", []),
    ("def f():\n    if os.name == 'nt':\n        return\n    os.geteuid()", []),
    ("def f():\n    if x:\n        return\n    os.geteuid()", ["os.geteuid"]),
    ("try:\n    import resource\nexcept ImportError:\n    resource = None", []),
    ("try:\n    import resource\nexcept OSError:\n    pass", ["resource"]),
    ("ok = hasattr(os, 'getuid') and os.getuid() == 0", []),
    ("ok = os.getuid() == 0 and hasattr(os, 'getuid')", ["os.getuid"]),
    ("@pytest.mark.skipif(os.name != 'posix', reason='x')\ndef test_x():\n    os.mkfifo('a')", []),
    ("def _linux_start():\n    os.sysconf('SC_CLK_TCK')", []),
    ("os.kill(1, 0)", ["os.kill"]),
    ("import msvcrt", ["msvcrt"]),
]


@pytest.mark.parametrize(("source", "names"), SAMPLES)
def test_the_scan_finds_what_would_fail_and_nothing_else(source: str, names: list[str]) -> None:
    assert [name for _, name in unguarded(source)] == names
