"""Stopping, restarting a hundred times, and 500 sessions nobody uses.

python -m tests.benchmarks restarts
"""

from __future__ import annotations

import time

from fakes.driver import StandIn
from tests.benchmarks.raw_client import RawClient, resident_mb
from tests.benchmarks.table import Row, percentile
from tests.integration.stress.wire import COMPONENT, SERVER, connect, open_session, open_stream

SESSIONS = 500
_SERVES = f"{SERVER}._serving is not None and {SERVER}.status.state == 'serving'"


def rows(quick: bool = False) -> list[Row]:
    with StandIn("--scene", "empty", "--set", "Requestspersecond=1000", "--set", "Burst=100") as td:
        td.exec(f"{SERVER}._serving.marked = True\n{COMPONENT}.par.Port = {td.ready['port']}")
        wait(td, f"{_SERVES} and not hasattr({SERVER}._serving, 'marked')")
        return [*restarts(td, 10 if quick else 100), *sessions(td, 50 if quick else SESSIONS)]


def wait(td: StandIn, condition: str) -> None:
    """Ask once a frame until the condition, a Python expression, holds."""
    for _ in range(3600):
        if td.exec(condition) == "True":
            return
    raise AssertionError(f"never {condition}")


def restarts(td: StandIn, count: int) -> list[Row]:
    """Switch it off with a stream open, and on again; the first few times do not count, since things are loaded then."""
    stops: list[float] = []
    for number in range(-5, count):
        with open_stream(td, open_session(td)), RawClient(td) as client:
            assert not client.call("get_status", {})["is_error"]
            if number == 0:
                before = figures(td)
            began = time.perf_counter()
            td.exec(f"{COMPONENT}.par.Active = False")
            while is_open(td):
                assert time.perf_counter() - began < 60
                time.sleep(0.005)
            stops.append(time.perf_counter() - began)
        td.exec(f"{COMPONENT}.par.Active = True")
        wait(td, _SERVES)
    with RawClient(td) as client:
        assert not client.call("get_status", {})["is_error"]
    after = figures(td)
    return [
        Row("stop with a stream open, port free, slowest", 2, max(stops), "s"),
        Row(f"threads more after {count} restarts", 0, max(0, after[0] - before[0])),
        Row(f"sockets more after {count} restarts", 0, max(0, after[1] - before[1])),
        # Python's allocator does not give everything back; 50 kB a restart would be a leak of the application.
        Row(f"memory more after {count} restarts", count * 0.05, max(0.0, after[2] - before[2]), "MB"),
    ]


def figures(td: StandIn) -> tuple[int, int, float]:
    """Threads, sockets, megabytes."""
    td.exec("import gc; gc.collect()")
    stats = td.stats()
    return stats["threads"], stats["open_sockets"], resident_mb(td.ready["pid"])


def is_open(td: StandIn) -> bool:
    try:
        connect(td).close()
    except ConnectionError:
        return False
    return True


def sessions(td: StandIn, count: int) -> list[Row]:
    """Sessions of the handshake era that are opened and forgotten."""
    with RawClient(td) as client:
        client.call("get_status", {})
        before = figures(td)
        for _ in range(count):
            open_session(td)
        after = figures(td)
        took = []
        for _ in range(50):
            began = time.perf_counter()
            assert not client.call("get_status", {})["is_error"]
            took.append((time.perf_counter() - began) * 1000)
    return [
        Row(f"memory of {count} idle sessions, each", 0.2, (after[2] - before[2]) / count, "MB"),
        Row(f"threads more with {count} idle sessions", 0, max(0, after[0] - before[0])),
        Row(f"a call beside {count} idle sessions, median", 2 * 1000 / 60, percentile(took, 50), "ms"),
    ]
