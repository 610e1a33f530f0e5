"""The SDK's authorization provider over the store of grants and the consents of the person at TouchDesigner."""

from __future__ import annotations

import time
from typing import Final

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from tdmcp_embedded.http.oauth import scopes
from tdmcp_embedded.http.oauth.agents import MAX_CODES, Agents, address_of_request, key_name
from tdmcp_embedded.http.oauth.consents import TooManyRequests
from tdmcp_embedded.http.oauth.grants import Tokens
from tdmcp_embedded.http.oauth.redirects import acceptable
from tdmcp_embedded.http.oauth.resource_url import same_url
from tdmcp_embedded.logs.records import clean
from tdmcp_embedded.settings import Level

#: What is said to who wants a token for another server.
FOREIGN_RESOURCE: Final = "Tokens of this server are for its own MCP endpoint."


class TooManyRegistrations(Exception):
    """A place has registered too often; `seconds` until it may again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK's endpoints ask, under one of the addresses this server is reached by.

    Args:
        issuer: that address, like https://10.0.0.5:9988.
    """

    def __init__(self, agents: Agents, issuer: str) -> None:
        self._agents, self._issuer = agents, issuer

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        facts = self._agents.store.clients.get(client_id)
        if facts is None:
            return None
        # Levels that OAuth Level has allowed since a client has registered are not refused; the person decides.
        return OAuthClientInformationFull.model_validate({**facts, "scope": scopes.ALL})

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        uris = client_info.redirect_uris or []
        if len(uris) > 10 or not all(acceptable(uri) for uri in uris):
            raise RegistrationError(
                "invalid_redirect_uri",
                "Give at most ten redirect addresses: https, http to this machine, or a scheme of your own.",
            )
        client_info.scope = scopes.known(client_info.scope or "") or scopes.ALL
        client_info.client_name = clean(client_info.client_name or "An agent without a name")[:60]
        facts = client_info.model_dump(mode="json", exclude_none=True)
        if len(str(facts)) > 8000:
            raise RegistrationError("invalid_client_metadata", "The registration is too long.")
        address = address_of_request.get()
        wait = self._agents.registrations.wait(address)
        if wait > 0:
            raise TooManyRegistrations(wait)
        self._agents.store.register(client_info.client_id, facts, address, self._agents.waiting_clients())

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if params.resource is not None and not same_url(params.resource, f"{self._issuer}/mcp"):
            raise AuthorizeError("invalid_target", FOREIGN_RESOURCE)
        if not 43 <= len(params.code_challenge) <= 128:
            raise AuthorizeError("invalid_request", "The code challenge is none of S256.")
        try:
            request = self._agents.consents.ask(
                client.client_id,
                client.client_name or "An agent",
                params.redirect_uri.host or params.redirect_uri.scheme,
                self._level(params.scopes),
                params,
                known=self._agents.store.knows(client.client_id),
                address=address_of_request.get(),
            )
        except TooManyRequests:
            raise AuthorizeError(
                "temporarily_unavailable",
                "Too many agents wait for the person at TouchDesigner; try again in five minutes.",
            ) from None
        self._agents.log.event("notice", request.sentence())
        return f"{self._issuer}/consent?request={request.id}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        stolen = self._agents.used.pop(authorization_code, None)
        if stolen is not None:
            self._agents.store.revoke(stolen)
            self._agents.log.access("A code was used twice; what it gave was revoked.", "denied")
            return None
        return self._agents.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        agents = self._agents
        approved = agents.codes.pop(authorization_code.code, None)
        if approved is None:
            raise TokenError("invalid_grant", "The code was used already.")
        level = Level(authorization_code.scopes[0])
        name = client.client_name or "An agent"
        tokens = agents.store.grant(client.client_id, name, level, authorization_code.resource)
        while len(agents.used) >= MAX_CODES:
            del agents.used[next(iter(agents.used))]
        agents.used[authorization_code.code] = tokens.grant.id
        agents.log.access(
            f"{approved.approval} has signed in, at level {level.value}.",
            "ok",
            key=key_name(tokens.grant),
            client=name,
            address=address_of_request.get(),
        )
        return _answer(tokens)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        grant = self._agents.store.by_refresh(refresh_token)
        if grant is None or grant.client_id != client.client_id:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=grant.client_id,
            scopes=[grant.level.value],
            expires_at=int(grant.refresh_expires),
            resource=grant.resource,
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        tokens = self._agents.store.refresh(refresh_token.token)
        if tokens is None:
            raise TokenError("invalid_grant", "The refresh token was used already.")
        return _answer(tokens)

    async def load_access_token(self, token: str) -> AccessToken | None:
        grant = self._agents.store.by_access(token)
        if grant is None:
            return None
        return AccessToken(
            token=token,
            client_id=grant.client_id,
            scopes=[grant.level.value],
            expires_at=int(grant.access_expires),
            resource=grant.resource,
        )

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        store = self._agents.store
        grant = store.by_access(token.token) or store.by_refresh(token.token)
        if grant is not None:
            store.revoke(grant.id)
            self._agents.log.access(f"{grant.client_name} gave its access back.", "ok")

    def _level(self, asked: list[str] | None) -> Level:
        """The highest level asked for, under the ceiling; the ceiling for those that ask for none."""
        levels = [Level(scope) for scope in asked or () if scope in set(Level)]
        ceiling = self._agents.ceiling()
        return min(max(levels, key=_rank, default=ceiling), ceiling, key=_rank)


def _rank(level: Level) -> int:
    return level.rank


def _answer(tokens: Tokens) -> OAuthToken:
    return OAuthToken(
        access_token=tokens.access,
        refresh_token=tokens.refresh,
        expires_in=int(tokens.grant.access_expires - time.time()),
        scope=tokens.grant.level.value,
    )
