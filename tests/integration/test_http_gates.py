"""The server thread from outside: real sockets, real starts and stops."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import logging
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.http.thread import Phase, ServerThread
from tests.integration.http_host import HttpHost


@pytest.fixture
def host() -> Iterator[HttpHost]:
    host = HttpHost().start()
    yield host
    host.stop()


def ended(line: socket.socket) -> bool:
    """Whether the server has hung up; waits for it."""
    try:
        while line.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


# Gates over a real connection


def test_a_right_request_is_answered(host: HttpHost) -> None:
    assert host.request() == (200, b'"ok"')


@pytest.mark.parametrize(
    ("status", "options"),
    [
        (421, {"Host": "evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://localhost:3000"}),
        (401, {"Authorization": ""}),
        (401, {"Authorization": "Bearer wrong"}),
        (415, {"Content_Type": ""}),
        (415, {"Content_Type": "text/plain"}),
        (404, {"path": "/nothing"}),
        (405, {"method": "PATCH"}),
    ],
)
def test_each_wrong_request_gets_its_refusal_in_words(
    host: HttpHost, status: int, options: dict[str, Any]
) -> None:
    got, body = host.request(**options)
    assert got == status
    assert len(json.loads(body)["error"]["message"]) > 20


def test_a_client_that_sends_fifty_megabytes_gets_to_read_the_refusal(host: HttpHost) -> None:
    assert host.request(body=bytes(50_000_000))[0] == 413
    assert host.request(body=bytes(50_000_000), Authorization="")[0] == 401
    assert host.request() == (200, b'"ok"')


def test_a_client_that_asks_first_is_not_made_to_send_its_large_body(host: HttpHost) -> None:
    with host.connect() as line:
        line.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer the-right-key\r\n"
            b"Content-Type: application/json\r\nContent-Length: 90000000\r\nExpect: 100-continue\r\n\r\n"
        )
        assert line.recv(4096).startswith(b"HTTP/1.1 413")


def test_health_is_open_and_small(host: HttpHost) -> None:
    status, body = host.request("GET", "/health", None, Authorization="", Content_Type="")
    assert status == 200
    assert json.loads(body)["status"] == "ok"


def test_half_a_request_is_not_waited_for_for_ever(host: HttpHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.connections.HEAD_PATIENCE_S", 0.3)
    with host.connect() as silent, host.connect() as half, host.open_stream() as stream:
        half.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.")
        assert ended(silent)
        assert ended(half)
        stream.settimeout(0.5)
        with pytest.raises(TimeoutError):
            stream.recv(1)  # open streams are no dawdlers


def test_half_a_request_after_a_whole_one_is_not_waited_for_either(
    host: HttpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.connections.HEAD_PATIENCE_S", 0.3)
    whole = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with host.connect() as line:
        line.sendall(whole)
        assert b"200" in line.recv(4096)
        line.sendall(whole[:20])
        assert ended(line)


def test_too_many_connections_do_not_harm_those_that_are_there(
    host: HttpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.connections.MAX_CONNECTIONS", 3)
    with host.open_stream(), host.open_stream(), host.open_stream(), host.connect() as fourth:
        assert ended(fourth)
    for _ in range(200):  # until the server has noticed that the streams are gone
        with contextlib.suppress(ConnectionError):
            assert host.request() == (200, b'"ok"')
            return
    raise AssertionError("nobody gets in any more")


# Life


def test_stopping_with_open_streams_frees_the_port(host: HttpHost) -> None:
    streams = [host.open_stream() for _ in range(5)]
    port = host.port
    host.stop()
    assert host.states[-1].phase is Phase.STOPPED
    assert host.entered == ["in", "out"]
    assert all(ended(stream) for stream in streams)
    for stream in streams:
        stream.close()
    again = HttpHost(port=port).start()
    assert again.port == port
    again.stop()


def test_a_taken_port_is_one_clear_sentence(host: HttpHost) -> None:
    second = HttpHost(port=host.port)
    second.thread.start()
    state = second.wait_for(lambda state: state.phase is Phase.FAILED)
    assert str(host.port) in state.sentence
    assert "another Port" in state.sentence
    assert "taken" in state.sentence
    second.queue.close("The test is over.")


def test_the_next_free_port_is_taken_if_scanning_is_allowed(host: HttpHost) -> None:
    second = HttpHost(port=host.port, scan=20).start()
    assert host.port < second.port <= host.port + 20
    second.stop()


def test_a_port_held_by_a_listener_on_all_addresses_counts_as_taken() -> None:
    with socket.socket() as other:
        other.bind(("0.0.0.0", 0))
        other.listen()
        host = HttpHost(port=other.getsockname()[1])
        host.thread.start()
        assert host.wait_for(lambda state: state.phase is Phase.FAILED).sentence
        host.queue.close("The test is over.")


def test_an_address_of_another_machine_is_one_clear_sentence() -> None:
    host = HttpHost(address="192.0.2.1")
    host.thread.start()
    assert "no address 192.0.2.1" in host.wait_for(lambda state: state.phase is Phase.FAILED).sentence
    host.queue.close("The test is over.")


def test_a_failing_application_is_a_state_not_a_crash() -> None:
    def broken(port: int) -> Any:
        raise RuntimeError("no such setting")

    thread = ServerThread(broken, address="127.0.0.1", port=0)
    thread.start()
    thread.stop(timeout=30)
    assert thread.state.phase is Phase.FAILED
    assert "no such setting" in thread.state.sentence
    assert isinstance(thread.state.error, RuntimeError)


def test_a_failing_lifespan_is_a_state_too() -> None:
    class Broken(HttpHost):
        @contextlib.asynccontextmanager
        async def lifespan(self) -> Any:
            raise RuntimeError("no registry")
            yield

    host = Broken()
    host.thread.start()
    assert host.wait_for(lambda state: state.phase is Phase.FAILED).sentence
    host.queue.close("The test is over.")


def test_a_stop_asked_for_while_starting_is_obeyed_and_frees_the_port_at_once() -> None:
    asked = threading.Event()
    proceed = threading.Event()

    class Slow(HttpHost):
        def build(self, port: int) -> Any:
            asked.set()
            proceed.wait(30)
            return super().build(port)

    host = Slow()
    host.thread.start()
    assert asked.wait(60)
    port = host.port
    host.thread.request_stop()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
    proceed.set()
    host.stop()
    assert [state.phase for state in host.states] == [Phase.STARTING, Phase.STOPPED]
    assert host.entered == []


def test_a_caller_who_comes_during_the_start_waits_and_is_served() -> None:
    proceed = threading.Event()
    answers: list[tuple[int, bytes]] = []

    class Slow(HttpHost):
        def build(self, port: int) -> Any:
            proceed.wait(30)
            return super().build(port)

    host = Slow()
    host.thread.start()
    host.wait_for(lambda state: state.port > 0)
    caller = threading.Thread(target=lambda: answers.append(host.request()))
    caller.start()
    proceed.set()
    caller.join(60)
    assert answers == [(200, b'"ok"')]
    host.stop()


def test_starting_does_not_block_the_caller() -> None:
    host = HttpHost()
    host.thread.start()
    assert host.thread.state.phase is Phase.STARTING or host.thread.alive
    host.wait_for(lambda state: state.phase is Phase.SERVING)
    host.stop()


def test_restarts_leave_no_thread_and_no_socket_behind() -> None:
    HttpHost().start().stop()
    gc.collect()
    threads = set(threading.enumerate())
    sockets = open_sockets()
    for _ in range(8):
        host = HttpHost().start()
        stream = host.open_stream()
        host.request()
        host.stop()
        stream.close()
    gc.collect()
    assert not [thread.name for thread in set(threading.enumerate()) - threads if thread.is_alive()]
    assert open_sockets() <= sockets


def open_sockets() -> int:
    return sum(isinstance(thing, socket.socket) and thing.fileno() >= 0 for thing in gc.get_objects())


def test_the_hosts_logging_signals_loop_policy_and_builtins_stay_as_they_are() -> None:
    import builtins

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    before = (
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGTERM),
        asyncio.get_event_loop_policy(),
        builtins.__import__,
        builtins.__build_class__,
        sys.getswitchinterval(),
        gc.isenabled(),
    )
    host = HttpHost().start()
    host.request()
    host.stop()
    assert (list(root.handlers), root.level) == (handlers, level)
    assert before == (
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGTERM),
        asyncio.get_event_loop_policy(),
        builtins.__import__,
        builtins.__build_class__,
        sys.getswitchinterval(),
        gc.isenabled(),
    )


def test_a_loop_policy_of_the_host_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(asyncio.DefaultEventLoopPolicy):
        def new_event_loop(self) -> asyncio.AbstractEventLoop:
            raise AssertionError("the server must bring its own loop")

    before = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(Mine())
    try:
        host = HttpHost().start()
        assert host.request() == (200, b'"ok"')
        host.stop()
    finally:
        asyncio.set_event_loop_policy(before)


def test_a_standard_output_that_can_only_write_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnlyWrite:
        def __init__(self) -> None:
            self.text = io.StringIO()

        def write(self, text: str) -> None:
            self.text.write(text)

    out = OnlyWrite()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", out)
    host = HttpHost().start()
    assert host.request() == (200, b'"ok"')
    host.stop()
    assert out.text.getvalue() == ""


def test_answers_do_not_wait_for_nagles_algorithm(host: HttpHost) -> None:
    # It would cost 40 ms an answer together with the client's delayed acknowledgements.
    with host.open_stream():
        assert host.thread._server is not None
        (connection,) = host.thread._server.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
