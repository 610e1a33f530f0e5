"""A server with OAuth on, behind a proxy, without a network, whose time is set by the test."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

from mcp.server.auth.provider import AuthorizationParams
from starlette.responses import PlainTextResponse

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.app import build_app
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.http.oauth.agents import Agents
from tdmcp_embedded.http.oauth.consents import Consents, Decision, Request
from tdmcp_embedded.http.oauth.store import Store
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.settings import Level, Settings
from tests.unit.http.asgi import Answer, ask

VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
CALLBACK = "http://127.0.0.1:1/callback"
#: With what must be escaped in a header, so that it matters whether it is.
SECRET = "s:ec%r/e+t"
PUBLIC = "https://td.example"


class OAuthSite:
    """A server with OAuth and one registered client."""

    def __init__(self, method: str = "none", scope: str = "observe edit full") -> None:
        self.log, self.now, self.ceiling = Log(), time.time(), Level.EDIT
        self.store = Store(clock=lambda: self.now)
        self.consents = Consents(clock=lambda: self.now)
        self.agents = Agents(self.store, self.consents, lambda: self.ceiling, self.log)
        facts = {"client_id": "agent", "client_name": "Agent", "redirect_uris": [CALLBACK]}
        facts |= {"token_endpoint_auth_method": method, "scope": scope}
        facts |= {"client_secret": SECRET} if method != "none" else {}
        self.agents.store.register("agent", facts)
        settings = Settings(public_address=PUBLIC, requests_per_second=1e6, burst=10_000)

        @asynccontextmanager
        async def lifespan() -> Any:
            yield

        self.app = build_app(
            PlainTextResponse("through"),
            lifespan=lifespan,
            queue=FrameQueue(watch=False),
            keys=Keys(),
            settings=lambda: settings,
            log=self.log,
            agents=self.agents,
        )

    def ask(self, method: str, path: str, form: Mapping[str, str] | None = None, **fields: str) -> Answer:
        headers = [(name.replace("_", "-"), value) for name, value in fields.items()]
        if form is not None:
            headers.append(("content-type", "application/x-www-form-urlencoded"))
        body = urlencode(form or {}).encode()
        return self.send(method, path, headers, body)

    def send(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> Answer:
        """Ask with these headers and this body."""
        path, _, query = path.partition("?")
        return asyncio.run(
            ask(
                self.app,
                method,
                path,
                headers=headers,
                body=body,
                host="td.example",
                json_type=False,
                query=query,
            )
        )

    def register(self, address: str, **facts: Any) -> Answer:
        """Register as a client that the proxy has seen at this address."""
        body = json.dumps({"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none", **facts})
        headers = [("content-type", "application/json"), ("x-forwarded-for", address)]
        return self.send("POST", "/register", headers, body.encode())

    def authorize(self, *, accept: str = "application/json", **changed: str | None) -> Answer:
        """What the browser of the registered client asks for first; None leaves a field out."""
        fields: dict[str, str | None] = {
            "response_type": "code", "client_id": "agent", "redirect_uri": CALLBACK, "state": "x",
            "code_challenge": CHALLENGE, "code_challenge_method": "S256", **changed,
        }  # fmt: skip
        query = urlencode({name: value for name, value in fields.items() if value is not None})
        return self.ask("GET", f"/authorize?{query}", accept=accept)

    def waiting(self, **changed: str | None) -> str:
        """The path of the page on which the browser waits."""
        answer = self.authorize(**changed)
        assert answer.status == 302, answer
        return answer.headers["location"].removeprefix(PUBLIC)

    def code(self) -> str:
        """A code that the person has approved."""
        params = AuthorizationParams(
            state="x", scopes=["edit"], code_challenge=CHALLENGE, redirect_uri=CALLBACK,
            redirect_uri_provided_explicitly=True, resource=f"{PUBLIC}/mcp",
        )  # fmt: skip
        request = Request("agent", "Agent", "127.0.0.1", Level.EDIT, params, 1e12, code="ABCD-EFGH")
        request.decision = Decision.APPROVED
        self.agents.code_for(request, PUBLIC)
        return next(reversed(self.agents.codes))
