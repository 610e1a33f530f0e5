"""The shim beside other ways to reach an HTTP server over stdio, in one run: first answer, memory, added per call.

    python -m tests.benchmarks.proxies [--calls 300]

All speak to the same small server in the handshake era, which every proxy knows, and the same call goes straight to it
over one connection: the difference is what a proxy adds. `npx mcp-remote` is fetched into a temporary folder first, so
that no download is measured; without npm it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stdio_shim.__main__ import Connection, Url, events
from tests.benchmarks import sdk_proxy
from tests.benchmarks.shim import ECHO, ROOT, megabytes, start
from tests.integration.shim_world import World

MCP_REMOTE = "mcp-remote@0.15.1"
VERSION = "2025-11-25"
HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


@dataclass
class Figures:
    """Milliseconds until the answer to `initialize`, megabytes of the whole process tree, milliseconds for a call."""

    name: str
    first: float
    memory: float
    call: float


def message(number: object, method: str, params: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def direct(url: str) -> Callable[[int], None]:
    """One raw keep-alive connection in the handshake era: the least a call can cost."""
    connection = Connection(Url(url))
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def post(body: bytes) -> bytes:
        connection.request("POST", headers, body, timeout=30)
        if connection.headers.get("content-type", "").startswith("text/event-stream"):
            return [event.data for event in events(connection.body()) if event.data][-1]
        return connection.read()

    post(message("hello", "initialize", dict(HELLO)))
    headers["Mcp-Session-Id"] = connection.headers["mcp-session-id"]
    headers["MCP-Protocol-Version"] = VERSION
    post(READY)

    def ask(number: int) -> None:
        assert b'"result"' in post(message(number, "tools/call", dict(ECHO)))

    return ask


def through(process: subprocess.Popen[bytes]) -> Callable[[int], None]:
    """A proxy that has answered `initialize`."""
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None
    stdin.write(READY + b"\n")

    def ask(number: int) -> None:
        stdin.write(message(number, "tools/call", dict(ECHO)) + b"\n")
        stdin.flush()
        while True:
            answer = json.loads(stdout.readline())
            if answer.get("id") == number and "method" not in answer:
                assert "result" in answer, answer
                return

    return ask


def started(command: list[str], env: dict[str, str], folder: Path) -> tuple[subprocess.Popen[bytes], float]:
    """A proxy that runs, and the median of three starts."""
    firsts = []
    for run in range(3):
        process, took = start(command, env, folder)
        firsts.append(took)
        if run < 2:
            end(process)
    return process, statistics.median(firsts)


def in_turn(ways: dict[str, Callable[[int], None]], calls: int) -> dict[str, float]:
    """The median of a call's milliseconds each way, taken in turn: what else the machine does hits all alike."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(20 + calls):
        for name, ask in ways.items():
            began = time.perf_counter()
            ask(number)
            took[name].append((time.perf_counter() - began) * 1000)
    return {name: statistics.median(times[20:]) for name, times in took.items()}


def end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tree(pid: int) -> list[int]:
    """A process and its descendants (Linux; the process alone elsewhere)."""
    found = [pid]
    for one in found:
        try:
            tasks = list(Path(f"/proc/{one}/task").glob("*/children"))
            found += [int(child) for task in tasks for child in task.read_text().split()]
        except OSError:
            pass
    return found


def mcp_remote(folder: Path, url: str) -> list[str] | None:
    """The command of `npx mcp-remote`, installed in `folder`; None without npm or the network."""
    npm, npx = shutil.which("npm"), shutil.which("npx")
    if npm is None or npx is None:
        print("npm is not installed here: mcp-remote is left out", file=sys.stderr)
        return None
    install = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", MCP_REMOTE]
    done = subprocess.run(install, cwd=folder, stdout=sys.stderr, check=False)
    if done.returncode:
        print("npm could not fetch mcp-remote: it is left out", file=sys.stderr)
        return None
    return [npx, "--no-install", "mcp-remote", url, "--transport", "http-only"]


def compare(calls: int) -> tuple[float, list[Figures]]:
    """Milliseconds for a direct call, and each proxy's figures."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as modules:
        world, folder = World(Path(home)), Path(modules)
        try:
            url = world.server().url
            shim = [sys.executable, "-I", "-S", str(ROOT / "stdio_shim")]
            proxies = {"stdio_shim": shim, "the SDK's transports": [sys.executable, sdk_proxy.__file__, url]}
            remote = mcp_remote(folder, url)
            if remote is not None:
                proxies["npx mcp-remote"] = remote
            env = {**world.environment(), "MCP_REMOTE_CONFIG_DIR": os.path.join(modules, "config")}
            running = {name: started(command, env, folder) for name, command in proxies.items()}
            ways = {name: through(process) for name, (process, _) in running.items()}
            took = in_turn({"direct": direct(url), **ways}, calls)
            memory = {name: sum(map(megabytes, tree(process.pid))) for name, (process, _) in running.items()}
            for process, _ in running.values():
                end(process)
            return took["direct"], [
                Figures(name, first, memory[name], took[name]) for name, (_, first) in running.items()
            ]
        finally:
            world.close()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--calls", type=int, default=300)
    base, found = compare(options.parse_args().calls)
    print("| | first answer | memory | a call | added |\n|---|---|---|---|---|")
    print(f"| straight over HTTP | | | {base:.2f} ms | |")
    for one in found:
        print(
            f"| {one.name} | {one.first:.0f} ms | {one.memory:.0f} MB | {one.call:.2f} ms | {one.call - base:.2f} ms |"
        )


if __name__ == "__main__":
    main()
