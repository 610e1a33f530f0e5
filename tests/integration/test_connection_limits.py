"""Connections at once: a share of what the process may open, few for clients without a key, and handshakes counted.

Limits of other systems are emulated: 256 file descriptors (macOS), a `select` that takes few sockets (Windows).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import selectors
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.http import connections
from tdmcp_embedded.http.thread import Phase
from tests.integration import certificates
from tests.integration.http_host import TOKEN, HttpHost

PATIENCE = 30.0


def ended(line: socket.socket) -> bool:
    """Whether the server has hung up; waits for it."""
    try:
        while line.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass  # also a handshake that was cut
    return True


#: (soft limit of the process, connections at once, those without a key)
LIMITS = [(256, 64, 16), (1024, 256, 64), (100_000, 1000, 250), (16, 8, 16), (None, 1000, 250)]


@pytest.mark.skipif(sys.platform == "win32", reason="sockets are no file descriptors there")
@pytest.mark.parametrize(("soft", "all_", "keyless"), LIMITS)
def test_connections_take_a_quarter_of_the_file_descriptors_at_most(
    soft: int | None, all_: int, keyless: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    given = resource.RLIM_INFINITY if soft is None else soft
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (given, given))
    assert connections.most_connections() == all_
    assert connections.most_without_key() == keyless


def keyed(host: HttpHost) -> http.client.HTTPConnection:
    """A connection that has shown its key and stays open."""
    line = http.client.HTTPConnection("127.0.0.1", host.port, timeout=PATIENCE)
    ask(line)
    return line


def ask(line: http.client.HTTPConnection) -> None:
    line.request(
        "POST", "/mcp", b"{}", {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    )
    assert line.getresponse().read() == b'"ok"'


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpHost]:
    """A server that takes 3 connections without a key."""
    monkeypatch.setattr(connections, "most_without_key", lambda: 3)
    # Only the number may end them here.
    monkeypatch.setattr(connections, "HEAD_PATIENCE_S", 1000.0)
    host = HttpHost().start()
    yield host
    host.stop()


def test_connections_without_a_key_make_room_for_each_other_and_for_clients(few: HttpHost) -> None:
    client = keyed(few)
    silent = [few.connect() for _ in range(8)]
    assert all(ended(line) for line in silent[:5]), "the oldest ones"
    ask(client)
    late = keyed(few)
    ask(late)
    for line in (*silent, client, late):
        line.close()


def test_clients_with_a_key_do_not_count_among_those_without(few: HttpHost) -> None:
    clients = [keyed(few) for _ in range(6)]
    for client in clients:
        ask(client)
        client.close()


def test_where_no_key_is_needed_nobody_is_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_without_key", lambda: 3)
    host = HttpHost(require_key=False).start()
    try:
        clients = [keyed(host) for _ in range(6)]
        for client in clients:
            ask(client)
            client.close()
    finally:
        host.stop()


@pytest.mark.parametrize("counted", ["at accept", "after it"])
def test_of_too_many_connections_with_a_key_the_newest_is_closed(
    monkeypatch: pytest.MonkeyPatch, counted: str
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 4)
    monkeypatch.setattr(connections, "HEAD_PATIENCE_S", 1000.0)  # only the number may end it here
    if counted == "after it":
        unlimited = property(lambda self: 0, lambda self, value: None)
        monkeypatch.setattr(connections.Listener, "limit", unlimited, raising=False)
    host = HttpHost().start()
    try:
        clients = [keyed(host) for _ in range(4)]
        late = host.connect()
        assert ended(late)
        for client in clients:
            ask(client)
            client.close()
    finally:
        host.stop()


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return certificates.make(tmp_path_factory.mktemp("tls"))


def few_sockets(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Have waiting fail beyond so many sockets, as `select` does on Windows beyond 512."""
    base: Any = selectors.DefaultSelector
    whole = base.select

    def select(self: selectors.BaseSelector, timeout: float | None = None) -> Any:
        if len(self.get_map()) > most:
            raise ValueError("too many file descriptors in select()")
        return whole(self, timeout)

    monkeypatch.setattr(base, "select", select)


