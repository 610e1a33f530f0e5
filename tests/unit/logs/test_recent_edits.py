"""The last calls that could edit are kept by key, and bounded."""

from __future__ import annotations

import itertools

from tdmcp_embedded.logs.recent_edits import Answer, RecentEdits, end


def test_the_last_calls_of_a_key_are_kept_the_newest_first() -> None:
    edits = RecentEdits(itertools.count(1000.0).__next__)
    for number in range(40):
        edits.begin("a", "set_parameters", f"Set parameters /n{number}")
    edits.begin("b", "undo", "Undo")
    assert [call.about for call in edits.of("a", 2)] == ["Set parameters /n39", "Set parameters /n38"]
    assert len(edits.of("a", 1000)) == 32
    assert [(call.about, call.began) for call in edits.of("b", 10)] == [("Undo", 1040.0)]
    assert edits.of("c", 10) == []


def test_answers_of_the_last_few_are_kept_but_none_that_is_large() -> None:
    edits = RecentEdits()
    for number in range(10):
        call = edits.begin("a", "undo", "Undo")
        call.job = f"job{number}"
        end(call, "ok", Answer({"done": number}, "x" * (40_000 if number == 9 else 10)))
    kept = {call.job for call in edits.of("a", 99) if call.answer is not None}
    assert kept == {f"job{number}" for number in range(2, 9)}
    found = edits.by_job("a", "job5")
    assert found is not None and found.answer is not None and found.answer.structured == {"done": 5}
    assert edits.by_job("b", "job5") is None


def test_the_key_that_was_quiet_for_longest_makes_room() -> None:
    edits = RecentEdits()
    for number in range(64):
        edits.begin(f"key{number}", "undo", "Undo")
    edits.begin("key0", "undo", "Undo")
    edits.begin("another", "undo", "Undo")
    assert len(edits.of("key0", 9)) == 2 and edits.of("key1", 9) == [] and edits.of("key2", 9)
