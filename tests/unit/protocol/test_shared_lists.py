"""Sessions that got the same list hold the same list."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.protocol.shared_lists import SharedLists


def listing(name: str = "a") -> dict[str, Any]:
    return {"tools": [{"name": name}], "ttlMs": 1000}


def test_equal_answers_share_their_parts() -> None:
    lists = SharedLists()
    first = lists.shared("tools/list", listing())
    second = lists.shared("tools/list", listing())
    assert second == listing()
    assert second["tools"] is first["tools"]


def test_what_one_session_adds_to_its_answer_is_not_in_anothers() -> None:
    lists = SharedLists()
    lists.shared("tools/list", listing())["_meta"] = "mine"
    lists.shared("tools/list", listing())["_meta"] = "mine"
    assert lists.shared("tools/list", listing()) == listing()


def test_different_answers_stay_different_and_only_the_last_are_kept() -> None:
    lists = SharedLists()
    first = lists.shared("tools/list", listing("0"))
    for number in range(1, 20):
        assert lists.shared("tools/list", listing(str(number))) == listing(str(number))
    again = lists.shared("tools/list", listing("0"))
    assert again == listing("0") and again["tools"] is not first["tools"]
