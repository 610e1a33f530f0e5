"""Arguments that hosts add to every tool call, though no tool has asked for them.

Refusing them would make every tool fail in these hosts, and their users cannot switch them off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from tdmcp_embedded.tools.shapes import shape
from tdmcp_embedded.tools.tool import Tool


class HostArgument(NamedTuple):
    """An argument, the host that adds it, and where that was reported."""

    name: str
    host: str
    source: str


#: The next one is a line here; `tox_build/shim/constants.py` has the names as well, for the shim's own tools.
HOST_ARGUMENTS: Final = (
    HostArgument("toolCallId", "n8n", "https://github.com/n8n-io/n8n/issues/21500"),
    HostArgument("tool", "n8n", "https://github.com/n8n-io/n8n/issues/21500"),
    HostArgument("sessionId", "n8n", "https://github.com/n8n-io/n8n/issues/22787"),
    HostArgument("action", "n8n", "https://github.com/n8n-io/n8n/issues/22787"),
    HostArgument("chatInput", "n8n", "https://github.com/n8n-io/n8n/issues/22787"),
    HostArgument("random_string", "Cursor", "https://github.com/mondaycom/mcp/pull/15"),
)
_HOST_OF: Final = {row.name: row.host for row in HOST_ARGUMENTS}


def split(tool: Tool, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments without those a host has added, and the names of the latter.

    A name that the tool has is always the tool's own.
    """
    own = shape(tool.arguments)["properties"]
    added = [name for name in given if name in _HOST_OF and name not in own]
    return {name: value for name, value in given.items() if name not in added}, added


def split_calls(
    given: Mapping[str, Any], table: Mapping[str, Tool], field: str = "calls"
) -> tuple[dict[str, Any], list[str]]:
    """Arguments that hold calls of other tools (`batch`), without what a host has added in any of these calls.

    Some hosts hand on nested values as JSON text, which is looked into as well.
    """
    calls = given.get(field)
    if isinstance(calls, str):
        with suppress(ValueError):
            calls = json.loads(calls)
    if not isinstance(calls, list):
        return dict(given), []
    added: dict[str, None] = {}
    kept = []
    for call in calls:
        if isinstance(call, Mapping):
            tool, arguments = table.get(str(call.get("tool"))), call.get("arguments")
            beside = [name for name in call if name in _HOST_OF and name != "tool"]
            call = {name: value for name, value in call.items() if name not in beside}
            added |= dict.fromkeys(beside)
            if tool is not None and isinstance(arguments, Mapping):
                call["arguments"], inside = split(tool, arguments)
                added |= dict.fromkeys(inside)
        kept.append(call)
    return (dict(given) | {field: kept}, list(added)) if added else (dict(given), [])


def sentence(tool: Tool, names: list[str]) -> str:
    """What the caller reads about the names that `split` has taken away."""
    hosts = sorted({_HOST_OF[name] for name in names})
    word = "argument" if len(names) == 1 else "arguments"
    return (
        f"Ignored the {word} {', '.join(names)}: {tool.name} takes no such argument there, and hosts such as "
        f"{' and '.join(hosts)} add it to every call. This is said once."
    )
