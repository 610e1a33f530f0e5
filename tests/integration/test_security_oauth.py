"""A remote agent asks to be let in, with the official client's own OAuth; only the person at TouchDesigner can say yes."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from fakes.driver import StandIn
from tests.integration.clients import INITIALIZE, JSON_HEADERS, PATIENCE, request, structured

pytestmark = pytest.mark.anyio

CALLBACK = "http://127.0.0.1:1/callback"


@pytest.fixture(scope="module")
def td() -> Iterator[StandIn]:
    with StandIn("--scene", "empty", "--set", "Oauth=1") as stand_in:
        stand_in.shared = True
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0


class Memory:
    """What an agent remembers between its runs."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Agent:
    """The official client, its browser, and the person who sits before that browser.

    `decide` is what the person at TouchDesigner does once the code is shown there.
    """

    def __init__(
        self, td: StandIn, decide: str, name: str = "Remote Agent", method: Any = "none", url: str = ""
    ) -> None:
        self.method, self.url = method, url or td.url
        self.td, self.memory, self.name = td, Memory(), name
        self._decide = decide
        self.page = self.shown = ""
        self._result: AuthorizationCodeResult | None = None

    async def open(self, url: str) -> None:
        """The browser: waits on the page until the person has decided, and then goes back to the agent."""
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(url)
            assert answer.status_code == 302, answer.text
            waiting = answer.headers["location"]
            first = await browser.get(waiting)
            assert first.status_code == 200
            self.page = first.text
            self.shown = await shown(self.td)
            self.td.exec(f"{component(self.td)}.par.{self._decide}.pulse()")
            with anyio.fail_after(PATIENCE):
                while (answer := await browser.get(waiting)).status_code == 200:
                    await anyio.sleep(0.05)
        assert answer.status_code == 302
        target = answer.headers["location"]
        assert target.startswith(CALLBACK)
        back = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        assert "code" in back, back
        self._result = AuthorizationCodeResult(
            code=back["code"], state=back.get("state"), iss=back.get("iss")
        )

    async def result(self) -> AuthorizationCodeResult:
        assert self._result is not None
        return self._result

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Client]:
        auth = OAuthClientProvider(
            server_url=self.url,
            client_metadata=OAuthClientMetadata(
                client_name=self.name,
                redirect_uris=[CALLBACK],
                token_endpoint_auth_method=self.method,
            ),
            storage=self.memory,
            redirect_handler=self.open,
            callback_handler=self.result,
        )
        async with (
            httpx2.AsyncClient(auth=auth, timeout=PATIENCE) as web,
            Client(streamable_http_client(self.url, http_client=web)) as client,
        ):
            yield client


def component(td: StandIn) -> str:
    return f"op({td.ready['component']!r})"


async def shown(td: StandIn) -> str:
    """What the component shows of the agent that waits; waits for it."""
    with anyio.fail_after(PATIENCE):
        while not (text := td.exec(f"{component(td)}.par.Consent.eval()").strip("'\"")):
            await anyio.sleep(0.05)
    return text


def status(td: StandIn, token: str) -> int:
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {token}"}
    return request(td.url, "POST", INITIALIZE, headers).status


def post(td: StandIn, path: str, body: bytes, kind: str) -> Any:
    return request(td.url.replace("/mcp", path), "POST", body, {"Content-Type": kind})


def form(td: StandIn, path: str, **fields: str) -> Any:
    return post(td, path, urlencode(fields).encode(), "application/x-www-form-urlencoded")


async def test_an_agent_is_let_in_by_the_person_at_touchdesigner_at_the_level_of_the_setting(
    td: StandIn,
) -> None:
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert "create_operator" in names and "execute_python" not in names
        made = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "remote"}
        )
        assert not made.is_error
    code = agent.shown.partition(":")[0]
    assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", code)
    assert code in agent.page and "Remote Agent" in agent.page and "Remote Agent" in agent.shown
    assert td.exec("op('/project1/remote').type") == "'null'"
    assert td.exec(f"{component(td)}.par.Consent.eval()") == "''", "nobody waits any more"


