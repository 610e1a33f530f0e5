"""Many sessions, and sessions that nobody ends: kept apart, kept in bounds, and never at the cost of a running call."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.clients import PATIENCE
from tests.integration.stress.life import restart
from tests.integration.stress.wire import (
    SERVER,
    call_body,
    connect,
    head,
    health,
    in_session,
    message,
    open_session,
    open_stream,
    payload,
    post,
    until,
)

MANY = 40


def sessions(td: StandIn) -> int:
    return int(health(td)["sessions"])


@pytest.fixture
def three_at_most(td: StandIn) -> Iterator[StandIn]:
    """A server that lets three sessions live at once; all of those before it are gone."""
    manager = f"{SERVER}._serving._mcp._manager"
    td.exec(f"[{manager}.__setattr__('max_sessions', 3)]")
    for name in eval(td.exec(f"list({manager}._server_instances)")):
        assert in_session_delete(td, name) in (200, 404)
    until(td, lambda: sessions(td), lambda count: count == 0)
    yield td
    td.exec(f"[{manager}.__setattr__('max_sessions', 1000)]")


def in_session_delete(td: StandIn, session: str) -> int:
    """The status of ending a session."""
    with connect(td) as line:
        line.sendall(head(td, "DELETE", Mcp_Session_Id=session, Connection="close"))
        return int(line.recv(65536).split()[1])


def test_idle_sessions_cost_nobody_anything_and_can_be_ended(td: StandIn) -> None:
    before, threads = sessions(td), td.stats()["threads"]
    opened = [open_session(td) for _ in range(MANY)]
    assert len(set(opened)) == MANY and sessions(td) == before + MANY
    assert td.stats()["threads"] <= threads + 1
    assert "tools" in payload(in_session(td, opened[0], "tools/list"))["result"]
    for session in opened:
        assert in_session_delete(td, session) == 200
    until(td, lambda: sessions(td), lambda count: count == before)


def test_a_session_that_was_ended_is_not_found_and_a_new_one_is_welcome(td: StandIn) -> None:
    session = open_session(td)
    in_session_delete(td, session)
    assert in_session(td, session, "tools/list").status == 404
    again = open_session(td)
    assert in_session(td, again, "tools/list").status == 200
    in_session_delete(td, again)


def test_a_session_of_before_a_restart_is_not_found_and_a_new_one_is_welcome(td: StandIn) -> None:
    session = open_session(td)
    restart(td)
    assert in_session(td, session, "tools/list").status == 404
    assert in_session(td, open_session(td), "tools/list").status == 200


def test_a_session_nobody_uses_ends_by_itself_but_not_one_that_listens(td: StandIn) -> None:
    manager = f"{SERVER}._serving._mcp._manager"
    td.exec(f"[{manager}.__setattr__('session_idle_timeout', 0.2)]")
    try:
        idle, listening = open_session(td), open_session(td)
        with open_stream(td, listening):
            until(
                td,
                lambda: td.exec(f"{idle!r} in {manager}._server_instances"),
                lambda there: there == "False",
            )
            assert in_session(td, idle, "tools/list").status == 404
            assert in_session(td, listening, "tools/list").status == 200
        until(
            td,
            lambda: td.exec(f"{listening!r} in {manager}._server_instances"),
            lambda there: there == "False",
        )
    finally:
        td.exec(f"[{manager}.__setattr__('session_idle_timeout', 1800.0)]")


def test_at_the_limit_the_longest_idle_session_makes_way(three_at_most: StandIn) -> None:
    td = three_at_most
    first, second, third = (open_session(td) for _ in range(3))
    assert in_session(td, first, "ping").status == 200, "the first has just been used"
    fourth = open_session(td)
    assert sessions(td) == 3
    assert [in_session(td, name, "ping").status for name in (first, second, third, fourth)] == [
        200,
        404,
        200,
        200,
    ]


def test_a_session_with_a_call_under_way_never_makes_way(three_at_most: StandIn) -> None:
    td = three_at_most
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        busy = open_session(td)
        arguments = {"name": "measure_performance", "arguments": {"frames": 120}}
        measuring = pool.submit(in_session, td, busy, "tools/call", arguments)
        for _ in range(10_000):
            if health(td)["queue"]["running"]:
                break
        for _ in range(6):
            open_session(td)
        assert not payload(measuring.result(PATIENCE))["result"]["isError"]
        assert in_session(td, busy, "ping").status == 200


def test_only_where_every_session_is_at_work_a_new_one_is_turned_away(three_at_most: StandIn) -> None:
    td = three_at_most
    names = [open_session(td) for _ in range(3)]
    streams = [open_stream(td, name) for name in names]
    refused = post(td, message("initialize", {"protocolVersion": "2025-11-25"}))
    assert refused.status == 503 and "sessions" in payload(refused)["error"]["message"]
    body, headers = call_body("get_status", {})
    assert post(td, body, **headers).status == 200, "clients without sessions are not concerned"
    for stream in streams:
        stream.close()
    # As soon as the server has noticed that one of them went away.
    until(td, lambda: post(td, message("initialize", {})).status, lambda status: status != 503)


def test_sessions_do_not_see_each_others_answers(td: StandIn) -> None:
    names = [open_session(td) for _ in range(4)]

    def ask(number: int) -> None:
        for turn in range(5):
            text = f"'{number}-{turn}'"
            params = {"name": "execute_python", "arguments": {"code": text}}
            answer = payload(in_session(td, names[number], "tools/call", params))
            assert "result" in answer, answer
            assert answer["result"]["structuredContent"]["repr"] == text

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(4)))
    for name in names:
        in_session_delete(td, name)
