"""The component's log shows what matters of the server's log, a few rows a frame, and never grows."""

import pytest

from tdmcp_embedded.display import COLUMNS, Display
from tdmcp_embedded.logs.log import Log as ServerLog
from tests.unit.component.host import Log, Owner

CALL = {"tool": "create_operator", "client": "Claude 1", "key": "owner", "ms": 12.5, "target": "/project1"}


@pytest.fixture
def table():
    return Log()


@pytest.fixture
def log():
    return ServerLog()


@pytest.fixture
def display(table):
    return Display(Owner(), table)


def rows(table):
    return [dict(zip(COLUMNS, row, strict=True)) for row in table.rows[1:]]


def test_an_edit_is_a_row_that_says_who_did_it_and_how_long_it_took(display, table, log):
    log.call(edits=True, outcome="ok", **CALL)
    display.follow(log.ring)
    (row,) = rows(table)
    assert row.pop("time")
    assert row == {
        "event": "create_operator /project1",
        "level": "info",
        "client": "Claude 1",
        "key": "owner",
        "tool": "create_operator",
        "ms": "12.5",
    }


def test_what_only_looks_leaves_the_table_alone(display, table, log):
    log.call(edits=False, outcome="ok", **CALL)
    display.follow(log.ring)
    assert rows(table) == []


def test_a_flood_is_written_a_few_rows_a_frame_and_only_the_newest(display, table, log):
    for n in range(900):
        log.event("info", f"event {n}")
    display.follow(log.ring)
    assert len(rows(table)) == 3
    for _ in range(100):
        display.follow(log.ring)
    assert [row["event"] for row in rows(table)] == [f"event {n}" for n in range(701, 900)]


def test_a_table_that_is_gone_is_no_reason_to_fail(display, table, log):
    table.valid = False
    log.event("info", "x")
    display.follow(log.ring)
    assert rows(table) == []