def test_agents_that_come_through_a_tunnel_are_told_its_address(td: StandIn) -> None:
    metadata, public = "/.well-known/oauth-protected-resource/mcp", "https://td.localhost:1"
    own = td.url.removesuffix("/mcp")
    td.exec(f"setattr({component(td)}.par, 'Publicaddress', {public!r})")
    try:
        deadline = time.monotonic() + PATIENCE
        while (told := request(f"{own}{metadata}", headers={"Host": "td.localhost:1"})).status == 421:
            assert time.monotonic() < deadline, "the new address is not taken"
            time.sleep(0.02)
        while "does not answer from here" not in td.exec(f"{component(td)}.par.Status.eval()"):
            assert time.monotonic() < deadline, "Status does not say that nothing listens there"
            time.sleep(0.02)
        assert td.exec(f"{component(td)}.par.Url.eval()").strip("'") == f"{public}/mcp"
        assert f"for this machine at {td.url}" in td.exec(f"{component(td)}.par.Status.eval()")
        bare = request(own + "/", "POST", INITIALIZE, {**JSON_HEADERS, "Host": "td.localhost:1"})
        assert bare.status == 405 and f"{public}/mcp" in bare.body.decode()
    finally:
        td.exec(f"setattr({component(td)}.par, 'Publicaddress', '')")
    answer = json.loads(told.body)
    assert answer["resource"] == f"{public}/mcp"
    assert [server.rstrip("/") for server in answer["authorization_servers"]] == [public]


async def test_lowering_the_level_for_agents_holds_for_those_who_are_in(td: StandIn) -> None:
    move = {"path": "/project1", "position": [0, 0]}
    async with Agent(td, "Approve").connect() as client:
        assert not (await client.call_tool("update_operator", move)).is_error
        td.exec(f"setattr({component(td)}.par, 'Oauthlevel', 'observe')")
        try:
            with anyio.fail_after(PATIENCE):
                while not (answer := await client.call_tool("update_operator", move)).is_error:
                    await anyio.sleep(0.05)
        finally:
            td.exec(f"setattr({component(td)}.par, 'Oauthlevel', 'edit')")
    assert structured(answer)["code"] == "access_denied"


async def test_a_denied_agent_gets_nothing(td: StandIn) -> None:
    agent = Agent(td, "Deny")
    with pytest.raises(BaseException) as caught:
        async with agent.connect():
            pass
    assert "access_denied" in _words(caught.value)
    assert agent.memory.tokens is None


