"""What a cold start of the server costs a running show.

    python -m tests.benchmarks.cold_start [--work 8] [--fps 60] [--plain | --switch | --component] [--runs 3]

A frame loop on the main thread burns `--work` ms of Python a frame, as a real project does, while the server thread
imports everything and starts. Prints the frames lost and the longest one, beside the same loop left alone (`idle`).
`--plain` starts it without our pacing and `--switch` with a short switch interval instead, to compare. `--component`
drops the full build into a running stand-in instead: `unpacking` the first time, `starting` the second, when it is
unpacked; loading the component, which is TouchDesigner's work, is not counted. The bound: at most 3 frames lost, none
longer than 3 frames.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

BEFORE, AFTER = 30, 30


def frames(work_s: float, step: float, go_on: Callable[[int], bool]) -> list[float]:
    """Run a frame loop that keeps a steady beat, and give the length of each frame in seconds."""
    lengths = []
    due = last = time.perf_counter()
    while go_on(len(lengths)):
        due += step
        end = time.thread_time() + work_s
        while time.thread_time() < end:
            sum(range(60))
        now = time.perf_counter()
        if now < due:
            time.sleep(due - now)
        else:
            due = now  # too late for this beat: the next frame starts a beat from here
        now = time.perf_counter()
        lengths.append(now - last)
        last = now
    return lengths


def one_run(arguments: argparse.Namespace) -> dict[str, Any]:
    """A cold start in this fresh process."""
    from tdmcp_embedded.http.thread import Phase, ServerThread

    if arguments.plain or arguments.switch:
        import tdmcp_embedded.http.thread as module

        module.in_small_bites = short_switches if arguments.switch else contextlib.nullcontext  # type: ignore[assignment]
    step = 1 / arguments.fps
    started = threading.Event()
    thread = ServerThread(
        build,
        address="127.0.0.1",
        port=0,
        on_state=lambda s: started.set() if s.phase is not Phase.STARTING else None,
    )
    idle = frames(arguments.work / 1000, step, lambda count: count < BEFORE * 2)
    began = time.perf_counter()
    thread.start()
    left = AFTER
    took = 0.0

    def until_served(count: int) -> bool:
        nonlocal left, took
        if started.is_set():
            took = took or time.perf_counter() - began
            left -= 1
        return left > 0

    lengths = frames(arguments.work / 1000, step, until_served)
    assert thread.state.phase is Phase.SERVING, thread.state
    thread.stop()
    return {"start_s": took, "idle": figures(idle, step), "starting": figures(lengths, step)}


def figures(lengths: list[float], step: float) -> dict[str, float]:
    """Frames, how many were lost (a frame twice as long as it should be has cost one), and the longest."""
    return {
        "frames": len(lengths),
        "lost": sum(max(0, round(length / step) - 1) for length in lengths),
        "longest_frames": round(max(lengths) / step, 1),
    }


@contextlib.contextmanager
def short_switches() -> Any:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def build(port: int) -> Any:
    """The real application, with all its imports, for a host without TouchDesigner."""
    from types import ModuleType

    from tdmcp_embedded.frame_queue import FrameQueue
    from tdmcp_embedded.http.app import build_app
    from tdmcp_embedded.http.keys import Keys
    from tdmcp_embedded.protocol.server import Host, McpServer
    from tdmcp_embedded.settings import Settings

    settings, queue = Settings(), FrameQueue()
    mcp = McpServer(Host(ModuleType("td"), queue, lambda: settings, {}))

    @contextlib.asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with mcp.lifespan():
            yield

    return build_app(mcp.asgi, lifespan=lifespan, queue=queue, keys=Keys(), settings=lambda: settings)


def component(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Cold starts of the full build in a stand-in, each in a fresh process, first with a home where nothing is unpacked."""
    from fakes.driver import StandIn
    from tests.integration.bare_td import built, import_path
    from tests.integration.component import par, until

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        toc, site = built(place / "build").toc, import_path(place)
        (place / "cwd").mkdir()
        environment = {"PYTHONPATH": str(site), "PYTHONNOUSERSITE": "1"}
        for run in range(arguments.runs):
            found: dict[str, Any] = {}
            for what in ("unpacking", "starting"):
                with StandIn(
                    "--bare", "--scene", "empty", "--fps", str(arguments.fps), "--frame-work", str(arguments.work),
                    home=place / f"home{run}", environment=environment, cwd=place / "cwd",
                    command=(sys.executable, "-S", "-m", "fakes"),
                ) as td:  # fmt: skip
                    # The stand-in's own first script, and the component's loading.
                    td.exec("op('/project1').create('textDAT', 'warm').module")
                    td.do("drop_component", component=str(toc))
                    td.do("reset_stats")
                    until(lambda td=td: par(td, "Status"), lambda said: said.startswith("Serving at"), 9000)
                    stats = td.stats()
                found[what] = {
                    "frames": stats["frames"],
                    "lost": stats["dropped_frames"],
                    "longest_frames": round(stats["frame_ms"]["max"] / 1000 * arguments.fps, 1),
                }
            yield found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=float, default=8.0, help="ms of Python a frame")
    parser.add_argument("--fps", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=3)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--plain", action="store_true")
    how.add_argument("--switch", action="store_true")
    how.add_argument("--component", action="store_true")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        print(json.dumps(one_run(arguments)))
        return
    if arguments.component:
        for found in component(arguments):
            print(json.dumps(found), flush=True)
        return
    for _ in range(arguments.runs):
        # Only a fresh process is cold.
        done = subprocess.run(
            [sys.executable, __file__, *sys.argv[1:], "--once"], capture_output=True, text=True, check=True
        )
        print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main()
