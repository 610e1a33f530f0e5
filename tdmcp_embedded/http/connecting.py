"""How clients connect over HTTP, ready to be copied; the access key is left to whoever shows it."""

from __future__ import annotations

import json
from typing import Final

from tdmcp_embedded.clients import toml_text
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY, Http
from tdmcp_embedded.clients.links import link

#: Stands where the key belongs; the page, which has the key, puts it in.
KEY: Final = "{KEY}"
#: The same for a key that is yet to be made.
OTHER_KEY: Final = "KEY"


def ways_to_connect(url: str, key: str = KEY, *, local: bool = True) -> list[dict[str, str]]:
    """For each client: `client`, `how` in a sentence, and the `text` to copy.

    Args:
        key: what stands for the access key; empty where the client signs in (OAuth).
        local: whether the clients are on this machine.
    """
    server = Http(url, key, signs_in=not key)
    header = f' --header "Authorization: Bearer {key}"' if key else ""
    ways = [
        {
            "client": "Claude Code",
            "how": "Run this in a terminal.",
            "text": f"claude mcp add --transport http {ENTRY} {url}{header}",
        },
        _claude_desktop(url, key, local),
    ]
    for row in CLIENTS.values():
        if not row.http or row.name == "claude-code":
            continue
        entry = row.write(server)
        if row.kind == "toml":
            text = toml_text.put("", (*row.container, ENTRY), entry)
        else:
            document = {ENTRY: entry}
            for name in reversed(row.container):
                document = {name: document}
            text = json.dumps(document, indent=2)
        where = row.project[0] if row.project else "its configuration file"
        ways.append({"client": row.title, "how": f"Put this in {where}. {row.restart}", "text": text.strip()})
        if not key and (opened := link(row.name, entry)):
            ways.append({"client": f"{row.title}, by a link", "how": "Open this link.", "text": opened})
    common = {"mcpServers": {ENTRY: CLIENTS["claude-code"].write(server)}}
    ways.append(
        {
            "client": "Any other",
            "how": "Most clients read this form.",
            "text": json.dumps(common, indent=2),
        }
    )
    return ways


def ways_from_elsewhere(url: str, *, oauth: bool) -> list[dict[str, str]]:
    """The same for clients on other machines, for a page on this one, whose key must not leave it."""
    ways = ways_to_connect(url, "" if oauth else OTHER_KEY, local=False)
    hint = "" if oauth else f" {OTHER_KEY} is what `tdmcp key add NAME --level edit --anywhere` prints."
    return [
        {**way, "client": f"{way['client']} (another machine)", "how": f"{way['how']}{hint}"} for way in ways
    ]


def _claude_desktop(url: str, key: str, local: bool) -> dict[str, str]:
    if local:
        how = "It cannot reach a local address itself, and uses a small program instead. Run this in a terminal."
        text = "tdmcp client add claude-desktop"
    elif key:
        how = "It uses a small program. Run this in a terminal of its machine, with tdmcp-embedded installed."
        text = f"tdmcp client add claude-desktop --url {url} --token {key}"
    else:
        how, text = "Settings, Connectors, Add custom connector, with this URL; the same at Claude.ai.", url
    return {"client": "Claude Desktop", "how": how, "text": text}
