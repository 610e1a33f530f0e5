"""What the shim costs: start to first answer, memory, and time added to a call.

    python tests/benchmarks/shim.py [--calls 300]

Bounds (docs of the project, "Numbers to hold"): first answer within 150 ms, 25 MB, 1 ms added for each call. The same
requests go straight to the server over one raw connection and through the shim's pipes, so the difference is the shim.
With `--proxy COMMAND` another stdio proxy is measured in the same run: `{url}` in it stands for the server's URL.
`python -m tests.benchmarks.proxies` compares it with those in use.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.integration.shim_world import MODERN_META, World


def request(number: int, method: str, params: dict[str, object]) -> bytes:
    params = {**params, "_meta": MODERN_META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


ECHO = {"name": "echo", "arguments": {"text": "a"}}


def milliseconds(ask: Callable[[int], None], calls: int) -> list[float]:
    for number in range(20):
        ask(number)
    took = []
    for number in range(20, 20 + calls):
        start = time.perf_counter()
        ask(number)
        took.append((time.perf_counter() - start) * 1000)
    return took


def direct(url: str) -> Callable[[int], None]:
    """A raw keep-alive connection: the least a call can cost."""
    host, _, rest = url.removeprefix("http://").partition(":")
    port = int(rest.partition("/")[0])
    peer = socket.create_connection((host, port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(number: int) -> None:
        body = request(number, "tools/call", ECHO)
        peer.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            b"Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: %d\r\n\r\n%s"
            % (host.encode(), port, len(body), body)
        )
        seen = b""
        while b"\r\n\r\n" not in seen:
            seen += peer.recv(1 << 16)
        head, _, rest = seen.partition(b"\r\n\r\n")
        length = next(
            int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
        )
        while len(rest) < length:
            rest += peer.recv(1 << 16)

    return ask


def through(process: subprocess.Popen[bytes]) -> Callable[[int], None]:
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None

    def ask(number: int) -> None:
        stdin.write(request(number, "tools/call", ECHO) + b"\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        assert answer["id"] == number and "result" in answer, answer

    return ask


def start(
    command: list[str], env: dict[str, str], folder: Path | None = None
) -> tuple[subprocess.Popen[bytes], float]:
    """The process, and the milliseconds until it has answered `initialize`."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
        cwd=folder,
    )
    assert process.stdin is not None and process.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello})
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    return process, (time.perf_counter() - began) * 1000


def megabytes(pid: int) -> float:
    """Resident memory at its highest (Linux; 0 elsewhere)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next(
        (int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0
    )


def report(name: str, command: list[str], env: dict[str, str], calls: int, base: float) -> None:
    starts = []
    for _ in range(5):
        process, took = start(command, env)
        starts.append(took)
        process.kill()
        process.wait()
    process, _ = start(command, env)
    took_calls = milliseconds(through(process), calls)
    added = statistics.median(took_calls) - base
    print(
        f"{name:<12} first answer {statistics.median(starts):6.1f} ms   memory {megabytes(process.pid):5.1f} MB   "
        f"call {statistics.median(took_calls):5.2f} ms   added {added:5.2f} ms",
        flush=True,
    )
    process.kill()
    process.wait()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--calls", type=int, default=300)
    options.add_argument("--proxy", action="append", default=[], metavar="COMMAND")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        world = World(Path(home))
        shim = [sys.executable, str(ROOT / "stdio_shim" / "__main__.py")]
        _, took = start(shim, world.environment())
        print(f"no server    first answer {took:6.1f} ms")
        server = world.server()
        base = statistics.median(milliseconds(direct(server.url), given.calls))
        print(f"direct       call {base:.2f} ms")
        report("shim", shim, world.environment(), given.calls, base)
        bare = [sys.executable, "-I", "-S", *shim[1:]]
        report("shim -I -S", bare, world.environment(), given.calls, base)
        # Started by its folder, Python keeps the compiled form; a script given by its path is compiled every time.
        folder = [sys.executable, "-I", "-S", str(ROOT / "stdio_shim")]
        report("folder -I -S", folder, world.environment(), given.calls, base)
        for proxy in given.proxy:
            command = shlex.split(proxy.replace("{url}", server.url))
            report(os.path.basename(command[0]), command, world.environment(), given.calls, base)
        world.close()


if __name__ == "__main__":
    main()
