"""What can be asked for under which path, and by whom."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, refuse
from tdmcp_embedded.http.hosts import is_local, origin


@dataclass(frozen=True)
class Endpoint:
    """One path.

    `public` ones need no access key. `own_pace` ones do not wait their turn with the MCP requests (`/health` must
    answer while those are being held back); they have a pace of their own. `takes` is the type of what is posted.
    """

    app: ASGIApp
    methods: tuple[str, ...]
    public: bool = False
    own_pace: bool = False
    takes: bytes = b"application/json"


Endpoints = Mapping[str, Endpoint]


def find(endpoints: Endpoints, path: str) -> Endpoint | None:
    """The endpoint of a path, with or without a slash at its end."""
    return endpoints.get(path) or (endpoints.get(path.rstrip("/")) if len(path) > 1 else None)


class Dispatch:
    """The innermost application: hands a request, which has passed every gate, to its endpoint."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = find(self._endpoints, scope["path"])
        assert endpoint is not None, "refused by the method gate"
        await endpoint.app(scope, receive, send)


#: What clients ask for when they think that they can get a token by themselves.
_OF_OAUTH = ("/register", "/authorize", "/token", "/revoke", "/consent")
_WELL_KNOWN = ("/.well-known/oauth-", "/.well-known/openid-")


class NoOAuth(Refusal):
    """The 404 of OAuth's paths while it is off, in the form that OAuth clients show to their user (RFC 6749, 5.2)."""

    def body(self) -> bytes:
        return json.dumps({"error": self.code, "error_description": self.sentence}).encode()


_NO_OAUTH = NoOAuth(
    404,
    "oauth_is_off",
    "This server gives no tokens, since OAuth is off. It needs an access key: pulse Copy Access Key on the Clients page of "
    "the component in TouchDesigner, or run `tdmcp client add`, and give this client the header Authorization: Bearer KEY.",
)


_NO_OAUTH_ELSEWHERE = NoOAuth(
    404,
    "oauth_is_off",
    "This server gives no tokens, since OAuth is off: switch OAuth on, on the Security page of the component in "
    "TouchDesigner, or give this client a key that works from other machines (tdmcp key add NAME --level edit --anywhere) "
    "as the header Authorization: Bearer KEY.",
)


class PathGate:
    """404 for paths that do not exist: to everybody, so that a client looking for OAuth metadata learns there is none.

    While OAuth is off its paths say how to get in without it.
    """

    def __init__(self, app: ASGIApp, endpoints: Endpoints) -> None:
        self._app = app
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if find(self._endpoints, scope["path"]) is None:
            path = scope["path"].rstrip("/")
            if (
                path in _OF_OAUTH
                or path.startswith(_WELL_KNOWN)
                or path.removeprefix("/mcp").startswith(_WELL_KNOWN)
            ):
                await refuse(scope, receive, send, _NO_OAUTH if is_local(scope) else _NO_OAUTH_ELSEWHERE)
                return
            sentence = "There is nothing here; the MCP endpoint is /mcp."
            await refuse(scope, receive, send, Refusal(404, "not_found", sentence))
            return
        await self._app(scope, receive, send)


class MethodGate:
    """405 for methods an endpoint does not have, 415 for bodies that are not what it takes, which is mostly JSON."""

    def __init__(self, app: ASGIApp, endpoints: Endpoints) -> None:
        self._app = app
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(scope, receive, send, refusal)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        endpoint = find(self._endpoints, scope["path"])
        assert endpoint is not None, "refused by the path gate"
        if scope["method"] not in endpoint.methods:
            allowed = ", ".join(endpoint.methods)
            if scope["path"] in ("", "/"):
                sentence = f"The MCP endpoint is {origin(scope)}/mcp; this is the page of the dashboard."
                return Refusal(405, "method_not_allowed", sentence, {"allow": allowed})
            return Refusal(
                405, "method_not_allowed", f"{scope['path']} takes {allowed} requests.", {"allow": allowed}
            )
        if scope["method"] != "POST":
            return None
        kinds = [value for name, value in scope["headers"] if name == b"content-type"]
        # A web page can send the three types of an HTML form to any address without being asked; not this one.
        if len(kinds) != 1 or kinds[0].partition(b";")[0].strip().lower() != endpoint.takes:
            what = "JSON" if endpoint.takes == b"application/json" else "a form"
            sentence = f"Send {what}, with the header Content-Type: {endpoint.takes.decode()}."
            return Refusal(415, "unsupported_media_type", sentence)
        return None