def _words(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return " ".join(_words(inner) for inner in error.exceptions)
    return f"{error!r}"


async def test_tokens_are_renewed_and_again_if_the_answer_was_lost(td: StandIn) -> None:
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        await client.list_tools()
    first, registered = agent.memory.tokens, agent.memory.client
    assert first is not None and first.refresh_token and registered is not None
    assert first.expires_in is not None and 3000 < first.expires_in <= 3600

    def renew(token: str) -> Any:
        return form(
            td, "/token", grant_type="refresh_token", refresh_token=token, client_id=registered.client_id
        )

    second = renew(first.refresh_token)
    assert second.status == 200, second
    assert status(td, first.access_token) == 401, "the old access token is dead"
    assert status(td, second.json["access_token"]) == 200
    again = renew(first.refresh_token)
    assert again.status == 200, "within a minute; what happens later is tested with a clock"
    assert status(td, second.json["access_token"]) == 401
    assert status(td, again.json["access_token"]) == 200


async def test_an_agent_can_give_its_access_back(td: StandIn) -> None:
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        await client.list_tools()
    tokens, registered = agent.memory.tokens, agent.memory.client
    assert tokens is not None and registered is not None
    assert status(td, tokens.access_token) == 200
    answer = form(td, "/revoke", token=tokens.access_token, client_id=registered.client_id, client_secret="")
    assert answer.status == 200, answer
    assert status(td, tokens.access_token) == 401


async def test_the_person_can_turn_everybody_out(td: StandIn) -> None:
    agent = Agent(td, "Approve", method="client_secret_basic")
    async with agent.connect() as client:
        await client.list_tools()
    tokens = agent.memory.tokens
    assert tokens is not None and status(td, tokens.access_token) == 200
    td.exec(f"{component(td)}.par.Forgetagents.pulse()")
    end = time.monotonic() + PATIENCE
    while status(td, tokens.access_token) != 401:
        assert time.monotonic() < end
        await anyio.sleep(0.05)
    assert td.token and status(td, td.token) == 200, "keys are no agents"


async def test_the_dashboard_can_decide_with_the_owners_key_and_with_no_other(td: StandIn) -> None:
    desk = td.url.replace("/mcp", "/api/consent")
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        await client.list_tools()
    assert agent.memory.tokens is not None
    async with httpx2.AsyncClient() as browser:
        waiting = (await browser.get(_authorize(td, agent))).headers["location"]
        code = (await shown(td)).partition(":")[0]
        body = f'{{"id": "{code}", "allow": true}}'.encode()
        inside = {"Authorization": f"Bearer {agent.memory.tokens.access_token}"}
        refused = request(desk, "POST", body, {**JSON_HEADERS, **inside})
        assert refused.status == 403, "who was let in must not let others in"
        assert (await browser.get(waiting)).status_code == 200
        allowed = request(desk, "POST", body, {**JSON_HEADERS, **td.headers})
        assert allowed.json == {"open": True}
        answer = await browser.get(waiting)
    assert answer.status_code == 302 and "code=" in answer.headers["location"]


def _authorize(td: StandIn, agent: Agent) -> str:
    """Where the browser of an agent that is registered goes first."""
    assert agent.memory.client is not None
    asked = {
        "response_type": "code",
        "client_id": agent.memory.client.client_id,
        "redirect_uri": CALLBACK,
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
        "state": "x",
    }
    return td.url.replace("/mcp", "/authorize?") + urlencode(asked)


def test_a_refused_client_is_told_where_to_ask(td: StandIn) -> None:
    answer = request(td.url, "POST", INITIALIZE, JSON_HEADERS)
    assert answer.status == 401
    found = re.search(r'resource_metadata="([^"]+)"', answer.headers["www-authenticate"])
    assert found is not None
    metadata = request(found[1]).json
    assert metadata["resource"] == td.url and metadata["scopes_supported"] == ["observe", "edit"]
    server = request(f"{metadata['authorization_servers'][0]}/.well-known/oauth-authorization-server").json
    assert server["code_challenge_methods_supported"] == ["S256"]


FOREIGN = "https://other.example/mcp"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

#: (what is other than in a right request to /authorize, the error; None for an answer that goes on to the consent page)
REQUESTS: list[tuple[dict[str, str | None], str | None]] = [
    ({}, None),
    ({"resource": "OWN"}, None),
    ({"resource": "OWN/"}, None),
    ({"scope": "observe edit"}, None),
    ({"resource": FOREIGN}, "invalid_target"),
    ({"resource": ""}, "invalid_target"),
    ({"resource": "OWN.evil.example"}, "invalid_target"),
    ({"resource": "OWN?x"}, "invalid_target"),
    ({"scope": "root"}, None),
    ({"resource": "OWN#x"}, "invalid_target"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": None}, "invalid_request"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": "short"}, "invalid_request"),
    ({"code_challenge": "a" * 129}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"client_id": "nobody"}, "invalid_request"),
    ({"client_id": None}, "invalid_request"),
    ({"redirect_uri": "https://evil.example/"}, "invalid_request"),
    ({"redirect_uri": CALLBACK + "/more"}, "invalid_request"),
    ({"redirect_uri": "javascript:alert(1)"}, "invalid_request"),
]


