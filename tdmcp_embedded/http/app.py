"""The HTTP application, assembled: endpoints, and the gates every request passes on its way to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.admission import Admission
from tdmcp_embedded.http.bodies import BodyGate
from tdmcp_embedded.http.credentials import Identify, KeyGate, admitted
from tdmcp_embedded.http.endpoints import Dispatch, Endpoint, MethodGate, PathGate
from tdmcp_embedded.http.head_gate import HeadGate
from tdmcp_embedded.http.health import Health
from tdmcp_embedded.http.hosts import HostGate
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.http.leash import Leash
from tdmcp_embedded.http.metrics import Metrics
from tdmcp_embedded.http.strangers import Strangers
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.settings import Settings

if TYPE_CHECKING:
    from tdmcp_embedded.http.oauth.agents import Agents
    from tdmcp_embedded.http.oauth.site import Site


def build_app(
    mcp: ASGIApp,
    *,
    lifespan: Callable[[], AbstractAsyncContextManager[None]],
    queue: FrameQueue,
    keys: Keys,
    settings: Callable[[], Settings],
    sessions: Callable[[], int] = lambda: 0,
    log: Log | None = None,
    agents: Agents | None = None,
    extra: Mapping[str, Endpoint] | None = None,
    instance_id: str = "",
    instance_secret: str = "",
    certified: Collection[str] = (),
) -> ASGIApp:
    """The application that serves MCP at `/mcp`, `/health` and `/metrics`.

    Args:
        mcp: what answers at `/mcp`; requests come with `scope["tdmcp.key"]` (a `Key`) if they had one.
        lifespan: entered while the application serves. Once: build a new application for every start.
        queue: whose state `/health` shows.
        settings: the settings of the moment; pace, size limit and whether a key is needed change with it at once.
        sessions: how many MCP sessions are open.
        log: where refused keys are told of, and what the calls in `/metrics` are counted from.
        agents: remote agents, if OAuth is switched on; else nothing of it is mounted.
        extra: further endpoints by path.
        certified: the names in the server's certificate.
        instance_id: what `/health` tells this server from others by.
        instance_secret: what it proves with that it is this one (`identity`).
    """
    log = log or Log()
    site = _oauth(agents) if agents is not None else None
    endpoints = {
        **(site.endpoints() if site is not None else {}),
        "/mcp": Endpoint(mcp, ("POST", "GET", "DELETE")),
        "/health": Endpoint(
            Health(queue, sessions, instance_id, instance_secret), ("GET", "HEAD"), public=True, own_pace=True
        ),
        "/metrics": Endpoint(Metrics(queue, sessions, log), ("GET", "HEAD"), own_pace=True),
        **(extra or {}),
    }
    # From the inside out; a request passes them from the last line to the first.
    app: ASGIApp = Leash(
        Dispatch(endpoints), lambda key: keys.valid(key) or (agents is not None and agents.valid(key))
    )
    app = BodyGate(app, lambda: int(settings().max_body_mb * 2**20))
    app = MethodGate(app, endpoints)
    app = KeyGate(app, endpoints, Strangers(log).refused)
    app = PathGate(app, endpoints)
    app = Admission(app, endpoints, lambda: _pace(settings()), admitted, queue.at_frame_end)
    app = Identify(
        app,
        lambda token: keys.match(token) or (agents.match(token) if agents is not None else None),
        lambda: settings().require_key or bool(settings().public_address),
        site.challenge if site is not None else None,
    )
    app = HostGate(app, lambda: settings().public_address, certified)
    app = HeadGate(app)
    return Application(app, lifespan)


def _oauth(agents: Agents) -> Site:
    # Imported only where it is switched on.
    from tdmcp_embedded.http.oauth.site import Site

    return Site(agents)


class Application:
    """Requests go to the gates, the start and the end to the lifespan, and nothing else (WebSockets, say) anywhere."""

    def __init__(self, gates: ASGIApp, lifespan: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        self._gates = gates
        self._lifespan = Router(lifespan=lambda _: lifespan())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._gates(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)


def _pace(settings: Settings) -> tuple[float, int]:
    return settings.requests_per_second, settings.burst
