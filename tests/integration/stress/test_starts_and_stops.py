"""Starting, stopping and restarting: nobody is left hanging, the port comes free, and nothing piles up."""

from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import socket
import threading

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE
from tests.integration.stress.life import mark, restart, serving_again, status_of
from tests.integration.stress.wire import (
    COMPONENT,
    SERVER,
    call,
    call_body,
    connect,
    health,
    hung_up,
    open_session,
    open_stream,
    payload,
    post,
    until,
)

RESTARTS = 8


def test_switching_off_hangs_up_on_open_streams_and_frees_the_port(td: StandIn) -> None:
    streams = [open_stream(td, open_session(td)) for _ in range(5)]
    td.exec(f"{COMPONENT}.par.Active = False")
    for stream in streams:
        hung_up(stream)
        stream.close()
    until(
        td,
        lambda: td.exec("[t.name for t in __import__('threading').enumerate()]"),
        lambda n: "tdmcp-http" not in n,
    )
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", td.ready["port"]))
    td.exec(f"{COMPONENT}.par.Active = True")
    serving_again(td)


def test_restarts_with_open_streams_leave_no_thread_and_no_socket_behind(td: StandIn) -> None:
    restart(td)
    call(td, "get_status", {})
    before = td.stats()
    for _ in range(RESTARTS):
        stream = open_stream(td, open_session(td))
        call(td, "find_operators", {"path": "/project1"})
        restart(td)
        hung_up(stream)
        stream.close()
    call(td, "get_status", {})
    until(td, lambda: td.stats()["threads"], lambda threads: threads <= before["threads"])
    until(td, lambda: td.stats()["open_sockets"], lambda sockets: sockets <= before["open_sockets"])
    assert td.exec("len(runs)") == "1"
    assert len(list((td.home / ".tdmcp" / "instances").glob("*.json"))) == 1


def test_requests_during_stops_and_starts_are_answered_or_refused_cleanly(td: StandIn) -> None:
    body, headers = call_body("find_operators", {"path": "/project1"})
    over = threading.Event()
    strange: list[object] = []
    served = [0]

    def ask() -> None:
        while not over.is_set():
            try:
                answer = post(td, body, **headers)
            except (ConnectionError, http.client.HTTPException):
                continue  # refused, or cut off by the stop
            if answer.status != 200:
                strange.append(answer)
                continue
            result = payload(answer)["result"]
            content = result["structuredContent"]
            # A call that meets the closed queue is told that it was not started, or broken off.
            if result.get("isError") and content["code"] not in (
                "not_started",
                "cancelled",
                "main_thread_stalled",
            ):
                strange.append(content)
            served[0] += 1

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        try:
            for _ in range(4):
                restart(td)
        finally:
            over.set()
        for one in asking:
            one.result(PATIENCE)
    assert strange == []
    assert served[0] > 0


def test_a_call_that_waits_when_the_server_stops_never_runs(td: StandIn) -> None:
    mark(td)
    td.exec(f"{SERVER}.queue.stall_after = 120")
    create = {"parent": "/project1", "type": "nullTOP", "name": "too_late"}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        td.do("modal", open=True)
        for _ in range(1000):
            if td.stats()["main_thread"] == "blocked":
                break
        waiting = pool.submit(call, td, "create_operator", create)
        for _ in range(10_000):
            if health(td)["queue"]["waiting"]:
                break
        # Scripts of the test run between frames, and so before the pump; this one cannot be answered yet.
        with contextlib.suppress(TimeoutError):
            td.exec(f"{SERVER}.restart()", 0.01)
        td.do("modal", open=False)
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            refusal = waiting.result(PATIENCE)
            assert refusal["is_error"] and refusal["code"] == "not_started"
    serving_again(td)
    assert td.exec("op('/project1/too_late')") == "None"


def test_a_taken_port_is_passed_over_if_scanning_is_allowed(td: StandIn) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        td.exec(f"{COMPONENT}.par.Port = {port}")
        until(
            td,
            lambda: td.exec(f"{COMPONENT}.par.Url.eval()"),
            lambda url: f":{td.ready['port']}/" not in url and "http" in url,
        )
        assert f":{port}/" not in td.exec(f"{COMPONENT}.par.Url.eval()")
        td.exec(f"{COMPONENT}.par.Port = {td.ready['port']}")
        until(td, lambda: td.exec(f"{COMPONENT}.par.Url.eval()"), lambda url: url == repr(td.url))


def test_a_port_that_stays_taken_is_one_sentence_and_no_restarts(td: StandIn) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        td.exec(f"{COMPONENT}.par.Portscan = 0\n{COMPONENT}.par.Port = {port}")
        until(td, lambda: status_of(td), lambda said: f"Port {port} is taken" in said)
        assert "set another Port" in status_of(td)
        rows = td.exec(f"{COMPONENT}.op('log').numRows")
        for _ in range(60):
            td.exec("1")
        assert td.exec(f"{COMPONENT}.op('log').numRows") == rows, "it does not try again by itself"
        assert td.exec(f"{SERVER}._serving") == "None"
    td.exec(f"{COMPONENT}.par.Port = {td.ready['port']}\n{COMPONENT}.par.Portscan = 10")
    until(td, lambda: td.exec(f"{COMPONENT}.par.Url.eval()"), lambda url: url == repr(td.url))


def test_stopping_the_process_hangs_up_on_everybody() -> None:
    with StandIn("--scene", "empty") as ending:
        stream, silent = open_stream(ending, open_session(ending)), connect(ending)
        ending.do("quit")
        hung_up(stream)
        hung_up(silent)
        assert ending.process.wait(PATIENCE) == 0
        stream.close()
        silent.close()
        assert "Traceback" not in ending.stderr()
