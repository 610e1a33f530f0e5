"""Servers on other machines that clients here were set up for, so that their entries are known again."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from tdmcp_embedded import instances
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.files import read, write_private

#: As --url: the Public Address of the TouchDesigner that runs here.
PUBLIC: Final = "public"
_MOST: Final = 64


def address(url: str, machine: Machine) -> str:
    """The MCP endpoint that `--url` means.

    Args:
        url: the endpoint, the bare address, or "public".

    Raises:
        Refused: it is no address, or no server here has a Public Address.
    """
    if url == PUBLIC:
        known = [str(one.get("public") or "") for one in instances.listing(machine.tdmcp / "instances")]
        found = [one for one in known if one]
        if len(set(found)) != 1:
            raise Refused(
                "No running TouchDesigner has a Public Address."
                if not found
                else "Several running TouchDesigners have a Public Address.",
                "Give the address itself: --url https://td.example.com/mcp.",
            )
        return f"{found[0]}/mcp"
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.username or parts.query or parts.fragment or re.search(r"\s", url.strip()):
        raise Refused(f"{url!r} is not the address of a server.", "It looks like https://td.example.com/mcp.")
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/mcp'}"


def known(machine: Machine) -> list[str]:
    """The addresses that clients here were set up for."""
    urls = (read(machine.tdmcp / "remote.json") or {}).get("urls")
    return [str(url) for url in urls] if isinstance(urls, list) else []


def remember(machine: Machine, url: str) -> None:
    """Keep an address, the latest ones at most."""
    urls = [one for one in known(machine) if one != url]
    write_private(machine.tdmcp / "remote.json", {"urls": [*urls, url][-_MOST:]})
