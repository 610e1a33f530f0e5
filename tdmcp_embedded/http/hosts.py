"""The first gate: requests meant for this server, and not sent by somebody's web page.

A page in the user's browser can reach this server under a name of its own (DNS rebinding: the Host header gives it
away) or directly (the Origin header does). Neither has business here, loopback origins included: any local program
can serve a page. Only a page this very server has delivered may call it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, headers, refuse

#: Headers with which proxies and tunnels say for whom they ask.
_FORWARDED = frozenset(
    {b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"true-client-ip", b"cf-connecting-ip", b"cf-ray"}
)
_LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class HostGate:
    """421 for a foreign Host, 403 for a foreign or `null` Origin.

    What passes carries the address it was sent to in `scope["tdmcp.origin"]`; see `origin`.

    Args:
        public: the address under which a proxy or tunnel makes this server known, like https://td.example.com; or nothing.
    """

    def __init__(self, app: ASGIApp, public: Callable[[], str] = lambda: "") -> None:
        self._app = app
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(scope, receive, send, refusal)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        given = headers(scope, b"host")
        host = given[0].decode("latin-1").lower() if len(given) == 1 else ""
        public = self._public()
        scope["tdmcp.public"] = bool(public) and _plain(host, public) == public.partition("://")[2]
        if not scope["tdmcp.public"] and not self._ours(hostname(host), scope):
            return Refusal(
                421,
                "host_not_allowed",
                "This server is not known by that host name; use the address that the component shows.",
            )
        origins = headers(scope, b"origin")
        # Behind a proxy the connection's own scheme is that of its last stretch.
        own = scope["tdmcp.origin"] = public if scope["tdmcp.public"] else f"{scope['scheme']}://{host}"
        if any(origin.decode("latin-1").lower() != own for origin in origins):
            return Refusal(
                403,
                "origin_not_allowed",
                "Web pages of other origins may not call this server; open its own dashboard instead.",
            )
        return None

    @staticmethod
    def _ours(name: str, scope: Scope) -> bool:
        address = (scope.get("server") or ("", 0))[0]
        if is_loopback(address):
            return name in _LOCAL_NAMES
        # From another machine: the address the request came in by, or this machine's own name.
        machine = socket.gethostname().lower()
        return bool(name) and name in {address.lower(), machine, f"{machine}.local"}


def origin(scope: Scope) -> str:
    """The address a request was sent to, like https://10.0.0.5:9988; the host gate has looked at it."""
    return str(scope["tdmcp.origin"])


def _plain(host: str, public: str) -> str:
    """A Host header without the port that its scheme has anyway."""
    return host.removesuffix(":443" if public.startswith("https:") else ":80")


def hostname(host: str) -> str:
    """The name in a Host header, without port and brackets; empty if it is malformed."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        return name if bracket and (not port or (port[0] == ":" and _is_port(port[1:]))) else ""
    name, colon, port = host.partition(":")
    return name if not colon or _is_port(port) else ""


def _is_port(text: str) -> bool:
    # Other scripts have digits too, and Latin-1 has three of them.
    return text.isascii() and text.isdigit() and int(text) < 65536 if len(text) < 6 else False


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine talking to itself."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def is_local(scope: Scope) -> bool:
    """Whether a request comes from this machine itself.

    One that was forwarded does not: a proxy or tunnel on this machine passes on what others send.
    """
    if scope.get("tdmcp.public"):
        return False
    client = scope.get("client")
    forwarded = any(
        name in _FORWARDED or name.startswith((b"x-forwarded-", b"x_forwarded_"))
        for name, _ in scope["headers"]
    )
    return client is not None and is_loopback(client[0]) and not forwarded
