"""The endpoints of OAuth: metadata, the SDK's, and the page on which the browser waits."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter, ValidationError
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, header, refuse
from tdmcp_embedded.http.endpoints import Endpoint
from tdmcp_embedded.http.hosts import caller_address, origin
from tdmcp_embedded.http.oauth import metadata, page, scopes
from tdmcp_embedded.http.oauth.agents import Agents, address_of_request
from tdmcp_embedded.http.oauth.consents import Decision
from tdmcp_embedded.http.oauth.consents import Request as Asked
from tdmcp_embedded.http.oauth.forms import (
    MOST_FIELDS,
    oauth_error,
    small,
    with_credentials,
    with_known_scopes,
    without_scope,
)
from tdmcp_embedded.http.oauth.provider import FOREIGN_RESOURCE, Provider, TooManyRegistrations
from tdmcp_embedded.http.oauth.resource_url import same_url
from tdmcp_embedded.protocol.replayed_body import replay
from tdmcp_embedded.settings import Level

AUTHORIZATION_METADATA: Final = "/.well-known/oauth-authorization-server"
RESOURCE_METADATA: Final = "/.well-known/oauth-protected-resource/mcp"
#: Where clients look that do not know the path of the resource.
_ROOT_METADATA: Final = "/.well-known/oauth-protected-resource"

_FORM: Final = b"application/x-www-form-urlencoded"
#: Hosts of issuers that the SDK takes without HTTPS.
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
#: Without this pydantic puts a slash behind a bare host, and an issuer must be the same to the letter.
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
        looks = ("GET", "HEAD")
        return {
            AUTHORIZATION_METADATA: Endpoint(self._server_metadata, looks, public=True),
            RESOURCE_METADATA: Endpoint(self._resource_metadata, looks, public=True),
            _ROOT_METADATA: Endpoint(self._resource_metadata, looks, public=True),
            "/register": Endpoint(self._register, ("POST",), public=True),
            "/authorize": Endpoint(self._authorize, ("GET",), public=True),
            "/token": Endpoint(self._token, ("POST",), public=True, takes=_FORM),
            "/revoke": Endpoint(self._revoke, ("POST",), public=True, takes=_FORM),
            "/consent": Endpoint(self._consent, ("GET", "POST"), public=True, takes=_FORM),
        }

    def challenge(self, scope: Scope) -> str:
        """What a refused client is told besides: where to read how to get in, and what it can ask for."""
        return f'resource_metadata="{origin(scope)}{RESOURCE_METADATA}", scope="{" ".join(self._offered())}"'

    def _offered(self) -> list[str]:
        return scopes.offered(self._agents.ceiling())

    async def _server_metadata(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await self._sdk_for(scope, receive, send) is not None:
            found = metadata.authorization_server(origin(scope), self._offered())
            await metadata.answer(scope, send, found)

    async def _resource_metadata(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await self._sdk_for(scope, receive, send) is not None:
            await metadata.answer(scope, send, metadata.protected_resource(origin(scope), self._offered()))

    async def _authorize(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The SDK's answer, unless it is an error that it would tell by sending the browser to the client's address.

        Anybody can register any address; nobody is sent to one before the person at TouchDesigner has decided.
        """
        address_of_request.set(caller_address(scope))
        query = with_known_scopes(scope.get("query_string", b""))
        client = parse_qs(query.decode("latin-1")).get("client_id", [""])[-1]
        unknown = bool(client) and client not in self._agents.store.clients
        only = _OnlyToConsent(send, f"{origin(scope)}/consent?", browser=_is_browser(scope), unknown=unknown)
        await self._sdk({**scope, "query_string": query}, receive, only)

    async def _token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The SDK's answer, unless the token is asked for another server (RFC 8707), which the SDK does not check."""
        body = await small(scope, receive, send, fields=MOST_FIELDS)
        if body is None:
            return
        asked = parse_qs(body.decode("latin-1")).get("resource", [])
        if any(not same_url(resource, f"{origin(scope)}/mcp") for resource in asked):
            await oauth_error(send, "invalid_target", FOREIGN_RESOURCE)
            return
        address_of_request.set(caller_address(scope))
        await self._sdk(scope, replay(with_credentials(without_scope(body), scope), receive), send)

    async def _revoke(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await small(scope, receive, send, fields=MOST_FIELDS)
        if body is not None:
            address_of_request.set(caller_address(scope))
            body = with_credentials(body, scope)
            if b"client_secret=" not in body:
                body += b"&client_secret="  # the SDK wants the field, also of clients without a secret
            await self._sdk(scope, replay(body, receive), send)

    async def _register(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await small(scope, receive, send)
        if body is None:
            return
        address_of_request.set(caller_address(scope))
        try:
            await self._sdk(scope, replay(body, receive), send)
        except TooManyRegistrations as error:
            seconds = max(1, math.ceil(error.seconds))
            sentence = f"Too many registrations from this address; register again in {seconds} s."
            await oauth_error(send, "too_many_requests", sentence, 429, {"retry-after": str(seconds)})

    async def _sdk(self, scope: Scope, receive: Receive, send: Send) -> None:
        site = await self._sdk_for(scope, receive, send)
        if site is not None:
            await site(scope, receive, send)

    async def _sdk_for(self, scope: Scope, receive: Receive, send: Send) -> ASGIApp | None:
        """The SDK's endpoints for the address that a request was sent to; None if OAuth cannot be had there, which the
        client then knows."""
        issuer = origin(scope)
        site = self._sites.get(issuer)
        if site is None:
            try:
                url = _URL.validate_python(issuer)
            except ValidationError:
                sentence = "The Host of this request makes no address that OAuth can use."
                await refuse(scope, receive, send, Refusal(400, "host_invalid", sentence))
                return None
            if url.scheme != "https" and url.host not in _THIS_MACHINE:
                sentence = "OAuth needs HTTPS, except on this machine itself; set a TLS Certificate."
                await refuse(scope, receive, send, Refusal(404, "https_needed", sentence))
                return None
            site = self._build(issuer, url)
            if len(self._sites) >= _SITES:
                self._sites.clear()
            self._sites[issuer] = site
        return site

    def _build(self, issuer: str, url: AnyHttpUrl) -> ASGIApp:
        routes = create_auth_routes(
            Provider(self._agents, issuer),
            url,
            # No scopes: unknown ones would be refused, and are dropped.
            client_registration_options=ClientRegistrationOptions(enabled=True),
            revocation_options=RevocationOptions(enabled=True),
        )
        return Router([route for route in routes if route.path != AUTHORIZATION_METADATA])

    async def _consent(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("request", [""])[0]
        consents = self._agents.consents
        if scope["method"] == "POST":
            await self._lower(asked, scope, receive, send)
            return
        request = consents.find(asked)
        if request is None:
            await _html(send, 404, page.gone())
        elif request.decision is Decision.PENDING:
            await self._waiting(request, send)
        else:
            decided = consents.take(asked)
            assert decided is not None
            target = self._agents.code_for(decided, origin(scope))
            await _html(send, 302, "", {"location": target})

    async def _lower(self, asked: str, scope: Scope, receive: Receive, send: Send) -> None:
        """The person before the browser wants the agent to get less than it asks for."""
        body = await small(scope, receive, send, fields=MOST_FIELDS)
        if body is None:
            return
        wanted = parse_qs(body.decode("latin-1")).get("level", [""])[0]
        if wanted not in set(Level):
            await _html(send, 400, page.refused("That is not a level."))
            return
        self._agents.consents.lower(asked, Level(wanted))
        request = self._agents.consents.find(asked)
        if request is None:
            await _html(send, 404, page.gone())
        else:
            # No redirect, also when it was decided meanwhile: a browser allows a form no redirect to the agent.
            await self._waiting(request, send)

    async def _waiting(self, request: Asked, send: Send) -> None:
        again = f"{page.AGAIN_S}; url=/consent?request={request.id}"
        text = page.waiting(request, self._agents.consents.left(request))
        await _html(send, 200, text, {"refresh": again})


def _is_browser(scope: Scope) -> bool:
    """Whether a person sees the answer."""
    return b"text/html" in (header(scope, b"accept") or b"")


class _OnlyToConsent:
    """A `send` that redirects to our own page, and shows an error instead of redirecting to anywhere else.

    Args:
        consent: how the address of our own page begins.
        browser: whether an error is shown as a page, or as JSON.
        unknown: whether the client is not registered here.
    """

    def __init__(self, send: Send, consent: str, *, browser: bool, unknown: bool) -> None:
        self._send, self._consent = send, consent
        self._browser, self._unknown = browser, unknown
        self._status = 0
        self._replaced = False
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if self._replaced:
            return
        if message["type"] == "http.response.start":
            self._status = message["status"]
            fields = dict(message["headers"])
            target = fields.get(b"location", b"").decode("latin-1")
            if 300 <= self._status < 400 and not target.startswith(self._consent):
                self._replaced = True
                told = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
                sentence = told.get("error_description", "The request is not one of OAuth 2.1.")
                await self._refuse(told.get("error", "invalid_request"), sentence)
                return
            if self._status >= 400 and self._browser:
                return
        elif self._status >= 400 and self._browser:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._refuse("", _description(self._body))
            return
        await self._send(message)

    async def _refuse(self, error: str, sentence: str) -> None:
        if not self._browser:
            await oauth_error(self._send, error, sentence)
        elif self._unknown:
            await _html(self._send, 400, page.forgotten())
        else:
            await _html(self._send, 400, page.refused(sentence))


def _description(body: bytes) -> str:
    """The sentence of an error, of OAuth's form or of this server's gates."""
    try:
        told = json.loads(body)
        return str(told.get("error_description") or told["error"]["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "The request is not one of OAuth 2.1."


async def _html(send: Send, status: int, text: str, more: Mapping[str, str] | None = None) -> None:
    body = text.encode()
    fields: dict[str, Any] = {**page.HEADERS, "content-length": str(len(body)), **(more or {})}
    headers = [(name.encode(), str(value).encode("latin-1")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
