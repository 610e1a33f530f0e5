"""Wherever an edit breaks off, after any of its writes, nothing of it is left: with TouchDesigner's undo and without."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fakes.undo import UndoStack
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.touchdesigner.undo import Journal
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import fresh
from tests.unit.tools.properties.test_taking_back import CALLS, furnish, some_call

#: Making an annotation ends TD's undo block (fact 35); it comes last, after everything that could fail.
MAKERS = [make for make in CALLS if make.__name__ != "_python"]


class Broken(Exception):
    """Something nobody foresaw, in the middle of an edit."""


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Writes that have been noted, and the one after which the edit breaks off (0: none)."""
    counted = [0, 0]
    noted = Journal.put_back_with

    def note(journal: Journal, entry: Any) -> None:
        noted(journal, entry)
        if journal.active:
            counted[0] += 1
            if counted[0] == counted[1]:
                raise Broken

    monkeypatch.setattr(Journal, "put_back_with", note)
    return counted


def run_until(bench: Bench, breaking: list[int], point: int, name: str, arguments: dict[str, Any]) -> None:
    breaking[:] = [0, point]
    bench.run(name, **arguments)


def broken_anywhere(breaking: list[int], name: str, arguments: dict[str, Any], random: Random) -> None:
    with fresh() as bench:
        furnish(bench)
        run_until(bench, breaking, 0, name, arguments)
    writes = breaking[0]
    for point in sorted(random.sample(range(1, writes + 1), min(3, writes))):
        with fresh() as bench:
            furnish(bench)
            before, steps = state(bench), bench.td.ui.undo.undoStack
            with pytest.raises(ToolFailure):
                run_until(bench, breaking, point, name, arguments)
            assert state(bench) == before, (name, arguments, point)
            assert bench.td.ui.undo.undoStack == steps


@pytest.mark.parametrize("make", MAKERS, ids=[make.__name__.strip("_") for make in MAKERS])
@pytest.mark.parametrize("seed", range(2))
def test_an_edit_that_breaks_off_leaves_nothing(make: Any, seed: int, breaking: list[int]) -> None:
    random = Random(seed)
    name, arguments = make(random)
    broken_anywhere(breaking, name, arguments, random)


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_that_breaks_off_leaves_nothing(seed: int, breaking: list[int]) -> None:
    random = Random(seed)
    calls: list[dict[str, Any]] = []
    while len(calls) < 3:
        tool, given = some_call(random)
        noted = "annotations" in given or given.get("type") == "annotateCOMP"
        if tool in ("set_parameters", "build_network", "define_parameters", "create_operator") and not noted:
            calls.append({"tool": tool, "arguments": given})
    broken_anywhere(breaking, "batch", {"calls": calls, "confirm": True}, random)


@pytest.mark.parametrize("name", ["_build", "_set", "_define", "_write", "_wire"])
def test_an_edit_that_breaks_off_leaves_nothing_where_touchdesigner_records_nothing(
    name: str, breaking: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UndoStack, "record", lambda *_: None)
    random = Random(7)
    make = next(each for each in CALLS if each.__name__ == name)
    tool, arguments = make(random)
    broken_anywhere(breaking, tool, arguments, random)
