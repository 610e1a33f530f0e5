"""The pages a browser shows while the person at TouchDesigner decides, and where a sign-in cannot go on.

No script, nothing from elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Final

from tdmcp_embedded.http.oauth.consents import Request
from tdmcp_embedded.settings import Level

#: Seconds after which the browser asks again.
AGAIN_S: Final = 2

_MEANS: Final = {
    Level.OBSERVE: "look at the project, and change nothing",
    Level.EDIT: "change the project, without running code",
    Level.FULL: "do everything, including running Python on that machine",
}

#: (client, what to do in it when this server does not know its registration any more)
_FORGOTTEN: Final = (
    (
        "Claude Code",
        ("Run <code>claude mcp logout NAME</code>, then <code>claude mcp login NAME</code>; NAME is what it calls this "
        "server. Or enter <code>/mcp</code>, choose the server, <em>Clear authentication</em>, then <em>Authenticate</em>."),
    ),
    ("mcp-remote (Claude Desktop and others)", "Delete the folder <code>.mcp-auth</code> in your home, then restart the client."),
    ("MCP Inspector", "Choose <em>Clear OAuth State</em>, then <em>Connect</em>."),
    ("Other clients", "Sign out or remove this server, add it again, then sign in."),
)  # fmt: skip

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:12vh auto;padding:0 1.5em;color:#222;background:#fafafa}
.code{display:block;font:600 2.2em ui-monospace,monospace;letter-spacing:.08em;margin:.6em 0}
button{font:inherit;padding:.3em .8em;margin:0 .5em .5em 0}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1c}}
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Final = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'self'"
    ),
    # With "no-referrer" a browser would hide the page's origin from this very server too, which then refuses the form.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


def waiting(request: Request, left: float) -> str:
    """While it waits.

    Args:
        left: seconds until it expires.
    """
    name, code = escape(request.client_name), escape(request.code)
    minutes, seconds = divmod(int(left), 60)
    return _page(
        "Waiting for TouchDesigner",
        f"<p><strong>{name}</strong> ({escape(request.redirect_host)}) wants to {_MEANS[request.level]} "
        f"(level <strong>{request.level.value}</strong>).</p>"
        f'<code class="code">{code}</code>'
        "<p>Go to TouchDesigner. On the Security page of the component, <em>Consent</em> must show this very code. "
        "If it does, and you want to let this agent in, pulse <em>Approve</em>; otherwise pulse <em>Deny</em>.</p>"
        f"<p><strong>{minutes}:{seconds:02}</strong> left. This page goes on by itself.</p>"
        "<p>An approval is for the project that is open there, and for no other.</p>"
        f"{_lower(request.level)}",
    )


def gone() -> str:
    """When there is no such request, or no more."""
    return _page(
        "Nothing to decide", "<p>This request has expired or was used. Begin again in the agent.</p>"
    )


def forgotten() -> str:
    """For the browser of a client whose registration is not known here, and which does not find that out by itself."""
    rows = "".join(f"<li><strong>{client}</strong>: {do}</li>" for client, do in _FORGOTTEN)
    return _page(
        "This server does not know the agent",
        "<p>The agent uses a registration that this server does not have. It was made with another project or server at "
        "this address, or was not used for a long time. The agent must forget it and register again:</p>"
        f"<ul>{rows}</ul><p>The agent goes on waiting until you stop it there. You can close this page.</p>",
    )


def refused(sentence: str) -> str:
    """For a browser whose request is none that can be answered."""
    return _page(
        "The agent cannot sign in",
        f"<p>{escape(sentence)}</p><p>Begin again in the agent. You can close this page.</p>",
    )


def _lower(level: Level) -> str:
    lower = [one for one in reversed(Level) if one.rank < level.rank]
    if not lower:
        return ""
    buttons = "".join(
        f'<button name="level" value="{one.value}">Only {_MEANS[one]} ({one.value})</button>' for one in lower
    )
    return f'<form method="post"><p>Less is enough?</p>{buttons}</form>'


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>"
    )
