"""Understanding an entry in a client's configuration: whether it is ours, and what keeps it from working."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tdmcp_embedded import instances
from tdmcp_embedded.clients import launch, remote
from tdmcp_embedded.clients.catalogue import KEY_VARIABLE, USUAL_URL
from tdmcp_embedded.clients.machine import Machine
from tdmcp_embedded.file_modes import NotPrivate
from tdmcp_embedded.files import read_private

#: The port of the server that comes with TouchDesigner, which is called as ours is (fact 83).
DERIVATIVES_PORT = "13316"
_OUR_ADDRESS = re.compile(r"https?://127\.0\.0\.1:(\d+)/mcp")


def address_of(entry: dict[str, Any]) -> str:
    """The URL of an entry over HTTP, or nothing."""
    return next(
        (str(entry[key]) for key in ("url", "serverUrl", "httpUrl") if isinstance(entry.get(key), str)), ""
    )


def command_of(entry: dict[str, Any]) -> list[str]:
    """The words of the command that an entry starts."""
    command = entry.get("command")
    words = command if isinstance(command, list) else [command] if command else []
    arguments = entry.get("args")
    return [str(word) for word in [*words, *(arguments if isinstance(arguments, list) else [])]]


def starts_us(entry: Any, machine: Machine) -> bool:
    """Whether an entry, by whatever name, leads to this server."""
    if not isinstance(entry, dict):
        return False
    words = command_of(entry)
    if any(re.search(r"(^|[\\/])stdio_shim(\.py)?$", word) for word in words):
        return True
    if len(words) > 1 and re.search(r"(^|[\\/])tdmcp(\.exe)?$", words[0]) and words[1] == "stdio":
        return True
    known = {str(one.get("url")) for one in instances.listing(machine.tdmcp / "instances")}
    return address_of(entry) in known.union(remote.known(machine)) - {""}


def is_ours(entry: Any, machine: Machine) -> bool:
    """Whether we wrote an entry, also where its server does not run or its key is an old one."""
    if starts_us(entry, machine):
        return True
    if not isinstance(entry, dict):
        return False
    text = json.dumps(entry)
    tokens = [str(one["token"]) for one in keys(machine) if one.get("token")]
    if (
        KEY_VARIABLE in text
        or any(f"Bearer {token}" in text for token in tokens)
        or address_of(entry) == USUAL_URL
    ):
        return True
    # One whose key was renewed, or whose server has another port by now. TouchDesigner's own is always on that port.
    found = _OUR_ADDRESS.fullmatch(address_of(entry))
    return found is not None and found[1] != DERIVATIVES_PORT and "Bearer " in text


def problems(entry: dict[str, Any], machine: Machine) -> Iterator[str]:
    """What keeps an entry from working, each in a sentence."""
    address = address_of(entry)
    if address:
        yield from _address_problems(address, entry, machine)
        return
    words = command_of(entry)
    if not words:
        yield "The entry starts nothing."
        return
    if not os.path.exists(words[0]) and os.path.isabs(words[0]):
        yield f"It starts {words[0]}, which is no longer there."
    shim = next((word for word in words if word.endswith((".py", "stdio_shim"))), "")
    if shim and os.path.isabs(shim):
        yield from _shim_problems(Path(shim), words)


def _shim_problems(shim: Path, words: list[str]) -> Iterator[str]:
    """Judged by contracts alone: versions and bytes say nothing about what fits."""
    if not shim.exists():
        yield f"The shim is no longer at {shim}."
        return
    theirs = launch.contract_of(shim)
    if theirs is None:
        yield f"What it starts, {shim}, is not the shim, or is broken."
    elif launch.too_old(theirs):
        yield f"The shim that it starts is too old (contract {theirs}): {shim}."
    elif "--contract" in words[:-1]:
        written = words[words.index("--contract") + 1]
        if written != str(theirs):
            yield f"It was written for another shim (contract {written}) than {shim} is ({theirs})."


def keys(machine: Machine) -> list[dict[str, Any]]:
    """The access keys of this user, the owner's first."""
    try:
        found = (read_private(machine.tdmcp / "keys.json") or {}).get("keys")
    except NotPrivate:
        return []  # somebody else can have written it
    entries = [key for key in (found if isinstance(found, list) else []) if isinstance(key, dict)]
    return sorted(entries, key=lambda key: key.get("name") != "owner")


def _address_problems(address: str, entry: dict[str, Any], machine: Machine) -> Iterator[str]:
    if address in remote.known(machine):
        return  # elsewhere: this machine knows neither its state nor its keys
    running = instances.listing(machine.tdmcp / "instances")
    if running and address not in {str(one.get("url")) for one in running}:
        yield f"It leads to {address}, but TouchDesigner serves at {running[-1].get('url')}."
    headers = entry.get("headers") or entry.get("http_headers")
    value = str(headers.get("Authorization", "")) if isinstance(headers, dict) else ""
    if "$" in value or "{env:" in value or entry.get("bearer_token_env_var"):
        return
    token = value.removeprefix("Bearer ").strip()
    known = [key for key in keys(machine) if key.get("token")]
    if not token:
        yield "It has no access key."
    elif known and token not in {str(key["token"]) for key in known}:
        yield "Its access key is no longer valid."
