"""`/health` tells everybody whether we live, and those with a key how."""

from __future__ import annotations

import json

import pytest

from tdmcp_embedded.http import identity
from tests.unit.http.site import Site


def test_before_the_first_frame_it_says_starting(site: Site) -> None:
    assert json.loads(site.ask("GET", "/health", key="").body)["status"] == "starting"


def test_strangers_see_state_time_and_what_fits_it_only(site: Site) -> None:
    site.queue.pump()
    answer = site.ask("GET", "/health", key="")
    assert answer.status == 200
    content = json.loads(answer.body)
    assert content["status"] == "ok"
    assert set(content) == {"status", "timestamp", "version", "contract", "accepts", "local"}
    assert answer.headers["cache-control"] == "no-store"


def test_with_a_key_it_shows_sessions_queue_and_main_thread(site: Site) -> None:
    site.queue.pump()
    content = json.loads(site.ask("GET", "/health").body)
    assert content["sessions"] == 3
    assert content["queue"]["depth"] == 0
    assert content["main_thread_age_s"] >= 0


def test_it_says_which_instance_it_is_to_whoever_would_show_it_a_key() -> None:
    site = Site(instance_id="of this run")
    assert json.loads(site.ask("GET", "/health", key="").body)["instance_id"] == "of this run"


def test_a_stalled_main_thread_shows(site: Site) -> None:
    site.queue.pump()
    site.now += 3
    assert json.loads(site.ask("GET", "/health", key="").body)["status"] == "stalled"


def test_a_head_request_has_no_body(site: Site) -> None:
    answer = site.ask("HEAD", "/health", key="")
    assert answer.status == 200
    assert answer.body == b""


def test_a_foreign_page_does_not_even_see_that_we_live(site: Site) -> None:
    assert site.ask("GET", "/health", key="", headers=[("origin", "https://evil.example")]).status == 403
    assert site.ask("GET", "/health", key="", host="evil.example").status == 421


# (the header with the nonce, whether it is answered)
NONCES = [
    (["0123456789abcdef"], True),
    (["a" * 128], True),
    ([], False),
    ([""], False),
    (["short"], False),
    (["a" * 129], False),
    (["0123456789abcdef\n9"], False),
    (["0123456789abcdef", "fedcba9876543210"], False),
]


@pytest.mark.parametrize(("nonces", "answered"), NONCES)
def test_a_nonce_is_answered_with_what_only_the_entry_tells(nonces: list[str], answered: bool) -> None:
    site = Site(instance_id="i", instance_secret="s")
    given = [("tdmcp-nonce", nonce) for nonce in nonces]
    content = json.loads(site.ask("GET", "/health", key="", headers=given).body)
    assert ("proof" in content) == answered and "instance_secret" not in content and '"s"' not in str(content)
    assert identity.prove("s", "0123456789abcdef", 1) != identity.prove("s", "0123456789abcdef", 2)
