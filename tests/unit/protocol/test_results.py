"""Outputs and failures as MCP tool results."""

from __future__ import annotations

import json

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import results
from tdmcp_embedded.tools.tool import Output, Picture


class Answer(Output):
    name: str
    note: str | None = None


def test_text_and_structured_content_say_the_same() -> None:
    result = results.success(Answer(name="noise1"))
    assert result.structured_content == {"name": "noise1"}
    assert json.loads(result.content[0].text) == {"name": "noise1"}  # type: ignore[union-attr]
    assert not result.is_error


def test_pictures_become_image_content() -> None:
    answer = Answer(name="noise1")
    answer.pictures.append(Picture(b"\x89PNG", "image/png"))
    image = results.success(answer).content[1]
    assert (image.type, image.mime_type) == ("image", "image/png")  # type: ignore[union-attr]


def test_lone_surrogates_leave_as_something_utf8_can_carry() -> None:
    result = results.success(Answer(name="a\ud800b"))
    assert result.model_dump_json().encode("utf-8")
    assert result.structured_content == {"name": "a?b"}


def test_an_answer_over_a_megabyte_is_refused_with_what_to_do() -> None:
    with pytest.raises(ToolFailure) as caught:
        results.success(Answer(name="x" * 600_000))  # twice: once as text, once structured
    assert caught.value.code is Code.TOO_LARGE
    assert "smaller" in caught.value.hint


def test_a_refusal_carries_code_hint_suggestions_and_whether_to_retry() -> None:
    refusal = ToolFailure(Code.BUSY, "Busy.", hint="Wait.", suggestions=["a"], details={"retry_after_s": 2})
    result = results.failure(refusal)
    assert result.is_error
    assert result.structured_content == {
        "code": "busy",
        "message": "Busy.",
        "hint": "Wait.",
        "suggestions": ["a"],
        "retryable": True,
        "retry_after_s": 2,
    }
    text = result.content[0].text  # type: ignore[union-attr]
    for part in ("busy", "Busy.", "Wait.", "a", "2"):
        assert part in text
