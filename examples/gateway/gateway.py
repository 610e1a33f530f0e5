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
from collections.abc import Iterable
from functools import partial

import anyio
import click
import keys
from backends import Backend, local_backends, trouble, unique_prefixes

from tdmcp_embedded.settings import Level


def _remote(word: str) -> tuple[str, str]:
    prefix, equals, url = word.partition("=")
    if not equals or not re.fullmatch(r"[a-z0-9]+", prefix) or not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{word!r} is not like left=http://192.168.1.20:9988/mcp")
    return prefix, url


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
    # Here, since it takes seconds, which commands about keys need not wait for.
    from proxy import build

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
