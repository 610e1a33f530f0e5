"""Everything OAuth knows while a server runs: who was approved, who waits, and which codes are on their way."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, cast

from mcp.server.auth.provider import AuthorizationCode, AuthorizationParams, construct_redirect_uri

from tdmcp_embedded.http.keys import Key
from tdmcp_embedded.http.oauth.consents import Consents, Decision, Request
from tdmcp_embedded.http.oauth.grants import Grant
from tdmcp_embedded.http.oauth.registrations import RegistrationLimit
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.settings import Level

#: Where the request comes from that the SDK is asking about.
address_of_request: ContextVar[str] = ContextVar("address_of_request", default="")
#: Seconds within which a code must be exchanged for tokens.
CODE_S: Final = 60.0
MAX_CODES: Final = 50
#: What a client is told that was not approved.
_WHY_NOT: Final = {
    Decision.DENIED: "The person at TouchDesigner denied this agent.",
    Decision.EXPIRED: "Nobody at TouchDesigner approved this agent within five minutes. Ask again.",
}


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
        self.registrations = RegistrationLimit()
        store.on_reuse = self._reused

    def match(self, token: bytes) -> Key | None:
        """The access token of a request as a key of its level, if it is in force."""
        grant = self.store.by_access(token.decode("latin-1"))
        return None if grant is None else self._key(grant)

    def valid(self, key: Key) -> bool:
        """Whether a key that `match` gave is still in force."""
        grant = next((g for g in self.store.grants.values() if key_name(g) == key.name), None)
        return grant is not None and self._key(grant).level == key.level and not key.expired(time.time())

    def decide(self, request_id: str, approve: bool) -> bool:
        """What the person at TouchDesigner decided; whether that request still waited."""
        request = self.consents.decide(request_id, approve)
        if request is None:
            return False
        word = "approved" if approve else "denied"
        self.log.access(
            f"{described(request)} was {word} at the component, at level {request.level.value}.",
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
            return construct_redirect_uri(
                target,
                error="access_denied",
                error_description=_WHY_NOT[request.decision],
                state=params.state,
                iss=issuer,
            )
        while len(self.codes) >= MAX_CODES:
            del self.codes[next(iter(self.codes))]
        code = ApprovedCode(
            approval=described(request),
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

    def waiting_clients(self) -> set[str]:
        """Clients that wait for a decision, or were approved and have not fetched their tokens yet."""
        return {request.client_id for request in self.consents.waiting()} | {
            code.client_id for code in self.codes.values()
        }

    def _reused(self, grant: Grant) -> None:
        self.log.access(
            f"A refresh token of {grant.client_name} (client {grant.client_id}) was used again after more than a minute; "
            "it was copied, and the agent was revoked.",
            "denied",
            key=key_name(grant),
            client=grant.client_name,
            address=address_of_request.get(),
        )

    def _key(self, grant: Grant) -> Key:
        level = min(grant.level, self.ceiling(), key=lambda level: level.rank)
        return Key(key_name(grant), "", level, False, grant.access_expires, grant.created)


def described(request: Request) -> str:
    """What the audit log says of a request."""
    return f"{request.client_name} (client {request.client_id}, code {request.code}, redirect to {request.redirect_host})"


def key_name(grant: Grant) -> str:
    """What the logs call the key of a grant."""
    return f"{grant.client_name} (OAuth {grant.id})"
