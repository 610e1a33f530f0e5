"""Requests that break off, lie about their length, or are none: hung up on, and nobody else notices."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator

import pytest

from fakes.driver import StandIn
from tests.integration.stress.wire import call_body, connect, head, health, hung_up, until

BODY, HEADERS = call_body("get_status", {})
WHOLE = (HEADERS, BODY)

#: Of a stand-in that serves nobody: the listener, the pair that wakes the server's loop, the pair that hears signals.
IDLE_SOCKETS = 5


@pytest.fixture
def impatient(td: StandIn) -> Iterator[StandIn]:
    """A server whose patience with dawdlers is a third of a second instead of many."""
    td.exec(
        "from tdmcp_embedded.http import connections, bodies\n"
        "patience = connections.HEAD_PATIENCE_S, bodies._PATIENCE_S\n"
        "connections.HEAD_PATIENCE_S = bodies._PATIENCE_S = 0.3"
    )
    yield td
    td.exec("connections.HEAD_PATIENCE_S, bodies._PATIENCE_S = patience")


def good(td: StandIn) -> bytes:
    """A whole request that asks for the status."""
    return head(td, Content_Length=str(len(BODY)), **HEADERS) + BODY


def reset(line: socket.socket) -> None:
    """Break the connection off, as a process that dies does."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


@pytest.mark.parametrize("kept", [0, 1, 20, 200])
def test_a_head_that_stops_in_the_middle_is_hung_up_on(impatient: StandIn, kept: int) -> None:
    with connect(impatient) as half:
        half.sendall(good(impatient)[:kept])
        assert b"200 OK" not in hung_up(half)


def test_a_body_shorter_than_announced_is_answered_and_not_taken(impatient: StandIn) -> None:
    with connect(impatient) as line:
        line.sendall(head(impatient, Content_Length=str(len(BODY) + 10), **HEADERS) + BODY)
        said = hung_up(line)
    assert said.startswith(b"HTTP/1.1 408") and b"did not arrive" in said


def test_a_body_longer_than_announced_ends_the_connection_after_its_answer(td: StandIn) -> None:
    with connect(td) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(good(td) + b"and then some more\r\n\r\n")
        said = hung_up(line)
    assert said.count(b"200 OK") <= 1 and b"Traceback" not in said


@pytest.mark.parametrize(
    "chunks",
    [
        b"ZZ\r\nxx\r\n",
        b"-5\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhello and more\r\n0\r\n\r\n",
        b"FFFFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}0\r\n\r\n",
        b"5;" + b"x" * 100_000 + b"\r\nhello\r\n0\r\n\r\n",
    ],
    ids=["no-number", "negative", "longer", "huge", "no-end", "long-extension"],
)
def test_chunks_that_lie_are_refused_or_hung_up_on(impatient: StandIn, chunks: bytes) -> None:
    with connect(impatient) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(head(impatient, Transfer_Encoding="chunked", Connection="close", **HEADERS) + chunks)
        assert b"200 OK" not in hung_up(line)


def test_chunks_that_stop_coming_are_answered(impatient: StandIn) -> None:
    with connect(impatient) as line:
        line.sendall(head(impatient, Transfer_Encoding="chunked", **HEADERS) + b"5\r\n")
        assert hung_up(line).startswith(b"HTTP/1.1 408")


def test_chunks_without_end_are_refused_at_the_limit(td: StandIn) -> None:
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with connect(td) as line:
        line.sendall(head(td, Transfer_Encoding="chunked", **HEADERS))
        with contextlib.suppress(OSError):  # it may hang up while we are still sending
            for _ in range(160):
                line.sendall(chunk)
        said = hung_up(line)
    assert said.startswith(b"HTTP/1.1 413") or not said
    assert until(td, lambda: health(td)["status"], lambda status: status == "ok")


def test_honest_chunks_are_taken(td: StandIn) -> None:
    parts = [BODY[:10], BODY[10:11], BODY[11:]]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    with connect(td) as line:
        line.sendall(head(td, Transfer_Encoding="chunked", Connection="close", **HEADERS) + chunks)
        assert b"200 OK" in hung_up(line)


def test_two_lengths_at_once_are_refused(td: StandIn) -> None:
    with connect(td) as line:
        line.sendall(
            head(td, Content_Length=str(len(BODY)), Transfer_Encoding="chunked", **HEADERS)
            + b"0\r\n\r\n"
            + BODY
        )
        line.shutdown(socket.SHUT_WR)
        said = hung_up(line)
    assert said.count(b"200 OK") == 0, "what one proxy takes for a body, another takes for a request"


def test_requests_sent_without_waiting_for_answers_are_all_answered(td: StandIn) -> None:
    with connect(td) as line:
        last = head(td, Content_Length=str(len(BODY)), Connection="close", **HEADERS) + BODY
        line.sendall(good(td) * 9 + last)
        assert hung_up(line).count(b"200 OK") == 10


def test_clients_that_die_in_the_middle_leave_nothing_behind(td: StandIn) -> None:
    until(td, lambda: td.stats()["open_sockets"], lambda now: now <= IDLE_SOCKETS)
    for kept in (0, 5, 300, len(good(td)) - 5, len(good(td))):
        for _ in range(5):
            line = connect(td)
            line.sendall(good(td)[:kept])
            reset(line)
    until(td, lambda: td.stats()["open_sockets"], lambda now: now <= IDLE_SOCKETS)
    until(td, lambda: health(td)["queue"]["depth"], lambda depth: depth == 0)


def test_two_hundred_silent_connections_keep_nobody_out(td: StandIn) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connect(td))
        with connect(td) as line:
            line.sendall(good(td))
            assert b"200 OK" in line.recv(65536)
    until(td, lambda: td.stats()["open_sockets"], lambda now: now <= IDLE_SOCKETS)
