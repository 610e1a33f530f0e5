"""What an edit must know is looked up before it, over many frames; the edit is short, and right all the same."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import combinations
from typing import Any

import pytest
from pytest_mock import MockerFixture

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.runner import Done, run_steps
from tdmcp_embedded.touchdesigner import creating, layout, lookup, places
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench, tool

WALL = "/project1/wall"
SIBLINGS = 600


@pytest.fixture
def wall(bench: Bench) -> Bench:
    """A network of 600 operators, twenty beside each other."""
    node = bench.world.node(bench.make("baseCOMP", "wall").path)
    assert node is not None
    for index in range(SIBLINGS):
        made = bench.world.create(node, "nullTOP", f"null{index}", quiet=True)
        made.x, made.y = (index % 20) * 200.0, -(index // 20) * 180.0
    bench.frame()
    return bench


def begin(bench: Bench, name: str, /, **given: Any) -> Generator[Any, None, Done]:
    row = tool(name)
    return run_steps(bench.call(row), row, parse(row, given))


def finish(bench: Bench, steps: Generator[Any, None, Done]) -> dict[str, Any]:
    while True:
        try:
            signal = next(steps)
        except StopIteration as end:
            answer: dict[str, Any] = end.value.output().structured()
            return answer
        if signal is NEXT_FRAME:
            bench.frame()


def in_between(
    bench: Bench, change: Callable[[], object], name: str, /, frames: int = 5, **given: Any
) -> dict[str, Any]:
    """A call in whose preparation, after a few of its steps, somebody else changes something."""
    steps = begin(bench, name, **given)
    for _ in range(frames):
        assert next(steps) is None
    change()
    return finish(bench, steps)


def overlapping(bench: Bench, made: list[str]) -> list[tuple[str, str]]:
    """Pairs of tiles that overlap, one of which is new."""
    tiles = {op.name: layout.box(op) for op in bench.op(WALL).children}
    names = [path.rpartition("/")[2] for path in made]
    pairs = {(a, b) for a in names for b in tiles if a != b and tiles[a].overlaps(tiles[b])}
    return sorted(pairs | {p for p in combinations(names, 2) if tiles[p[0]].overlaps(tiles[p[1]])})


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("create_operator", {"parent": WALL, "type": "constantTOP"}),
    ("create_operator", {"parent": WALL, "type": "levelTOP", "inputs": ["null7"]}),
    (
        "build_network",
        {"path": WALL, "operators": [
            {"name": "a", "type": "noiseTOP"},
            {"name": "b", "type": "levelTOP", "inputs": ["a"]},
            {"name": "c", "type": "nullTOP", "position": [-500, 0]},
        ]},
    ),
    ("copy_operators", {"paths": [f"{WALL}/null3", f"{WALL}/null4"]}),
    ("batch", {"calls": [{"tool": "create_operator", "arguments": {"parent": WALL, "type": "glslTOP"}}] * 5}),
]  # fmt: skip


def new(bench: Bench, before: set[str]) -> list[str]:
    return [op.path for op in bench.op(WALL).children if op.path not in before]


@pytest.mark.parametrize(("name", "given"), CALLS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CALLS)])
def test_among_hundreds_of_siblings_a_free_place_is_found_before_the_edit(
    wall: Bench, mocker: MockerFixture, name: str, given: dict[str, Any]
) -> None:
    before = {op.path for op in wall.op(WALL).children}
    taken = mocker.spy(places.Room, "take")
    asked = wall.steps(name, **given)
    made = new(wall, before)
    assert made and overlapping(wall, made) == []
    assert asked.count(None) >= SIBLINGS / 20
    # In the edit itself only what is new was looked at, not the hundreds.
    assert taken.call_count >= 1 and not any(len(call.args) > 2 for call in taken.call_args_list)
    seen = sum(len(call.args[1]) for call in taken.call_args_list if isinstance(call.args[1], list))
    assert seen == len(made)
    assert all(isinstance(call.args[1], list) for call in taken.call_args_list)


@pytest.mark.parametrize(("name", "given"), CALLS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CALLS)])
def test_what_somebody_makes_meanwhile_in_the_same_place_is_not_covered(
    wall: Bench, name: str, given: dict[str, Any]
) -> None:
    before = {op.path for op in wall.op(WALL).children}

    def interfere() -> None:
        # Below everything, where the next one would go, and right of what feeds it.
        for index, place in enumerate([(0, -29 * 180 - 130), (7 * 200 + 190, 0)]):
            other = wall.make("nullTOP", f"other{index}", parent=WALL)
            other.nodeX, other.nodeY = place

    in_between(wall, interfere, name, **given)
    assert overlapping(wall, [path for path in new(wall, before) if "other" not in path]) == []


def test_an_edit_that_was_prepared_begins_in_a_frame_of_its_own(wall: Bench) -> None:
    steps = begin(wall, "create_operator", parent=WALL, type="constantTOP", name="made")
    while next(steps) is not NEXT_FRAME:
        assert wall.op(f"{WALL}/made") is None
    assert wall.op(f"{WALL}/made") is None
    wall.frame()
    assert next(steps) is None and wall.op(f"{WALL}/made") is not None
    finish(wall, steps)


def test_among_few_siblings_nothing_is_prepared(bench: Bench) -> None:
    steps = begin(bench, "create_operator", parent="/project1", type="constantTOP", name="made")
    assert next(steps) is None and bench.op("/project1/made") is not None
    finish(bench, steps)


def test_what_was_deleted_meanwhile_is_passed_over(wall: Bench) -> None:
    made = in_between(
        wall,
        lambda: [wall.op(f"{WALL}/null{i}").destroy() for i in range(300, 400)],
        "create_operator",
        parent=WALL,
        type="constantTOP",
    )
    assert overlapping(wall, [made["path"]]) == []


def test_a_network_deleted_meanwhile_is_a_refusal(wall: Bench) -> None:
    with pytest.raises(ToolFailure) as refused:
        in_between(wall, lambda: wall.op(WALL).destroy(), "create_operator", parent=WALL, type="constantTOP")
    assert refused.value.code is Code.OPERATOR_NOT_FOUND


def test_a_batch_may_build_in_what_it_makes_itself(bench: Bench) -> None:
    answer = bench.json(
        "batch",
        calls=[
            {"tool": "create_operator", "arguments": {"parent": "/project1", "type": "baseCOMP", "name": "box"}},
            {"tool": "create_operator", "arguments": {"parent": "/project1/box", "type": "nullTOP", "name": "n"}},
        ],
    )  # fmt: skip
    assert bench.op("/project1/box/n") is not None and answer["undo"]


def test_a_number_that_is_free_is_found_behind_hundreds_that_are_taken(
    wall: Bench, mocker: MockerFixture
) -> None:
    looked = mocker.spy(creating, "child")
    made = wall.json("create_operator", parent=WALL, type="nullTOP", name="null1", if_exists="rename")
    assert made["path"] == f"{WALL}/null{SIBLINGS}"
    assert looked.call_count < 100


def test_names_that_resemble_are_found_among_thousands_without_looking_at_all(wall: Bench) -> None:
    node = wall.world.node(WALL)
    assert node is not None
    for index in range(1000):
        wall.world.create(node, "nullTOP", f"other{index}", quiet=True)
    assert "other1" in lookup.resembling(wall.op(WALL), "othr1")
    assert lookup.resembling(wall.op(WALL), "Null12")[0] == "null12"


# Restoring


def test_restoring_touches_only_what_differs(wall: Bench, mocker: MockerFixture) -> None:
    wall.run("checkpoint", action="save", path=WALL, name="good")
    before = state(wall)
    wall.op(f"{WALL}/null5").par.resolutionw = 99
    wall.op(f"{WALL}/null6").destroy()
    looked = mocker.spy(creating, "child")
    steps = wall.steps("checkpoint", action="restore", path=WALL, name="good")
    assert state(wall) == before
    assert len(steps) > SIBLINGS / 20 and looked.call_count < 20


def test_what_vanishes_while_a_restore_compares_makes_it_refuse(bench: Bench) -> None:
    box = bench.make("baseCOMP", "box")
    for index in range(40):
        bench.make("baseCOMP", f"b{index}", parent=box.path)
    bench.make("nullTOP", "inner", parent=f"{box.path}/b1")
    bench.run("checkpoint", action="save", path=box.path, name="good")
    bench.op(f"{box.path}/b1").comment = "changed"
    after: list[Any] = []

    def interfere() -> None:
        bench.op(f"{box.path}/b1").destroy()
        after.append(state(bench))

    with pytest.raises(ToolFailure) as refused:
        in_between(bench, interfere, "checkpoint", frames=60, action="restore", path=box.path, name="good")
    assert refused.value.code is Code.PRECONDITION_FAILED and refused.value.retryable
    assert [state(bench)] == after
    bench.run("checkpoint", action="restore", path=box.path, name="good")
    assert bench.op(f"{box.path}/b1/inner") is not None


def test_long_tables_and_texts_are_kept_whole_and_in_steps(bench: Bench) -> None:
    table = bench.make("tableDAT", "table")
    table.clear()
    for index in range(2000):
        table.appendRow([str(index), "ö\tx\ny"])
    text = bench.make("textDAT", "text")
    text.text = "line ö\n" * 10_000
    before = table.rows()[1999][1].val, text.text
    saving = bench.steps("checkpoint", action="save", path="/project1", name="long")
    table.clear()
    text.text = "short"
    bench.run("checkpoint", action="restore", path="/project1", name="long")
    assert (table.rows()[1999][1].val, text.text) == before and table.numRows == 2000
    assert bench.json("compare_network", path="/project1", **{"with": "long"})["equal"]
    assert len(saving) > 10
