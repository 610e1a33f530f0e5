"""The dashboard: its page at `/`, and what the page asks for under `/api/`, with the key of whoever looks at it."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import math
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tdmcp_embedded import __version__
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.http.browser_codes import BrowserCodes
from tdmcp_embedded.http.condition import condition
from tdmcp_embedded.http.connecting import KEY, ways_from_elsewhere, ways_to_connect
from tdmcp_embedded.http.credentials import key_of
from tdmcp_embedded.http.endpoints import Endpoint
from tdmcp_embedded.http.feed import Feed
from tdmcp_embedded.http.hosts import is_local
from tdmcp_embedded.http.keys import Key, Keys
from tdmcp_embedded.http.leash import let_go
from tdmcp_embedded.http.pages import pages
from tdmcp_embedded.http.visitors import visitors
from tdmcp_embedded.protocol import access, arguments, runner
from tdmcp_embedded.protocol.requests import Host
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Call
from tdmcp_embedded.touchdesigner import drawing, previews

_log = logging.getLogger(__name__)

#: What the frame queue knows the dashboard by, so that it shares its turns with the agents fairly.
SESSION: Final = "dashboard"
#: Seconds a look into TouchDesigner may take; the page then says why it did not get one.
_PATIENCE: Final = 15.0
#: Samples of a curve: one for each second pixel of a tile.
_CURVE: Final = 64
_CHANNELS: Final = 6

Answer = Callable[[Request], Awaitable[dict[str, Any]]]

#: HTTP status of a failure, by its code; the page shows the sentence in any case.
_STATUS: Final = {
    Code.OPERATOR_NOT_FOUND: 404,
    Code.ACCESS_DENIED: 403,
    Code.BUSY: 503,
    Code.MAIN_THREAD_STALLED: 503,
    Code.NOT_STARTED: 503,
    Code.STILL_RUNNING: 503,
    Code.TIME_LIMIT: 503,
    Code.CANCELLED: 503,
    Code.TD_ERROR: 500,
    Code.PYTHON_ERROR: 500,
    Code.INTERNAL_ERROR: 500,
}


class Consents(Protocol):
    """Questions to the person at the dashboard, such as whether a client may have access (OAuth)."""

    def pending(self) -> list[dict[str, Any]]:
        """Open questions: `id`, `title`, `text`."""

    def decide(self, question: str, allow: bool) -> bool:
        """Answer one; whether it was still open."""


class Dashboard:
    """The endpoints of the dashboard.

    Args:
        host: the TouchDesigner it looks into.
        keys: whose holders may renew their own.
        sessions: how many MCP sessions are open.
        is_open: whether a session, by its id, is.
        warning: what a person should know, or nothing.
        renewed: called after a key was renewed, so that the registry of running servers learns of it.
        consents: where questions to the person come from, if from anywhere.
        codes: with which the browser of this machine fetches the key.
    """

    def __init__(
        self,
        host: Host,
        keys: Keys,
        *,
        sessions: Callable[[], int],
        is_open: Callable[[str], bool],
        warning: Callable[[], str] = lambda: "",
        renewed: Callable[[], None] = lambda: None,
        consents: Consents | None = None,
        codes: BrowserCodes | None = None,
    ) -> None:
        self._host, self._keys = host, keys
        self._sessions, self._is_open = sessions, is_open
        self._warning, self._renewed, self._consents = warning, renewed, consents
        self._codes = codes or BrowserCodes()
        self._feed = Feed(host.queue, host.log, self._state)

    def endpoints(self) -> dict[str, Endpoint]:
        """By path, for `build_app`."""
        asked: dict[str, Answer] = {
            "/api/me": self._me,
            "/api/network": self._network,
            "/api/previews": self._previews,
            "/api/operator": self._operator,
            "/api/errors": self._errors,
        }
        found = pages()
        found |= {path: Endpoint(_json(answer), ("GET",)) for path, answer in asked.items()}
        found["/api/events"] = Endpoint(self._feed, ("GET",))
        found["/api/browser"] = Endpoint(_json(self._browser), ("POST",), public=True)
        found["/api/renew"] = Endpoint(_json(self._renew), ("POST",))
        if self._consents is not None:
            found["/api/consent"] = Endpoint(_json(self._consent), ("POST",))
        return found

    def close(self) -> None:
        """End the open streams; on the event loop, before the server stops."""
        self._feed.close()

    # -- what is known without asking the main thread ----------------------------------------------------------

    def _state(self, key: Key | None) -> dict[str, Any]:
        host, stats = self._host, self._host.queue.stats()
        known = ("name", "project", "project_folder", "saved", "modified", "build", "url", "component", "pid",
                 "perform_mode", "playing", "fps")  # fmt: skip
        return {
            "condition": condition(stats, host.facts).as_dict(),
            "warning": self._warning(),
            "version": __version__,
            "facts": {name: host.facts[name] for name in known if name in host.facts},
            "sessions": self._sessions(),
            "clients": visitors(host.log.ring.since(0), self._is_open),
            "queue": stats if self._level(key) is Level.FULL else host.queue.stats(key.id if key else ""),
            "budget_ms": host.settings().budget_ms,
            "consents": self._consents.pending() if self._consents is not None and self._decides(key) else [],
        }

    async def _me(self, request: Request) -> dict[str, Any]:
        """What the key that the page holds may do, how a client connects with it, and what other keys there are."""
        key = key_of(request.scope)
        facts: dict[str, Any] = {
            "level": self._level(key).value,
            "url": self._host.facts.get("url", ""),
            "needs_key": self._host.settings().require_key,
            # The key of the page may be for this machine only: it is shown with the address that it works at.
            "connect": self._ways(is_local(request.scope)),
        }
        if key is not None:
            facts["key"] = _told(key)
            if key.level is Level.FULL:
                facts["keys"] = [_told(other) for other in self._keys]
        return facts

    def _ways(self, local: bool) -> list[dict[str, str]]:
        url, settings = str(self._host.facts.get("url", "")), self._host.settings()
        if not local:
            return ways_to_connect(url, "" if settings.oauth else KEY, local=False)
        here = str(self._host.facts.get("local_url", ""))
        ways = ways_to_connect(here)
        return ways + (ways_from_elsewhere(url, oauth=settings.oauth) if url != here else [])

    # -- looks into TouchDesigner ------------------------------------------------------------------------------

    async def _network(self, request: Request) -> dict[str, Any]:
        path = request.query_params.get("path", "/")
        found: dict[str, Any] = await self._on_frames(request, lambda: drawing.draw(self._host.td, path))
        return found

    async def _previews(self, request: Request) -> dict[str, Any]:
        """Pictures and curves by path. None in Perform mode: then every millisecond belongs to the show."""
        if self._host.facts.get("perform_mode"):
            return {"previews": {}, "note": "No pictures in Perform mode."}
        paths = request.query_params.getlist("path")
        component = str(self._host.facts.get("component", ""))
        most = math.inf if "any_cost" in request.query_params else self._host.settings().budget_ms
        found = await self._on_frames(request, lambda: previews.look(self._host.td, paths, component, most))
        return {"previews": await asyncio.to_thread(_shaped, found)}

    async def _operator(self, request: Request) -> dict[str, Any]:
        asked = {
            "paths": [request.query_params.get("path", "")],
            "parameters": request.query_params.get("parameters", "changed"),
        }
        return await self._tool(request, "inspect_operator", asked)

    async def _errors(self, request: Request) -> dict[str, Any]:
        asked = {"path": request.query_params.get("path", "/"), "limit": 100}
        return await self._tool(request, "check_errors", asked)

    async def _on_frames(self, request: Request, work: Callable[[], Any]) -> Any:
        job = self._host.queue.submit(
            work,
            session=SESSION,
            owner=_owner(request),
            label="dashboard",
            deadline=_PATIENCE,
            remember=False,
        )
        try:
            return await asyncio.wrap_future(job.future)
        except asyncio.CancelledError:
            self._host.queue.cancel(job.id)
            raise

    async def _tool(self, request: Request, name: str, given: dict[str, Any]) -> dict[str, Any]:
        tool = TABLE[name]
        call = Call(
            td=self._host.td,
            settings=self._host.settings(),
            queue=self._host.queue,
            level=self._level(key_of(request.scope)),
            session=SESSION,
            owner=_owner(request),
            client=SESSION,
            tool=name,
            instance=dict(self._host.facts),
        )
        output = await runner.run(call, tool, arguments.parse(tool, given))
        return output.structured()

    # -- what a person does ------------------------------------------------------------------------------------

    async def _renew(self, request: Request) -> dict[str, Any]:
        """A new token for the key that the page holds; the old one stops working at once."""
        key = key_of(request.scope)
        if key is None:
            raise ToolFailure(
                Code.PRECONDITION_FAILED,
                "This server asks for no key at the moment, so there is none to renew.",
                hint="Switch Require Key on, on the component's Security page.",
            )
        if self._keys.find(key.name) != key:
            raise ToolFailure(
                Code.ACCESS_DENIED,
                "A token that was given to a remote agent (OAuth) is no access key, and cannot be renewed here.",
                hint="The agent renews it by itself; access keys are renewed with their own token.",
            )
        let_go(request.scope)
        try:
            fresh = await asyncio.to_thread(self._keys.renew, key.name)
        except (OSError, KeyError) as error:
            raise ToolFailure(Code.INTERNAL_ERROR, f"The key could not be renewed: {error}.") from None
        address = request.client.host if request.client else ""
        self._host.log.access(
            "The access key was renewed on the dashboard.", "ok", key=key.name, address=address
        )
        self._renewed()
        return {"token": fresh.token}

    async def _browser(self, request: Request) -> dict[str, Any]:
        """The access key for the browser that the component has just opened on this machine."""
        code = _code(await request.body())
        if not is_local(request.scope) or not self._codes.redeem(code):
            raise ToolFailure(
                Code.ACCESS_DENIED,
                "This address was good for one visit within a minute, on the machine of TouchDesigner.",
                hint="Pulse Open Dashboard again, or paste the access key.",
            )
        return {"token": self._keys.first().token}

    async def _consent(self, request: Request) -> dict[str, Any]:
        assert self._consents is not None
        key = key_of(request.scope)
        if not self._decides(key):
            raise ToolFailure(
                Code.ACCESS_DENIED,
                "Only the person at this machine can decide this, with the key of the component.",
                hint="Pulse Approve or Deny on the component's Security page.",
            )
        question, allow = _decision(await request.body())
        return {"open": self._consents.decide(question, allow)}

    def _decides(self, key: Key | None) -> bool:
        """Whether this is the person at the machine: who was let in, or holds a lesser key, must not let others in."""
        return key is not None and key.local_only and self._level(key) is Level.FULL

    def _level(self, key: Key | None) -> Level:
        level = key.level if key is not None else Level.FULL
        return access.effective_level(level, self._host.settings(), self._host.facts)


def _json(answer: Answer) -> ASGIApp:
    """An endpoint that answers with a JSON object, or says what went wrong in the shape of a tool's failure.

    What is wrong with a request is a `ToolFailure`. Any other exception is a fault of ours: 500, and in the log.
    """

    async def endpoint(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
        try:
            response = JSONResponse(await answer(Request(scope, receive)), 200, headers)
        except ClientDisconnect:
            return  # nobody is left to be answered
        except ToolFailure as failure:
            error, status = failure.structured(), _STATUS.get(failure.code, 400)
            response = JSONResponse({"error": error}, status, headers)
        except Exception:  # noqa: BLE001 - no traceback of ours may reach a client
            _log.exception("The dashboard's %s failed.", scope["path"])
            fault = ToolFailure(
                Code.INTERNAL_ERROR,
                "The server failed to answer the dashboard; this is a fault of the server, not of the request.",
                hint="The log on the component's About page has the details.",
            )
            response = JSONResponse({"error": fault.structured()}, 500, headers)
        await response(scope, receive, send)

    return endpoint


def _owner(request: Request) -> str:
    key = key_of(request.scope)
    return key.id if key is not None else ""


def _code(body: bytes) -> str:
    """The code in a request; "" where there is none."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    code = given.get("code") if isinstance(given, dict) else None
    return code if isinstance(code, str) else ""


