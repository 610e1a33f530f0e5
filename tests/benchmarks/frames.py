"""What the server costs the frames: idle, under a flood of 32 clients in a closed loop, and under large requests.

python -m tests.benchmarks frames
"""

from __future__ import annotations

import http.client
import threading
import time

from fakes.driver import StandIn
from tests.benchmarks.raw_client import RawClient, Refused
from tests.benchmarks.table import Row
from tests.integration.stress.wire import health

#: Milliseconds of Python in each frame, as in a real project.
WORK_MS = 8
CLIENTS = 32


def rows(quick: bool = False) -> list[Row]:
    seconds = 5 if quick else 20
    return [*idle(seconds), *flooded(seconds), *heavy(seconds)]


def idle(seconds: float) -> list[Row]:
    """The median frame with the component and without it, side by side so that both meet the same machine."""
    with StandIn("--scene", "demo", "--bare") as bare, StandIn("--scene", "demo") as served:
        time.sleep(2)  # let the start be over
        for td in (bare, served):
            td.do("reset_stats")
        time.sleep(seconds)
        without, with_it = bare.stats()["frame_ms"]["p50"], served.stats()["frame_ms"]["p50"]
        served.exec("op('/project1/tdmcp').par.Active = False")
        time.sleep(2)
        for td in (bare, served):
            td.do("reset_stats")
        time.sleep(seconds)
        still, off = bare.stats()["frame_ms"]["p50"], served.stats()["frame_ms"]["p50"]
    return [
        Row("extra time per frame, idle", 0.05, max(0.0, with_it - without), "ms"),
        Row("  the same, switched off", None, max(0.0, off - still), "ms"),
    ]


def flooded(seconds: float) -> list[Row]:
    with StandIn("--scene", "demo", "--frame-work", str(WORK_MS)) as td:
        time.sleep(2)
        td.do("reset_stats")
        time.sleep(seconds)
        quiet = td.stats()["dropped_frames"]
        over = threading.Event()
        answered = [0] * CLIENTS
        threads = [threading.Thread(target=flood, args=(td, over, answered, n)) for n in range(CLIENTS)]
        td.do("reset_stats")
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        stats = td.stats()
        over.set()
        for thread in threads:
            thread.join()
        assert health(td)["status"] == "ok" and stats["thread_conflicts"] == 0
    return [
        Row(f"frames dropped, {CLIENTS} clients in a closed loop, beyond idle", 0, max(0, stats["dropped_frames"] - quiet)),
        Row("  of how many frames", None, stats["frames"]),
        Row("  dropped while idle", None, quiet),
        Row("  calls answered a second", None, sum(answered) / seconds),
    ]  # fmt: skip


def heavy(seconds: float) -> list[Row]:
    """One client that sends five megabytes twice a second, all of it parsed."""
    with StandIn("--scene", "demo", "--frame-work", str(WORK_MS)) as td, RawClient(td) as client:
        code = "len('" + "x" * 5_000_000 + "')"
        client.call("execute_python", {"code": code})
        time.sleep(2)
        td.do("reset_stats")
        time.sleep(seconds)
        quiet = td.stats()["dropped_frames"]
        td.do("reset_stats")
        sent, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            client.call("execute_python", {"code": code})
            sent += 1
            time.sleep(0.5)
        stats = td.stats()
    dropped = max(0, stats["dropped_frames"] - quiet)
    return [
        Row("frames dropped, requests of 5 MB, beyond idle", 0, dropped),
        Row("  of how many frames", None, stats["frames"]),
        Row("  longest frame", None, stats["frame_ms"]["max"], "ms"),
        Row("  requests", None, sent),
    ]


def flood(td: StandIn, over: threading.Event, answered: list[int], number: int) -> None:
    """One client that asks again as soon as it is answered."""
    with RawClient(td) as client:
        while not over.is_set():
            try:
                client.call("inspect_operator", {"paths": ["/project1"]})
                answered[number] += 1
            except Refused:
                over.wait(1.0)  # 429 says so
            except (OSError, http.client.HTTPException):
                continue
