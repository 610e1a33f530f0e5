"""The doctor checks the public address, and makes the TLS handshake: each fault has its own sentence."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tdmcp_embedded.clients import setup
from tdmcp_embedded.clients.machine import Machine
from tdmcp_embedded.clients.setup import Choice
from tdmcp_embedded.doctor import checks
from tdmcp_embedded.doctor.checks import NOTE, OK, PROBLEM, Finding
from tdmcp_embedded.instances import Entry
from tests.integration import certificates
from tests.integration.http_host import TOKEN, HttpHost
from tests.integration.proxies import Proxy, caddy, tunnel


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return certificates.make(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def host(tls: tuple[str, str]) -> Iterator[HttpHost]:
    """A server in HTTPS, with a plain port for this machine."""
    served = HttpHost(tls=tls).start()
    yield served
    served.stop()


def found(host: HttpHost, folder: Path, subject: str, **facts: Any) -> list[Finding]:
    """What the doctor finds of a server whose registry entry has these facts besides."""
    machine = Machine("linux", folder, {})
    url = f"http://127.0.0.1:{host.thread.local_port}/mcp"
    Entry(machine.tdmcp / "instances").write(url=url, token=TOKEN, project="show.toe", name="show", **facts)
    return [finding for finding in checks.components(machine) if finding.subject == subject]


def secure(host: HttpHost) -> str:
    return f"https://127.0.0.1:{host.port}/mcp"


def test_a_certificate_that_this_machine_accepts_is_fine(
    host: HttpHost, tls: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What SSL_CERT_FILE does for a program that starts with it.
    made = ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda **given: made(cafile=tls[0]))
    (finding,) = found(host, tmp_path, "certificate", network_url=secure(host))
    assert finding.level == OK and secure(host) in finding.sentence


def test_a_certificate_of_an_unknown_authority_is_a_note_with_what_clients_need(
    host: HttpHost, tmp_path: Path
) -> None:
    (finding,) = found(host, tmp_path, "certificate", network_url=secure(host))
    assert finding.level == NOTE and "this machine does not accept" in finding.sentence
    assert "self-signed" in finding.sentence and "docs/remote.md" in finding.remedy


def test_no_handshake_and_no_listener_are_problems_of_their_own(host: HttpHost, tmp_path: Path) -> None:
    plain = f"https://127.0.0.1:{host.thread.local_port}/mcp"
    (finding,) = found(host, tmp_path, "certificate", network_url=plain)
    assert finding.level == PROBLEM and "fails in the TLS handshake" in finding.sentence
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        gone = f"https://127.0.0.1:{closed.getsockname()[1]}/mcp"
        (finding,) = found(host, tmp_path, "certificate", network_url=gone)
    assert finding.level == PROBLEM and "cannot be reached" in finding.sentence


def test_without_https_nothing_is_said_of_certificates(host: HttpHost, tmp_path: Path) -> None:
    assert found(host, tmp_path, "certificate", network_url="http://127.0.0.1:1/mcp") == []
    assert found(host, tmp_path, "public address") == []


def test_a_public_address_that_leads_here_is_fine_and_a_raw_tunnel_is_not(tmp_path: Path) -> None:
    for rewrite, level, words in (
        (caddy, OK, "leads to show"),
        (tunnel, PROBLEM, "as if it came from this machine"),
    ):
        with Proxy(rewrite) as proxy:
            host = HttpHost(public_address=proxy.address).start()
            proxy.behind = host.port
            try:
                folder = tmp_path / rewrite.__name__
                (finding,) = found(host, folder, "public address", public=proxy.address)
                assert finding.level == level and words in finding.sentence
                assert level == OK or "docs/remote.md" in finding.remedy
            finally:
                host.stop()


def test_a_public_address_that_leads_elsewhere_or_nowhere_is_a_problem(
    host: HttpHost, tmp_path: Path
) -> None:
    other = HttpHost().start()
    try:
        with Proxy(caddy, other.port) as proxy:
            (finding,) = found(host, tmp_path, "public address", public=proxy.address)
            assert finding.level == PROBLEM and "another TouchDesigner" in finding.sentence
    finally:
        other.stop()
    (finding,) = found(host, tmp_path, "public address", public=proxy.address)
    assert finding.level == PROBLEM and "does not answer from here" in finding.sentence
    (finding,) = found(host, tmp_path, "public address", public=secure(host).removesuffix("/mcp"))
    assert finding.level == PROBLEM and "certificate" in finding.sentence


def test_the_command_prints_them(host: HttpHost, tmp_path: Path) -> None:
    from tdmcp_embedded.doctor.checks import examine

    found(host, tmp_path, "", network_url=secure(host))
    subjects = {finding.subject for finding in examine(Machine("linux", tmp_path, {}), tmp_path)}
    assert "certificate" in subjects, json.dumps(sorted(subjects))


def test_on_a_client_machine_the_servers_that_its_clients_use_are_looked_at(
    tls: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine("linux", tmp_path, {})
    served = HttpHost().start()
    url = f"http://127.0.0.1:{served.port}/mcp"
    setup.add("cursor", Choice(url=url), machine)
    setup.add("claude-desktop", Choice(url=url, token="k1"), machine)

    def levels(subject: str) -> list[tuple[str, str]]:
        return [(f.level, f.sentence) for f in checks.examine(machine, tmp_path) if f.subject == subject]

    ((level, sentence),) = levels("remote server")
    # Nobody makes frames here: on a busy machine that has been noticed by now.
    assert level in (OK, NOTE) and f"{url} answers" in sentence
    assert levels("component")[0][0] == NOTE, "it needs no TouchDesigner of its own"
    served.stop()
    assert levels("remote server") == [(PROBLEM, f"{url}: nobody listens there.")]
    secured = HttpHost(tls=tls).start()
    try:
        setup.add("cursor", Choice(url=secure(secured)), machine)
        setup.remove("claude-desktop", Choice(), machine)
        ((level, sentence),) = levels("remote server")
        assert level == PROBLEM and "this machine does not accept" in sentence
    finally:
        secured.stop()
    setup.remove("cursor", Choice(), machine)
    assert levels("remote server") == [] and levels("component")[0][0] == PROBLEM
