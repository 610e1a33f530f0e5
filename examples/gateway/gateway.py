"""One MCP address in front of several TouchDesigners, each under its own prefix.

    python examples/gateway/gateway.py

puts every TouchDesigner that runs on this computer behind http://127.0.0.1:9900/mcp: the tool `create_operator` of the
one called *left* is then `left_create_operator`. TouchDesigners on other computers are named (`--server`), or found on
the network (`--lan`). See docs/gateway.md.

Needs the extra `gateway` (FastMCP): pip install 'tdmcp-embedded[gateway]'
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import click
from fastmcp import FastMCP
from fastmcp.client.transports import ClientTransport, StreamableHttpTransport
from fastmcp.server import create_proxy
from fastmcp.server.auth.auth import AccessToken, TokenVerifier
from mcp import ClientSession

from tdmcp_embedded import instances
from tdmcp_embedded.files import home, read, write_private

INSTRUCTIONS = """\
Several TouchDesigners are behind this server. The part of a tool's name before the first underscore that belongs to a
prefix says which one it works in: {prefixes}. Operator paths of one mean nothing in another. Begin with
PREFIX_get_status to see which project each has open.
"""


@dataclass(frozen=True)
class Place:
    """Where a TouchDesigner is now, and the key it takes."""

    url: str
    key: str


class Backend:
    """One TouchDesigner behind the gateway.

    Args:
        prefix: what its tools' names begin with.
        name: its name in the registry of this computer; looked up for every call, so that a restart, another port or a
            new key need no restart of the gateway.
        place: where it is instead, if it is on another computer.
    """

    def __init__(self, prefix: str, name: str = "", place: Place | None = None) -> None:
        self.prefix, self._name, self._place = prefix, name, place

    def place(self) -> Place:
        """Where to reach it.

        Raises:
            ConnectionError: it does not run.
        """
        if self._place is not None:
            return self._place
        for entry in reversed(instances.listing()):
            if _name(entry) == self._name:
                return Place(str(entry["url"]), str(entry.get("token") or ""))
        raise ConnectionError(
            f"TouchDesigner {self._name} is not running, or its component is off. Open its project, then repeat the call."
        )


class _Transport(ClientTransport):
    """A connection to wherever the backend is at that moment."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @asynccontextmanager
    async def connect_session(self, **options: Any) -> AsyncIterator[ClientSession]:
        place = self._backend.place()
        # Its own key, and not the one that the gateway's caller has shown.
        headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
        async with StreamableHttpTransport(place.url, headers).connect_session(**options) as session:
            yield session


class OneKey(TokenVerifier):
    """The gateway's own access key. Compared in constant time."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        if not hmac.compare_digest(token.encode(), self._key):
            return None
        return AccessToken(token=token, client_id="gateway", scopes=[])


def build(backends: Iterable[Backend], *, key: str = "") -> FastMCP:
    """The gateway's server; `key` is what its HTTP callers must show."""
    backends = list(backends)
    prefixes = ", ".join(f"{backend.prefix}_" for backend in backends)
    gateway: FastMCP = FastMCP(
        "touchdesigner-gateway",
        instructions=INSTRUCTIONS.format(prefixes=prefixes),
        auth=OneKey(key) if key else None,
    )
    for backend in backends:
        gateway.mount(create_proxy(_Transport(backend), name=backend.prefix), namespace=backend.prefix)
    return gateway


def local_backends() -> list[Backend]:
    """The TouchDesigners that run on this computer, in the order of their names."""
    names = sorted({_name(entry) for entry in instances.listing()}, key=str.casefold)
    prefixes = unique_prefixes(names)
    return [Backend(prefix, name) for prefix, name in zip(prefixes, names, strict=True)]


def unique_prefixes(names: Iterable[str]) -> list[str]:
    """What tools' names may begin with: lower-case letters and digits, and different for each."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "", name.casefold()) or "td"
        number = 2
        prefix = plain
        while prefix in made:
            prefix, number = f"{plain}{number}", number + 1
        made.append(prefix)
    return made


def own_key() -> str:
    """The gateway's key: `TDMCP_GATEWAY_KEY`, or one that is made once and kept."""
    kept = home() / "gateway.json"
    key = os.environ.get("TDMCP_GATEWAY_KEY") or str((read(kept) or {}).get("key") or "")
    if not key:
        key = secrets.token_urlsafe(32)
        write_private(kept, {"key": key})
    return key


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("name") or entry.get("project") or entry.get("pid"))


def _remote(word: str) -> tuple[str, str]:
    prefix, equals, url = word.partition("=")
    if not equals or not re.fullmatch(r"[a-z0-9]+", prefix) or not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{word!r} is not like left=http://192.168.1.20:9988/mcp")
    return prefix, url


def _key_for(prefix: str) -> str:
    key = os.environ.get(f"TDMCP_KEY_{prefix.upper()}", "")
    if not key:
        raise click.ClickException(
            f"Put the access key of {prefix} in the variable TDMCP_KEY_{prefix.upper()}."
        )
    return key


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=9900, show_default=True, help="Port to listen on; 0 lets the system choose.")
@click.option("--server", "servers", multiple=True, metavar="NAME=URL", help="A TouchDesigner on another computer; its access key is read from TDMCP_KEY_NAME.")  # fmt: skip
@click.option("--lan", is_flag=True, help="Also those that announce themselves on the network.")
@click.option("--stdio", is_flag=True, help="Speak MCP on standard input and output instead of HTTP.")
def main(host: str, port: int, servers: tuple[str, ...], lan: bool, stdio: bool) -> None:
    """One MCP address in front of several TouchDesigners, each under its own prefix."""
    backends = local_backends()
    for prefix, url in map(_remote, servers):
        backends.append(Backend(prefix, place=Place(url, _key_for(prefix))))
    if lan:
        from tdmcp_embedded import discovery

        found = discovery.browse()
        known = [backend.prefix for backend in backends]
        for prefix, one in zip(
            unique_prefixes([*known, *(one.name for one in found)])[len(known) :], found, strict=True
        ):
            backends.append(Backend(prefix, place=Place(one.url, _key_for(prefix))))
    if not backends:
        raise click.ClickException("No TouchDesigner with a running component was found.")
    if stdio:
        build(backends).run(transport="stdio", show_banner=False)
        return
    key = own_key()
    with socket.create_server((host, port)) as listening:
        url = f"http://{host}:{listening.getsockname()[1]}/mcp"
        click.echo(f"{url} in front of {', '.join(backend.prefix for backend in backends)}")
        click.echo(f"Access key: the one in {home() / 'gateway.json'}, or TDMCP_GATEWAY_KEY")
        gateway = build(backends, key=key)
        serve = partial(
            gateway.run_http_async,
            show_banner=False,
            host=host,
            log_level="warning",
            sockets=[listening],
            # A web page must not get through by a name that it has pointed at this computer.
            host_origin_protection=True,
            allowed_hosts=[host, url.split("/")[2]],
        )
        anyio.run(serve)


if __name__ == "__main__":
    main()
