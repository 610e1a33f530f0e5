"""Who is calling: the access key of a request."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, headers, refuse
from tdmcp_embedded.http.endpoints import Endpoints, find
from tdmcp_embedded.http.hosts import is_local, why_remote
from tdmcp_embedded.http.keys import Key

_REFUSED = "tdmcp.refused"
#: In the scope of a request that has a key, or needs none: its connection counts as a known client's.
ADMITTED = "tdmcp.admitted"
_GIVE_KEY = "give this client the access key of the component, as the header Authorization: Bearer KEY."
#: The same from elsewhere, where the component's own key does not work.
GIVE_REMOTE_KEY = (
    "give this client a key that works from other machines (at TouchDesigner: tdmcp key add NAME --level edit --anywhere), "
    "as the header Authorization: Bearer KEY."
)


class Identify:
    """Looks up the key of each request; refuses nobody yet.

    Puts the `Key` in `scope["tdmcp.key"]`, and in `scope["user"]` what the SDK binds sessions to: a session can only be
    used with the key it was opened with. Without a usable key neither is there.

    Args:
        match: the key that a token is of.
        required: whether keys are required at the moment; from another machine they always are.
        challenge: what a refused client is told besides, in WWW-Authenticate.
    """

    def __init__(
        self,
        app: ASGIApp,
        match: Callable[[bytes], Key | None],
        required: Callable[[], bool],
        challenge: Callable[[Scope], str] | None = None,
    ) -> None:
        self._app = app
        self._match = match
        self._challenge = challenge
        self._required = required
        self._users: dict[str, AuthenticatedUser] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        outcome = self._look(scope)
        if isinstance(outcome, Key):
            scope["tdmcp.key"] = outcome
            scope["user"] = self._user(outcome.id)
        elif outcome is not None:
            scope[_REFUSED] = outcome
        scope[ADMITTED] = not isinstance(outcome, Refusal)
        await self._app(scope, receive, send)

    def _look(self, scope: Scope) -> Key | Refusal | None:
        token = bearer(scope)
        key = self._match(token) if token is not None else None
        local = is_local(scope)
        if key is not None and (local or not key.local_only):
            return key
        if local and not self._required():
            return None
        if key is not None:
            return Refusal(
                403,
                "key_is_local_only",
                f"This access key works from its own machine only, and this request {why_remote(scope)}. Make one for "
                "remote agents: tdmcp key add NAME --level edit --anywhere.",
            )
        give = _GIVE_KEY if local else GIVE_REMOTE_KEY
        if not local and self._challenge is not None:
            give = f"let this client sign in (OAuth), or {give}"
        if token is None:
            return self._unauthorized(scope, f"An access key is needed: {give}")
        return self._unauthorized(
            scope,
            f"This access key is not valid (it may have been renewed): {give}",
            'error="invalid_token"',
        )

    def _unauthorized(self, scope: Scope, sentence: str, *facts: str) -> Refusal:
        if self._challenge is not None:
            facts = (*facts, self._challenge(scope))
        return Refusal(
            401, "unauthorized", sentence, {"www-authenticate": f"Bearer {', '.join(facts)}".strip()}
        )

    def _user(self, identity: str) -> AuthenticatedUser:
        user = self._users.get(identity)
        if user is None:
            # No token in here: the SDK needs to tell callers apart, and nobody needs to carry the key any further.
            user = self._users[identity] = AuthenticatedUser(
                AccessToken(token="", client_id=identity, scopes=[])
            )
        return user


class KeyGate:
    """401 (or 403) for requests whose key `Identify` found wanting, except to public endpoints.

    Args:
        on_refused: told of each.
    """

    def __init__(
        self, app: ASGIApp, endpoints: Endpoints, on_refused: Callable[[Scope, Refusal], None]
    ) -> None:
        self._app = app
        self._endpoints = endpoints
        self._on_refused = on_refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = scope.get(_REFUSED)
        endpoint = find(self._endpoints, scope["path"])
        if refusal is not None and not (endpoint is not None and endpoint.public):
            self._on_refused(scope, refusal)
            await refuse(scope, receive, send, refusal)
            return
        await self._app(scope, receive, send)


def admitted(scope: Scope) -> bool:
    """Whether `Identify` has found nothing against a request."""
    return _REFUSED not in scope


def key_of(scope: Scope) -> Key | None:
    """The key a request came with, once `Identify` has looked."""
    key = scope.get("tdmcp.key")
    return key if isinstance(key, Key) else None


def bearer(scope: Scope) -> bytes | None:
    """The token of a request's one Authorization header; never looked for in the URL, which ends up in logs."""
    given = headers(scope, b"authorization")
    if len(given) != 1:
        return None
    kind, _, token = given[0].strip().partition(b" ")
    return token.strip() or None if kind.lower() == b"bearer" else None
