"""Half an hour of eight mixed clients, with faults: nothing piles up, no edit is lost or done twice.

    python -m tests.benchmarks.soak [--minutes 30] [--clients 8] [--seed 1]

Prints a line a minute and a verdict; ends with 1 if anything grew, conflicted, was lost or was done twice.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import random
import sys
import threading
import time
from collections.abc import Callable

from fakes.driver import StandIn
from tests.benchmarks.edit_log import EditLog
from tests.benchmarks.raw_client import RawClient, Refused, resident_mb
from tests.integration.stress.wire import (
    COMPONENT,
    SERVER,
    connect,
    head,
    health,
    in_session,
    open_session,
    open_stream,
    post,
)

#: Codes which say that a call did not run and will not.
NOT_RUN = ("main_thread_stalled", "not_started", "busy", "name_taken")
BROKEN = (OSError, http.client.HTTPException, TimeoutError)
FAULT_EVERY_S = 8.0
#: How much memory may grow (MB) from the first quarter to the end: the stand-in's own log and undo history do.
GROWTH_MB = 40.0


class Soak:
    """One run of the soak."""

    def __init__(self, td: StandIn, clients: int, seed: int) -> None:
        self.td, self.seed, self.clients = td, seed, clients
        self.over = threading.Event()
        self.log = EditLog()
        self.calls = 0
        self.faults: dict[str, int] = {}
        self.troubles: list[str] = []

    # Clients

    def client(self, number: int) -> None:
        """A client that reads, edits, runs Python and now and then leaves; odd ones speak the handshake era."""
        chance = random.Random(self.seed * 100 + number)
        turn, left = 0, list[str]()
        try:
            while not self.over.is_set():
                with contextlib.suppress(*BROKEN), RawClient(self.td) as line:
                    session = open_session(self.td) if number % 2 else ""
                    left = self.tidied(line, left)
                    for _ in range(chance.randrange(20, 60)):
                        if self.over.is_set():
                            return
                        turn += 1
                        self.one_call(chance, line, session, f"edit_{number}_{turn}", left)
                        self.over.wait(chance.uniform(0, 0.1))
                self.over.wait(0.2)
        except BaseException as error:
            self.troubles.append(f"client {number}: {type(error).__name__}: {error}")
            raise

    def one_call(
        self, chance: random.Random, line: RawClient, session: str, name: str, left: list[str]
    ) -> None:
        self.calls += 1
        kind = chance.choice(("edit", "edit", "read", "list", "python", "image"))
        if kind == "edit":
            self.edit(line, name, left)
        elif kind == "list" and session:
            in_session(self.td, session, "tools/list")
        else:
            tool, arguments = {
                "read": ("read_network", {"path": "/project1", "depth": 1, "limit": 20}),
                "list": ("find_operators", {"path": "/", "limit": 20}),
                "python": ("execute_python", {"code": "sum(range(1000))"}),
                "image": ("capture_image", {"path": "/project1/seen", "max_size": 64}),
            }[kind]
            with contextlib.suppress(Refused):
                line.call(tool, arguments)

    def edit(self, line: RawClient, name: str, left: list[str]) -> None:
        """Make an operator and delete it again; what could not be deleted is noted in `left`."""
        outcome = "unknown"
        left.append(name)
        try:
            made = line.call("create_operator", {"parent": "/project1/work", "type": "nullTOP", "name": name})
            outcome = "done" if not made["is_error"] else "refused" if made["code"] in NOT_RUN else "unknown"
        except Refused as refusal:
            # A status other than 200 comes from the gates, which let nothing through.
            outcome = "refused" if refusal.args[0] in (401, 408, 413, 429) else "unknown"
        finally:
            self.log.told(name, outcome)
        if outcome == "done":
            gone = line.call("delete_operators", {"paths": [f"/project1/work/{name}"], "confirm": True})
            if not gone["is_error"]:
                left.remove(name)

    def tidied(self, line: RawClient, left: list[str]) -> list[str]:
        """Delete what a fault has kept this client from deleting; what is still left then."""
        still = []
        for name in left:
            with contextlib.suppress(Refused):
                gone = line.call("delete_operators", {"paths": [f"/project1/work/{name}"], "confirm": True})
                if not gone["is_error"] or gone["code"] == "operator_not_found":
                    continue
            still.append(name)
        return still

    # Faults

    def faults_now_and_then(self) -> None:
        chance = random.Random(self.seed)
        kinds: list[Callable[[], None]] = [
            self.hang, self.dialog, self.pause, self.kill_runs, self.reinit, self.save, self.rubbish,
            self.abandoned_sessions, self.broken_lines, self.restart, self.power,
        ]  # fmt: skip
        while not self.over.wait(FAULT_EVERY_S):
            fault = chance.choice(kinds)
            self.faults[fault.__name__] = self.faults.get(fault.__name__, 0) + 1
            try:
                with contextlib.suppress(*BROKEN):
                    fault()
            except Exception as error:  # noqa: BLE001 - the soak must go on and tell in the end
                self.troubles.append(f"{fault.__name__}: {type(error).__name__}: {error}")

    def hang(self) -> None:
        self.td.do("block_main", seconds=3)

    def dialog(self) -> None:
        self.td.do("modal", open=True)
        self.over.wait(2)
        self.td.do("modal", open=False)

    def power(self) -> None:
        self.td.do("power", on=False)
        self.over.wait(2)
        self.td.do("power", on=True)

    def pause(self) -> None:
        self.td.do("timeline", play=False)
        self.over.wait(2)
        self.td.do("timeline", play=True)

    def kill_runs(self) -> None:
        self.td.do("kill_runs")

    def reinit(self) -> None:
        self.td.do("reinit_component")

    def save(self) -> None:
        self.td.do("save", 60, seconds=2)

    def rubbish(self) -> None:
        for body in (b"", b"{", b"[]", b"\xff", b"[" * 50_000, b'{"jsonrpc":"2.0","id":1}'):
            post(self.td, body)

    def abandoned_sessions(self) -> None:
        for _ in range(10):
            session = open_session(self.td)
            open_stream(self.td, session).close()

    def broken_lines(self) -> None:
        for _ in range(10):
            with connect(self.td) as line:
                line.sendall(head(self.td, Content_Length="1000") + b"{")

    def restart(self) -> None:
        self.td.exec(f"{COMPONENT}.par.Restart.pulse()")

    # Figures

    def figures(self) -> dict[str, float]:
        # TouchDesigner's own history of undo steps grows with every edit and is not what is looked for.
        self.td.exec("_worlds.current().undo.clear()", 120)
        stats = self.td.stats()
        sessions = 0
        with contextlib.suppress(*BROKEN, AssertionError):
            sessions = int(health(self.td)["sessions"])
        return {
            "memory_mb": round(resident_mb(self.td.ready["pid"]), 1),
            "threads": stats["threads"],
            "sockets": stats["open_sockets"] or 0,
            "sessions": sessions,
            "conflicts": stats["thread_conflicts"],
            "operators": stats["operators"],
        }

    def settled(self) -> dict[str, float]:
        """Once everybody has left and every forgotten session has been ended."""
        for _ in range(600):
            with contextlib.suppress(*BROKEN, AssertionError):
                if (
                    health(self.td)["queue"]["depth"] == 0
                    and self.td.exec(f"{SERVER}.status.state") == "'serving'"
                ):
                    break
            time.sleep(0.1)
        # Only the server's own thread may end what belongs to its loop.
        self.td.exec(
            f"manager = {SERVER}._serving._mcp._manager\n"
            "def end():\n"
            "    for session in list(manager._server_instances.values()):\n"
            "        session.idle_scope.cancel()\n"
            f"{SERVER}._serving._loop.call_soon_threadsafe(end)"
        )
        time.sleep(1)
        self.td.exec("import gc; gc.collect()", 60)
        return self.figures()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with StandIn("--scene", "demo", "--frame-work", "4") as td:
        return run(td, options.minutes, options.clients, options.seed)


def run(td: StandIn, minutes: float, clients: int, seed: int) -> int:
    """Soak a stand-in; 0 if all went well."""
    prepare(td)
    soak = Soak(td, clients, seed)
    soak.log.watch(td)
    threads = [threading.Thread(target=soak.client, args=(number,), daemon=True) for number in range(clients)]
    threads.append(threading.Thread(target=soak.faults_now_and_then, daemon=True))
    for thread in threads:
        thread.start()
    first: dict[str, float] = {}
    began = time.monotonic()
    step = min(60.0, minutes * 60 / 8)
    while time.monotonic() - began < minutes * 60:
        soak.over.wait(step)
        now = soak.figures()
        if not first and time.monotonic() - began >= minutes * 15:
            first = now  # from here on nothing may grow
        print(
            f"{(time.monotonic() - began) / 60:5.1f} min  {soak.calls} calls  {soak.log.counts()}  {now}",
            flush=True,
        )
    soak.over.set()
    for thread in threads:
        thread.join(120)
    last = soak.settled()
    troubles = [*soak.troubles, *soak.log.differences(td), *grown(first, last, clients)]
    if "Traceback" in td.stderr():
        troubles.append("a traceback on standard error:\n" + td.stderr()[-2000:])
    print(f"faults: {soak.faults}\nedits: {soak.log.counts()}\nat first: {first}\nat last: {last}")
    for trouble in troubles[:50]:
        print(f"TROUBLE {trouble}")
    print("flat, and every edit accounted for" if not troubles else f"{len(troubles)} troubles")
    return 1 if troubles else 0


def prepare(td: StandIn) -> None:
    """A fixed port, so that clients find the server again after a restart, and a place for their work."""
    td.exec("op('/project1').create(baseCOMP, 'work')\nop('/project1').create(constantTOP, 'seen')")
    td.exec(f"{SERVER}._serving.marked = True\n{COMPONENT}.par.Port = {td.ready['port']}")
    for _ in range(3600):
        serves = f"{SERVER}._serving is not None and not hasattr({SERVER}._serving, 'marked')"
        if td.exec(f"{serves} and {SERVER}.status.state == 'serving'") == "True":
            return
    raise AssertionError("it does not serve on the fixed port")


def grown(first: dict[str, float], last: dict[str, float], clients: int) -> list[str]:
    """What is more at the end than it may be, with everybody gone."""
    found = []
    if last["conflicts"]:
        found.append(f"{last['conflicts']} thread conflicts")
    if last["sessions"]:
        found.append(f"{last['sessions']} sessions are left")
    if last["sockets"] > 3:
        found.append(f"{last['sockets']} sockets are left")
    if last["threads"] > first["threads"] + 1:
        found.append(f"threads grew from {first['threads']} to {last['threads']}")
    if last["memory_mb"] > first["memory_mb"] + GROWTH_MB:
        found.append(f"memory grew from {first['memory_mb']} to {last['memory_mb']} MB")
    return found


if __name__ == "__main__":
    sys.exit(main())
