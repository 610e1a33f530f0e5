"""Requests that anybody may send to OAuth's endpoints, made safe and plain for the SDK, and errors in OAuth's form."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from tdmcp_embedded.http.answers import headers
from tdmcp_embedded.http.oauth import scopes

#: What the endpoints that anybody may call take: bytes of a body, and fields of a form, of which the SDK fails above 1000.
_MOST_BYTES: Final = 16 * 1024
MOST_FIELDS: Final = 50


async def small(scope: Scope, receive: Receive, send: Send, *, fields: int = 0) -> bytes | None:
    """The body of a request that anybody may send; None if it is too long, which the client then knows.

    Args:
        fields: how many the form may have; 0 for what is no form.
    """
    body = await Request(scope, receive).body()
    if len(body) <= _MOST_BYTES and not (fields and body.count(b"&") >= fields):
        return body
    await oauth_error(
        send, "invalid_request", f"The request is over {_MOST_BYTES // 1024} kB, or has too many fields."
    )
    return None


def with_credentials(body: bytes, scope: Scope) -> bytes:
    """A form with what the client says in the header `Authorization: Basic` (RFC 6749, 2.3.1).

    The SDK looks for `client_id` in the form only, also of clients that need not repeat it there.
    """
    given = headers(scope, b"authorization")
    kind, _, credentials = given[0].strip().partition(b" ") if len(given) == 1 else (b"", b"", b"")
    if kind.lower() != b"basic":
        return body
    try:
        name, colon, secret = base64.b64decode(credentials.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return body
    form = parse_qs(body.decode("latin-1"), keep_blank_values=True)
    more = {}
    if colon and "client_id" not in form:
        more["client_id"] = unquote_plus(name)
    if colon and "client_secret" not in form:
        more["client_secret"] = unquote_plus(secret)
    return b"&".join(filter(None, (body, urlencode(more).encode())))


def with_known_scopes(query: bytes) -> bytes:
    """The query of a request to /authorize without the scopes that do not exist; without any, none is asked for."""
    fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    kept = [(name, scopes.known(value) if name == "scope" else value) for name, value in fields]
    return urlencode([(name, value) for name, value in kept if name != "scope" or value]).encode()


def without_scope(body: bytes) -> bytes:
    """A form for /token without the scope: tokens have the level that was approved, whatever else is asked for."""
    fields = body.split(b"&")
    return b"&".join(field for field in fields if field.partition(b"=")[0] != b"scope")


async def oauth_error(
    send: Send, error: str, sentence: str, status: int = 400, more: Mapping[str, str] | None = None
) -> None:
    """An error in the form of OAuth (RFC 6749, 5.2)."""
    body = json.dumps({"error": error, "error_description": sentence}).encode()
    fields = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": "no-store",
    }
    headers = [
        (name.encode(), value.encode("latin-1")) for name, value in (fields | dict(more or {})).items()
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
