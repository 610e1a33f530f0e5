"""Requests count by key: a flood with one key waits for itself."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tdmcp_embedded.http.fair_turns import FairTurns
from tdmcp_embedded.http.keys import Key
from tdmcp_embedded.settings import Level
from tests.unit.http.site import Site


class Run:
    """Callers, and the order in which they had their turns."""

    def __init__(self) -> None:
        self.turns = FairTurns()
        self.order: list[str] = []
        self.refused: list[str] = []

    async def call(self, key: str, max_wait: float = 60.0, rate: float = 500.0) -> None:
        taken, seconds = await self.turns.take(key, rate, 1, max_wait)
        (self.order if taken else self.refused).append(key)
        assert seconds >= 0

    def start(self, key: str, count: int, **options: float) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self.call(key, **options)) for _ in range(count)]


def test_a_single_request_does_not_wait_for_the_flood_of_another_key() -> None:
    async def scene() -> list[str]:
        run = Run()
        flood = run.start("flood", 60)
        await asyncio.sleep(0)
        single = run.start("single", 1)
        await asyncio.gather(*flood, *single)
        return run.order

    # One turn may be on its way already when it comes.
    assert asyncio.run(scene()).index("single") <= 3


def test_keys_that_flood_share_evenly_and_each_is_served_in_order() -> None:
    async def scene() -> list[str]:
        run = Run()
        tasks = [task for key in "abc" for task in run.start(key, 20)]
        await asyncio.gather(*tasks)
        return run.order

    order = asyncio.run(scene())
    for upto in range(6, 60, 6):
        counts = Counter(order[:upto])
        assert max(counts.values()) - min(counts[key] for key in "abc") <= 2, (upto, counts)


def test_who_would_wait_too_long_for_its_own_flood_is_sent_away_and_others_are_not() -> None:
    async def scene() -> Run:
        run = Run()
        flood = run.start("flood", 50, max_wait=0.5, rate=10.0)
        await asyncio.sleep(0)
        other = run.start("other", 1, max_wait=0.5, rate=10.0)
        await asyncio.gather(*flood, *other)
        return run

    run = asyncio.run(scene())
    assert "other" in run.order and "other" not in run.refused
    assert 1 <= run.order.count("flood") <= 7 and len(run.order) + len(run.refused) == 51


def test_a_request_that_was_given_up_costs_nobody_a_turn() -> None:
    async def scene() -> Run:
        run = Run()
        given_up = run.start("gone", 30, rate=20.0)
        await asyncio.sleep(0)
        other = run.start("other", 2, rate=20.0)
        for task in given_up[1:]:
            task.cancel()
        await asyncio.gather(*given_up, *other, return_exceptions=True)
        return run

    assert Counter(asyncio.run(scene()).order) == {"gone": 1, "other": 2}


@pytest.mark.parametrize("rate", [50, 200])
def test_one_key_cannot_use_up_the_requests_of_another(rate: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdmcp_embedded.http.admission.MAX_WAIT_S", 0.2)
    site = Site(requests_per_second=rate, burst=2)
    other: Key = site.keys.make("other", Level.OBSERVE)

    async def scene() -> tuple[Counter[int], list[int]]:
        flood = [asyncio.ensure_future(site.ask_async()) for _ in range(300)]
        await asyncio.sleep(0)
        single = [(await site.ask_async(key=other.token)).status for _ in range(3)]
        return Counter([(await one).status for one in flood]), single

    flood, single = asyncio.run(scene())
    assert single == [200, 200, 200]
    assert flood[429] > 0 and flood[200] > 0


def test_health_of_one_key_is_not_used_up_by_others() -> None:
    site = Site()

    async def scene() -> tuple[set[int], int]:
        strangers = [await site.ask_async("GET", "/health", key="", body=b"") for _ in range(20)]
        waiting = [asyncio.ensure_future(site.ask_async("GET", "/health", key="")) for _ in range(100)]
        await asyncio.sleep(0)
        own = await site.ask_async("GET", "/health")
        assert not all(one.done() for one in waiting)
        for one in waiting:
            one.cancel()
        return {one.status for one in strangers}, own.status

    assert asyncio.run(scene()) == ({200}, 200)
