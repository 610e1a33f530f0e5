"""The counts in the stand-in's page are those of the stand-in."""

from __future__ import annotations

from scripts import stand_in_counts


def test_the_counts_are_current() -> None:
    text = stand_in_counts.PAGE.read_text("utf-8")
    assert text == stand_in_counts.page(text), "python scripts/stand_in_counts.py"
