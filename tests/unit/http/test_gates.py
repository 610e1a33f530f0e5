"""Who gets through to the MCP endpoint, and what the others are told."""

from __future__ import annotations

import asyncio
import json

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


LAN = {"server": "192.168.1.5", "client": "192.168.1.77", "key": "lan-token"}
TUNNEL = "https://Studio.example/"

#: (Host header; status on this machine, over the network at 192.168.1.5, and with TUNNEL as public address)
HOSTS: list[tuple[str, int, int, int]] = [
    ("127.0.0.1:9988", 200, 421, 200),
    ("127.0.0.1", 200, 421, 200),
    ("localhost:9988", 200, 421, 200),
    ("LOCALHOST:1", 200, 421, 200),
    ("[::1]:9988", 200, 421, 200),
    ("[::1]", 200, 421, 200),
    ("192.168.1.5:9988", 421, 200, 421),
    ("192.168.1.5", 421, 200, 421),
    # DNS rebinding, and what only looks like one of our names
    ("", 421, 421, 421),
    ("evil.example", 421, 421, 421),
    ("evil.example:9988", 421, 421, 421),
    ("10.0.0.7:9988", 421, 421, 421),
    ("127.0.0.1.evil.example", 421, 421, 421),
    ("evil.example/127.0.0.1", 421, 421, 421),
    ("127.0.0.1@evil.example", 421, 421, 421),
    ("evil.example@127.0.0.1", 421, 421, 421),
    ("127.0.0.1#evil.example", 421, 421, 421),
    ("127.0.0.1,evil.example", 421, 421, 421),
    ("127.0.0.1 evil.example", 421, 421, 421),
    ("http://127.0.0.1", 421, 421, 421),
    ("localhost.", 421, 421, 421),
    ("127.0.0.1.", 421, 421, 421),
    ("127.1", 421, 421, 421),
    ("127.0.0.2", 421, 421, 421),
    ("0x7f.0.0.1", 421, 421, 421),
    ("2130706433", 421, 421, 421),
    ("017700000001", 421, 421, 421),
    ("0.0.0.0", 421, 421, 421),
    ("[::]", 421, 421, 421),
    ("[::ffff:127.0.0.1]", 421, 421, 421),
    ("::1", 421, 421, 421),
    ("[::1", 421, 421, 421),
    ("[::1]x9988", 421, 421, 421),
    ("[::1]9988", 421, 421, 421),
    ("[127.0.0.1", 421, 421, 421),
    ("%31%32%37.0.0.1", 421, 421, 421),
    ("127.0.0.1%00.evil.example", 421, 421, 421),
    ("loc\u00e4lhost", 421, 421, 421),
    ("\u017focalhost", 421, 421, 421),
    ("\uff11\uff12\uff17.0.0.1", 421, 421, 421),
    ("\u2460\u2461\u2466.0.0.1", 421, 421, 421),
    ("127\u30020\u30020\u30021", 421, 421, 421),
    ("localho\u0073t\u200b", 421, 421, 421),
    # ports: ASCII digits, and a number that is one
    ("127.0.0.1:", 421, 421, 421),
    ("127.0.0.1:x", 421, 421, 421),
    ("127.0.0.1:-1", 421, 421, 421),
    ("127.0.0.1:+80", 421, 421, 421),
    ("127.0.0.1: 80", 421, 421, 421),
    ("127.0.0.1:80:80", 421, 421, 421),
    ("127.0.0.1:65536", 421, 421, 421),
    ("127.0.0.1:" + "9" * 5000, 421, 421, 421),
    ("127.0.0.1:99\u00b2", 421, 421, 421),
    ("127.0.0.1:\u0669\u0669", 421, 421, 421),
    ("[::1]:\u00b2", 421, 421, 421),
    # the name of a tunnel
    ("studio.example", 421, 421, 200),
    ("Studio.Example:443", 421, 421, 200),
    ("studio.example:80", 421, 421, 421),
    ("studio.example:9988", 421, 421, 421),
    ("studio.example.", 421, 421, 421),
    ("studio.example:443:443", 421, 421, 421),
    ("xstudio.example", 421, 421, 421),
    ("other.example", 421, 421, 421),
]


