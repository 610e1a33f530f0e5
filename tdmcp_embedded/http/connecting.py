"""How clients connect over HTTP, ready to be copied; the access key is left to whoever shows it."""

from __future__ import annotations

import json
from typing import Final

from tdmcp_embedded.clients import toml_text
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY, Http

#: Stands where the key belongs; the page, which has the key, puts it in.
KEY: Final = "{KEY}"


def ways_to_connect(url: str) -> list[dict[str, str]]:
    """For each client: `client`, `how` in a sentence, and the `text` to copy."""
    server = Http(url, KEY)
    ways = [
        {
            "client": "Claude Code",
            "how": "Run this in a terminal.",
            "text": f'claude mcp add --transport http {ENTRY} {url} --header "Authorization: Bearer {KEY}"',
        },
        {
            "client": "Claude Desktop",
            "how": "It cannot reach a local address itself, and uses a small program instead. Run this in a terminal.",
            "text": "tdmcp client add claude-desktop",
        },
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
    common = {"mcpServers": {ENTRY: CLIENTS["claude-code"].write(server)}}
    ways.append(
        {
            "client": "Any other",
            "how": "Most clients read this form.",
            "text": json.dumps(common, indent=2),
        }
    )
    return ways
