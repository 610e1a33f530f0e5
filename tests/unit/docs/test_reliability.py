"""The table of faults names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reliability.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith(("|---", "| fault"))
]


def test_every_row_names_a_test_that_exists() -> None:
    paths = [path for part in ("unit", "integration") for path in (ROOT / "tests" / part).rglob("test_*.py")]
    files = {path.name for path in paths}
    defined = {name for path in paths for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))}
    assert len(ROWS) > 50
    for row in ROWS:
        assert len(row) == 4, row
        named = re.findall(r"`(test_\w+(?:\.py)?)`", row[3])
        assert named, f"no test for: {row[0]}"
        for name in named:
            assert name in files if name.endswith(".py") else name in defined, name


def test_every_fault_test_stands_in_the_table() -> None:
    stress = (ROOT / "tests" / "integration" / "stress").glob("test_*.py")
    defined = {name for path in stress for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))}
    #: These show that what is right still works.
    honest = {
        "test_a_session_that_was_ended_is_not_found_and_a_new_one_is_welcome",
        "test_after_it_gave_up_a_pulse_starts_it_again",
        "test_code_of_megabytes_is_run_or_refused_in_words",
        "test_honest_chunks_are_taken",
        "test_names_of_control_characters_are_refused",
        "test_requests_sent_without_waiting_for_answers_are_all_answered",
        "test_a_text_that_is_json_without_end_is_refused",
    }
    assert {name for name in defined - honest if name not in PAGE} == set()


def test_the_page_for_shows_and_this_one_know_each_other() -> None:
    shows = (ROOT / "docs" / "shows.md").read_text("utf-8")
    anchor = re.search(r"reliability\.md#([\w-]+)", shows)
    assert anchor
    headings = {re.sub(r"[^\w\s-]", "", line[3:]).strip().lower().replace(" ", "-") for line in PAGE.splitlines() if line.startswith("## ")}  # fmt: skip
    assert anchor[1] in headings
