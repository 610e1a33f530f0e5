"""Who gets through to the MCP endpoint, and what the others are told."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from tdmcp_embedded.settings import Level, Settings
from tests.unit.http.asgi import Line
from tests.unit.http.site import Site


def test_a_request_with_key_and_json_gets_through_and_says_whose_it_is(site: Site) -> None:
    answer = site.ask(body=b'{"id": 1}')
    assert answer.status == 200
    assert answer.body == b"through"
    assert site.bodies == [b'{"id": 1}']
    assert site.seen[0]["tdmcp.key"] is site.key


# Host and Origin


@pytest.mark.parametrize(
    "host", ["127.0.0.1:9988", "127.0.0.1", "localhost:9988", "[::1]:9988", "LOCALHOST:1"]
)
def test_this_machine_may_be_called_by_its_own_names(site: Site, host: str) -> None:
    assert site.ask(host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:9988",
        "127.0.0.1.evil.example",
        "",
        "127.0.0.1:x",
        "[::1",
        "10.0.0.7:9988",
    ],
)
def test_a_foreign_host_name_is_turned_away(site: Site, host: str) -> None:
    answer = site.ask(host=host)
    assert answer.status == 421
    assert "address that the component shows" in answer.sentence
    assert site.seen == []


def test_two_host_headers_are_turned_away(site: Site) -> None:
    assert site.ask(headers=[("host", "127.0.0.1:9988")]).status == 421


@pytest.mark.parametrize("host", ["studio.example", "Studio.Example:443"])
def test_the_public_address_of_a_tunnel_is_accepted(host: str) -> None:
    site = Site(public_address="https://Studio.example/")
    site.keys.make("tunnel", Level.FULL, local_only=False, token="far-token")
    answer = site.ask(host=host, key="far-token", headers=[("origin", "https://studio.example")])
    assert answer.status == 200


def test_who_comes_through_the_tunnel_is_not_from_this_machine() -> None:
    answer = Site(public_address="https://studio.example").ask(host="studio.example")
    assert answer.status == 403 and "from its own machine only" in answer.sentence


@pytest.mark.parametrize("host", ["studio.example:80", "studio.example:9988", "other.example"])
def test_any_other_name_is_turned_away_as_before(host: str) -> None:
    assert Site(public_address="https://studio.example").ask(host=host).status == 421


def test_pages_of_other_origins_are_turned_away_behind_a_tunnel_too() -> None:
    site = Site(public_address="https://studio.example")
    assert site.ask(host="studio.example", headers=[("origin", "http://studio.example")]).status == 403
    assert site.ask(host="127.0.0.1:9988", headers=[("origin", "https://studio.example")]).status == 403


@pytest.mark.parametrize("address", ["studio.example", "https://", "https://a/b", "ftp://a", "https://a b"])
def test_a_public_address_that_is_none_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ValidationError, match="https://td.example.com"):
        Settings(public_address=address)


def test_over_the_network_the_address_that_was_called_is_accepted_and_no_other(site: Site) -> None:
    site.keys.make("lan", Level.FULL, local_only=False, token="lan-token")
    lan = {"server": "192.168.1.5", "client": "192.168.1.77", "key": "lan-token"}
    assert site.ask(host="192.168.1.5:9988", **lan).status == 200
    assert site.ask(host="127.0.0.1:9988", **lan).status == 421
    assert site.ask(host="rebound.example:9988", **lan).status == 421


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example",
        "http://localhost:3000",
        "http://127.0.0.1:3000",
        "http://localhost:9988",
        "https://127.0.0.1:9988",
        "http://127.0.0.1:9988.evil.example",
    ],
)
def test_a_foreign_origin_is_turned_away_loopback_ones_included(site: Site, origin: str) -> None:
    answer = site.ask(headers=[("origin", origin)])
    assert answer.status == 403
    assert answer.code == "origin_not_allowed"
    assert site.seen == []


def test_the_servers_own_page_may_call_it(site: Site) -> None:
    assert site.ask(headers=[("origin", "http://127.0.0.1:9988")]).status == 200


def test_one_good_origin_does_not_excuse_a_bad_one(site: Site) -> None:
    both = [("origin", "http://127.0.0.1:9988"), ("origin", "null")]
    assert site.ask(headers=both).status == 403


# Keys


def test_without_a_key_the_client_is_told_how_to_give_one(site: Site) -> None:
    answer = site.ask(key="")
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "Authorization: Bearer" in answer.sentence
    assert site.seen == []


def test_a_wrong_key_is_named_as_such_but_not_repeated(site: Site) -> None:
    answer = site.ask(key="wrong-and-secret")
    assert answer.status == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert b"secret" not in answer.body


@pytest.mark.parametrize("value", ["Basic abc", "Bearer", "Bearer ", "", "Bearer a b", "\xff\xfe"])
def test_odd_authorization_headers_are_no_key(site: Site, value: str) -> None:
    assert site.ask(key="", headers=[("authorization", value)]).status == 401


def test_two_authorization_headers_are_no_key(site: Site) -> None:
    assert site.ask(headers=[("authorization", f"Bearer {site.key.token}")]).status == 401


def test_the_word_bearer_may_be_written_in_any_case(site: Site) -> None:
    assert site.ask(key="", headers=[("authorization", f"bEARER {site.key.token}")]).status == 200


def test_a_key_in_the_url_does_not_count(site: Site) -> None:
    assert site.ask(path=f"/mcp?token={site.key.token}", key="").status in (401, 404)


def test_a_renewed_key_kills_the_old_one_at_once(site: Site) -> None:
    old = site.key.token
    new = site.keys.renew()
    assert site.ask(key=old).status == 401
    assert site.ask(key=new.token).status == 200


def test_a_local_key_does_not_work_from_another_machine(site: Site) -> None:
    answer = site.ask(server="192.168.1.5", client="192.168.1.77", host="192.168.1.5")
    assert answer.status == 403
    assert "its own machine only" in answer.sentence


def test_a_request_forwarded_by_a_proxy_on_this_machine_is_not_local(site: Site) -> None:
    assert site.ask(headers=[("x-forwarded-for", "203.0.113.9")]).status == 403


def test_without_required_keys_this_machine_gets_in_and_others_still_need_one() -> None:
    site = Site(require_key=False)
    assert site.ask(key="").status == 200
    assert site.ask(key="stale").status == 200
    lan = {"server": "192.168.1.5", "client": "192.168.1.77", "host": "192.168.1.5"}
    assert site.ask(key="", **lan).status == 401


def test_the_sdk_can_tell_callers_apart_without_seeing_their_keys(site: Site) -> None:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, authorization_context

    site.keys.make("guest", Level.OBSERVE, token="guest-token")
    site.ask()
    site.ask(key="guest-token")
    owner, guest = (scope["user"] for scope in site.seen)
    assert isinstance(owner, AuthenticatedUser)
    assert authorization_context(owner) != authorization_context(guest)
    assert "guest-token" not in repr(vars(guest))


# Paths, methods, bodies


def test_unknown_paths_are_404_to_everybody(site: Site) -> None:
    assert site.ask("GET", "/.well-known/oauth-protected-resource", key="").status == 404
    assert "/mcp" in site.ask("GET", "/favicon.ico").sentence


def test_a_slash_at_the_end_does_not_matter(site: Site) -> None:
    assert site.ask(path="/mcp/").status == 200


def test_methods_the_endpoint_does_not_have_are_405(site: Site) -> None:
    answer = site.ask("PUT")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST, GET, DELETE"


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_body_that_is_not_said_to_be_json_is_415(site: Site, kind: str) -> None:
    headers = [("content-type", kind)] if kind else []
    answer = site.ask(json_type=False, headers=headers)
    assert answer.status == 415
    assert "application/json" in answer.sentence
    assert site.seen == []


def test_json_with_a_charset_is_json(site: Site) -> None:
    assert (
        site.ask(json_type=False, headers=[("content-type", "Application/JSON; charset=utf-8")]).status == 200
    )


def test_the_gates_come_in_order_strangers_learn_nothing_beyond_theirs(site: Site) -> None:
    everything_wrong = {"headers": [("origin", "null")], "key": "", "json_type": False}
    assert site.ask("PUT", **everything_wrong).status == 403
    assert site.ask("PUT", key="", json_type=False).status == 401
    assert site.ask("PUT", json_type=False).status == 405
    assert site.ask(json_type=False, headers=[("content-length", "99999999")]).status == 415


def test_a_body_over_the_limit_is_refused_by_its_declared_length() -> None:
    site = Site(max_body_mb=1)
    line = Line([b"x" * 1000] * 10_000)
    answer = site.ask(headers=[("content-length", "10000000"), ("expect", "100-continue")], line=line)
    assert answer.status == 413
    assert "1 MB" in answer.sentence
    assert line.fetched == 0, "a client that asks first is not made to send it"


def test_a_body_over_the_limit_without_a_declared_length_is_refused_as_it_comes() -> None:
    site = Site(max_body_mb=1)
    line = Line([b"x" * 2**18] * 8)
    answer = site.ask(headers=[("transfer-encoding", "chunked")], line=line)
    assert answer.status == 413
    assert site.seen == []


def test_a_body_of_the_limits_size_arrives_whole() -> None:
    site = Site(max_body_mb=1)
    body = [b"a" * 2**19, b"b" * 2**19]
    assert site.ask(body=body).status == 200
    assert site.bodies == [b"".join(body)]


def test_the_limit_can_be_changed_while_serving() -> None:
    site = Site(max_body_mb=1)
    site.settings = site.settings.model_copy(update={"max_body_mb": 0.001})
    assert site.ask(body=b"x" * 5000).status == 413


def test_a_client_that_goes_away_in_mid_body_leaves_nothing_behind(site: Site) -> None:
    class Gone(Line):
        async def receive(self) -> dict[str, object]:
            self.fetched += 1
            if self.fetched > 1:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": b"half", "more_body": True}

    assert site.ask(line=Gone([])).status == 0
    assert site.seen == []


def test_a_body_that_does_not_come_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.bodies._PATIENCE_S", 0.02)

    class Silent(Line):
        async def receive(self) -> dict[str, object]:
            await asyncio.Event().wait()
            raise AssertionError("never")

    answer = site.ask(line=Silent([]))
    assert answer.status == 408
    assert answer.headers["connection"] == "close"
