"""The first gate: requests meant for this server, and not sent by somebody's web page.

A page in the user's browser can reach this server under a name of its own (DNS rebinding: the Host header gives it
away) or directly (the Origin header does). Neither has business here, loopback origins included: any local program
can serve a page. Only a page this very server has delivered may call it.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Collection
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.http.answers import Refusal, headers, refuse
from tdmcp_embedded.http.certificate_names import matches

#: Headers with which proxies, tunnels and delivery networks say for whom they ask, and how the names of others begin.
_PROXY_HEADERS: Final = frozenset(
    {
        b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"x-cluster-client-ip", b"true-client-ip", b"cdn-loop",
        b"fastly-client-ip", b"x-original-forwarded-for", b"x-original-host", b"x-original-url", b"x-rewrite-url",
        b"x-arr-log-id", b"x-amzn-trace-id", b"x-cloud-trace-context", b"x-request-start", b"proxy-connection",
    }
)  # fmt: skip
_PROXY_PREFIXES: Final = (
    b"x-forwarded", b"x_forwarded", b"cf-", b"x-envoy-", b"x-proxy", b"x-azure-", b"x-vercel-", b"x-ngrok-", b"ngrok-",
    b"fly-", b"tailscale-",
)  # fmt: skip
_LOCAL_NAMES: Final = frozenset({"127.0.0.1", "localhost", "::1"})


class HostGate:
    """421 for a foreign Host, 403 for a foreign or `null` Origin.

    What passes carries the address it was sent to in `scope["tdmcp.origin"]` (see `origin`), and in
    `scope["tdmcp.remote"]` why it does not come from this machine, or nothing (see `is_local`).

    Args:
        public: the address under which a proxy or tunnel makes this server known, like https://td.example.com; or nothing.
        certified: names of the server's certificate; over TLS it is known by these as well.
    """

    def __init__(
        self, app: ASGIApp, public: Callable[[], str] = lambda: "", certified: Collection[str] = ()
    ) -> None:
        self._app = app
        self._certified = certified
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
        by_public_name = bool(public) and _plain(host, public) == public.partition("://")[2]
        if not by_public_name and not self._ours(hostname(host), scope):
            return Refusal(
                421,
                "host_not_allowed",
                "This server is not known by that host name; use the address that the component shows.",
            )
        scope["tdmcp.remote"] = (
            f"was sent to {public}" if by_public_name else _not_local(scope, hostname(host))
        )
        scope["tdmcp.forwarded"] = _forwarded(scope) if public else ""
        origins = headers(scope, b"origin")
        # Behind a proxy the connection's own scheme is that of its last stretch, and so may be the Host.
        proxied = by_public_name or bool(public and _comes_by_proxy(scope))
        own = scope["tdmcp.origin"] = public if proxied else f"{scope['scheme']}://{host}"
        if any(origin.decode("latin-1").lower() != own for origin in origins):
            return Refusal(
                403,
                "origin_not_allowed",
                "Web pages of other origins may not call this server; open its own dashboard instead.",
            )
        return None

    def _ours(self, name: str, scope: Scope) -> bool:
        # A page that has rebound a name of its own to this machine has no certificate for one of ours.
        if name and scope["scheme"] == "https" and matches(name, self._certified):
            return True
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
    """Whether a request comes from this machine itself; False if the host gate has not looked at it.

    One that shows any sign of a proxy does not: a proxy or tunnel on this machine passes on what others send. A tunnel
    that passes on bytes, with a loopback Host that its far end sends, shows none and cannot be told.
    """
    return scope.get("tdmcp.remote") == ""


def caller_address(scope: Scope) -> str:
    """The address of who asks: behind the proxy of Public Address what that says, else the connection's."""
    client = scope.get("client")
    return forwarded_address(scope) or (str(client[0]) if client else "")


def forwarded_address(scope: Scope) -> str:
    """For which address a trusted proxy asks; nothing without one.

    Trusted is a proxy on this machine, while Public Address is set.
    """
    return str(scope.get("tdmcp.forwarded", ""))


def _forwarded(scope: Scope) -> str:
    client = scope.get("client")
    if client is None or not is_loopback(client[0]):
        return ""
    lines = headers(scope, b"x-forwarded-for") or headers(scope, b"x-real-ip")
    # The last entry is what the proxy itself has seen; those before it are what its client claims.
    last = lines[-1].decode("latin-1").rpartition(",")[2].strip() if lines else ""
    try:
        return str(ipaddress.ip_address(last.strip("[]")))
    except ValueError:
        return ""


def why_remote(scope: Scope) -> str:
    """Why a request does not count as from this machine, as the end of a sentence about the request."""
    return str(scope.get("tdmcp.remote", ""))


def _not_local(scope: Scope, name: str) -> str:
    client = scope.get("client")
    if client is None or not is_loopback(client[0]):
        return "comes from another machine"
    if name not in _LOCAL_NAMES:
        return "was sent to another name than this machine's loopback address"
    return _comes_by_proxy(scope)


def _comes_by_proxy(scope: Scope) -> str:
    """The sign of a proxy that a request shows, or nothing."""
    for name, _ in scope["headers"]:
        if name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES):
            return f"came by a proxy or tunnel (it has the header {name.decode('latin-1')})"
    # What nginx speaks to the servers behind it unless told otherwise, with the Host rewritten and nothing added. MCP
    # clients and browsers speak 1.1.
    if scope.get("http_version") == "1.0":
        return "came by a proxy or tunnel (it is in HTTP/1.0)"
    return ""
