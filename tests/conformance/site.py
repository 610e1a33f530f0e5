"""A server to test from outside: the same factory, gates and frame queue as inside TouchDesigner, with a stand-in behind.

The main thread pumps frames while the suite, another process, talks to the server thread.
"""

from __future__ import annotations

import importlib
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import fakes
import fakes.life
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.thread import Phase, ServerThread, State

if TYPE_CHECKING:
    from starlette.types import ASGIApp

#: Seconds between two frames.
_FRAME = 1 / 60


class Site:
    """One run of the server, with the suite's fixtures or without. No key is asked for: the suite cannot give one."""

    def __init__(self, *, fixtures: bool) -> None:
        self._with_fixtures = fixtures
        self._world = fakes.install()
        self._td = importlib.import_module("td")
        self._life = fakes.life.of(self._world)
        self._queue = FrameQueue()
        self._world.on_frame_start.append(self._queue.pump)
        self._changed = threading.Event()
        self._thread = ServerThread(self._build, address="127.0.0.1", port=0, on_state=self._on_state)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._thread.state.port}/mcp"

    def __enter__(self) -> Self:
        self._thread.start()
        while self._thread.state.phase is Phase.STARTING:
            self._changed.wait(_FRAME)
            self._life.step()
        if self._thread.state.phase is not Phase.SERVING:
            raise RuntimeError(self._thread.state.sentence)
        return self

    def __exit__(self, *exc: object) -> None:
        self._queue.close("The tests are over.")
        self._thread.stop(30)
        fakes.uninstall()

    def run(
        self, command: Sequence[str], timeout: float, cwd: Path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end while frames go by.

        Raises:
            subprocess.TimeoutExpired: it took longer.
        """
        with subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8",
        ) as process:  # fmt: skip
            written: list[str] = []
            assert process.stdout is not None
            reader = threading.Thread(target=lambda out: written.append(out.read()), args=(process.stdout,))
            reader.start()
            for _ in range(int(timeout / _FRAME)):
                try:
                    process.wait(_FRAME)
                    break
                except subprocess.TimeoutExpired:
                    self._life.step()
            else:
                process.kill()
                raise subprocess.TimeoutExpired(command, timeout)
            reader.join(30)
            return subprocess.CompletedProcess(command, process.returncode, "".join(written))

    def _on_state(self, state: State) -> None:
        self._changed.set()

    def _build(self, port: int) -> ASGIApp:
        """As `serving.py` builds it, on the server's thread."""
        from tdmcp_embedded.http.app import build_app
        from tdmcp_embedded.http.keys import Keys
        from tdmcp_embedded.protocol.server import Host, McpServer
        from tdmcp_embedded.settings import Settings
        from tests.conformance.fixtures import Fixtures

        settings = Settings(require_key=False)
        host = Host(self._td, self._queue, lambda: settings, {"project": "conformance.toe", "build": "0"})
        server = McpServer(host, extra=[Fixtures(host)] if self._with_fixtures else [])
        return build_app(
            server.asgi, lifespan=server.lifespan, queue=self._queue, keys=Keys(), settings=lambda: settings
        )
