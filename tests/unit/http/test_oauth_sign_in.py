"""A remote agent signs in: what it may ask for, what its person sees, and what both are told when it cannot go on."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from tdmcp_embedded.http.oauth.consents import PATIENCE_S
from tdmcp_embedded.http.oauth.grants import GRACE_S
from tdmcp_embedded.http.oauth.page import HEADERS
from tdmcp_embedded.http.oauth.resource_url import same_url
from tdmcp_embedded.settings import Level
from tests.unit.http.oauth_site import CALLBACK, PUBLIC, VERIFIER, OAuthSite

SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource/mcp"
ROOT = "/.well-known/oauth-protected-resource"
HTML = "text/html,application/xhtml+xml"


def signed_in(site: OAuthSite, **changed: str | None) -> dict[str, str]:
    """The tokens of the agent, once it is approved."""
    page = site.waiting(**changed)
    request = site.consents.waiting()[-1]
    assert site.agents.decide(request.id, True)
    back = parse_qs(urlsplit(site.ask("GET", page).headers["location"]).query)
    form = {"grant_type": "authorization_code", "code": back["code"][0], "code_verifier": VERIFIER}
    answer = site.ask("POST", "/token", {**form, "redirect_uri": CALLBACK, "client_id": "agent"})
    assert answer.status == 200, answer
    tokens: dict[str, str] = json.loads(answer.body)
    return tokens


def refreshed(site: OAuthSite, token: str, **more: str) -> int:
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": "agent", **more}
    return site.ask("POST", "/token", form).status


# The registration


def test_a_browser_whose_client_is_not_known_is_told_what_to_do_for_which_client() -> None:
    answer = OAuthSite().authorize(client_id="forgotten", accept=HTML)
    text = answer.body.decode()
    assert answer.status == 400 and answer.headers["content-type"].startswith("text/html")
    for words in (
        "Claude Code",
        "claude mcp logout NAME",
        "Clear authentication",
        "mcp-remote",
        ".mcp-auth",
        "Other clients",
    ):
        assert words in text
    assert answer.headers["content-security-policy"] == HEADERS["content-security-policy"]
    asked_by_program = OAuthSite().authorize(client_id="forgotten")
    assert json.loads(asked_by_program.body)["error"] == "invalid_request"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"resource": "https://other.example/mcp"}, "Tokens of this server"),
        ({"code_challenge": None}, "code_challenge"),
        ({"redirect_uri": "https://<script>.example/"}, "redirect"),
    ],
)
def test_a_browser_sees_what_else_is_wrong_as_a_page(changed: dict[str, str | None], words: str) -> None:
    answer = OAuthSite().authorize(accept=HTML, **changed)
    text = answer.body.decode()
    assert answer.status == 400 and "location" not in answer.headers
    assert "<h1>The agent cannot sign in</h1>" in text and words in text.lower() + text
    assert "<script" not in text


def test_too_many_registrations_of_one_address_are_refused_and_others_let_through() -> None:
    site = OAuthSite()
    answers = [site.register("203.0.113.9") for _ in range(12)]
    assert [answer.status for answer in answers] == [201] * 10 + [429] * 2
    assert 0 < int(answers[-1].headers["retry-after"]) <= 10
    assert "register again in" in json.loads(answers[-1].body)["error_description"]
    assert site.register("203.0.113.10").status == 201


# Levels


@pytest.mark.parametrize(
    ("asked", "level"),
    [
        (None, "edit"),
        ("", "edit"),
        ("observe", "observe"),
        ("observe edit", "edit"),
        ("full", "edit"),
        ("openid offline_access", "edit"),
        ("openid observe", "observe"),
    ],
)
def test_an_agent_gets_the_level_it_asks_for_or_that_of_the_setting_and_its_page_names_it(
    asked: str | None, level: str
) -> None:
    site = OAuthSite()
    page = site.waiting(scope=asked)
    assert f"(level <strong>{level}</strong>)" in site.ask("GET", page).body.decode()
    assert f"asks for level {level}." in site.consents.waiting()[0].sentence()
    assert signed_in(site, scope=asked)["scope"] == level


def test_a_raised_level_holds_at_once_for_new_sign_ins_of_clients_that_registered_before() -> None:
    site = OAuthSite(scope="observe edit")
    assert signed_in(site, scope="observe edit full")["scope"] == "edit"
    site.ceiling = Level.FULL
    offered = ["observe", "edit", "full"]
    assert json.loads(site.ask("GET", RESOURCE).body)["scopes_supported"] == offered
    assert json.loads(site.ask("GET", SERVER).body)["scopes_supported"] == offered
    assert signed_in(site, scope="observe edit full")["scope"] == "full"


def test_unknown_scopes_of_a_registration_are_dropped() -> None:
    answer = OAuthSite().register("203.0.113.9", scope="openid observe profile")
    assert (answer.status, json.loads(answer.body)["scope"]) == (201, "observe")


def test_the_challenge_names_the_scopes() -> None:
    challenge = OAuthSite().ask("GET", "/mcp").headers["www-authenticate"]
    assert challenge == f'Bearer resource_metadata="{PUBLIC}{RESOURCE}", scope="observe edit"'


def test_the_person_can_lower_the_level_on_the_page_and_not_raise_it() -> None:
    site = OAuthSite()
    site.ceiling = Level.FULL
    page = site.waiting()
    text = site.ask("GET", page).body.decode()
    assert 'value="edit"' in text and 'value="observe"' in text and 'value="full"' not in text
    for wanted, level in (("observe", "observe"), ("full", "observe")):
        answer = site.ask("POST", page, {"level": wanted}, origin=PUBLIC)
        assert answer.status == 200 and f"(level <strong>{level}</strong>)" in answer.body.decode()
        assert answer.headers["refresh"] == f"2; url={page}"
    assert "<form" not in answer.body.decode(), "there is nothing lower"
    assert site.ask("POST", page, {"level": "root"}).status == 400
    assert site.ask("POST", page, {"level": "observe"}, origin="https://evil.example").status == 403
    assert site.ask("POST", "/consent?request=x", {"level": "observe"}).status == 404
    site.agents.decide(site.consents.waiting()[0].id, True)
    assert "code=" in site.ask("GET", page).headers["location"]
    assert next(iter(site.agents.codes.values())).scopes == ["observe"]


# Time


@pytest.mark.parametrize(
    ("decided", "words"), [(True, "denied this agent"), (False, "Nobody at TouchDesigner")]
)
def test_the_client_is_told_that_it_was_denied_or_that_nobody_decided(decided: bool, words: str) -> None:
    site = OAuthSite()
    page = site.waiting()
    site.now += 60
    assert "<strong>4:00</strong> left" in site.ask("GET", page).body.decode()
    if decided:
        site.agents.decide(site.consents.waiting()[0].id, False)
    else:
        site.now += PATIENCE_S
    answer = site.ask("GET", page)
    assert answer.status == 302 and answer.headers["location"].startswith(CALLBACK)
    told = {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
    assert words in told.pop("error_description")
    assert told == {"error": "access_denied", "state": "x", "iss": PUBLIC}
    assert site.ask("GET", page).status == 404, "it is told once"


def test_a_refresh_whose_answer_was_lost_is_made_again_and_a_late_one_ends_the_grant_and_is_logged() -> None:
    site = OAuthSite()
    tokens = signed_in(site)
    assert refreshed(site, tokens["refresh_token"]) == 200
    site.now += GRACE_S - 1
    assert refreshed(site, tokens["refresh_token"], scope="observe edit full") == 200
    site.now += 2
    assert refreshed(site, tokens["refresh_token"]) == 400
    assert not site.store.grants
    last = site.log.ring.since(0, "info")[-1]
    assert "A refresh token of Agent (client agent) was used again" in last.event
    assert last.address == "127.0.0.1" and "OAuth" in last.key


# Metadata


@pytest.mark.parametrize("path", [SERVER, RESOURCE, ROOT])
def test_metadata_is_for_a_minute_and_can_be_asked_for_by_head(path: str) -> None:
    site = OAuthSite()
    full, head = site.ask("GET", path), site.ask("HEAD", path)
    assert full.status == head.status == 200 and head.body == b"" and full.body
    assert full.headers == head.headers and full.headers["cache-control"] == "public, max-age=60"


def test_metadata_says_what_this_server_can_and_cannot_do() -> None:
    site = OAuthSite()
    server = json.loads(site.ask("GET", SERVER).body)
    assert server["authorization_response_iss_parameter_supported"] is True
    assert server["client_id_metadata_document_supported"] is False
    for name in ("authorization", "token", "registration", "revocation"):
        path = server[f"{name}_endpoint"].removeprefix(PUBLIC)
        assert site.ask("GET", path).status in (400, 405), "it is there"
    resource = json.loads(site.ask("GET", RESOURCE).body)
    assert resource == json.loads(site.ask("GET", ROOT).body)
    assert (resource["resource"], resource["authorization_servers"]) == (f"{PUBLIC}/mcp", [PUBLIC])


#: (what a client calls the resource, whether it is https://td.example/mcp)
RESOURCES: list[tuple[str, bool]] = [
    ("https://td.example/mcp", True),
    ("https://td.example/mcp/", True),
    ("HTTPS://TD.Example/mcp", True),
    ("https://td.example:443/mcp", True),
    ("https://td.example:444/mcp", False),
    ("http://td.example/mcp", False),
    ("https://td.example/MCP", False),
    ("https://td.example", False),
    ("https://td.example/mcp?x", False),
    ("https://td.example/mcp#x", False),
    ("https://td.example/mcp#", False),
    ("https://u@td.example/mcp", False),
    ("https://td.example.evil.example/mcp", False),
    ("https://td.example:x/mcp", False),
    ("https://[td.example/mcp", False),
    (" https://td.example/mcp", False),
    ("td.example/mcp", False),
    ("", False),
]


@pytest.mark.parametrize(("asked", "same"), RESOURCES)
def test_the_resource_is_compared_as_a_url(asked: str, same: bool) -> None:
    assert same_url(asked, f"{PUBLIC}/mcp") is same