@pytest.fixture(scope="module")
def registered(td: StandIn) -> str:
    """The id of a client that anybody could have registered."""
    body = f'{{"redirect_uris": ["{CALLBACK}"], "token_endpoint_auth_method": "none"}}'.encode()
    deadline = time.monotonic() + PATIENCE
    while (answer := post(td, "/register", body, "application/json")).status != 201:
        assert time.monotonic() < deadline, answer
        time.sleep(0.2)  # registrations have a pace of their own
    return str(answer.json["client_id"])


def deny(td: StandIn, page: str) -> None:
    """Have the one that waits wait no more."""
    deadline = time.monotonic() + PATIENCE
    while httpx2.get(page).status_code == 200:
        td.exec(f"{component(td)}.par.Deny.pulse()")
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize(("changed", "error"), REQUESTS)
def test_nobody_is_redirected_anywhere_before_the_person_has_decided(
    td: StandIn, registered: str, changed: dict[str, str | None], error: str | None
) -> None:
    asked: dict[str, str | None] = {
        "response_type": "code",
        "client_id": registered,
        "redirect_uri": CALLBACK,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": "x",
        **changed,
    }
    fields = {name: value.replace("OWN", td.url) for name, value in asked.items() if value is not None}
    url = td.url.replace("/mcp", "/authorize?") + urlencode(fields)
    answer = httpx2.get(url)
    if error is None:
        assert answer.status_code == 302
        assert answer.headers["location"].startswith(td.url.replace("/mcp", "/consent?request="))
        deny(td, answer.headers["location"])
        return
    assert answer.status_code == 400 and "location" not in answer.headers
    assert answer.json()["error"] == error and answer.json()["error_description"]


@pytest.mark.parametrize("grant", ["authorization_code", "refresh_token"])
def test_a_token_for_another_server_is_not_given(td: StandIn, registered: str, grant: str) -> None:
    answer = form(td, "/token", grant_type=grant, client_id=registered, resource=FOREIGN)
    assert answer.status == 400 and answer.json["error"] == "invalid_target"
    own = form(td, "/token", grant_type=grant, client_id=registered, resource=td.url)
    assert own.status == 400 and own.json["error"] != "invalid_target"


JSON, FORM = "application/json", "application/x-www-form-urlencoded"

#: (path, content type, body, status); nobody needs a key for any of these
PUBLIC: list[tuple[str, str, bytes, int]] = [
    ("/register", JSON, b"", 400),
    ("/register", JSON, b"null", 400),
    ("/register", JSON, b"[]", 400),
    ("/register", JSON, b"[" * 10_000, 400),
    ("/register", JSON, b"\xff\xfe", 400),
    ("/register", JSON, b'{"redirect_uris": [1]}', 400),
    ("/register", JSON, b'{"redirect_uris": []}', 400),
    ("/register", JSON, b'{"redirect_uris": ' + b"[" * 3000 + b"]" * 3000 + b"}", 400),
    ("/register", JSON, b'{"redirect_uris": ["http://127.0.0.1/"], "x": ' + b"1" * 5000 + b"}", 400),
    ("/register", JSON, b'{"redirect_uris": ["http://127.0.0.1/"], "client_name": "\\ud800"}', 400),
    ("/register", JSON, b'{"redirect_uris": ["http://127.0.0.1/"], "x": "' + b"x" * 20_000 + b'"}', 400),
    ("/register", JSON, b" " * 5_000_000, 400),
    ("/register", FORM, b"redirect_uris=http://127.0.0.1/", 415),
    ("/token", FORM, b"", 401),
    ("/token", FORM, b"\xff", 401),
    ("/token", FORM, b"grant_type=authorization_code&code=%00&client_id=%00&code_verifier=x", 401),
    ("/token", FORM, b"a=b&" * 2000, 400),
    ("/token", FORM, b"a=" + b"b" * 20_000, 400),
    ("/token", JSON, b"{}", 415),
    ("/token", "multipart/form-data; boundary=x", b"--x--", 415),
    ("/revoke", FORM, b"token=%00&client_id=x", 401),
    ("/revoke", FORM, b"a=b&" * 2000, 400),
]


