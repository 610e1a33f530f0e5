"""The SDK's authorization provider over the store of grants and the consents of the person at TouchDesigner."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, cast

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from tdmcp_embedded.http.admission import Bucket
from tdmcp_embedded.http.hosts import is_loopback
from tdmcp_embedded.http.keys import Key
from tdmcp_embedded.http.oauth.consents import Consents, Decision, Request, TooManyRequests
from tdmcp_embedded.http.oauth.store import Grant, Store, Tokens
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.logs.records import clean
from tdmcp_embedded.settings import Level

#: What is said to who wants a token for another server.
FOREIGN_RESOURCE: Final = "Tokens of this server are for its own MCP endpoint."
#: Where the request comes from that the SDK is asking about.
address_of_request: ContextVar[str] = ContextVar("address_of_request", default="")
#: Seconds within which a code must be exchanged for tokens.
CODE_S: Final = 60.0
_MAX_CODES: Final = 50
#: Registrations: one in ten seconds, after a quiet time ten at once.
_REGISTRATIONS: Final = (0.1, 10)
#: Schemes that a browser or the system acts on itself, instead of calling a program that has asked for a token.
_UNSAFE_SCHEMES: Final = frozenset(
    {
        "about", "afp", "android-app", "apt", "blob", "chrome", "chrome-extension", "cid", "content", "data",
        "facetime", "feed", "file", "filesystem", "ftp", "ftps", "git", "gopher", "imap", "intent", "irc", "ircs", "itms",
        "itms-services", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "market", "mocha",
        "moz-extension", "nfs", "nntp", "prefs", "rdp", "resource", "rtsp", "search", "search-ms", "sftp", "shell", "sip",
        "sips", "skype", "smb", "sms", "smsto", "ssh", "steam", "tel", "telnet", "tftp", "tn3270", "urn", "vbscript",
        "view-source", "vnc", "webcal", "ws", "wss", "wyciwyg", "x-apple.systempreferences", "xmpp",
    }
)  # fmt: skip
#: And those of Windows' own programs, of which there are too many to be listed.
_UNSAFE_PREFIXES: Final = ("ms-", "x-apple", "com.apple.", "microsoft.")


class ApprovedCode(AuthorizationCode):
    """A code, and for the audit log whom the person has approved for it."""

    approval: str = ""


class Agents:
    """Everything OAuth knows: who registered, who waits, who was let in. On the server's loop, one a server.

    Args:
        ceiling: the most that any agent may be given, at the moment.
    """

    def __init__(self, store: Store, consents: Consents, ceiling: Callable[[], Level], log: Log) -> None:
        self.store, self.consents, self.ceiling, self.log = store, consents, ceiling, log
        self.codes: dict[str, ApprovedCode] = {}
        self.used: dict[str, str] = {}
        """Codes that were exchanged, with the grant they gave: who shows one again has overheard it."""
        self.registrations = Bucket(time.monotonic)

    def match(self, token: bytes) -> Key | None:
        """The access token of a request as a key of its level, if it is in force."""
        grant = self.store.by_access(token.decode("latin-1"))
        return None if grant is None else self._key(grant)

    def valid(self, key: Key) -> bool:
        """Whether a key that `match` gave is still in force."""
        grant = next((g for g in self.store.grants.values() if _key_name(g) == key.name), None)
        return grant is not None and self._key(grant).level == key.level and not key.expired(time.time())

    def decide(self, request_id: str, approve: bool) -> bool:
        """What the person at TouchDesigner decided; whether that request still waited."""
        request = self.consents.decide(request_id, approve)
        if request is None:
            return False
        word = "approved" if approve else "denied"
        self.log.access(
            f"{_described(request)} was {word} at the component, at level {request.level.value}.",
            "ok" if approve else "denied",
            client=request.client_name,
            address=request.address,
        )
        return True

    def revoke_all(self) -> int:
        """Turn out every agent; how many there were."""
        count = self.store.revoke_all()
        self.codes.clear()
        self.log.access(f"{count} remote agents were revoked at the component.", "ok")
        return count

    def code_for(self, request: Request, issuer: str) -> str:
        """Where the browser of a decided request goes: back to the agent, with a code or a refusal."""
        params = cast(AuthorizationParams, request.params)
        target = str(params.redirect_uri)
        if request.decision is not Decision.APPROVED:
            return construct_redirect_uri(target, error="access_denied", state=params.state, iss=issuer)
        while len(self.codes) >= _MAX_CODES:
            del self.codes[next(iter(self.codes))]
        code = ApprovedCode(
            approval=_described(request),
            code=secrets.token_urlsafe(32),
            scopes=[request.level.value],
            expires_at=time.time() + CODE_S,
            client_id=request.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(target, code=code.code, state=params.state, iss=issuer)

    def _key(self, grant: Grant) -> Key:
        level = min(grant.level, self.ceiling(), key=lambda level: level.rank)
        return Key(_key_name(grant), "", level, False, grant.access_expires, grant.created)


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK's endpoints ask, under one of the addresses this server is reached by.

    Args:
        issuer: that address, like https://10.0.0.5:9988.
    """

    def __init__(self, agents: Agents, issuer: str) -> None:
        self._agents, self._issuer = agents, issuer

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        facts = self._agents.store.clients.get(client_id)
        return None if facts is None else OAuthClientInformationFull.model_validate(facts)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        uris = client_info.redirect_uris or []
        if len(uris) > 10 or not all(_acceptable(uri) for uri in uris):
            raise RegistrationError(
                "invalid_redirect_uri",
                "Give at most ten redirect addresses: https, http to this machine, or a scheme of your own.",
            )
        client_info.client_name = clean(client_info.client_name or "An agent without a name")[:60]
        facts = client_info.model_dump(mode="json", exclude_none=True)
        if len(str(facts)) > 8000:
            raise RegistrationError("invalid_client_metadata", "The registration is too long.")
        if self._agents.registrations.book(*_REGISTRATIONS, max_wait=0.0) > 0:
            raise RegistrationError(
                "invalid_client_metadata", "Too many registrations; try again in a minute."
            )
        if not self._agents.store.register(client_info.client_id, facts):
            raise RegistrationError("invalid_client_metadata", "Too many agents are registered.")

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if params.resource is not None and params.resource.rstrip("/") != f"{self._issuer}/mcp":
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
        while len(agents.used) >= _MAX_CODES:
            del agents.used[next(iter(agents.used))]
        agents.used[authorization_code.code] = tokens.grant.id
        agents.log.access(
            f"{approved.approval} has signed in, at level {level.value}.",
            "ok",
            key=_key_name(tokens.grant),
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
        grant = self._agents.store.by_refresh(refresh_token.token)
        tokens = self._agents.store.refresh(grant) if grant is not None else None
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

    def _level(self, scopes: list[str] | None) -> Level:
        """The highest level asked for, under the ceiling; who asks for none may look."""
        asked = [Level(scope) for scope in scopes or () if scope in set(Level)]
        highest = max(asked, key=lambda level: level.rank, default=Level.OBSERVE)
        return min(highest, self._agents.ceiling(), key=lambda level: level.rank)


def _described(request: Request) -> str:
    return f"{request.client_name} (client {request.client_id}, code {request.code}, redirect to {request.redirect_host})"


def _key_name(grant: Grant) -> str:
    return f"{grant.client_name} (OAuth {grant.id})"


def _answer(tokens: Tokens) -> OAuthToken:
    return OAuthToken(
        access_token=tokens.access,
        refresh_token=tokens.refresh,
        expires_in=int(tokens.grant.access_expires - time.time()),
        scope=tokens.grant.level.value,
    )


def _acceptable(uri: AnyUrl) -> bool:
    if len(str(uri)) > 500 or uri.fragment or uri.username or uri.password:
        return False
    if uri.scheme == "http":
        host = (uri.host or "").strip("[]")
        return host == "localhost" or is_loopback(host)
    if uri.scheme == "https":
        return bool(uri.host)
    if uri.scheme in _UNSAFE_SCHEMES or uri.scheme.startswith(_UNSAFE_PREFIXES):
        return False
    # A private scheme (RFC 8252, 7.1): the reversed name of a domain, or at least an address and not a command.
    return "." in uri.scheme or bool(uri.host)
