"""The dashboard's page, script and style. They hold nothing secret: everybody may load them, the key comes after."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Scope, Send

from tdmcp_embedded import web
from tdmcp_embedded.http.answers import header
from tdmcp_embedded.http.endpoints import Endpoint

#: Nothing from anywhere else, nothing inline, nobody's frame; pictures of operators come as data: and blob: addresses.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # The address holds the key for a moment, if only in its fragment, which browsers do not send anyway.
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
)


def pages() -> dict[str, Endpoint]:
    """The endpoints by path."""
    served = {
        "/": _Page("text/html; charset=utf-8", lambda: web.text("dashboard.html")),
        "/assets/dashboard.js": _Page("text/javascript; charset=utf-8", lambda: web.script("dashboard")),
        "/assets/dashboard.css": _Page(
            "text/css; charset=utf-8", lambda: web.style("theme", "viewer", "dashboard")
        ),
        "/assets/icon.svg": _Page("image/svg+xml", lambda: web.text("icon.svg")),
    }
    return {path: Endpoint(page, ("GET", "HEAD"), public=True) for path, page in served.items()}


class _Page:
    """One text; the browser asks whether it has changed, and most often it has not."""

    def __init__(self, mime: str, text: Callable[[], str]) -> None:
        self._mime, self._text = mime, text
        self._made: tuple[bytes, bytes] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            body = self._text().encode()
            self._made = body, b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
        body, tag = self._made
        fresh = header(scope, b"if-none-match") == tag
        headers = [*_HEADERS, (b"etag", tag), (b"content-type", self._mime.encode())]
        if not fresh:
            headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": 304 if fresh else 200, "headers": headers})
        nothing = fresh or scope["method"] == "HEAD"
        await send({"type": "http.response.body", "body": b"" if nothing else body})
