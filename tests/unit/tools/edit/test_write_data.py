"""write_data: text and tables, whole or in exact places."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

TEXT = "one\ntwo\nthree two\n"


@pytest.fixture
def dat(bench: Bench) -> Any:
    made = bench.make("textDAT", "t")
    made.text = TEXT
    return made


def write(bench: Bench, **arguments: Any) -> dict[str, Any]:
    return bench.json("write_data", path="/project1/t", **arguments)


def test_the_whole_text_is_written(bench: Bench, dat: Any) -> None:
    answer = write(bench, text="new\ntext — 新")
    assert dat.text == "new\ntext — 新"
    assert (answer["changed"], answer["characters"]) == (True, 12)


def test_replacements_match_once_and_in_order(bench: Bench, dat: Any) -> None:
    write(bench, replace=[{"old": "one", "new": "1"}, {"old": "1\ntwo", "new": "zwei"}])
    assert dat.text == "zwei\nthree two\n"


def test_a_replacement_that_does_not_match_changes_nothing(bench: Bench, dat: Any) -> None:
    with refused(bench, Code.TEXT_NOT_FOUND) as caught:
        write(bench, replace=[{"old": "one", "new": "1"}, {"old": "thre two", "new": "x"}])
    assert caught.value.suggestions == ["three two"]


def test_a_replacement_that_matches_twice_is_refused_with_its_lines(bench: Bench, dat: Any) -> None:
    with refused(bench, Code.TEXT_NOT_UNIQUE) as caught:
        write(bench, replace=[{"old": "two", "new": "x"}])
    assert caught.value.details["lines"] == [2, 3]


def test_a_hash_that_no_longer_fits_is_refused(bench: Bench, dat: Any) -> None:
    known = write(bench, text="a")["hash"]
    assert write(bench, text="b", expected_hash=known)["changed"] is True
    with refused(bench, Code.PRECONDITION_FAILED):
        write(bench, text="c", expected_hash=known)


def test_reading_gives_the_hash_that_writing_wants(bench: Bench, dat: Any) -> None:
    read = bench.json("read_data", path="/project1/t")
    assert write(bench, text="b", expected_hash=read["hash"])["changed"] is True


def test_emptying_needs_a_word(bench: Bench, dat: Any) -> None:
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        write(bench, text="")
    write(bench, text="", confirm=True)
    assert dat.text == ""
    write(bench, text="")


def test_tables_keep_line_breaks_in_cells(bench: Bench) -> None:
    # Setting .text would flatten them (fact 40).
    table = bench.make("tableDAT", "t")
    answer = write(bench, table=[["a", "b\nc", ""], ["d"]])
    assert [[c.val for c in row] for row in table.rows()] == [["a", "b\nc", ""], ["d", "", ""]]
    assert (answer["rows"], answer["columns"]) == (2, 3)
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        write(bench, table=[])


def test_numbers_are_taken_as_cells(bench: Bench) -> None:
    table = bench.make("tableDAT", "t")
    write(bench, table=[["speed", 2.5, 3]])
    assert [c.val for c in table.rows()[0]] == ["speed", "2.5", "3"]


def test_text_is_no_table_and_a_top_holds_neither(bench: Bench, dat: Any) -> None:
    with refused(bench, Code.VALUE_INVALID):
        write(bench, table=[["a"]])
    bench.make("glslTOP", "g")
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run("write_data", path="/project1/g", text="x")
    assert "/project1/g_pixel" in caught.value.suggestions


def test_what_a_dat_makes_itself_cannot_be_written(bench: Bench, dat: Any) -> None:
    bench.make("selectDAT", "s", dat="t")
    with refused(bench, Code.VALUE_INVALID):
        bench.run("write_data", path="/project1/s", text="x")


@pytest.mark.parametrize(
    "arguments", [{}, {"text": "a", "replace": []}, {"replace": [{"old": "", "new": "x"}]}]
)
def test_exactly_one_way_of_writing_is_given(bench: Bench, dat: Any, arguments: dict[str, Any]) -> None:
    with refused(bench, Code.VALUE_INVALID):
        write(bench, **arguments)


def test_writing_what_is_there_changes_nothing(bench: Bench, dat: Any) -> None:
    answer = write(bench, text=TEXT)
    assert (answer["changed"], answer["undo"]) == (False, "")


def test_undo_gives_the_text_back(bench: Bench, dat: Any) -> None:
    before = state(bench)
    write(bench, text="x")
    bench.run("undo")
    assert state(bench) == before


def test_a_shader_that_fails_is_told_with_its_message(bench: Bench) -> None:
    # It shows on no operator's errors (fact 34).
    bench.make("glslTOP", "g")
    answer = bench.json(
        "write_data", path="/project1/g_pixel", text="out vec4 c;\nvoid main() { c = vec4(1.0; }\n"
    )
    assert "shader" in {p["severity"] for p in answer["problems"]}


ROWS = [["name", "note"], ["a", "first\nsecond"], ["b", "with\ttab"], ["c", "plain"]]

#: Replacements in a table: what is found, what takes its place, and the cell that then holds something else.
IN_TABLES: dict[str, tuple[list[dict[str, str]], dict[tuple[int, int], str]]] = {
    "a whole cell": ([{"old": "plain", "new": "fancy"}], {(3, 1): "fancy"}),
    "part of a cell": ([{"old": "lain", "new": "ane"}], {(3, 1): "pane"}),
    "around a line break": ([{"old": "first\nsec", "new": "1\n2"}], {(1, 1): "1\n2ond"}),
    "around a tab": ([{"old": "with\tt", "new": "T"}], {(2, 1): "Tab"}),
    "one after the other": ([{"old": "plain", "new": "fancy"}, {"old": "fancy", "new": "x"}], {(3, 1): "x"}),
    "by text with a line break": ([{"old": "plain", "new": "two\nlines"}], {(3, 1): "two\nlines"}),
}


@pytest.mark.parametrize("what", IN_TABLES)
def test_a_replacement_in_a_table_leaves_the_other_cells_as_they_are(bench: Bench, what: str) -> None:
    table = bench.make("tableDAT", "t")
    bench.run("write_data", path=table.path, table=ROWS)
    replacements, cells = IN_TABLES[what]
    write(bench, replace=replacements)
    wanted = [[cells.get((r, c), cell) for c, cell in enumerate(row)] for r, row in enumerate(ROWS)]
    assert [[cell.val for cell in row] for row in table.rows()] == wanted
    bench.run("undo")
    assert [[cell.val for cell in row] for row in table.rows()] == ROWS


@pytest.mark.parametrize(
    ("old", "code"),
    [("a\tfirst", Code.TEXT_NOT_FOUND), ("missing", Code.TEXT_NOT_FOUND), ("n", Code.TEXT_NOT_UNIQUE), ("", Code.VALUE_INVALID)],
)  # fmt: skip
def test_a_replacement_that_is_in_no_single_cell_is_refused(bench: Bench, old: str, code: Code) -> None:
    table = bench.make("tableDAT", "t")
    bench.run("write_data", path=table.path, table=ROWS)
    with refused(bench, code):
        write(bench, replace=[{"old": old, "new": "x"}])


@pytest.mark.parametrize("language", ["text", "input"])
def test_a_text_dat_takes_python_whatever_its_language_is_at_first(bench: Bench, language: Any) -> None:
    bench.world.text_language = language
    bench.json("create_operator", parent="/project1", type="textDAT", name="t", params={"language": "python"})
    bench.json("write_data", path="/project1/t", text="x = 1")
    assert bench.op("/project1/t").par.language.eval() == "python"
    assert bench.op("/project1/t").module.x == 1