def _decision(body: bytes) -> tuple[str, bool]:
    """Which question is answered, and whether with yes.

    Raises:
        ToolFailure: `value_invalid`.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if (
        not isinstance(given, dict)
        or not isinstance(given.get("id"), str)
        or not isinstance(given.get("allow"), bool)
    ):
        raise ToolFailure(
            Code.VALUE_INVALID,
            "The body is not the answer to a question.",
            hint='Send JSON like {"id": "...", "allow": true}.',
        )
    return given["id"], given["allow"]


def _told(key: Key) -> dict[str, Any]:
    """A key without its token."""
    return {
        "name": key.name,
        "level": key.level.value,
        "local_only": key.local_only,
        "expires": key.expires,
        "created": key.created,
    }


def _shaped(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What was looked at, as JSON: `image` a data address, `curves` a few channels of few samples."""
    shaped: dict[str, Any] = {}
    for path, taken in found.items():
        if "png" in taken:
            shaped[path] = {
                "image": "data:image/png;base64," + base64.b64encode(taken["png"]).decode("ascii")
            }
            continue
        names, samples = taken["names"][:_CHANNELS], taken["samples"][:_CHANNELS]
        step = max(1, samples.shape[1] // _CURVE) if samples.ndim == 2 else 1
        shaped[path] = {
            "curves": [
                {"name": name, "samples": [_number(value) for value in row[::step][: 2 * _CURVE]]}
                for name, row in zip(names, samples, strict=False)
            ],
            "channels": len(taken["names"]),
        }
    return shaped


def _number(value: Any) -> float | None:
    """JSON knows neither infinity nor NaN."""
    number = float(value)
    return round(number, 5) if abs(number) < 1e30 else None
