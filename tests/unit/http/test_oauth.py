"""Who may wait, what is kept of a grant, and what a stolen token is worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import AnyUrl

from tdmcp_embedded.http.oauth import page
from tdmcp_embedded.http.oauth.consents import PATIENCE_S, Consents, Decision, Request, TooManyRequests
from tdmcp_embedded.http.oauth.grants import ACCESS_S, GRACE_S, REFRESH_S, Grant
from tdmcp_embedded.http.oauth.redirects import acceptable
from tdmcp_embedded.http.oauth.registrations import KNOWN_S, MAX_KNOWN, MAX_NEW, NEW_S, RegistrationLimit
from tdmcp_embedded.http.oauth.store import MAX_GRANTS, Store
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
        clock.now += PATIENCE_S - 10
        assert consents.left(request) == 10 and "0:10" in page.waiting(request, consents.left(request))
        clock.now += 10
        assert consents.waiting() == []
        assert consents.decide(request.id, True) is None

    def test_that_nobody_decided_is_told_once(self, consents: Consents, clock: Clock) -> None:
        request = ask(consents)
        clock.now += PATIENCE_S + 60
        assert consents.find(request.id) is request and request.decision is Decision.EXPIRED
        assert consents.take(request.id) is request
        assert consents.find(request.id) is None

    def test_a_level_can_be_lowered_only_and_only_while_it_waits(self, consents: Consents) -> None:
        request = ask(consents)
        for wanted, level in (("full", "edit"), ("observe", "observe"), ("edit", "observe")):
            consents.lower(request.id, Level(wanted))
            assert request.level is Level(level) and f"level {level}" in request.sentence()
        other = ask(consents, "other")
        consents.decide(other.id, True)
        consents.lower(other.id, Level.OBSERVE)
        assert other.level is Level.EDIT, "what was approved stands"

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
        text = page.waiting(request, consents.left(request))
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
        new = store.refresh(old.refresh)
        assert new is not None
        assert store.by_access(old.access) is None
        assert store.by_access(new.access) == new.grant
        assert new.grant.id == old.grant.id

    def test_a_refresh_whose_answer_was_lost_is_made_again_within_a_minute(
        self, store: Store, clock: Clock
    ) -> None:
        old = store.grant("agent", "Agent", Level.EDIT, None)
        lost = store.refresh(old.refresh)
        clock.now += GRACE_S - 1
        assert store.by_refresh(old.refresh) is not None
        again = store.refresh(old.refresh)
        assert lost is not None and again is not None and again.grant.id == old.grant.id
        assert store.by_access(again.access) == again.grant
        assert store.by_access(lost.access) is None
        clock.now += ACCESS_S
        assert store.refresh(again.refresh) is not None, "and so on"

    @pytest.mark.parametrize("refreshes", [1, 3])
    def test_a_refresh_token_used_again_after_a_minute_ends_the_grant_for_thief_and_owner(
        self, store: Store, clock: Clock, refreshes: int
    ) -> None:
        revoked: list[Grant] = []
        store.on_reuse = revoked.append
        old = new = store.grant("agent", "Agent", Level.EDIT, None)
        for _ in range(refreshes):
            refreshed = store.refresh(new.refresh)
            assert refreshed is not None
            new = refreshed
            clock.now += GRACE_S
        assert store.by_refresh(old.refresh) is None
        assert store.by_access(new.access) is None
        assert store.by_refresh(new.refresh) is None
        assert [grant.id for grant in revoked] == [old.grant.id]

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
    refreshed = store.refresh(token)
    assert refreshed is not None
    return refreshed.refresh


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
    assert acceptable(AnyUrl(uri)) is accepted


class TestRegistrations:
    def test_those_never_used_give_way_and_those_that_ever_had_a_grant_stay(
        self, store: Store, clock: Clock
    ) -> None:
        store.register("used", {"client_id": "used"})
        grant = store.grant("used", "Used", Level.EDIT, None).grant
        store.revoke(grant.id)
        for n in range(MAX_NEW * 2):
            store.register(f"c{n}", {"client_id": f"c{n}"})
        assert len(store.clients) == MAX_NEW + 1
        assert "used" in store.clients and f"c{MAX_NEW * 2 - 1}" in store.clients

    def test_those_of_one_place_do_not_push_out_others(self, store: Store) -> None:
        store.register("other", {"client_id": "other"}, "203.0.113.9")
        for n in range(MAX_NEW * 2):
            store.register(f"c{n}", {"client_id": f"c{n}"}, f"2001:db8::{n:x}")
        assert "other" in store.clients and len(store.clients) == MAX_NEW

    def test_one_that_waits_for_approval_is_not_pushed_out(self, store: Store) -> None:
        store.register("waits", {"client_id": "waits"})
        for n in range(MAX_NEW * 2):
            store.register(f"c{n}", {"client_id": f"c{n}"}, keep={"waits"})
        assert "waits" in store.clients

    @pytest.mark.parametrize(
        ("granted", "seconds", "kept"),
        [
            (False, NEW_S - 1, True),
            (False, NEW_S + 1, False),
            (True, KNOWN_S - 1, True),
            (True, KNOWN_S + 1, False),
        ],
    )
    def test_those_never_used_are_forgotten_after_an_hour_and_others_after_ninety_days(
        self, tmp_path: Path, clock: Clock, granted: bool, seconds: float, kept: bool
    ) -> None:
        path = tmp_path / "oauth.json"
        store = Store(path, clock)
        store.register("old", {"client_id": "old"})
        if granted:
            store.revoke(store.grant("old", "Old", Level.EDIT, None).grant.id)
        clock.now += seconds
        after = Store(path, clock)
        after.register("new", {"client_id": "new"})
        assert set(after.clients) == ({"old", "new"} if kept else {"new"})

    def test_of_too_many_that_had_a_grant_the_oldest_without_one_give_way(
        self, store: Store, clock: Clock
    ) -> None:
        for n in range(MAX_KNOWN + 10):
            clock.now += 1
            store.register(f"c{n}", {"client_id": f"c{n}"})
            store.grant(f"c{n}", "Agent", Level.EDIT, None)
        assert list(store.clients) == [f"c{n}" for n in range(10, MAX_KNOWN + 10)]
        assert len(store.grants) == MAX_GRANTS

    #: (places that register, one after the other; seconds between two; how many are let through)
    @pytest.mark.parametrize(
        ("places", "pause", "allowed"),
        [
            (["203.0.113.9"] * 15, 0, 10),
            (["203.0.113.9"] * 15, 10, 15),
            ([f"203.0.113.{n}" for n in range(15)], 0, 15),
            ([f"2001:db8::{n}" for n in range(15)], 0, 10),
            ([f"2001:db8:0:{n}::1" for n in range(15)], 0, 15),
            (["::ffff:203.0.113.9", "203.0.113.9"] * 8, 0, 10),
            ([""] * 15, 0, 10),
        ],
    )
    def test_registrations_are_limited_for_each_place(
        self, clock: Clock, places: list[str], pause: float, allowed: int
    ) -> None:
        limit, waits = RegistrationLimit(clock), []
        for place in places:
            waits.append(limit.wait(place))
            clock.now += pause
        assert sum(wait == 0 for wait in waits) == allowed
        assert all(0 < wait <= 10 for wait in waits if wait)
        assert limit.wait("198.51.100.1") == 0, "others are not concerned"
