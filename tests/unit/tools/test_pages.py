"""Pages of a list that changes while it is read: nothing comes twice, nothing that stays is missed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.tools.harness import Bench

P = "/project1/many"
COUNT = 60


@pytest.fixture
def many(bench: Bench) -> Bench:
    bench.make("baseCOMP", "many")
    bench.make("baseCOMP", "empty")
    for index in range(COUNT):
        made = bench.make("constantTOP", f"n{index}", parent=P)
        made.par.resolutionw.expr = f"missing_{index}"
        made.cook(force=True)  # An operator that nothing cooks has no error (fact 66).
        if index % 10 == 0:
            bench.make("baseCOMP", f"c{index}", parent=P)
    bench.frame(2)
    return bench


#: Each list, and the name by which an operator of the network stands in it.
LISTS: list[tuple[str, dict[str, Any], Callable[[dict[str, Any]], list[str]]]] = [
    ("find_operators", {"path": P, "type": "constantTOP"}, lambda page: [row["path"].rsplit("/", 1)[1] for row in page["operators"]]),
    ("read_network", {"path": P}, lambda page: [row["name"] for row in page["operators"] if row["type"] == "constantTOP"]),
    ("check_errors", {"path": P}, lambda page: [row["paths"][0].rsplit("/", 1)[1] for row in page["problems"]]),
    ("compare_network", {"path": P, "with": "/project1/empty"}, lambda page: [row["path"] for row in page["differences"] if row["path"][0] == "n"]),
]  # fmt: skip
NAMES = [name for name, _, _ in LISTS]


def walk(
    bench: Bench, name: str, meanwhile: Callable[[int, list[str]], object] = lambda page, seen: None
) -> list[str]:
    """Everything on all pages of seven; `meanwhile` is called between two of them."""
    asked, names = next((asked, names) for each, asked, names in LISTS if each == name)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for number in range(100):
        page = bench.json(name, **asked, limit=7, **cursor)
        seen += names(page)
        if "next_cursor" not in page:
            return seen
        cursor = {"cursor": page["next_cursor"]}
        meanwhile(number, seen)
        bench.frame()
    raise AssertionError("no last page")


@pytest.mark.parametrize("name", NAMES)
def test_all_pages_are_all_there_is(many: Bench, name: str) -> None:
    assert sorted(walk(many, name)) == sorted(f"n{index}" for index in range(COUNT))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_shown_may_be_deleted_page_by_page(many: Bench, name: str) -> None:
    def delete(number: int, seen: list[str]) -> None:
        for each in seen:
            if (found := many.op(f"{P}/{each}")) is not None:
                found.destroy()

    assert sorted(walk(many, name, delete)) == sorted(f"n{index}" for index in range(COUNT))


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_and_goes_among_those_shown_hides_nothing(many: Bench, name: str) -> None:
    def change(number: int, seen: list[str]) -> None:
        if number == 1:
            many.op(f"{P}/{seen[0]}").destroy()
            many.op(f"{P}/{seen[-2]}").destroy()
        elif number == 3:
            many.op(f"{P}/c0").destroy()
        elif number == 4:
            many.make("constantTOP", "late", parent=P).par.resolutionw.expr = "late"

    seen = walk(many, name, change)
    assert len(seen) == len(set(seen))
    assert {f"n{index}" for index in range(COUNT)} <= set(seen)


def test_annotations_come_on_the_pages_too_each_once(bench: Bench) -> None:
    network = bench.make("baseCOMP", "notes")
    for index in range(40):
        note = network.create("annotateCOMP", f"note{index}")
        note.utility = True
        note.par.Bodytext = "words " * 200
        bench.make("noiseTOP", f"n{index}", parent=network.path)
    found: dict[str, list[str]] = {"operators": [], "annotations": []}
    cursor: dict[str, str] = {}
    while True:
        page = bench.json("read_network", path=network.path, **cursor)
        assert page["returned"] == len(page["operators"]) and page["total"] == 40
        for key, rows in found.items():
            rows += [row["name"] for row in page.get(key, ())]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(found["operators"]) == sorted(f"n{index}" for index in range(40))
    assert sorted(found["annotations"]) == sorted(f"note{index}" for index in range(40))
