"""What clients read before they sign in: of the authorization server (RFC 8414), and of the resource (RFC 9728)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.types import Scope, Send

#: How clients may show at the token endpoint who they are.
CLIENT_AUTHENTICATION: Final = ("none", "client_secret_basic", "client_secret_post")
#: Seconds for which a client may keep it; short, since the levels that are offered change with a setting.
_KEEP_S: Final = 60


def authorization_server(issuer: str, levels: list[str]) -> dict[str, Any]:
    """The metadata of the authorization server.

    Args:
        issuer: the address this server is reached by, like https://td.example.com.
        levels: the scopes that a client can get at the moment.
    """
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "registration_endpoint": f"{issuer}/register",
        "revocation_endpoint": f"{issuer}/revoke",
        "scopes_supported": levels,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": list(CLIENT_AUTHENTICATION),
        "revocation_endpoint_auth_methods_supported": list(CLIENT_AUTHENTICATION),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        # It would have this machine fetch an address that anybody may name; clients register instead.
        "client_id_metadata_document_supported": False,
    }


def protected_resource(issuer: str, levels: list[str]) -> dict[str, Any]:
    """The metadata of the MCP endpoint; arguments as above."""
    return {
        "resource": f"{issuer}/mcp",
        "authorization_servers": [issuer],
        "scopes_supported": levels,
        "bearer_methods_supported": ["header"],
        "resource_name": "TouchDesigner",
    }


async def answer(scope: Scope, send: Send, document: Mapping[str, Any]) -> None:
    """Send one of them, for HEAD without its body."""
    body = json.dumps(document).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", f"public, max-age={_KEEP_S}".encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
