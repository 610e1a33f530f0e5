"""A checkpoint and a comparison cover what belongs to the component itself: values, custom pages, extensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench

P = "/project1"
BOX = f"{P}/box"

PAGES = [
    {"name": "Show", "parameters": [{"name": "Speed", "style": "Float", "max": 9}, {"name": "Mood", "style": "Menu", "menu": ["calm", "wild"]}]},
    {"name": "More", "parameters": [{"name": "Pos", "style": "XYZ"}]},
]  # fmt: skip

#: What somebody does to the component after it was kept, and the field that then differs.
CHANGES: dict[str, tuple[Callable[[Bench, Any], Any], str]] = {
    "a value": (lambda bench, box: setattr(box.par, "Speed", 7), "params.Speed"),
    "an expression": (lambda bench, box: setattr(box.par.Speed, "expr", "absTime.frame"), "params.Speed"),
    "a built-in parameter": (lambda bench, box: setattr(box.par, "parentshortcut", "Here"), "params.parentshortcut"),
    "what it promotes": (lambda bench, box: setattr(box.par, "ext0promote", True), "params.ext0promote"),
    "a page that is gone": (lambda bench, box: box.customPages[1].destroy(), "custom"),
    "a parameter that is gone": (lambda bench, box: box.customParGroups[0].destroy(), "custom"),
    "another page": (
        lambda bench, box: bench.run(
            "define_parameters", path=BOX, pages=[{"name": "New", "parameters": [{"name": "Odd", "style": "Toggle"}]}]
        ),
        "custom",
    ),
    "another limit": (
        lambda bench, box: bench.run(
            "define_parameters", path=BOX, pages=[{"name": "Show", "parameters": [{"name": "Speed", "style": "Float", "max": 5}]}]
        ),
        "custom",
    ),
}  # fmt: skip


@pytest.fixture
def box(bench: Bench) -> Any:
    made = bench.make("baseCOMP", "box")
    bench.run("define_parameters", path=BOX, pages=PAGES)
    bench.run(
        "set_parameters", changes=[{"path": BOX, "params": {"Speed": 3, "Pos": [1, 2, 3], "Mood": "wild"}}]
    )
    bench.make("nullTOP", "inside", BOX)
    return made


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_on_the_component_itself_is_shown_and_restored(
    bench: Bench, box: Any, what: str
) -> None:
    bench.run("checkpoint", action="save", path=BOX, name="c")
    before = state(bench)
    assert bench.json("compare_network", path=BOX, **{"with": "c"})["equal"]
    change, field = CHANGES[what]
    change(bench, box)
    changed = state(bench)
    assert changed != before
    (row,) = bench.json("compare_network", path=BOX, **{"with": "c"})["differences"]
    assert (row["path"], row["kind"]) == (".", "changed") and field in row["changes"]
    answer = bench.json("checkpoint", action="restore", path=BOX, name="c")
    assert answer["changed"] == [BOX]
    assert state(bench) == before
    bench.run("undo")
    assert state(bench) == changed
    bench.run("undo", redo=True)
    assert state(bench) == before


def test_two_components_are_compared_with_their_own_parameters(bench: Bench, box: Any) -> None:
    bench.run("copy_operators", paths=[BOX])
    assert bench.json("compare_network", path=f"{BOX}1", **{"with": BOX})["equal"]
    bench.op(f"{BOX}1").par.Posy = 9
    (row,) = bench.json("compare_network", path=f"{BOX}1", **{"with": BOX})["differences"]
    assert row["changes"] == {"params.Posy": [2, 9]}


def test_a_checkpoint_kept_before_own_parameters_were_leaves_them_alone(bench: Bench, box: Any) -> None:
    bench.run("checkpoint", action="save", path=BOX, name="c")
    kept = bench.td.root.fetch("tdmcp_checkpoints")
    for each in kept.values():
        each["state"] = [page.split("\n", 1)[1] for page in each["state"]]
    bench.td.root.store("tdmcp_checkpoints", kept)
    box.par.Speed = 8
    bench.op(f"{BOX}/inside").destroy()
    bench.run("checkpoint", action="restore", path=BOX, name="c")
    assert box.par.Speed == 8 and bench.op(f"{BOX}/inside") is not None


def test_a_batch_restores_them_as_well(bench: Bench, box: Any) -> None:
    bench.run("checkpoint", action="save", path=BOX, name="c")
    before = state(bench)
    calls = [
        {"tool": "set_parameters", "arguments": {"changes": [{"path": BOX, "params": {"Speed": 8}}]}},
        {"tool": "checkpoint", "arguments": {"action": "restore", "path": BOX, "name": "c"}},
    ]
    bench.run("batch", calls=calls)
    assert state(bench) == before