@pytest.mark.parametrize(("host", "here", "network", "tunnel"), HOSTS)
def test_a_host_name_is_ours_or_is_refused(host: str, here: int, network: int, tunnel: int) -> None:
    # As h11 gives it: bytes, whatever their meaning. Of UTF-8 and Latin-1 the client has chosen one.
    for raw in {_bytes(host, "latin-1"), _bytes(host, "utf-8")}:
        site = Site()
        site.keys.make("lan", Level.FULL, local_only=False, token="lan-token")
        answer = site.ask(host="", headers=[("host", raw)] if host else [])
        assert answer.status == here
        assert here == 200 or ("address that the component shows" in answer.sentence and site.seen == [])
        assert site.ask(host="", headers=[("host", raw)] if host else [], **LAN).status == network
        behind = Site(public_address=TUNNEL)
        behind.keys.make("far", Level.FULL, local_only=False, token="far-token")
        assert behind.ask(host="", headers=[("host", raw)] if host else [], key="far-token").status == tunnel


def _bytes(text: str, encoding: str) -> str:
    """What a test's `ask`, must be given for these bytes."""
    try:
        return text.encode(encoding).decode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8").decode("latin-1")


def test_two_host_headers_are_turned_away(site: Site) -> None:
    assert site.ask(headers=[("host", "127.0.0.1:9988")]).status == 421


def test_pages_that_come_through_the_tunnel_are_its_own() -> None:
    site = Site(public_address=TUNNEL)
    site.keys.make("far", Level.FULL, local_only=False, token="far-token")
    own = [("origin", "https://studio.example")]
    assert site.ask(host="studio.example", key="far-token", headers=own).status == 200


def test_who_comes_through_the_tunnel_is_not_from_this_machine() -> None:
    answer = Site(public_address="https://studio.example").ask(host="studio.example")
    assert answer.status == 403 and "from its own machine only" in answer.sentence


def test_pages_of_other_origins_are_turned_away_behind_a_tunnel_too() -> None:
    site = Site(public_address="https://studio.example")
    assert site.ask(host="studio.example", headers=[("origin", "http://studio.example")]).status == 403
    assert site.ask(host="127.0.0.1:9988", headers=[("origin", "https://studio.example")]).status == 403


@pytest.mark.parametrize("address", ["studio.example", "https://", "https://a/b", "ftp://a", "https://a b"])
def test_a_public_address_that_is_none_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ValidationError, match="https://td.example.com"):
        Settings(public_address=address)


#: (Origin header, status; the server is at http://127.0.0.1:9988)
ORIGINS: list[tuple[str, int]] = [
    ("http://127.0.0.1:9988", 200),
    ("HTTP://127.0.0.1:9988", 200),
    ("", 403),
    ("null", 403),
    ("NULL", 403),
    ("https://evil.example", 403),
    ("http://localhost:3000", 403),
    ("http://localhost:9988", 403),
    ("http://127.0.0.1:3000", 403),
    ("http://127.0.0.1", 403),
    ("https://127.0.0.1:9988", 403),
    ("http://127.0.0.1:9988/", 403),
    ("http://127.0.0.1:9988/mcp", 403),
    ("http://127.0.0.1:9988.evil.example", 403),
    ("http://127.0.0.1:9988@evil.example", 403),
    ("http://evil.example#http://127.0.0.1:9988", 403),
    ("http://evil.example, http://127.0.0.1:9988", 403),
    ("http://127.0.0.1:9988 http://evil.example", 403),
    ("http://127.0.0.1:09988", 403),
    ("http://[::ffff:127.0.0.1]:9988", 403),
    ("http://\uff11\uff12\uff17.0.0.1:9988", 403),
    ("http://127.0.0.1:9988\x00", 403),
    ("http://127.0.0.1:9988%00", 403),
    ("file://", 403),
    ("chrome-extension://abcdefghijklmnop", 403),
    ("vscode-webview://1", 403),
    ("data:text/html,x", 403),
    ("blob:http://127.0.0.1:9988/1", 403),
]


@pytest.mark.parametrize(("origin", "status"), ORIGINS)
def test_only_the_servers_own_page_may_call_it(site: Site, origin: str, status: int) -> None:
    answer = site.ask(headers=[("origin", origin)])
    assert answer.status == status
    assert status == 200 or (answer.code == "origin_not_allowed" and site.seen == [])


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


#: (the Authorization header with KEY for the right key, status)
AUTHORIZATIONS: list[tuple[str, int]] = [
    ("Bearer KEY", 200),
    ("bEARER KEY", 200),
    ("  Bearer   KEY  ", 200),
    ("", 401),
    ("KEY", 401),
    ("Bearer", 401),
    ("Bearer ", 401),
    ("BearerKEY", 401),
    ("Bearer\tKEY", 401),
    ("Bearer: KEY", 401),
    ("Bearer=KEY", 401),
    ("Bearer KEY KEY", 401),
    ("Bearer KEY,", 401),
    ("Bearer x, Bearer KEY", 401),
    ('Bearer "KEY"', 401),
    ("Bearer Bearer KEY", 401),
    ("Basic KEY", 401),
    ("Token KEY", 401),
    ("Bearer a b", 401),
    ("Bearer KEY\x00", 401),
    ("Bearer \u00ff\u00fe", 401),
    ("Bearer " + "x" * 20_000, 401),
]


