"""The vocabulary of failure."""

from __future__ import annotations

import pickle

import pytest

from tdmcp_embedded.errors import Code, ToolFailure, near


@pytest.mark.parametrize(
    ("word", "known", "first"),
    [
        ("noiseTop", ["nullTOP", "noiseTOP", "noiseCHOP"], "noiseTOP"),
        ("periode", ["period", "phase"], "period"),
        ("freq", ["amplitude", "frequency"], "frequency"),
    ],
)
def test_near_matches_forgive_slips_and_letter_case(word: str, known: list[str], first: str) -> None:
    assert near(word, known)[0] == first


def test_nothing_near_is_an_empty_list() -> None:
    assert near("xyz", ["noise", "blur"]) == []


def test_only_failures_that_time_may_mend_are_retryable() -> None:
    assert ToolFailure(Code.BUSY, "x").retryable
    assert not ToolFailure(Code.OPERATOR_NOT_FOUND, "x").retryable
    assert ToolFailure(Code.TD_ERROR, "x", retryable=True).retryable


def test_a_failure_survives_pickling_whole() -> None:
    failure = ToolFailure(Code.STILL_RUNNING, "m", hint="h", suggestions=["s"], details={"job": "j1"})
    again = pickle.loads(pickle.dumps(failure))
    assert again.structured() == failure.structured()
