"""Tables as rows of cells: parsing, writing, finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.dats import tables

CELLS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=5)


@given(
    st.integers(1, 4).flatmap(
        lambda wide: st.lists(st.lists(CELLS, min_size=wide, max_size=wide), min_size=1)
    )
)
def test_a_table_survives_text_and_back(rows: list[list[str]]) -> None:
    text = tables.as_text(rows)
    if text and rows[-1] != [""]:
        assert tables.parse(text) == rows


@given(st.lists(st.lists(st.text("ab,\"\n\t '", max_size=4), min_size=2, max_size=2), min_size=1))
def test_a_table_survives_csv_and_back(rows: list[list[str]]) -> None:
    assert tables.parse_csv(tables.as_csv(rows)) == rows


def test_text_flattens_a_line_break_in_a_cell() -> None:
    assert tables.parse(tables.as_text([["two\nlines", "b"]])) == [["two lines", "b"]]


def test_rows_are_filled_to_one_width() -> None:
    assert tables.parse("a\tb\nc") == [["a", "b"], ["c", ""]]
    assert tables.parse("") == []


def test_cells_hold_text_only() -> None:
    assert tables.row_of([1, 2.5, True, None, "x"]) == ["1", "2.5", "1", "", "x"]
    assert tables.row_of("word") == ["word"]


@pytest.mark.parametrize(
    ("wanted", "place"), [(0, 0), (-1, 2), (3, None), ("b", 1), ("B", None), ("c*", 2), ("zz", None)]
)
def test_a_row_is_found_by_index_or_name(wanted: object, place: int | None) -> None:
    assert tables.find(["a", "b", "cde"], wanted) == place


def test_rows_are_found_by_patterns_in_order_and_once() -> None:
    names = ["name", "a1", "a2", "b1"]
    assert tables.find_all(names, ["a*", 0, "a1"]) == [1, 2, 0]
    assert tables.find_all(names, ["* ^a*"]) == [0, 3]


def test_case_matters_unless_told_otherwise() -> None:
    assert tables.find(["Speed"], "speed") is None
    assert tables.find(["Speed"], "speed", case=False) == 0


def test_resizing_cuts_and_fills() -> None:
    assert tables.resize([["a", "b"], ["c", "d"]], 3, 1) == [["a"], ["c"], [""]]


def test_splitting_takes_any_delimiter_and_may_skip_blank_lines() -> None:
    assert tables.split("a,b;c\n\nd", ",;") == [["a", "b", "c"], ["", "", ""], ["d", "", ""]]
    assert tables.split("a\n\nb", ",", skip_blank=True) == [["a"], ["b"]]
