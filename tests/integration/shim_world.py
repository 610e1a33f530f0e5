"""What the shim's tests stand on: a home of their own, servers that come and go, and the shim as a process."""

from __future__ import annotations

import asyncio
import inspect
import json
import multiprocessing
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

from tests.integration import shim_server

#: How the official client chooses its protocol era.
MODES = ("auto", "legacy")

ROOT = Path(__file__).resolve().parents[2]
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
#: Generous, since a busy machine must not fail a test; a test that passes never waits for it.
PATIENCE = 30.0


# Servers are forked from a process that has imported the SDK once: a second of work saved for each of them.
_processes = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
_processes.set_forkserver_preload(["tests.integration.shim_server"])


def text(result: Any) -> str:
    """The text of a tool's answer."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def in_both_eras(test: Callable[[World, str], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Make of a test of `(world, mode)` one that runs for clients of both protocol eras, at the same time.

    Each has a `world` of its own; one whose first argument is `served` shares that fixture's.
    """

    async def run(world: World, mode: str) -> None:
        try:
            await test(world, mode)
        except BaseException as error:
            error.add_note(f"in mode {mode}")
            raise

    async def apart(tmp_path: Path) -> None:
        worlds = {mode: World(tmp_path / mode) for mode in MODES}
        try:
            async with asyncio.TaskGroup() as group:
                for mode, world in worlds.items():
                    world.home.mkdir()
                    group.create_task(run(world, mode))
        finally:
            for world in worlds.values():
                world.close()

    async def together(served: World) -> None:
        async with asyncio.TaskGroup() as group:
            for mode in MODES:
                group.create_task(run(served, mode))

    made = together if next(iter(inspect.signature(test).parameters)) == "served" else apart
    made.__name__, made.__doc__ = test.__name__, test.__doc__
    return made


class ServerProcess:
    """One test server, as a process of its own."""

    def __init__(self, home: Path, options: Sequence[str]) -> None:
        self._pipe, theirs = _processes.Pipe()
        self.process = _processes.Process(
            target=shim_server.serve, args=(["--home", str(home), *options], theirs), daemon=True
        )
        self.process.start()
        theirs.close()
        assert self._pipe.poll(PATIENCE), "the test server did not start"
        facts = self._pipe.recv()
        self.url: str = facts["url"]
        self.port: int = facts["port"]

    def close(self) -> None:
        """End as TouchDesigner does when it is closed: the registry entry goes first."""
        self._pipe.close()
        self.process.join(PATIENCE)

    def crash(self) -> None:
        """End at once and leave everything behind."""
        self.process.kill()
        self.process.join(PATIENCE)


class World:
    """A home folder with what lives in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._servers: list[ServerProcess] = []
        self._shims: list[ShimProcess] = []

    def server(self, *options: str) -> ServerProcess:
        server = ServerProcess(self.home, options)
        self._servers.append(server)
        return server

    def parameters(self, *options: str, cwd: Path | None = None, **env: str) -> StdioServerParameters:
        """The shim, for the official client."""
        return StdioServerParameters(
            command=sys.executable,
            args=[str(ROOT / "stdio_shim"), *options],
            env={**self.environment(), **env},
            cwd=cwd or self.home,
        )

    def shim(self, *options: str, python: Sequence[str] = (sys.executable,), **env: str) -> ShimProcess:
        """The shim, to be spoken to line by line."""
        command = [*python, str(ROOT / "stdio_shim" / "__main__.py"), *options]
        shim = ShimProcess(command, {**self.environment(), **env}, self.home)
        self._shims.append(shim)
        return shim

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TDMCP_")}
        return {**kept, "TDMCP_HOME": str(self.home)}

    def close(self) -> None:
        for shim in self._shims:
            shim.kill()
        for server in self._servers:
            server.crash()


class ShimProcess:
    """A shim and its three pipes."""

    def __init__(self, command: Sequence[str], env: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd
        )
        self.messages: list[Any] = []
        self.raw: list[bytes] = []
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ids = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def send_bytes(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def expect(self, wanted: Callable[[Any], bool]) -> Any:
        """The first message, already read or yet to come, that fits; everything read is kept in `messages`."""
        for message in self.messages:
            if wanted(message):
                return message
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, "the shim has ended"
            self.raw.append(line)
            self.messages.append(json.loads(line))
            if wanted(self.messages[-1]):
                return self.messages[-1]

    def request(self, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> Any:
        """Ask and wait for the answer."""
        self._ids += 1
        params = dict(params or {})
        if modern:
            params["_meta"] = MODERN_META
        mine = self._ids
        self.send({"jsonrpc": "2.0", "id": mine, "method": method, "params": params})
        return self.expect(lambda m: isinstance(m, dict) and m.get("id") == mine and "method" not in m)

    def handshake(self, **capabilities: Any) -> Any:
        answer = self.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def finish(self) -> tuple[int, str]:
        """End its input; its exit code and what it said on standard error."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        while True:
            line = self._lines.get(timeout=PATIENCE)
            if line is None:
                break
            self.raw.append(line)
            self.messages.append(json.loads(line))
        return code, self.process.stderr.read().decode("utf-8", "replace")

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                pass
