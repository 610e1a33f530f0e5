"""Asking a running server how it is, from outside and without waiting long."""

from __future__ import annotations

import hmac
import http.client
import json
import secrets
import socket
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tdmcp_embedded.http import identity

_PATIENCE_S = 3.0


@dataclass(frozen=True)
class Answer:
    """What `/health` said. `status` is ok, stalled or starting; "foreign" if somebody else answers there, "silent" if
    the connection stands but nothing comes, "refused" if nobody listens, "wrong" if that is no address."""

    status: str
    version: str = ""
    key_accepted: bool = False


def ask(url: str, key: str = "", instance_id: str = "", secret: str = "") -> Answer:
    """Look at the server of an MCP address.

    Args:
        key: tried there.
        instance_id: what it must be called to be shown the key; "" if that is not known.
        secret: what it must prove with that it is that one; "" for older servers, which do not.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return Answer("wrong")
    if parts.scheme not in ("http", "https") or not host:
        return Answer("wrong")
    connection = http.client.HTTPConnection(host, port, timeout=_PATIENCE_S)
    if parts.scheme == "https":
        # Its certificate may well be self-made; only this machine's own server is asked how it is.
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=_PATIENCE_S, context=context)
        key = ""
    try:
        nonce = secrets.token_hex(16)
        content = _health(connection, {identity.HEADER: nonce} if secret else None)
        # Another program may have got the port: it is shown no key.
        if isinstance(content, dict):
            proof = str(content.get(identity.FIELD, "")).encode()
            if secret and not hmac.compare_digest(proof, identity.prove(secret, nonce, port).encode()):
                return Answer("foreign")
            if instance_id and content.get("instance_id") != instance_id:
                return Answer("foreign")
        if key:
            content = _health(connection, {"Authorization": f"Bearer {key}"})
    except TimeoutError:
        return Answer("silent")
    except ConnectionError:
        return Answer("refused")
    except (OSError, http.client.HTTPException, ValueError):
        return Answer("foreign")
    finally:
        connection.close()
    return _understood(content)


def _health(connection: http.client.HTTPConnection, headers: dict[str, str] | None = None) -> Any:
    connection.request("GET", "/health", headers=headers or {})
    return json.loads(connection.getresponse().read(1 << 20))


def tls_fault(url: str) -> str:
    """What is wrong with the TLS handshake at an HTTPS address, as clients on this machine make it; nothing if it is fine.

    The ends of sentences that begin with the address.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        with (
            socket.create_connection((host, parts.port or 443), _PATIENCE_S) as line,
            ssl.create_default_context().wrap_socket(line, server_hostname=host),
        ):
            return ""
    except ssl.SSLCertVerificationError as error:
        return f"has a certificate that this machine does not accept: {error.verify_message.rstrip('.')}"
    except TimeoutError:
        return "accepts connections, but makes no TLS handshake"
    except (ssl.SSLError, ConnectionResetError) as error:
        return f"fails in the TLS handshake: {getattr(error, 'reason', '') or 'the connection was reset'}"
    except (OSError, UnicodeError) as error:
        return f"cannot be reached from this machine: {error}"


def listens(port: int) -> bool:
    """Whether anybody accepts connections on a port of this computer."""
    try:
        socket.create_connection(("127.0.0.1", port), 0.5).close()
    except OSError:
        return False
    return True


def _understood(content: Any) -> Answer:
    if not isinstance(content, dict) or content.get("status") not in ("ok", "stalled", "starting"):
        return Answer("foreign")
    # Sessions are told to callers whose key is good.
    return Answer(str(content["status"]), str(content.get("version", "")), "sessions" in content)
