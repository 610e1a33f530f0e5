"""Start the stand-in as a process and drive it over its control lines; what the demo, the tests and benchmarks use."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar, Self

from fakes import forked

#: What starts a stand-in, if nothing else is asked for.
COMMAND = (sys.executable, "-m", "fakes")
#: Options for which a new process must import for itself: another build hides packages, a build brings its own.
OWN_IMPORTS = ("--build", "--component")


class StandIn:
    """A running `python -m fakes`.

    Args:
        arguments: further command-line arguments (`--scene demo`, `--fps 60`, ...).
        home: what stands in for the user's home; a temporary folder by default, removed at the end.
        timeout: seconds to wait for the ready line.
        environment: extra environment variables.
        command: what starts it, if not this Python in this folder; `cwd` is where.
        fresh: start a new Python, also where `forks` would allow a fork (see `forked`).

    Raises:
        RuntimeError: it did not become ready; the message ends with what it wrote to standard error.
    """

    #: Whether stand-ins are forked from a process that has everything imported; the tests say so.
    forks: ClassVar[bool] = False

    def __init__(
        self,
        *arguments: str,
        home: str | Path | None = None,
        timeout: float = 60.0,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str] = COMMAND,
        cwd: str | Path | None = None,
        fresh: bool = False,
    ) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="tdmcp-", ignore_cleanup_errors=True)
        self.home = Path(home) if home is not None else Path(self._temporary.name) / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.log = Path(self._temporary.name) / "stderr.txt"
        #: Whether tests share it, so that it is put back between them.
        self.shared = False
        self._timeout = timeout
        self._environment = environment
        self._command = command
        self._arguments = ["--port", "0", "--home", str(self.home), *arguments]
        self._fork = (
            self.forks
            and forked.can_fork()
            and not fresh
            and command is COMMAND
            and not set(arguments).intersection(OWN_IMPORTS)
        )
        self._cwd = cwd
        self._start()

    def _start(self) -> None:
        self._replies: dict[int, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self._ids = itertools.count(1)
        self.ready: dict[str, Any] = {}
        #: Lines on standard output that were not JSON; there must never be any.
        self.strays: list[str] = []
        with self.log.open("wb") as log:
            self.process = self._launch(log)
        self._reader = threading.Thread(target=self._read, name="stand-in reader", daemon=True)
        self._reader.start()
        with self._arrived:
            self._arrived.wait_for(lambda: self.ready or self._ended(), self._timeout)
        if not self.ready:
            words = self.stderr()[-3000:]
            self.close()
            raise RuntimeError(f"the stand-in did not become ready within {self._timeout:.0f} s:\n{words}")

    def _launch(self, log: IO[bytes]) -> subprocess.Popen[str] | forked.ForkedProcess:
        environment = {**os.environ, **(self._environment or {})}
        if self._fork:
            return forked.ForkedProcess(self._arguments, environment, self._cwd, log)
        return subprocess.Popen(
            [*self._command, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=environment,
            cwd=self._cwd,
        )

    @property
    def url(self) -> str:
        return str(self.ready["url"])

    @property
    def token(self) -> str | None:
        token = self.ready.get("token")
        return None if token is None else str(token)

    @property
    def headers(self) -> dict[str, str]:
        """The header that carries the access key."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def do(self, command: str, timeout: float = 30.0, **arguments: Any) -> Any:
        """Send a control command and give its result.

        Raises:
            RuntimeError: the stand-in answered with an error.
            TimeoutError: no answer in time, or the process ended.
        """
        number = next(self._ids)
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"id": number, "do": command, **arguments}) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise TimeoutError(f"{command}: the stand-in has ended") from None
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._replies or self._ended(), timeout)
            reply = self._replies.pop(number, None)
        if reply is None:
            raise TimeoutError(f"{command}: no answer")
        if not reply.get("ok"):
            raise RuntimeError(f"{command}: {reply.get('error')}")
        return reply.get("result")

    def exec(self, code: str, timeout: float = 30.0) -> str:
        """Run code on the stand-in's main thread; the `repr` of its last expression."""
        return str(self.do("exec", timeout, code=code))

    @contextlib.contextmanager
    def blocked(self, seconds: float = 120.0) -> Iterator[None]:
        """The main thread hangs in one call until the end of the block, for at most so many seconds."""
        assert self.do("block_main", seconds=seconds)["begun"]
        try:
            yield
        finally:
            self.do("block_main", release=True)

    def stats(self) -> dict[str, Any]:
        """Frame figures, thread conflicts and more since the start or the last `reset_stats`."""
        result = self.do("stats")
        assert isinstance(result, dict)
        return result

    def stderr(self) -> str:
        """What the process wrote to standard error so far."""
        return self.log.read_text("utf-8", "replace")

    def start_again(self) -> None:
        """End the process and start another one with the same arguments and home; address and key may be others.

        Raises:
            RuntimeError: it did not become ready.
        """
        self._end(timeout=15.0)
        self._start()

    def close(self, timeout: float = 15.0) -> None:
        """End the process: politely, then by force. A home that was not given is removed."""
        self._end(timeout)
        self._temporary.cleanup()

    def _end(self, timeout: float) -> None:
        if not self._ended():
            self._ask_to_end()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout)
        self._reader_done(timeout)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _ask_to_end(self) -> None:
        if sys.platform != "win32":
            self.process.terminate()
            return
        # There it would end at once, without leaving the registry.
        with contextlib.suppress(RuntimeError, TimeoutError):
            self.do("quit", 5.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _ended(self) -> bool:
        return self.process.poll() is not None

    def _reader_done(self, timeout: float) -> None:
        self._reader.join(timeout)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self.strays.append(line)
                continue
            with self._arrived:
                if message.get("event") == "ready":
                    self.ready = message
                elif "id" in message:
                    self._replies[message["id"]] = message
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()