@pytest.mark.parametrize(("path", "kind", "body", "expected"), PUBLIC)
def test_what_anybody_may_send_is_refused_without_a_fault(
    td: StandIn, path: str, kind: str, body: bytes, expected: int
) -> None:
    answer = post(td, path, body, kind)
    assert answer.status == expected, answer
    assert answer.json["error"] and b"Traceback" not in answer.body


async def test_the_token_of_an_agent_renews_no_key(td: StandIn) -> None:
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        await client.list_tools()
    assert agent.memory.tokens is not None
    token = agent.memory.tokens.access_token
    headers = {**JSON_HEADERS, "Authorization": f"Bearer {token}"}
    answer = request(td.url.replace("/mcp", "/api/renew"), "POST", b"{}", headers)
    assert answer.status == 403 and answer.json["error"]["code"] == "access_denied"
    assert status(td, token) == 200, "it is as good as before"
    assert td.token and status(td, td.token) == 200


def test_an_address_that_must_not_get_a_code_is_not_registered(td: StandIn) -> None:
    body = b'{"redirect_uris": ["javascript:alert(1)"], "token_endpoint_auth_method": "none"}'
    answer = post(td, "/register", body, "application/json")
    assert answer.status == 400 and answer.json["error"] == "invalid_redirect_uri", answer


# This module's server has another port afterwards, and counts registrations anew.
async def test_an_agent_stays_signed_in_when_the_server_starts_again(td: StandIn) -> None:
    agent = Agent(td, "Approve")
    async with agent.connect() as client:
        await client.list_tools()
    assert agent.memory.tokens is not None
    td.exec(f"{component(td)}.par.Restart.pulse()")
    with anyio.fail_after(PATIENCE):
        while (url := td.exec(f"{component(td)}.par.Url.eval()").strip("'")) in ("", td.url):
            await anyio.sleep(0.05)
    td.ready.update(url=url, port=urlsplit(url).port)
    assert status(td, agent.memory.tokens.access_token) == 200


def test_unless_it_is_switched_on_there_is_nothing_of_it() -> None:
    with StandIn("--scene", "empty") as plain:
        for path in (
            "/.well-known/oauth-authorization-server",
            "/.well-known/oauth-protected-resource/mcp",
            "/authorize",
            "/token",
            "/register",
            "/consent",
        ):
            answer = request(plain.url.replace("/mcp", path))
            assert answer.status == 404 and "access key" in answer.json["error_description"]
        refused = request(plain.url, "POST", INITIALIZE, JSON_HEADERS)
        assert "resource_metadata" not in refused.headers["www-authenticate"]


def test_a_flood_of_registrations_is_held_off(td: StandIn) -> None:
    body = f'{{"redirect_uris": ["{CALLBACK}"], "token_endpoint_auth_method": "none"}}'.encode()
    answers = [post(td, "/register", body, "application/json") for _ in range(15)]
    assert answers[-1].status == 429 and int(answers[-1].headers["retry-after"]) >= 1
    assert "Too many registrations" in answers[-1].json["error_description"]


def test_while_an_agent_waits_status_says_so(td: StandIn, registered: str) -> None:
    def status_says(wanted: bool) -> bool:
        said = td.exec(f"{component(td)}.par.Status.eval()")
        return ("waits for your approval" in said) is wanted

    def await_status(wanted: bool) -> None:
        deadline = time.monotonic() + PATIENCE
        while not status_says(wanted):
            assert time.monotonic() < deadline
            time.sleep(0.02)

    asked = {
        "response_type": "code",
        "client_id": registered,
        "redirect_uri": CALLBACK,
        "code_challenge": CHALLENGE,
    }
    waiting = httpx2.get(td.url.replace("/mcp", "/authorize?") + urlencode(asked)).headers["location"]
    await_status(True)
    deny(td, waiting)
    await_status(False)
