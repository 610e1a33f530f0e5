"""How clients of OAuth show who they are, and what the audit log says of remote agents."""

from __future__ import annotations

import base64
import json
from urllib.parse import urlencode

import pytest

from tests.unit.http.oauth_site import CALLBACK, PUBLIC, SECRET, VERIFIER, OAuthSite


def basic(name: str, secret: str) -> str:
    quoted = urlencode({"": name})[1:], urlencode({"": secret})[1:]
    return "Basic " + base64.b64encode(":".join(quoted).encode()).decode()


#: (registered method, client_id in the form, secret in the form, header, status)
CREDENTIALS: list[tuple[str, bool, str, str, int]] = [
    ("none", True, "", "", 200),
    ("none", False, "", "", 401),
    ("client_secret_post", True, SECRET, "", 200),
    ("client_secret_post", True, "wrong", "", 401),
    ("client_secret_post", True, "", "", 401),
    ("client_secret_basic", False, "", basic("agent", SECRET), 200),
    ("client_secret_basic", True, "", basic("agent", SECRET), 200),
    ("client_secret_basic", False, "", basic("agent", "wrong"), 401),
    ("client_secret_basic", False, "", basic("other", SECRET), 401),
    ("client_secret_basic", True, "", basic("other", SECRET), 401),
    ("client_secret_basic", False, "", "Basic", 401),
    ("client_secret_basic", False, "", "Basic ???", 401),
    ("client_secret_basic", False, "", "Basic " + base64.b64encode(b"\xff:\xff").decode(), 401),
    ("client_secret_basic", False, "", "Bearer x", 401),
    # Registered without a word on this, which means "post" to the SDK, and sent as RFC 6749 would have it.
    ("client_secret_post", False, "", basic("agent", SECRET), 200),
]


@pytest.mark.parametrize(("method", "named", "secret", "header", "status"), CREDENTIALS)
def test_a_client_is_known_by_the_credentials_it_was_registered_with(
    method: str, named: bool, secret: str, header: str, status: int
) -> None:
    site = OAuthSite(method)
    form = {"grant_type": "authorization_code", "code": site.code(), "code_verifier": VERIFIER}
    form |= {"redirect_uri": CALLBACK, **({"client_id": "agent"} if named else {})}
    form |= {"client_secret": secret} if secret else {}
    fields = {"authorization": header} if header else {}
    answer = site.ask("POST", "/token", form, **fields)
    assert answer.status == status, answer
    if status != 200:
        assert json.loads(answer.body)["error"] == "invalid_client"
        return
    token = json.loads(answer.body)["access_token"]
    # And gives it back in the same way.
    form = {"token": token, **({"client_id": "agent"} if named else {})}
    form |= {"client_secret": secret} if secret else {}
    assert site.ask("POST", "/revoke", form, **fields).status == 200
    assert site.agents.match(token.encode()) is None


def test_every_way_that_is_advertised_works_and_public_clients_are_named() -> None:
    metadata = json.loads(OAuthSite().ask("GET", "/.well-known/oauth-authorization-server").body)
    works = {method for method, *_, status in CREDENTIALS if status == 200}
    assert set(metadata["token_endpoint_auth_methods_supported"]) == works
    assert set(metadata["revocation_endpoint_auth_methods_supported"]) == works
    assert "none" in works and metadata["issuer"] == PUBLIC


def test_the_audit_log_names_the_client_the_code_the_redirect_and_the_forwarded_address() -> None:
    site = OAuthSite()
    form = {"grant_type": "authorization_code", "code": site.code(), "code_verifier": VERIFIER}
    form |= {"redirect_uri": CALLBACK, "client_id": "agent"}
    assert site.ask("POST", "/token", form, x_forwarded_for="1.2.3.4, 203.0.113.9").status == 200
    [record] = site.log.ring.since(0, "info")
    assert "Agent (client agent, code ABCD-EFGH, redirect to 127.0.0.1) has signed in" in record.event
    assert record.address == "203.0.113.9" and "OAuth" in record.key


#: (headers of the proxy, what the log says it was forwarded for)
FORWARDED: list[tuple[dict[str, str], str]] = [
    ({"x_forwarded_for": "203.0.113.9"}, "203.0.113.9"),
    ({"x_forwarded_for": "127.0.0.1, 203.0.113.9"}, "203.0.113.9"),
    ({"x_forwarded_for": "2001:DB8::1"}, "2001:db8::1"),
    ({"x_real_ip": "203.0.113.9"}, "203.0.113.9"),
    ({"x_forwarded_for": "somebody"}, ""),
    ({"x_forwarded_for": ""}, ""),
    ({}, ""),
]


@pytest.mark.parametrize(("fields", "forwarded"), FORWARDED)
def test_a_refused_request_is_logged_with_what_the_proxy_of_the_public_address_has_seen(
    fields: dict[str, str], forwarded: str
) -> None:
    site = OAuthSite()
    assert site.ask("GET", "/mcp", **fields).status == 401
    [record] = site.log.ring.since(0, "info")
    assert (record.address, record.forwarded) == ("127.0.0.1", forwarded)
