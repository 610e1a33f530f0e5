"""Behind a proxy or tunnel nobody from outside counts as this machine, and what cannot be told is said."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from tdmcp_embedded.public_address import check
from tests.integration.http_host import TOKEN, HttpHost
from tests.integration.proxies import Proxy, Rewrite, caddy, nginx, rewriting, tunnel

KEY = {"Authorization": f"Bearer {TOKEN}"}


@contextmanager
def served(rewrite: Rewrite, **settings: Any) -> Iterator[tuple[Proxy, HttpHost]]:
    """A server behind a proxy whose address is its Public Address."""
    with Proxy(rewrite) as proxy:
        host = HttpHost(public_address=proxy.address, **settings).start()
        proxy.behind = host.port
        try:
            yield proxy, host
        finally:
            host.stop()


def post(address: str, headers: dict[str, str]) -> tuple[int, Any]:
    """An MCP request; status and content of its answer."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    try:
        connection.request("POST", "/mcp", b"{}", {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


#: (the proxy, headers that the client sends besides, words of the refusal)
OUTSIDE: list[tuple[Rewrite, dict[str, str], str]] = [
    (nginx, {}, "HTTP/1.0"),
    (nginx, {"Host": "127.0.0.1:9988"}, "HTTP/1.0"),
    (rewriting, {}, "X-Forwarded-For"),
    (rewriting, {"Host": "localhost"}, "X-Forwarded-For"),
    (caddy, {}, "was sent to http://127.0.0.1"),
    (caddy, {"Host": "127.0.0.1:9988"}, "X-Forwarded-For"),
    (caddy, {"X-Forwarded-For": "127.0.0.1"}, "was sent to http://127.0.0.1"),
    (tunnel, {}, "was sent to http://127.0.0.1"),
]


@pytest.mark.parametrize("require_key", [True, False])
def test_the_key_of_this_machine_and_no_key_are_refused_by_every_proxy(require_key: bool) -> None:
    for rewrite in (nginx, rewriting, caddy, tunnel):
        # Settings that the component refuses; the gates hold nevertheless.
        with served(rewrite, require_key=require_key) as (proxy, host):
            for one, headers, words in OUTSIDE:
                if one is not rewrite:
                    continue
                status, content = post(proxy.address, {**headers, **KEY})
                assert status == 403, (rewrite, headers, content)
                message = content["error"]["message"]
                assert words.lower() in message.lower() and "tdmcp key add" in message
                assert post(proxy.address, headers)[0] == 401
            assert host.request()[0] == 200, "this machine's own client"
            assert host.request(Authorization="")[0] == 401, "Public Address is set"


def test_without_a_public_address_the_plain_proxy_of_nginx_is_not_this_machine() -> None:
    host = HttpHost(require_key=False).start()
    try:
        with Proxy(nginx, host.port) as proxy:
            assert post(proxy.address, {})[0] == 401
            assert post(proxy.address, KEY)[0] == 403
        assert host.request(Authorization="")[0] == 200
    finally:
        host.stop()


#: (the proxy, words of what Status and doctor say of it)
CHECKED: list[tuple[Rewrite, str]] = [
    (nginx, ""),
    (rewriting, ""),
    (caddy, ""),
    # Nothing in a request tells a raw tunnel whose far end sends a loopback Host; asking by it does.
    (tunnel, "as if it came from this machine"),
]


@pytest.mark.parametrize(("rewrite", "words"), CHECKED)
def test_the_check_of_the_public_address_tells_a_tunnel_that_hides_itself(
    rewrite: Rewrite, words: str
) -> None:
    with served(rewrite) as (proxy, host):
        said = check(proxy.address, f"http://127.0.0.1:{host.port}")
        assert words in said and bool(said) == bool(words)


def test_the_check_tells_apart_what_is_wrong() -> None:
    with served(caddy) as (_, host), served(caddy) as (other, _):
        own = f"http://127.0.0.1:{host.port}"
        assert "another TouchDesigner" in check(other.address, own)
        assert "TLS handshake" in check(own.replace("http:", "https:"), own)
        # The tunnel's program is gone, and nothing listens at its address.
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            assert "does not answer from here" in check(f"http://127.0.0.1:{closed.getsockname()[1]}", own)
