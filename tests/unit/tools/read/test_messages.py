"""TouchDesigner's one text of errors, taken apart into whole messages with their owners."""

from __future__ import annotations

import sys

import pytest

from tdmcp_embedded.touchdesigner.diagnostics import said, split, understood


class Operator:
    """As much of an operator as is asked for its errors."""

    opType, path = "textDAT", "/project1/s"

    def __init__(self, script_errors: str) -> None:
        self._text = script_errors

    def errors(self) -> str:
        return ""

    warnings = errors

    def scriptErrors(self) -> str:
        return self._text


def test_a_message_of_several_lines_stays_whole_and_loses_its_owner() -> None:
    text = (
        "  Error: AttributeError: 'NoneType' object has no attribute 'par' \n, line 1, in <module>\n"
        "Context:(Parameter: Period) (/project1/a)"
    )
    assert split(text, "/project1/a") == [
        (
            "/project1/a",
            "AttributeError: 'NoneType' object has no attribute 'par' \n, line 1, in <module>\nContext:(Parameter: Period)",
        )
    ]


def test_two_messages_are_two() -> None:
    text = "  Error: Not enough sources specified (/project1/a)\n  Error: Second (/project1/a)"
    assert [message for _, message in split(text, "/project1/a")] == [
        "Not enough sources specified",
        "Second",
    ]


def test_a_warning_without_the_space_is_a_message_too() -> None:
    assert split("Warning: Failed to open file. (/project1/m)", "/project1/m") == [
        ("/project1/m", "Failed to open file.")
    ]


def test_a_line_marked_error_inside_a_traceback_begins_no_message() -> None:
    text = "  Error: Traceback\nError: made up by the script\nValueError: no (/project1/s)"
    assert len(split(text, "/project1/s")) == 1


def test_marked_messages_without_owners_are_told_apart() -> None:
    assert split("Error: one\nmore\nError: two") == [("", "one\nmore"), ("", "two")]


def test_a_path_the_message_speaks_of_is_not_its_owner() -> None:
    assert split("  Error: cannot reach (/elsewhere/b)", "/project1/a") == [
        ("", "cannot reach (/elsewhere/b)")
    ]


def test_text_without_any_mark_is_one_message() -> None:
    assert split("something broke\nbadly", "/a") == [("", "something broke\nbadly")]


def test_nothing_is_nothing() -> None:
    assert split("", "/a") == [] and split("\n \n", "/a") == []


def test_a_shortened_echo_is_left_out_and_a_message_that_only_begins_alike_is_not() -> None:
    errors = (
        "Error: Cannot open /clips/a.mov\nError: Cannot open /clips/a.mov.txt\nError: Cannot cook: no input"
    )
    found = understood("/a", (errors, "Warning: Cannot cook", "", ()))
    assert [problem.message for problem in found] == [
        "Cannot open /clips/a.mov",
        "Cannot open /clips/a.mov.txt",
        "Cannot cook: no input",
    ]


def _raised(count: int, value: str = "{0}.5") -> str:
    """What a callback that raises in every frame has left after `count` frames."""
    return "\n".join(
        f'  Error: Traceback (most recent call last):\n  File "/s", line 7, in onFrameStart\n'
        f"ValueError: no cue at {value.format(i)} (/project1/s)"
        for i in range(count)
    )


@pytest.mark.parametrize("text", [_raised(5000), _raised(5000, "x")], ids=["changing values", "equal"])
def test_a_line_that_raises_in_every_frame_is_one_problem(text: str) -> None:
    [problem] = understood("/project1/s", said(Operator(text)))
    assert problem.message.startswith("Traceback") and "ValueError: no cue at" in problem.message


def test_the_latest_values_of_a_repeated_message_are_shown() -> None:
    [problem] = understood("/project1/s", said(Operator(_raised(5000))))
    assert "no cue at 4999.5" in problem.message and "differ only in numbers" in problem.message


def test_messages_on_other_lines_or_about_other_operators_stay_apart() -> None:
    lines = "\n".join(f"Error: line {i}, in f (/a)\nError: no operator noise{i} (/a)" for i in range(5))
    assert len(understood("/a", (lines, "", "", ()))) == 10


def test_of_thousands_of_different_messages_a_few_are_passed_on_and_the_rest_counted() -> None:
    text = "\n".join(f"Error: no operator noise{i} (/a)" for i in range(300))
    found = understood("/a", (text, "", "", ()))
    assert len(found) == 20 and found[-1].message == "281 other messages are not shown."


@pytest.mark.parametrize(
    "text",
    [
        _raised(4000),
        "\n".join(f"Error: no operator noise{i} (/a)" for i in range(40_000)),
        "Error: " + " " * 1_000_000 + "x (/a)",
        "(" * 1_000_000,
        "\n" * 1_000_000,
        "x\n" * 500_000,
    ],
    ids=["frames", "different", "blanks", "parentheses", "empty lines", "no marks"],
)
def test_reading_ten_times_the_text_is_no_more_work(text: str) -> None:
    """Counted in calls and in characters looked at, not in time."""

    def calls(operator: Operator) -> int:
        count = 0

        def note(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            texts = said(operator)
            understood("/a", texts)
        finally:
            sys.setprofile(None)
        assert sum(map(len, texts[:3])) < 50_000
        return count

    assert calls(Operator(text)) <= 1.5 * calls(Operator(text[: len(text) // 10])) + 50
