"""TouchDesigner's one text of errors, taken apart into whole messages with their owners."""

from __future__ import annotations

from tdmcp_embedded.touchdesigner.diagnostics import split, understood


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