def healthy(host: HttpHost, certificate: str) -> bool:
    line = http.client.HTTPSConnection(
        "127.0.0.1", host.port, timeout=PATIENCE, context=certificates.trusting(certificate)
    )
    try:
        line.request("GET", "/health")
        return bool(json.loads(line.getresponse().read())["status"])
    finally:
        line.close()


def test_sockets_that_never_shake_hands_do_not_end_the_server(
    tls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A tenth of what Windows takes, and of what we take there.
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 30)
    few_sockets(monkeypatch, 51)
    failures: list[Any] = []
    monkeypatch.setattr(connections.Selector, "_drop_bad", lambda self: failures.append(self))
    host = HttpHost(tls=tls).start()
    try:
        silent = [host.connect() for _ in range(120)]
        assert healthy(host, tls[0])
        assert ended(silent[0]), "the oldest made room"
        assert host.thread.state.phase is Phase.SERVING and failures == []
        for line in silent:
            line.close()
    finally:
        host.stop()


def test_one_failure_of_waiting_does_not_end_the_server(
    tls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 8)
    # Without a limit at accept, so that waiting itself fails.
    unlimited = property(lambda self: 0, lambda self, value: None)
    monkeypatch.setattr(connections.Listener, "limit", unlimited, raising=False)
    few_sockets(monkeypatch, 10)
    host = HttpHost(tls=tls).start()
    try:
        silent = [host.connect() for _ in range(12)]
        for line in silent:
            line.close()
        for _ in range(100):  # until the server has noticed that they are gone
            with contextlib.suppress(OSError):  # also a handshake that was cut or took too long
                assert healthy(host, tls[0])
                break
        else:
            raise AssertionError("nobody is served any more")
        assert host.thread.state.phase is Phase.SERVING
    finally:
        host.stop()


def test_a_socket_that_went_bad_is_dropped_and_the_others_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    selector = connections.Selector()
    pairs = [socket.socketpair() for _ in range(3)]
    for near, _ in pairs:
        selector.register(near.fileno(), selectors.EVENT_READ)
    bad = pairs[1][0].fileno()
    pairs[1][0].close()
    base: Any = selectors.DefaultSelector
    whole = base.select

    def select(self: selectors.BaseSelector, timeout: float | None = None) -> Any:
        if bad in self.get_map():
            raise OSError(10038, "not a socket")
        return whole(self, timeout)

    monkeypatch.setattr(base, "select", select)
    assert selector.select(0) == []
    pairs[2][1].sendall(b"x")
    assert [key.fd for key, _ in selector.select(PATIENCE)] == [pairs[2][0].fileno()]
    selector.close()
    for near, far in pairs:
        near.close()
        far.close()


def test_a_failure_that_stays_is_raised_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    selector = connections.Selector()
    few_sockets(monkeypatch, -1)
    with pytest.raises(ValueError, match="too many"):
        for _ in range(1000):
            selector.select(0)
    selector.close()


def test_failures_count_in_a_row_only(monkeypatch: pytest.MonkeyPatch) -> None:
    selector = connections.Selector()
    monkeypatch.setattr(connections, "MAX_FAILURES", 3)
    failing = [True]
    base: Any = selectors.DefaultSelector
    whole = base.select

    def select(self: selectors.BaseSelector, timeout: float | None = None) -> Any:
        failing[0] = not failing[0]
        if failing[0]:
            raise OSError(10038, "not a socket")
        return whole(self, timeout)

    monkeypatch.setattr(base, "select", select)
    for _ in range(20):
        assert selector.select(0) == []
    selector.close()


@pytest.mark.parametrize("asks", [False, True], ids=["in silence", "asking meanwhile"])
def test_an_idle_client_closes_first_where_half_closed_connections_hold_the_port(
    asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HALF_CLOSED_HOLDS_PORT", True)
    cut: list[socket.socket] = []
    monkeypatch.setattr(connections, "reset_on_close", cut.append)
    host = HttpHost().start()
    line, late = keyed(host), keyed(host)
    assert line.sock is not None and late.sock is not None
    host.thread.request_stop()
    # The server has said that nothing comes any more, and waits a moment for our end of it.
    assert line.sock.recv(1) == b""
    if asks:
        with contextlib.suppress(OSError):
            line.request("POST", "/mcp", body=b"{}")
    line.close()
    # Whoever keeps its end open is cut off for good.
    assert host.thread.stop(timeout=PATIENCE)
    assert cut
