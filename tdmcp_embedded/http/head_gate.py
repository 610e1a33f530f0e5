"""The head of a request: within its limit, and nothing in it that two readers could understand differently.

h11 refuses a head over the limit only while it is incomplete, takes the length of a body from either of two headers,
and passes on a header that is there twice. A proxy in front of us may see another request than we do then.
"""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, refuse

#: Bytes of a request's head: its line and its headers.
MAX_HEAD: Final = 32 * 1024
#: Around a request's line (the method, two spaces, the version) and around each header (a colon, a space, a line end).
_LINE: Final = 12
_HEADER: Final = 4

#: Headers of which there can be only one.
_SINGLE: Final = frozenset(
    {
        b"content-length",
        b"content-type",
        b"transfer-encoding",
        b"mcp-session-id",
    }
)


class HeadGate:
    """431 for a head over the limit, 400 for one with headers that contradict each other, 505 for other versions."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope)
        if refusal is not None:
            await refuse(scope, receive, send, refusal)
            return
        await self._app(scope, receive, send)


def _refusal(scope: Scope) -> Refusal | None:
    headers = scope["headers"]
    if scope.get("http_version", "1.1") not in ("1.0", "1.1"):
        # h11 reads a request of any version as one of 1.1.
        return Refusal(505, "http_version", "This server speaks HTTP/1.1.", {"connection": "close"})
    target = scope.get("raw_path") or scope["path"].encode()
    size = len(scope["method"]) + len(target) + len(scope.get("query_string", b"")) + _LINE
    size += sum(len(name) + len(value) + _HEADER for name, value in headers)
    if size > MAX_HEAD:
        return Refusal(
            431,
            "head_too_large",
            f"The head of the request is over {MAX_HEAD // 1024} kB; send fewer or shorter headers.",
        )
    names = [name for name, _ in headers]
    twice = sorted({name.decode("latin-1") for name in names if name in _SINGLE and names.count(name) > 1})
    if twice:
        # Only a broken or hostile client does this; what it sends next on this connection is not to be trusted.
        return _contradiction(f"The header {twice[0]} is there more than once.")
    if b"content-length" in names and b"transfer-encoding" in names:
        return _contradiction(
            "The length of the body is given twice, by Content-Length and by Transfer-Encoding."
        )
    return None


def _contradiction(sentence: str) -> Refusal:
    return Refusal(400, "malformed_request", sentence, {"connection": "close"})
