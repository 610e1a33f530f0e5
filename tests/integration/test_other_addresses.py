"""A server that listens for others serves this machine's own clients all the same, in plain HTTP at 127.0.0.1."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
from pathlib import Path

import pytest

from stdio_shim import __main__ as shim
from tdmcp_embedded.doctor import probe
from tdmcp_embedded.http.certificate_names import matches, names
from tests.integration import certificates
from tests.integration.http_host import HttpHost

#: (address, TLS, whether one listener serves both)
ADDRESSES: list[tuple[str, bool, bool]] = [
    ("127.0.0.1", False, True),
    ("127.0.0.1", True, False),
    ("0.0.0.0", False, True),
    ("0.0.0.0", True, False),
    ("127.0.0.2", False, False),
    ("127.0.0.2", True, False),
]


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return certificates.make(tmp_path_factory.mktemp("tls"), "studio.example", "*.stage.example")


def status(connection: http.client.HTTPConnection, host: str = "") -> int:
    with contextlib.closing(connection):
        connection.request("GET", "/health", headers={"Host": host} if host else {})
        answer = connection.getresponse()
        json.loads(answer.read())
        return answer.status


@pytest.mark.parametrize(("address", "secure", "same"), ADDRESSES)
def test_this_machine_is_served_in_plain_http_besides(
    address: str, secure: bool, same: bool, tls: tuple[str, str]
) -> None:
    if address == "127.0.0.2":
        with socket.socket() as probed:
            try:
                probed.bind((address, 0))
            except OSError:
                pytest.skip("this system has 127.0.0.1 alone of that network")
    host = HttpHost(address=address, tls=tls if secure else ("", "")).start()
    try:
        local = host.thread.local_port
        assert status(http.client.HTTPConnection("127.0.0.1", local, timeout=30)) == 200
        assert len(host.thread._listeners) == (1 if same else 2)
        if secure:
            # The certificate is for 127.0.0.1; that of another address is not what this is about.
            context = ssl.create_default_context(cafile=tls[0])
            context.check_hostname = False
            where = "127.0.0.1" if address == "0.0.0.0" else address
            outer = http.client.HTTPSConnection(where, host.port, timeout=30, context=context)
            assert status(outer, "127.0.0.1") == 200
    finally:
        host.stop()
    for port in {local, host.port}:
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=30)


#: (Host over TLS, status)
HOSTS: list[tuple[str, int]] = [
    ("studio.example", 200),
    ("STUDIO.example:9988", 200),
    ("left.stage.example", 200),
    ("127.0.0.1", 200),
    ("stage.example", 421),
    ("a.left.stage.example", 421),
    (".stage.example", 421),
    ("*.stage.example", 421),
    ("evil.example", 421),
    ("studio.example.evil.example", 421),
]


def test_the_names_of_the_certificate_are_hosts_over_tls_and_not_without(tls: tuple[str, str]) -> None:
    host = HttpHost(tls=tls, certified=names(tls[0])).start()
    try:
        context = certificates.trusting(tls[0])
        for name, expected in HOSTS:
            secure = http.client.HTTPSConnection("127.0.0.1", host.port, timeout=30, context=context)
            assert status(secure, name) == expected, name
            plain = http.client.HTTPConnection("127.0.0.1", host.thread.local_port, timeout=30)
            assert status(plain, name) == (200 if name == "127.0.0.1" else 421), name
    finally:
        host.stop()


def test_the_names_of_a_certificate_are_read(tls: tuple[str, str], tmp_path: Path) -> None:
    found = names(tls[0])
    assert found == {"127.0.0.1", "localhost", "studio.example", "*.stage.example"}
    assert matches("left.stage.example", found) and not matches("stage.example", found)
    whole = Path(tls[0]).read_bytes()
    broken = tmp_path / "broken.pem"
    for cut in range(0, len(whole), 37):
        broken.write_bytes(whole[:cut] + whole[cut + 8 :])
        names(str(broken))  # whatever it is now, it raises nothing
    assert names(str(tmp_path / "none.pem")) == frozenset()


def test_the_shim_tells_a_certificate_that_it_does_not_trust_from_no_answer(tls: tuple[str, str]) -> None:
    host = HttpHost(tls=tls).start()
    try:
        with pytest.raises(shim.Untrusted, match="self.signed"):
            shim.Connection(shim.Url(f"https://127.0.0.1:{host.port}/mcp"))
        with pytest.raises(shim.Unreachable) as caught:
            shim.Connection(shim.Url(f"https://127.0.0.1:{host.thread.local_port}/mcp"))
        assert not isinstance(caught.value, shim.Untrusted)
    finally:
        host.stop()


def test_faults_of_tls_are_told_apart_from_no_answer(
    tls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = HttpHost(tls=tls).start()
    try:
        secure = f"https://127.0.0.1:{host.port}/mcp"
        assert "does not accept" in probe.tls_fault(secure)
        assert "TLS handshake" in probe.tls_fault(f"https://127.0.0.1:{host.thread.local_port}/mcp")
        monkeypatch.setenv("SSL_CERT_FILE", tls[0])
        assert probe.tls_fault(secure) == ""
    finally:
        host.stop()
    assert "cannot be reached" in probe.tls_fault(secure)
