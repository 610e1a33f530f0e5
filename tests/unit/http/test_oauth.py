"""Who may wait, what is kept of a grant, and what a stolen token is worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import AnyUrl

from tdmcp_embedded.http.oauth import page
from tdmcp_embedded.http.oauth.consents import PATIENCE_S, Consents, Decision, Request, TooManyRequests
from tdmcp_embedded.http.oauth.provider import _acceptable
from tdmcp_embedded.http.oauth.store import ACCESS_S, MAX_CLIENTS, REFRESH_S, UNUSED_S, Store
from tdmcp_embedded.settings import Level


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def consents(clock: Clock) -> Consents:
    return Consents(clock=clock)


@pytest.fixture
def store(clock: Clock) -> Store:
    return Store(clock=clock)


def ask(
    consents: Consents, client: str = "agent", name: str = "Agent", *, known: bool = False, address: str = ""
) -> Request:
    return consents.ask(client, name, "agent.example", Level.EDIT, None, known=known, address=address)


class TestConsents:
    def test_a_request_waits_until_the_person_decides_and_tells_its_outcome_once(
        self, consents: Consents
    ) -> None:
        request = ask(consents)
        assert consents.waiting() == [request]
        assert consents.take(request.id) is None, "undecided"
        assert consents.decide(request.id, True) is request
        assert consents.waiting() == []
        assert consents.decide(request.id, False) is None, "a decision stands"
        taken = consents.take(request.id)
        assert taken is request and taken.decision is Decision.APPROVED
        assert consents.take(request.id) is None

    def test_nobody_waits_for_ever(self, consents: Consents, clock: Clock) -> None:
        request = ask(consents)
        clock.now += PATIENCE_S
        assert consents.waiting() == []
        assert consents.decide(request.id, True) is None

    @pytest.mark.parametrize(
        ("waiting", "new", "admitted"),
        [
            # (known, address) of those that wait, and of the one that asks
            ([], (False, "a"), True),
            ([(False, "a")], (False, "a"), True),
            ([(False, "a")] * 2, (False, "a"), False),
            ([(False, "a")] * 2, (False, "b"), True),
            ([(False, "a"), (False, "a"), (False, "b")], (False, "c"), False),
            ([(False, "a"), (False, "a"), (False, "b")], (True, "a"), True),
            ([(False, "a"), (False, "a"), (False, "b"), (True, "a")], (True, "a"), True),
            ([(True, "a")] * 4, (False, "a"), True),
            ([(True, "a")] * 5, (True, "b"), False),
            ([(False, "a"), (False, "a"), (False, "b"), (True, "a"), (True, "a")], (True, "d"), False),
        ],
    )
    def test_unknown_clients_cannot_fill_all_places(
        self,
        consents: Consents,
        waiting: list[tuple[bool, str]],
        new: tuple[bool, str],
        admitted: bool,
    ) -> None:
        before = [
            ask(consents, f"agent {n}", known=known, address=address)
            for n, (known, address) in enumerate(waiting)
        ]
        known, address = new
        if admitted:
            request = ask(consents, "new", known=known, address=address)
            assert consents.waiting() == [*before, request]
            return
        with pytest.raises(TooManyRequests):
            ask(consents, "new", known=known, address=address)
        assert consents.waiting() == before, "nobody who waits is pushed aside"

    def test_a_client_that_asks_again_does_not_wait_twice(self, consents: Consents) -> None:
        first, second = ask(consents), ask(consents)
        assert consents.waiting() == [second]
        assert consents.decide(first.id, True) is None
        assert first.code != second.code

    def test_every_change_of_who_waits_is_told(self, clock: Clock) -> None:
        told: list[int] = []
        consents = Consents(lambda: told.append(1), clock)
        request = ask(consents)
        consents.decide(request.id, False)
        ask(consents)
        clock.now += PATIENCE_S
        consents.waiting()
        assert len(told) >= 4

    def test_the_page_shows_the_code_and_cannot_be_made_to_run_anything(self, consents: Consents) -> None:
        request = ask(consents, name="<script>alert(1)</script>")
        text = page.waiting(request)
        assert request.code in text and "<script" not in text
        assert "default-src 'none'" in page.HEADERS["content-security-policy"]


class TestGrants:
    def test_an_access_token_opens_for_an_hour_and_a_refresh_token_for_a_month(
        self, store: Store, clock: Clock
    ) -> None:
        tokens = store.grant("agent", "Agent", Level.EDIT, None)
        assert store.by_access(tokens.access) == tokens.grant
        assert store.by_access(tokens.refresh) is None
        clock.now += ACCESS_S
        assert store.by_access(tokens.access) is None
        assert store.by_refresh(tokens.refresh) == tokens.grant
        clock.now += REFRESH_S
        assert store.by_refresh(tokens.refresh) is None

    def test_new_tokens_replace_the_old_ones(self, store: Store) -> None:
        old = store.grant("agent", "Agent", Level.EDIT, None)
        new = store.refresh(old.grant)
        assert store.by_access(old.access) is None
        assert store.by_access(new.access) == new.grant
        assert new.grant.id == old.grant.id

    def test_a_spent_refresh_token_ends_the_grant_for_thief_and_owner(self, store: Store) -> None:
        old = store.grant("agent", "Agent", Level.EDIT, None)
        new = store.refresh(old.grant)
        assert store.by_refresh(old.refresh) is None
        assert store.by_access(new.access) is None
        assert store.by_refresh(new.refresh) is None

    def test_a_client_has_one_grant(self, store: Store) -> None:
        old = store.grant("agent", "Agent", Level.EDIT, None)
        store.grant("agent", "Agent", Level.OBSERVE, None)
        assert store.by_access(old.access) is None
        assert len(store.grants) == 1

    def test_grants_outlive_a_restart_and_no_token_is_written_down(self, tmp_path: Path) -> None:
        path = tmp_path / "oauth.json"
        before = Store(path)
        before.register("agent", {"client_id": "agent"})
        tokens = before.grant("agent", "Agent", Level.OBSERVE, "https://a/mcp")
        written = path.read_text()
        assert tokens.access not in written and tokens.refresh not in written
        after = Store(path)
        assert after.by_access(tokens.access) == tokens.grant
        assert after.by_refresh(after_refresh(after, tokens.refresh)) is not None
        assert "agent" in after.clients

    def test_a_spoiled_file_opens_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "oauth.json"
        store = Store(path)
        tokens = store.grant("agent", "Agent", Level.OBSERVE, None)
        content = json.loads(path.read_text())
        content["grants"][0]["level"] = "god"
        path.write_text(json.dumps(content))
        assert Store(path).by_access(tokens.access) is None

    def test_turning_everybody_out_kills_all_tokens(self, store: Store) -> None:
        tokens = [store.grant(f"agent {n}", "Agent", Level.EDIT, None) for n in range(3)]
        assert store.revoke_all() == 3
        assert all(store.by_access(t.access) is None for t in tokens)


def after_refresh(store: Store, token: str) -> str:
    found = store.by_refresh(token)
    assert found is not None
    return store.refresh(found).refresh


#: (redirect address, whether a client may register it)
REDIRECTS: list[tuple[str, bool]] = [
    ("https://agent.example/callback", True),
    ("https://agent.example:8443/callback?x=1", True),
    ("http://127.0.0.1:33418/", True),
    ("http://127.0.0.1/callback", True),
    ("http://localhost:7777/oauth/callback", True),
    ("http://[::1]:7777/callback", True),
    ("cursor://anysphere.cursor-retrieval/oauth/callback", True),
    ("vscode://vscode.some-extension/callback", True),
    ("com.example.agent:/oauth2redirect", True),
    ("com.example.agent://callback", True),
    ("http://evil.example/cb", False),
    ("http://127.0.0.1.evil.example/cb", False),
    ("http://localhost.evil.example/cb", False),
    ("http://127.0.0.1@evil.example/cb", False),
    ("http://0.0.0.0/cb", False),
    ("http://10.0.0.1/cb", False),
    ("https://u:p@agent.example/", False),
    ("https://u@agent.example/", False),
    ("https://agent.example/#f", False),
    ("https://agent.example/" + "a" * 500, False),
    ("javascript:alert(1)", False),
    ("JavaScript:alert(1)", False),
    ("javascript://agent.example/%0aalert(1)", False),
    ("vbscript:x", False),
    ("data:text/html,x", False),
    ("data://x/y", False),
    ("blob:https://agent.example/1", False),
    ("filesystem:https://agent.example/1", False),
    ("file:///etc/passwd", False),
    ("file://server/share", False),
    ("about:blank", False),
    ("view-source:https://agent.example", False),
    ("chrome://settings", False),
    ("intent://scan/#Intent;scheme=x;end", False),
    ("intent://scan/", False),
    ("jar:https://agent.example!/", False),
    ("ms-msdt:/id PCWDiagnostic", False),
    ("ms-msdt://x/y", False),
    ("ms-officecmd:x", False),
    ("ms-settings://x", False),
    ("search-ms:query=x", False),
    ("search-ms://query/x", False),
    ("shell://startup/x", False),
    ("smb://server/share", False),
    ("ssh://server/", False),
    ("telnet://server/", False),
    ("ldap://server/", False),
    ("tel:1", False),
    ("mailto:x@y.example", False),
    ("ftp://agent.example/", False),
    ("ws://agent.example/", False),
    ("x-apple.systempreferences:com.apple.preference", False),
    ("agent:callback", False),
    ("a:b", False),
]


@pytest.mark.parametrize(("uri", "accepted"), REDIRECTS)
def test_a_code_is_sent_to_no_address_that_a_system_acts_on(uri: str, accepted: bool) -> None:
    assert _acceptable(AnyUrl(uri)) is accepted


class TestRegistrations:
    def test_those_never_used_give_way_and_those_in_use_stay(self, store: Store, clock: Clock) -> None:
        store.register("used", {"client_id": "used", "client_id_issued_at": clock.now})
        store.grant("used", "Used", Level.EDIT, None)
        for n in range(MAX_CLIENTS * 2):
            assert store.register(f"c{n}", {"client_id": f"c{n}", "client_id_issued_at": clock.now})
        assert len(store.clients) == MAX_CLIENTS
        assert "used" in store.clients and f"c{MAX_CLIENTS * 2 - 1}" in store.clients

    def test_those_never_used_are_forgotten_after_an_hour(self, store: Store, clock: Clock) -> None:
        store.register("old", {"client_id": "old", "client_id_issued_at": clock.now})
        clock.now += UNUSED_S + 1
        store.register("new", {"client_id": "new", "client_id_issued_at": clock.now})
        assert set(store.clients) == {"new"}
