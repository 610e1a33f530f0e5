"""The page a browser shows while the person at TouchDesigner decides. No script, nothing from elsewhere."""

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

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:12vh auto;padding:0 1.5em;color:#222;background:#fafafa}
code{display:block;font:600 2.2em ui-monospace,monospace;letter-spacing:.08em;margin:.6em 0}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1c}}
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Final = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def waiting(request: Request) -> str:
    """While it waits."""
    name, code = escape(request.client_name), escape(request.code)
    return _page(
        "Waiting for TouchDesigner",
        f"<p><strong>{name}</strong> ({escape(request.redirect_host)}) wants to {_MEANS[request.level]}.</p>"
        f"<code>{code}</code>"
        "<p>Go to TouchDesigner. On the Security page of the component, <em>Consent</em> must show this very code. "
        "If it does, and you want to let this agent in, pulse <em>Approve</em>; otherwise pulse <em>Deny</em>.</p>"
        "<p>This page goes on by itself.</p>",
    )


def gone() -> str:
    """When there is no such request, or no more."""
    return _page(
        "Nothing to decide", "<p>This request has expired or was used. Begin again in the agent.</p>"
    )


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>"
    )
