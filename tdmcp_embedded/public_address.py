"""Does *Public Address* lead to this server, and what does its proxy or tunnel let through?

Asks like a client from outside would, and compares with what the server itself answers. No key is sent.
"""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any, Final
from urllib.parse import urlsplit

#: Seconds for each step of a request.
_TIMEOUT_S: Final = 8.0
_MOST_BYTES: Final = 64 * 1024
_METADATA: Final = "/.well-known/oauth-protected-resource/mcp"


class _Unusable(Exception):
    """An answer that says nothing; the text says why, as a sentence."""


def check(public: str, local: str) -> str:
    """What is wrong with a public address, in sentences for a person; nothing if all is well.

    Args:
        public: the address, like https://td.example.com.
        local: the server's own address on this machine, like http://127.0.0.1:9988.
    """
    try:
        own = _health(local)
    except _Unusable:
        return ""  # nothing to compare with; that the server itself does not answer is told elsewhere
    try:
        outer = _health(public)
        if outer["instance_id"] != own["instance_id"]:
            return f"Public Address {public} leads to another TouchDesigner than this one: look where its proxy or tunnel goes."
        status, told = _get(local, _METADATA)
        if status == 200 and told is not None:
            status, told = _get(public, _METADATA)
            resource = told.get("resource") if told is not None else f"HTTP {status}"
            if resource != f"{public}/mcp":
                return (
                    f"Public Address {public} tells remote agents another address ({resource}): let the proxy or tunnel "
                    "pass on all paths, and the Host."
                )
        # Whoever is outside can send any Host; a tunnel that passes it on, and adds nothing, hides that it is there.
        if outer.get("local") or _passes_for_local(public, local, own["instance_id"]):
            return (
                f"Warning: what comes by Public Address {public} can look as if it came from this machine, so the keys "
                "for this machine only work from outside as well. Let the proxy add the header X-Forwarded-For, give "
                "remote agents a key of their own with a level (tdmcp key add NAME --level edit --anywhere), and keep "
                "the owner key on this machine."
            )
    except _Unusable as reason:
        return str(reason)
    return ""


def _health(address: str) -> dict[str, Any]:
    status, content = _get(address, "/health")
    if status in (502, 503, 504):
        raise _Unusable(
            f"Public Address {address} answers with HTTP {status}: its proxy or tunnel does not reach this server."
        )
    if content is None or "instance_id" not in content:
        raise _Unusable(
            f"At Public Address {address} another program answers (HTTP {status}): look where its proxy or tunnel goes."
        )
    return content


def _passes_for_local(public: str, local: str, instance: object) -> bool:
    try:
        _, content = _get(public, "/health", host=urlsplit(local).netloc)
    except _Unusable:
        return False
    return content is not None and content.get("instance_id") == instance and bool(content.get("local"))


def _get(address: str, path: str, host: str = "") -> tuple[int, dict[str, Any] | None]:
    """Status and JSON object of an answer; None for any other content.

    Args:
        host: what to send as Host instead of the address's own.

    Raises:
        _Unusable: there is no answer.
    """
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        status, body = answer.status, answer.read(_MOST_BYTES)
    except ssl.SSLCertVerificationError as error:
        raise _Unusable(
            f"The certificate of Public Address {address} is not accepted here: {error.verify_message.rstrip('.')}."
        ) from None
    except ssl.SSLError as error:
        raise _Unusable(
            f"Public Address {address} does not complete the TLS handshake: {error.reason}."
        ) from None
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        reason = str(error) or type(error).__name__
        raise _Unusable(
            f"Public Address {address} does not answer from here: {reason.rstrip('.')}."
        ) from None
    finally:
        connection.close()
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    return status, content if isinstance(content, dict) else None
