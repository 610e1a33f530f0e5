"""One MCP address in front of several TouchDesigners, each under its own prefix.

    python examples/gateway/gateway.py

puts every TouchDesigner that runs on this computer behind http://127.0.0.1:9900/mcp: the tool `create_operator` of the
one called *left* is then `left_create_operator`. TouchDesigners on other computers are named (`--server`), or found on
the network (`--lan`). See docs/gateway.md.

Needs the extra `gateway` (FastMCP): pip install 'tdmcp-embedded[gateway]'
"""

from __future__ import annotations

import os
import re
import socket
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import click
import httpx2
import keys
from fastmcp import FastMCP
from fastmcp.client.transports import ClientTransport, StreamableHttpTransport
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server import create_proxy
from fastmcp.server.auth.auth import AccessToken, TokenVerifier
from fastmcp.server.dependencies import get_access_token
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp import ClientSession

from tdmcp_embedded import instances
from tdmcp_embedded.settings import Level

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
        url: where it is instead, if it is on another computer; its keys are in variables (see `variable`).
    """

    def __init__(self, prefix: str, name: str = "", url: str = "") -> None:
        self.prefix, self._name, self._url = prefix, name, url
        self._said: dict[Level, str] = {}

    def place(self, level: Level = Level.FULL) -> Place:
        """Where to reach it, with a key of this level: TouchDesigner itself holds its callers to it.

        Raises:
            ConnectionError: it does not run, or there is no key of that level for it.
        """
        if self._url:
            return Place(self._url, self._key_of(level))
        for entry in reversed(instances.listing()):
            if _name(entry) == self._name:
                key = str(entry.get("token") or "") if level is Level.FULL else keys.of_this_computer(level)
                return Place(str(entry["url"]), key)
        raise ConnectionError(
            f"TouchDesigner {self._name} is not running, or its component is off. Open its project, then repeat the call."
        )

    def say(self, sentence: str, level: Level = Level.FULL) -> None:
        """Write a line on the gateway's own output, once until all is well again at that level (empty)."""
        if sentence and sentence != self._said.get(level):
            click.echo(sentence, err=True)
        self._said[level] = sentence

    def variable(self, level: Level = Level.FULL) -> str:
        """The environment variable that has its key of a level."""
        return f"TDMCP_KEY_{self.prefix.upper()}" + ("" if level is Level.FULL else f"_{level.value.upper()}")

    def _key_of(self, level: Level) -> str:
        key = os.environ.get(self.variable(level), "")
        if not key:
            raise ConnectionError(
                f"The gateway has no key of level {level.value} for {self.prefix}: put one in {self.variable(level)}."
            )
        return key

    def explained(self, error: BaseException, place: Place) -> str:
        """Why it cannot be reached, in a sentence for callers and for the gateway's own output; empty if unknown."""
        status = next(
            filter(None, (getattr(getattr(e, "response", None), "status_code", 0) for e in _leaves(error))), 0
        )
        if status in (401, 403):
            where = f" in {self.variable()}" if self._url else ""
            return (
                f"TouchDesigner {self.prefix} refuses the gateway's key{where}: make one there with `tdmcp key add NAME "
                "--anywhere`, and start the gateway again with it."
            )
        if any(isinstance(e, OSError | httpx2.TransportError) for e in _leaves(error)):
            return f"TouchDesigner {self.prefix} does not answer at {place.url}. Open its project, then repeat the call."
        return ""


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, and what they came from."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
        return
    yield error
    if error.__cause__ is not None:
        yield from _leaves(error.__cause__)


class _Transport(ClientTransport):
    """A connection to wherever the backend is at that moment."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @asynccontextmanager
    async def connect_session(self, **options: Any) -> AsyncIterator[ClientSession]:
        level = caller_level()
        try:
            place = self._backend.place(level)
        except ConnectionError as error:
            self._backend.say(str(error), level)
            raise
        # Its own key, and not the one that the gateway's caller has shown.
        headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
        try:
            async with StreamableHttpTransport(place.url, headers).connect_session(**options) as session:
                yield session
            self._backend.say("", level)
        except Exception as error:
            sentence = self._backend.explained(error, place)
            if not sentence:
                raise
            self._backend.say(sentence, level)
            raise ConnectionError(sentence) from None


class Explaining(Middleware):
    """Says of a tool that is not listed why its TouchDesigner lists nothing."""

    def __init__(self, backends: list[Backend]) -> None:
        self._backends = {backend.prefix: backend for backend in backends}

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        try:
            return await call_next(context)
        except NotFoundError:
            backend = self._backends.get(str(context.message.name).partition("_")[0])
            sentence = await anyio.to_thread.run_sync(trouble, backend, caller_level()) if backend else ""
            if not sentence:
                raise
            raise ToolError(sentence) from None


def caller_level() -> Level:
    """The level of the key that the gateway's caller has shown; full where it must show none."""
    caller = get_access_token()
    return Level(caller.scopes[0]) if caller is not None else Level.FULL


class GatewayKeys(TokenVerifier):
    """The gateway's own access keys, each with a level."""

    async def verify_token(self, token: str) -> AccessToken | None:
        found = keys.find(token)
        if found is None:
            return None
        name, level = found
        return AccessToken(token=token, client_id=name, scopes=[level.value])


