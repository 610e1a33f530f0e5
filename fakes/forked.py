"""Start the stand-in by a fork of a process that has imported everything before; what the tests use where they can.

Most of a start is imports. Python's own fork server imports once and forks for each stand-in, so that a start costs a
fifth. Linux only: forking a process with native libraries in it is not safe on macOS, and Windows has no fork. What
looks at the start itself (imports, threads, the time it takes) needs a process of its own.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import traceback
import types
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

PRELOAD = "fakes.preloaded"


def can_fork() -> bool:
    """Whether this system forks safely."""
    return sys.platform == "linux"


class ForkedProcess:
    """A stand-in made by the fork server, with the part of `subprocess.Popen` that `StandIn` and its tests use.

    Args:
        arguments: the command line after `python -m fakes`.
        environment: all environment variables of the process.
        cwd: its working folder.
        stderr: what its standard error goes to.
    """

    def __init__(
        self, arguments: Sequence[str], environment: dict[str, str], cwd: str | Path | None, stderr: IO[bytes]
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([PRELOAD])
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        # Connections, since these are what multiprocessing hands over to a process.
        ends = (Connection(read_in, writable=False), Connection(write_out, readable=False))
        errors = Connection(os.dup(stderr.fileno()), readable=False)
        folder = str(cwd or Path.cwd())
        self._process = context.Process(
            target=_run, args=(list(arguments), environment, folder, *ends, errors), daemon=False
        )
        self._process.start()
        for end in (*ends, errors):
            end.close()
        self.stdin: IO[str] | None = os.fdopen(write_in, "w", encoding="utf-8")
        self.stdout: IO[str] | None = os.fdopen(read_out, encoding="utf-8")
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        """The exit code, or minus the signal's number; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same, asked for now."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code.

        Raises:
            subprocess.TimeoutExpired: it runs still.
        """
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("stand-in", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if sys.platform == "linux" and self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it."""
        self._process.kill()


def _run(
    arguments: list[str],
    environment: dict[str, str],
    folder: str,
    read: Connection,
    write: Connection,
    errors: Connection,
) -> None:
    """Become `python -m fakes`: descriptors, environment, folder and `__main__` as a new process has them."""
    for number, end in enumerate((read, write, errors)):
        os.dup2(end.fileno(), number)
        end.close()
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["fakes", *arguments]
    sys.modules["__main__"] = types.ModuleType("__main__")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from fakes.__main__ import main

    code = 1
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  Shown as the interpreter shows it.
        traceback.print_exc()
    # What a new process does at its end, in its order; multiprocessing would leave the second out.
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
