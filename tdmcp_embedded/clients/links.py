"""Links that add this server to a client when they are opened, where the client has such links."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

from tdmcp_embedded.clients.catalogue import ENTRY


def link(client: str, entry: dict[str, Any], name: str = ENTRY) -> str:
    """The link for an entry as the client writes it; empty for clients without links.

    Formats: MCP Install Links (Cursor docs); MCP developer guide, URL handler (VS Code docs); November 2026.
    """
    if client == "cursor":
        config = base64.b64encode(json.dumps(entry, separators=(",", ":")).encode()).decode("ascii")
        return f"cursor://anysphere.cursor-deeplink/mcp/install?name={quote(name)}&config={quote(config, safe='')}"
    if client == "vscode":
        described = json.dumps({"name": name, **entry}, separators=(",", ":"))
        return f"vscode:mcp/install?{quote(described, safe='')}"
    return ""
