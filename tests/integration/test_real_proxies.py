"""The lines of docs/remote.md, through the very programs: nobody from outside counts as this machine, streams stay open.

The same with small proxies of our own is in test_proxies.py, which runs on every machine.
"""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from fakes.driver import StandIn
from tdmcp_embedded.public_address import check
from tests.integration import real_proxies
from tests.integration.component import COMPONENT, par, until
from tests.integration.http_host import REMOTE_TOKEN, TOKEN, HttpHost
from tests.integration.test_security_oauth import Agent

#: (program, its lines, what the server takes as the sign of a proxy)
KINDS = [
    ("nginx", real_proxies.PLAIN, "HTTP/1.0"),
    ("nginx", real_proxies.nginx_lines(), "X-Forwarded-For"),
    ("caddy", real_proxies.caddy_lines(), "X-Forwarded-For"),
]


def post(address: str, token: str, **headers: str) -> tuple[int, Any]:
    """An MCP request through the proxy; status and content of its answer."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    given = {"Content-Type": "application/json", "Authorization": f"Bearer {token}", **headers}
    try:
        connection.request("POST", "/mcp", b"{}", given)
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, json.loads(body) if body else None
    finally:
        connection.close()


def first_event(address: str) -> bytes:
    """What comes of an event stream that stays open."""
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), parts.port), timeout=30) as line:
        line.sendall(
            f"GET /mcp HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {REMOTE_TOKEN}\r\n\r\n".encode()
        )
        received = b""
        while b"hello" not in received:
            part = line.recv(4096)
            assert part, received
            received += part
    return received


@pytest.mark.parametrize(("program", "lines", "sign"), KINDS, ids=["nginx plain", "nginx", "caddy"])
def test_through_the_program_only_keys_for_other_machines_work(
    program: str, lines: str, sign: str, tmp_path: Path
) -> None:
    if real_proxies.missing(program):
        pytest.skip(
            f"{program} is not installed here; test_proxies.py tries the same with a proxy of its own"
        )
    host = HttpHost().start()
    try:
        with real_proxies.running(program, tmp_path, lines, host.port) as address:
            # Whoever is outside can send any Host.
            for spoofed in ({}, {"Host": "127.0.0.1:9988"}, {"Host": "localhost"}):
                status, content = post(address, TOKEN, **spoofed)
                if content is None and spoofed:
                    assert program == "caddy", "which answers for its own name only"
                    continue
                message = str(content["error"]["message"])
                assert status == 403 and sign.lower() in message.lower(), (status, message)
                assert "tdmcp key add" in message
            assert post(address, "wrong")[0] == 401
            assert post(address, REMOTE_TOKEN) == (200, "ok")
            # Without the lines for it nginx keeps a stream back until its buffer is full.
            assert lines == real_proxies.PLAIN or b"hello" in first_event(address)
            host.stop()
            # The same with the address set, as its owner would: the check finds nothing wrong.
            host = HttpHost(port=host.port, public_address=address).start()
            assert check(address, f"http://127.0.0.1:{host.port}") == ""
            assert post(address, TOKEN)[0] == 403 and post(address, REMOTE_TOKEN)[0] == 200
            assert host.request()[0] == 200, "this machine's own client"
        assert "does not answer from here" in check(address, f"http://127.0.0.1:{host.port}")
    finally:
        host.stop()


@pytest.mark.anyio
async def test_an_agent_signs_in_through_the_program_and_this_machines_key_stays_here(tmp_path: Path) -> None:
    programs = [name for name in ("nginx", "caddy") if not real_proxies.missing(name)]
    if not programs:
        pytest.skip("neither nginx nor Caddy is installed here; test_security_oauth.py signs in without them")
    with StandIn("--scene", "empty", "--set", "Oauth=1") as td:
        port = int(td.ready["port"])
        for program in programs:
            lines = real_proxies.nginx_lines() if program == "nginx" else real_proxies.caddy_lines()
            folder = tmp_path / program
            folder.mkdir()
            with real_proxies.running(program, folder, lines, port) as address:
                td.exec(f"{COMPONENT}.par.Publicaddress = {address!r}")
                until(lambda: par(td, "Url"), f"{address}/mcp")
                agent = Agent(td, "Approve", name=f"Through {program}", url=f"{address}/mcp")
                async with agent.connect() as client:
                    made = await client.call_tool(
                        "create_operator", {"parent": "/project1", "type": "nullTOP", "name": program}
                    )
                assert not made.is_error and td.exec(f"op('/project1/{program}').type") == "'null'"
                assert post(address, str(td.token))[0] == 403
