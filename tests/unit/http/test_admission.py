"""Bursts pass, floods wait their turn, and nobody else pays for them."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tdmcp_embedded.http.admission import Bucket
from tests.unit.http.asgi import Answer
from tests.unit.http.site import Site


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_at_once_and_what_follows_is_spaced_evenly() -> None:
    bucket = Bucket(Clock())
    waits = [bucket.book(100, 4, 5.0) for _ in range(8)]
    assert waits == pytest.approx([0, 0, 0, 0, 0.01, 0.02, 0.03, 0.04])


def test_a_caller_below_the_rate_never_waits() -> None:
    clock = Clock()
    bucket = Bucket(clock)
    for _ in range(500):
        assert bucket.book(120, 4, 5.0) == 0
        clock.now += 1 / 110


def test_after_a_quiet_time_only_a_burst_is_saved_up() -> None:
    clock = Clock()
    bucket = Bucket(clock)
    for _ in range(4):
        bucket.book(100, 4, 5.0)
    clock.now += 3600
    assert [bucket.book(100, 4, 5.0) > 0 for _ in range(5)] == [False] * 4 + [True]


def test_whoever_would_wait_too_long_takes_no_turn() -> None:
    clock = Clock()
    bucket = Bucket(clock)
    waits = [bucket.book(10, 1, 1.0) for _ in range(50)]
    assert sum(wait <= 1.0 for wait in waits) == 11
    clock.now += 1.0
    assert bucket.book(10, 1, 1.0) == pytest.approx(0.1), "the refused ones are not served before the others"


def test_a_new_rate_counts_at_once() -> None:
    bucket = Bucket(Clock())
    bucket.book(1, 1, 5.0)
    assert bucket.book(1, 1, 5.0) == pytest.approx(1.0)
    assert bucket.book(1000, 1, 5.0) < 0.01


def flood(site: Site, count: int, **options: object) -> list[Answer]:
    async def all_at_once() -> list[Answer]:
        return list(await asyncio.gather(*(site.ask_async(**options) for _ in range(count))))

    return asyncio.run(all_at_once())


def test_a_flood_is_sent_away_with_the_time_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.admission.MAX_WAIT_S", 0.1)
    answers = flood(Site(requests_per_second=50, burst=2), 20)
    counts = Counter(answer.status for answer in answers)
    assert set(counts) == {200, 429}
    refused = next(answer for answer in answers if answer.status == 429)
    assert int(refused.headers["retry-after"]) >= 1
    assert "one call at a time" in refused.sentence


def test_strangers_cannot_use_up_the_turns_of_those_with_a_key() -> None:
    site = Site(requests_per_second=100, burst=4)

    async def both() -> tuple[list[Answer], Answer]:
        strangers = [asyncio.ensure_future(site.ask_async(key="wrong")) for _ in range(200)]
        await asyncio.sleep(0)
        own = await site.ask_async()
        return [await stranger for stranger in strangers], own

    strangers, own = asyncio.run(both())
    assert own.status == 200
    assert {answer.status for answer in strangers} == {401, 429}


def test_a_flood_without_a_key_from_one_address_does_not_keep_another_from_signing_in() -> None:
    site = Site()

    async def both() -> tuple[list[Answer], Answer]:
        flood = [
            asyncio.ensure_future(
                site.ask_async(key="", server="192.168.1.5", host="192.168.1.5", client="192.168.1.66")
            )
            for _ in range(200)
        ]
        await asyncio.sleep(0)
        other = await site.ask_async(key="", server="192.168.1.5", host="192.168.1.5", client="192.168.1.77")
        return [await one for one in flood], other

    flood, other = asyncio.run(both())
    assert other.status == 401, "it is told how to sign in"
    assert {answer.status for answer in flood} == {401, 429}


def test_health_answers_while_requests_are_held_back() -> None:
    site = Site(requests_per_second=1, burst=1)

    async def both() -> Answer:
        held_back = [asyncio.ensure_future(site.ask_async()) for _ in range(4)]
        await asyncio.sleep(0)
        health = await site.ask_async("GET", "/health", key="")
        assert not all(request.done() for request in held_back)
        for request in held_back:
            request.cancel()
        return health

    assert asyncio.run(both()).status == 200
