"""The endpoints of OAuth: the SDK's, and the page on which the browser waits."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.routes import build_metadata, create_auth_routes, create_protected_resource_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, headers, refuse
from tdmcp_embedded.http.endpoints import Endpoint
from tdmcp_embedded.http.hosts import caller_address, origin
from tdmcp_embedded.http.oauth import page
from tdmcp_embedded.http.oauth.consents import Decision
from tdmcp_embedded.http.oauth.provider import FOREIGN_RESOURCE, Agents, Provider, address_of_request
from tdmcp_embedded.settings import Level

AUTHORIZATION_METADATA: Final = "/.well-known/oauth-authorization-server"
RESOURCE_METADATA: Final = "/.well-known/oauth-protected-resource/mcp"

#: What the endpoints that anybody may call take: bytes of a body, and fields of a form, of which the SDK fails above 1000.
_MOST_BYTES: Final = 16 * 1024
_MOST_FIELDS: Final = 50

#: How clients may show at the token endpoint who they are.
_CLIENT_AUTHENTICATION: Final = ("none", "client_secret_basic", "client_secret_post")

_FORM: Final = b"application/x-www-form-urlencoded"
#: Without this pydantic puts a slash behind a bare host, and an issuer must be the same to the letter.
#: Hosts of issuers that the SDK takes without HTTPS.
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_URL: Final = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
#: Names this server is reached by; the host gate lets only few through.
_SITES: Final = 8


class Site:
    """OAuth under every address this server is reached by."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._sites: dict[str, ASGIApp] = {}

    def endpoints(self) -> Mapping[str, Endpoint]:
        """What is mounted where. All of it is public: who has no key yet comes here to get one."""
        sdk = self._sdk
        return {
            AUTHORIZATION_METADATA: Endpoint(sdk, ("GET",), public=True),
            RESOURCE_METADATA: Endpoint(sdk, ("GET",), public=True),
            "/register": Endpoint(self._register, ("POST",), public=True),
            "/authorize": Endpoint(self._authorize, ("GET",), public=True),
            "/token": Endpoint(self._token, ("POST",), public=True, takes=_FORM),
            "/revoke": Endpoint(self._revoke, ("POST",), public=True, takes=_FORM),
            "/consent": Endpoint(self._consent, ("GET",), public=True),
        }

    def challenge(self, scope: Scope) -> str:
        """What a refused client is told besides: where to read how to get in."""
        return f'resource_metadata="{origin(scope)}{RESOURCE_METADATA}"'

    async def _authorize(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The SDK's answer, unless it is an error that it would tell by sending the browser to the client's address.

        Anybody can register any address; nobody is sent to one before the person at TouchDesigner has decided.
        """
        address_of_request.set(caller_address(scope))
        await self._sdk(scope, receive, _OnlyToConsent(send, f"{origin(scope)}/consent?"))

    async def _token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The SDK's answer, unless the token is asked for another server (RFC 8707), which the SDK does not check."""
        body = await _small(scope, receive, send, fields=_MOST_FIELDS)
        if body is None:
            return
        asked = parse_qs(body.decode("latin-1")).get("resource", [])
        if any(resource.rstrip("/") != f"{origin(scope)}/mcp" for resource in asked):
            await _oauth_error(send, "invalid_target", FOREIGN_RESOURCE)
            return
        address_of_request.set(caller_address(scope))
        await self._sdk(scope, _replay(_with_credentials(body, scope), receive), send)

    async def _revoke(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _small(scope, receive, send, fields=_MOST_FIELDS)
        if body is not None:
            body = _with_credentials(body, scope)
            if b"client_secret=" not in body:
                body += b"&client_secret="  # the SDK wants the field, also of clients without a secret
            await self._sdk(scope, _replay(body, receive), send)

    async def _register(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _small(scope, receive, send)
        if body is not None:
            await self._sdk(scope, _replay(body, receive), send)

    async def _sdk(self, scope: Scope, receive: Receive, send: Send) -> None:
        issuer = origin(scope)
        site = self._sites.get(issuer)
        if site is None:
            try:
                url = _URL.validate_python(issuer)
            except ValidationError:
                sentence = "The Host of this request makes no address that OAuth can use."
                await refuse(scope, receive, send, Refusal(400, "host_invalid", sentence))
                return
            if url.scheme != "https" and url.host not in _THIS_MACHINE:
                sentence = "OAuth needs HTTPS, except on this machine itself; set a TLS Certificate."
                await refuse(scope, receive, send, Refusal(404, "https_needed", sentence))
                return
            site = self._build(issuer, url)
            if len(self._sites) >= _SITES:
                self._sites.clear()
            self._sites[issuer] = site
        await site(scope, receive, send)

    def _build(self, issuer: str, url: AnyHttpUrl) -> ASGIApp:
        levels = [level.value for level in Level]
        offered = [level.value for level in Level if self._agents.ceiling().allows(level)]
        registration = ClientRegistrationOptions(enabled=True, valid_scopes=levels, default_scopes=levels)
        revocation = RevocationOptions(enabled=True)
        routes = create_auth_routes(
            Provider(self._agents, issuer),
            url,
            client_registration_options=registration,
            revocation_options=revocation,
        )
        metadata = build_metadata(url, None, registration, revocation)
        metadata.token_endpoint_auth_methods_supported = list(_CLIENT_AUTHENTICATION)
        metadata.revocation_endpoint_auth_methods_supported = list(_CLIENT_AUTHENTICATION)
        # The SDK's own does not say that public clients are welcome.
        routes = [route for route in routes if route.path != AUTHORIZATION_METADATA]
        routes.append(Route(AUTHORIZATION_METADATA, MetadataHandler(metadata).handle, methods=["GET"]))
        routes += create_protected_resource_routes(
            _URL.validate_python(f"{issuer}/mcp"),
            [url],
            scopes_supported=offered,
            resource_name="TouchDesigner",
        )
        return Router(routes)

    async def _consent(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("request", [""])[0]
        request = self._agents.consents.find(asked)
        if request is None:
            await _html(send, 404, page.gone())
        elif request.decision is Decision.PENDING:
            await _html(send, 200, page.waiting(request), {"refresh": str(page.AGAIN_S)})
        else:
            decided = self._agents.consents.take(asked)
            assert decided is not None
            target = self._agents.code_for(decided, origin(scope))
            await _html(send, 302, "", {"location": target})


async def _small(scope: Scope, receive: Receive, send: Send, *, fields: int = 0) -> bytes | None:
    """The body of a request that anybody may send; None if it is too long, which the client then knows.

    Args:
        fields: how many the form may have; 0 for what is no form.
    """
    body = await Request(scope, receive).body()
    if len(body) <= _MOST_BYTES and not (fields and body.count(b"&") >= fields):
        return body
    await _oauth_error(
        send, "invalid_request", f"The request is over {_MOST_BYTES // 1024} kB, or has too many fields."
    )
    return None


def _with_credentials(body: bytes, scope: Scope) -> bytes:
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


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class _OnlyToConsent:
    """A `send` that redirects to our own page, and shows an error instead of redirecting to anywhere else."""

    def __init__(self, send: Send, consent: str) -> None:
        self._send, self._consent = send, consent
        self._replaced = False

    async def __call__(self, message: Message) -> None:
        if self._replaced:
            return
        if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
            target = next((value for name, value in message["headers"] if name == b"location"), b"").decode(
                "latin-1"
            )
            if not target.startswith(self._consent):
                self._replaced = True
                told = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
                sentence = told.get("error_description", "The request is not one of OAuth 2.1.")
                await _oauth_error(self._send, told.get("error", "invalid_request"), sentence)
                return
        await self._send(message)


async def _oauth_error(send: Send, error: str, sentence: str) -> None:
    body = json.dumps({"error": error, "error_description": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _html(send: Send, status: int, text: str, more: Mapping[str, str] | None = None) -> None:
    body = text.encode()
    fields: dict[str, Any] = {**page.HEADERS, "content-length": str(len(body)), **(more or {})}
    headers = [(name.encode(), str(value).encode("latin-1")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
