"""Arguments that hosts add to every tool call, though no tool has asked for them.

Refusing them would make every tool fail in these hosts, and their users cannot switch them off.
"""

from __future__ import annotations

from collections.abc import Mapping
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


def sentence(tool: Tool, names: list[str]) -> str:
    """What the caller reads about the names that `split` has taken away."""
    hosts = sorted({_HOST_OF[name] for name in names})
    word = "argument" if len(names) == 1 else "arguments"
    return (
        f"Ignored the {word} {', '.join(names)}: {tool.name} has no such argument, and hosts such as "
        f"{' and '.join(hosts)} add it to every call. This is said once."
    )