def build(backends: Iterable[Backend], *, keyed: bool = False) -> FastMCP:
    """The gateway's server; `keyed` where HTTP callers must show a key."""
    backends = list(backends)
    prefixes = ", ".join(f"{backend.prefix}_" for backend in backends)
    gateway: FastMCP = FastMCP(
        "touchdesigner-gateway",
        instructions=INSTRUCTIONS.format(prefixes=prefixes),
        auth=GatewayKeys() if keyed else None,
        middleware=[Explaining(backends)],
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


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("name") or entry.get("project") or entry.get("pid"))


def _remote(word: str) -> tuple[str, str]:
    prefix, equals, url = word.partition("=")
    if not equals or not re.fullmatch(r"[a-z0-9]+", prefix) or not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{word!r} is not like left=http://192.168.1.20:9988/mcp")
    return prefix, url


def trouble(backend: Backend, level: Level = Level.FULL) -> str:
    """What keeps a backend from being used at this level, in one line; empty if nothing does."""
    try:
        place = backend.place(level)
    except ConnectionError as error:
        return str(error)
    address = place.url.removesuffix("/mcp") + "/metrics"
    try:
        httpx2.get(address, headers={"Authorization": f"Bearer {place.key}"}, timeout=5).raise_for_status()
    except httpx2.HTTPError as error:
        return backend.explained(error, place) or f"TouchDesigner {backend.prefix} does not answer: {error}"
    return ""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=9900, show_default=True, help="Port to listen on; 0 lets the system choose.")
@click.option("--server", "servers", multiple=True, metavar="NAME=URL", help="A TouchDesigner on another computer; its access key is read from TDMCP_KEY_NAME.")  # fmt: skip
@click.option("--lan", is_flag=True, help="Also those that announce themselves on the network.")
@click.option("--certificate", default="", metavar="FILE", help="PEM file: serve over HTTPS.")
@click.option("--certificate-key", default="", metavar="FILE", help="PEM file of its key.")
@click.option("--insecure", is_flag=True, help="Serve other computers without HTTPS.")
@click.option("--add-key", default="", metavar="NAME", help="Make a key for callers, print it, and end.")
@click.option("--remove-key", default="", metavar="NAME", help="Remove one, and end.")
@click.option("--level", type=click.Choice([level.value for level in Level]), default="edit", show_default=True, help="Of the key that is made.")  # fmt: skip
@click.option("--stdio", is_flag=True, help="Speak MCP on standard input and output instead of HTTP.")
def main(
    host: str,
    port: int,
    servers: tuple[str, ...],
    lan: bool,
    certificate: str,
    certificate_key: str,
    insecure: bool,
    add_key: str,
    remove_key: str,
    level: str,
    stdio: bool,
) -> None:
    """One MCP address in front of several TouchDesigners, each under its own prefix."""
    # About FastMCP's own code: nothing that whoever runs the gateway could change.
    warnings.simplefilter("ignore")
    if add_key:
        click.echo(keys.add(add_key, Level(level)))
        return
    if remove_key:
        if not keys.remove(remove_key):
            raise click.ClickException(f"There is no key {remove_key}.")
        return
    if host not in ("127.0.0.1", "::1") and not certificate and not insecure:
        raise click.ClickException(
            "Other computers are served over HTTPS: give --certificate and --certificate-key, put a proxy in front of "
            "127.0.0.1 (docs/gateway.md), or say --insecure."
        )
    backends = _backends(servers, lan)
    for backend in backends:
        backend.say(trouble(backend))
    if stdio:
        build(backends).run(transport="stdio", show_banner=False, log_level="critical")
        return
    keys.first()
    scheme = "https" if certificate else "http"
    with socket.create_server((host, port)) as listening:
        url = f"{scheme}://{host}:{listening.getsockname()[1]}/mcp"
        click.echo(f"{url} in front of {', '.join(backend.prefix for backend in backends)}")
        click.echo(f"Access key: the one in {keys.file()}, or TDMCP_GATEWAY_KEY")
        gateway = build(backends, keyed=True)
        tls = {"ssl_certfile": certificate, "ssl_keyfile": certificate_key or None} if certificate else {}
        serve = partial(
            gateway.run_http_async,
            show_banner=False,
            host=host,
            # FastMCP logs a traceback for each backend that it cannot list; `say` writes a line instead.
            log_level="critical",
            uvicorn_config=tls,
            sockets=[listening],
            # A web page must not get through by a name that it has pointed at this computer.
            host_origin_protection=True,
            allowed_hosts=[host, url.split("/")[2]],
        )
        anyio.run(serve)


def _backends(servers: Iterable[str], lan: bool) -> list[Backend]:
    """Those that run here, those that are named, and those that are found.

    Raises:
        click.ClickException: there are none, or there is no key for one.
    """
    backends = local_backends()
    elsewhere = [Backend(prefix, url=url) for prefix, url in map(_remote, servers)]
    if lan:
        from tdmcp_embedded import discovery

        found = discovery.browse()
        known = [backend.prefix for backend in [*backends, *elsewhere]]
        names = unique_prefixes([*known, *(one.name for one in found)])[len(known) :]
        elsewhere += [Backend(prefix, url=one.url) for prefix, one in zip(names, found, strict=True)]
    for backend in elsewhere:
        if not any(os.environ.get(backend.variable(level)) for level in Level):
            raise click.ClickException(
                f"Put the access key of {backend.prefix} in the variable {backend.variable()}."
            )
    if not backends and not elsewhere:
        raise click.ClickException("No TouchDesigner with a running component was found.")
    return [*backends, *elsewhere]


if __name__ == "__main__":
    main()
