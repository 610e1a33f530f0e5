"""Clients that go on with a session that is over, after a restart: told once, then served."""

from __future__ import annotations

import uuid

import pytest

from fakes.driver import StandIn
from tests.integration.stress.wire import LEGACY, connect, head, in_session, open_session, payload


@pytest.fixture
def lost() -> str:
    """A session of before a restart: an id that this server has not given to anybody."""
    return uuid.uuid4().hex


CALL = {"name": "find_operators", "arguments": {"path": "/", "name": "project1"}}


def test_a_client_that_begins_no_new_session_is_told_once_and_then_served(td: StandIn, lost: str) -> None:
    told = in_session(td, lost, "tools/call", CALL)
    assert told.status == 404 and "call again" in told.json["error"]["message"]
    for _ in range(2):
        served = in_session(td, lost, "tools/call", CALL)
        assert served.status == 200 and "mcp-session-id" not in served.headers
        assert payload(served)["result"]["structuredContent"]["total"] == 1
    assert "tools" in payload(in_session(td, lost, "tools/list"))["result"]


def test_a_session_that_is_open_knows_nothing_of_it(td: StandIn, lost: str) -> None:
    session = open_session(td)
    assert payload(in_session(td, session, "tools/call", CALL))["result"]["structuredContent"]["total"] == 1


def test_a_lost_session_has_no_stream(td: StandIn, lost: str) -> None:
    for _ in range(2):
        with connect(td) as line:
            line.sendall(
                head(td, "GET", Accept="text/event-stream", Mcp_Session_Id=lost, MCP_Protocol_Version=LEGACY)
            )
            assert b" 404 " in line.recv(4096).split(b"\r\n")[0]
