"""Turns, places, results and names of jobs count by key: no key can use up, push out or look into another's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME, Job
from tests.unit.queue.stage import Clock, Stage, refusal


def forever() -> Iterator[Any]:
    while True:
        yield NEXT_FRAME


def flood(stage: Stage, owner: str, count: int, sessions: int = 1) -> list[Job]:
    return [
        stage.queue.submit(stage.writes(owner), owner=owner, session=f"{owner}{n % sessions}")
        for n in range(count)
    ]


#: Jobs and sessions of each key; how often each had its turn after so many turns (ms each, one a frame).
SHARES: list[tuple[dict[str, tuple[int, int]], int, dict[str, int]]] = [
    ({"a": (20, 1), "b": (20, 1)}, 10, {"a": 5, "b": 5}),
    ({"a": (20, 10), "b": (20, 1)}, 10, {"a": 5, "b": 5}),
    ({"a": (40, 40), "b": (1, 1)}, 10, {"a": 9, "b": 1}),
    ({"a": (20, 20), "b": (20, 2), "c": (20, 1)}, 12, {"a": 4, "b": 4, "c": 4}),
    ({"a": (20, 5), "": (20, 3)}, 8, {"a": 4, "": 4}),
]


@pytest.mark.parametrize(("jobs", "frames", "turns"), SHARES)
def test_keys_take_turns_however_many_sessions_each_has(
    stage: Stage, jobs: dict[str, tuple[int, int]], frames: int, turns: dict[str, int]
) -> None:
    for owner, (count, sessions) in jobs.items():
        for n in range(count):
            stage.queue.submit(stage.writes(owner, ms=50), owner=owner, session=f"{owner}{n % sessions}")
    stage.frame(frames)
    assert {owner: stage.log.count(owner) for owner in jobs} == turns


def test_within_a_key_its_sessions_take_turns(stage: Stage) -> None:
    for n in range(3):
        stage.queue.submit(stage.writes(f"flood{n}"), owner="a", session="1")
    stage.queue.submit(stage.writes("single"), owner="a", session="2")
    stage.frame()
    assert stage.log == ["flood0", "single", "flood1", "flood2"]


def test_a_key_that_fills_the_queue_with_many_sessions_leaves_places_for_others(clock: Clock) -> None:
    stage = Stage(clock, capacity=64)
    flood(stage, "a", 56, sessions=56)
    with pytest.raises(ToolFailure) as busy:
        flood(stage, "a", 1)
    assert busy.value.code is Code.BUSY
    others = flood(stage, "b", 8)
    stage.frame(3)
    assert {job.state for job in others} == {"done"}


def test_jobs_that_have_begun_cannot_keep_another_key_out(clock: Clock) -> None:
    stage = Stage(clock, capacity=64)
    for n in range(56):
        stage.queue.submit(forever, owner="a", session=str(n))
    stage.frame(70)
    [job] = flood(stage, "b", 1)
    stage.frame(3)
    assert job.state == "done"


def test_in_a_full_queue_the_key_with_most_makes_room_and_no_key_within_its_share_does(clock: Clock) -> None:
    stage = Stage(clock, capacity=16)
    hog, modest = flood(stage, "a", 12, sessions=12), flood(stage, "b", 4)
    [newcomer] = flood(stage, "c", 1)
    assert refusal(hog[-1]).code is Code.BUSY
    assert all(job.state == "queued" for job in [*hog[:-1], *modest, newcomer])
    while True:
        try:
            flood(stage, "c", 1)
        except ToolFailure:
            break
    assert all(job.state == "queued" for job in modest)
    assert sum(job.state == "queued" for job in hog) >= 16 // 3


def test_a_flood_of_one_key_does_not_push_out_what_another_left_to_be_collected(stage: Stage) -> None:
    kept = stage.queue.submit(lambda: "mine", owner="a", keep=True)
    given = stage.queue.submit(lambda: "mine too", owner="a")
    stage.frame()
    for _ in range(40):
        for _ in range(20):
            stage.queue.submit(lambda: "flood", owner="b", keep=True)
            stage.queue.submit(lambda: "flood", owner="b")
        stage.frame(3)
    found = stage.queue.job(kept.id)
    assert found is not None and found.outcome() == "mine"
    assert stage.queue.job(given.id) is not None


def test_what_is_remembered_of_all_keys_together_is_bounded(stage: Stage) -> None:
    jobs = []
    for n in range(100):
        jobs += [stage.queue.submit(lambda: b"x", owner=f"key{n}", keep=True) for _ in range(4)]
        stage.frame(2)
    assert sum(stage.queue.job(job.id) is not None for job in jobs) <= 128


def test_nobody_learns_the_ids_of_another_keys_jobs(clock: Clock) -> None:
    stage = Stage(clock, capacity=2)
    stage.frame()
    secret = [stage.queue.submit(forever, owner="a", label="capture_image") for _ in range(2)]
    stage.frame(2)
    for owner, sees in (("a", True), ("b", False)):
        with pytest.raises(ToolFailure) as busy:
            stage.queue.submit(forever, owner=owner)
        text = f"{busy.value.text()} {busy.value.structured()} {stage.queue.stats(owner)}"
        assert "capture_image" in busy.value.text(), "what it is busy with is no secret"
        assert any(job.id in text for job in secret) is sees
    assert stage.queue.stats("b")["depth"] == 2 and stage.queue.stats("b")["waiting"] == 0
    assert len(stage.queue.stats()["running"]) == 2


def test_who_holds_the_main_thread_is_named_to_its_own_key_only(clock: Clock) -> None:
    stage, told = Stage(clock), {}

    def holds() -> None:
        clock.now += 5
        for owner in ("a", "b"):
            try:
                stage.queue.submit(stage.writes("never"), owner=owner)
            except ToolFailure as stalled:
                told[owner] = stalled.text()

    stage.frame()
    job = stage.queue.submit(holds, owner="a", label="execute_python")
    stage.frame()
    assert job.id in told["a"] and "get_job" in told["a"]
    assert job.id not in told["b"] and "execute_python" in told["b"]