@pytest.mark.parametrize(("value", "status"), AUTHORIZATIONS)
def test_a_key_is_given_in_one_form(site: Site, value: str, status: int) -> None:
    value = value.replace("KEY", site.key.token)
    answer = site.ask(key="", headers=[("authorization", value)])
    assert answer.status == status
    assert site.key.token.encode() not in answer.body


def test_two_authorization_headers_are_no_key(site: Site) -> None:
    assert site.ask(headers=[("authorization", f"Bearer {site.key.token}")]).status == 401


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


@pytest.mark.parametrize(
    "header",
    [
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-client-cert", "x-real-ip",
        "x-client-ip", "true-client-ip", "cf-connecting-ip", "cf-ray", "cf-visitor", "cf-warp-tag-id", "via",
        "x_forwarded_for", "cdn-loop", "x-original-host", "tailscale-user-login", "x-envoy-external-address",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["203.0.113.9", "127.0.0.1", "", "for=127.0.0.1"])
def test_a_request_that_a_proxy_on_this_machine_passes_on_is_not_local(
    site: Site, header: str, value: str
) -> None:
    assert site.ask(headers=[(header, value)]).status == 403


def test_a_key_is_required_of_everybody_while_the_server_has_a_public_address() -> None:
    site = Site(public_address="https://studio.example", require_key=False)
    assert site.ask(key="").status == 401
    assert site.ask().status == 200, "this machine's own clients have the owner key"


def test_behind_a_proxy_that_rewrites_the_host_pages_of_the_public_address_are_its_own() -> None:
    site = Site(public_address="https://studio.example")
    site.keys.make("far", Level.FULL, local_only=False, token="far-token")
    by_proxy = [("x-forwarded-for", "203.0.113.9"), ("origin", "https://studio.example")]
    assert site.ask(key="far-token", headers=by_proxy).status == 200
    assert site.ask(key="far-token", headers=[by_proxy[0], ("origin", "http://127.0.0.1:9988")]).status == 403


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


#: (path, decoded as uvicorn does it; status of a POST with the right key; words in the answer)
PATHS: list[tuple[str, int, str]] = [
    ("/mcp", 200, ""),
    ("/mcp/", 200, ""),
    ("/health", 405, "GET"),
    ("/", 404, "/mcp"),
    ("", 404, "/mcp"),
    ("*", 404, "/mcp"),
    ("/favicon.ico", 404, "/mcp"),
    ("/sse", 404, "/mcp"),
    ("/MCP", 404, "/mcp"),
    ("//mcp", 404, "/mcp"),
    ("/mcp/x", 404, "/mcp"),
    ("/mcp/../mcp", 404, "/mcp"),
    ("/./mcp", 404, "/mcp"),
    ("/mcp\x00", 404, "/mcp"),
    ("/mcp%00", 404, "/mcp"),
    ("/mcp;x=1", 404, "/mcp"),
    ("/mcp?token=x", 404, "/mcp"),
    ("/\uff4dcp", 404, "/mcp"),
    ("/mcp\u200b", 404, "/mcp"),
    ("/..%2f..%2fetc/passwd", 404, "/mcp"),
    ("/../../etc/passwd", 404, "/mcp"),
    ("\\mcp", 404, "/mcp"),
    ("http://evil.example/mcp", 404, "/mcp"),
    ("/" + "a" * 20_000, 404, "/mcp"),
    # What a client asks for that wants to get a token by itself
    ("/register", 404, "Copy Access Key"),
    ("/authorize", 404, "Copy Access Key"),
    ("/token", 404, "Copy Access Key"),
    ("/token/", 404, "Copy Access Key"),
    ("/revoke", 404, "Copy Access Key"),
    ("/.well-known/oauth-protected-resource", 404, "Copy Access Key"),
    ("/.well-known/oauth-protected-resource/mcp", 404, "Copy Access Key"),
    ("/.well-known/oauth-authorization-server", 404, "Copy Access Key"),
    ("/.well-known/oauth-authorization-server/mcp", 404, "Copy Access Key"),
    ("/.well-known/openid-configuration", 404, "Copy Access Key"),
    ("/mcp/.well-known/openid-configuration", 404, "Copy Access Key"),
    ("/.well-known/security.txt", 404, "/mcp"),
]


@pytest.mark.parametrize(("path", "status", "words"), PATHS)
def test_a_path_is_one_of_ours_to_the_letter(site: Site, path: str, status: int, words: str) -> None:
    answer = site.ask(path=path)
    assert answer.status == status and words in answer.body.decode()
    if status == 404:
        assert site.ask("GET", path, key="").body == answer.body, "to everybody, key or not"


def test_while_oauth_is_off_a_client_is_told_where_its_key_is_in_the_form_it_shows(site: Site) -> None:
    told = json.loads(site.ask(path="/register", key="").body)
    assert set(told) == {"error", "error_description"}, "RFC 6749, 5.2"
    assert "access key" in told["error_description"] and "Authorization: Bearer" in told["error_description"]


def test_methods_the_endpoint_does_not_have_are_405(site: Site) -> None:
    answer = site.ask("PUT")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST, GET, DELETE"


#: (Content-Type headers, status)
TYPES: list[tuple[list[str], int]] = [
    (["application/json"], 200),
    (["Application/JSON; charset=utf-8"], 200),
    (["APPLICATION/JSON"], 200),
    ([" application/json ;"], 200),
    ([], 415),
    ([""], 415),
    (["text/plain"], 415),
    (["text/plain; application/json"], 415),
    (["text/plain, application/json"], 415),
    (["application/json, text/plain"], 415),
    (["application/json+x"], 415),
    (["application/jsonx"], 415),
    (["application/x-json"], 415),
    (["application/json\x00"], 415),
    (["application/vnd.api+json"], 415),
    (["application/x-www-form-urlencoded"], 415),
    (["multipart/form-data; boundary=x"], 415),
    (["application/json", "application/json"], 400),
    (["application/json", "text/plain"], 400),
]


@pytest.mark.parametrize(("kinds", "status"), TYPES)
def test_a_body_must_be_said_to_be_json(site: Site, kinds: list[str], status: int) -> None:
    answer = site.ask(json_type=False, headers=[("content-type", kind) for kind in kinds])
    assert answer.status == status
    if status == 415:
        assert "application/json" in answer.sentence
    assert (site.seen == []) == (status != 200)


#: (further headers, status)
HEADS: list[tuple[list[tuple[str, str]], int]] = [
    ([("cookie", "a" * 31_000)], 200),
    ([("cookie", "a" * 33_000)], 431),
    ([(f"x-{number}", "") for number in range(5000)], 431),
    ([("x" * 33_000, "")], 431),
    ([("content-length", "2")], 200),
    ([("content-length", "2"), ("content-length", "2")], 400),
    ([("content-length", "2"), ("content-length", "3")], 400),
    ([("content-length", "2"), ("transfer-encoding", "chunked")], 400),
    ([("transfer-encoding", "chunked"), ("transfer-encoding", "identity")], 400),
    ([("mcp-session-id", "a"), ("mcp-session-id", "b")], 400),
    ([("x-any", "a"), ("x-any", "b")], 200),
]


@pytest.mark.parametrize(("headers", "status"), HEADS)
def test_a_head_keeps_its_limit_and_does_not_contradict_itself(
    site: Site, headers: list[tuple[str, str]], status: int
) -> None:
    answer = site.ask(headers=headers)
    assert answer.status == status
    assert status == 200 or (len(answer.sentence) > 20 and site.seen == [])


def test_a_target_counts_as_part_of_the_head(site: Site) -> None:
    assert site.ask(path="/" + "a" * 33_000).status == 431


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


#: (what is asked for, words of the answer from this machine, words from elsewhere)
WITHOUT_KEY = [
    ("/mcp", "the access key of the component", "tdmcp key add NAME --level edit --anywhere"),
    ("/register", "Copy Access Key", "tdmcp key add NAME --level edit --anywhere"),
    ("/.well-known/oauth-protected-resource/mcp", "Copy Access Key", "switch OAuth on"),
]


@pytest.mark.parametrize(("path", "here", "elsewhere"), WITHOUT_KEY)
def test_whoever_is_elsewhere_is_not_sent_for_the_key_of_this_machine(
    path: str, here: str, elsewhere: str
) -> None:
    site = Site(public_address="https://studio.example")
    told = site.ask("POST", path, key="").body.decode()
    assert here in told and elsewhere not in told
    told = site.ask("POST", path, key="", host="studio.example").body.decode()
    assert elsewhere in told and here not in told
