"""Slow, silent and greedy clients, and encrypted lines."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fakes.driver import StandIn
from tests.integration import certificates
from tests.integration.clients import PATIENCE
from tests.integration.http_host import TOKEN, HttpHost

CONNECTIONS = "tdmcp_embedded.http.connections"


class Chatty(HttpHost):
    """Answers `POST /mcp` with more than anybody's buffers hold; `hung_up` tells when it gets to know that nobody is
    there any more."""

    def __init__(self) -> None:
        super().__init__()
        self.hung_up = threading.Event()

    async def mcp(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(50):
            await send({"type": "http.response.body", "body": bytes(1_000_000), "more_body": True})
        # Nothing stops an application from sending after its client has gone; but then it is told so.
        assert (await receive())["type"] == "http.disconnect"
        self.hung_up.set()


@pytest.fixture
def host() -> Iterator[HttpHost]:
    host = HttpHost().start()
    yield host
    host.stop()


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return certificates.make(tmp_path_factory.mktemp("tls"))


def ended(line: socket.socket) -> bool:
    """Whether the server has hung up; waits for it."""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while line.recv(65536):
            pass
    return True


def test_a_body_that_comes_in_drops_is_not_waited_for_for_ever(
    host: HttpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.bodies._PATIENCE_S", 0.3)
    with host.connect() as line:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode()
        )
        answer = b""
        while part := line.recv(4096):  # until the server hangs up
            answer += part
        assert answer.startswith(b"HTTP/1.1 408") and b"did not arrive in time" in answer
    assert host.request() == (200, b'"ok"')


def test_a_client_that_does_not_read_its_answer_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTIONS}.READ_PATIENCE_S", 0.3)
    host = Chatty().start()
    try:
        with host.connect() as line:
            line.sendall(
                f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
                "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".encode()
            )
            # It does not read, and gets no chance to see the end: the server must notice by itself.
            assert host.hung_up.wait(PATIENCE), "the connection is still there"
    finally:
        host.stop()


def test_one_other_machine_cannot_take_all_connections(
    host: HttpHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{CONNECTIONS}.MAX_PER_MACHINE", 2)
    monkeypatch.setattr(f"{CONNECTIONS}.is_loopback", lambda address: False)
    with host.open_stream(), host.open_stream():
        with host.connect() as third:
            assert ended(third)
        monkeypatch.undo()
        assert host.request() == (200, b'"ok"'), "this machine itself has no such limit"


class TestTls:
    @pytest.fixture
    def secure(self, tls: tuple[str, str]) -> Iterator[HttpHost]:
        host = HttpHost(tls=tls).start()
        yield host
        host.stop()

    def test_a_client_that_trusts_the_certificate_is_served(
        self, secure: HttpHost, tls: tuple[str, str]
    ) -> None:
        line = http.client.HTTPSConnection(
            "127.0.0.1", secure.port, timeout=PATIENCE, context=certificates.trusting(tls[0])
        )
        line.request("GET", "/health")
        assert json.loads(line.getresponse().read())["status"] == "ok"
        line.close()

    def test_one_that_does_not_trust_it_sends_nothing(self, secure: HttpHost) -> None:
        line = http.client.HTTPSConnection("127.0.0.1", secure.port, timeout=PATIENCE)
        with pytest.raises(ssl.SSLCertVerificationError):
            line.request("GET", "/health")
        line.close()

    def test_plain_http_is_not_spoken(self, secure: HttpHost) -> None:
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            secure.request()

    # That the versions are outdated, which Python warns of, is the point.
    @pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
    def test_an_old_version_of_tls_is_not_spoken(self, secure: HttpHost, tls: tuple[str, str]) -> None:
        context = certificates.trusting(tls[0])
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with secure.connect() as line, pytest.raises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(line, server_hostname="127.0.0.1")

    def test_a_handshake_that_does_not_come_is_not_waited_for_for_ever(
        self, tls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(f"{CONNECTIONS}.HANDSHAKE_PATIENCE_S", 0.3)
        host = HttpHost(tls=tls).start()
        try:
            with host.connect() as silent:
                assert ended(silent)
        finally:
            host.stop()

    def test_the_component_serves_https_with_the_users_certificate(
        self, tls: tuple[str, str], tmp_path: Path
    ) -> None:
        options = ("--set", f"Tlscertificate={tls[0]}", "--set", f"Tlskey={tls[1]}")
        with StandIn("--scene", "empty", *options) as td:
            assert td.url.startswith("https://127.0.0.1:")
            parts = urlsplit(td.url)
            line = http.client.HTTPSConnection(
                "127.0.0.1", parts.port, timeout=PATIENCE, context=certificates.trusting(tls[0])
            )
            line.request("POST", "/mcp", b"{}", {"Content-Type": "application/json"})
            assert line.getresponse().status == 401
            line.close()
            assert td.stats()["thread_conflicts"] == 0
