"""Sequences of a POP that never cooked are there for every tool; custom ones are left out and said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

P = "/project1"
LINE = f"{P}/line"

#: Calls about a sequence of a POP that nobody has cooked yet.
CALLS: dict[str, Callable[[Bench], Any]] = {
    "set": lambda bench: bench.json("set_parameters", changes=[{"path": LINE, "params": {"pt0posx": 3}}]),
    "grown": lambda bench: bench.json("set_parameters", changes=[{"path": LINE, "params": {"pt4posx": 3}}]),
    "made": lambda bench: bench.json("create_operator", parent=P, type="linePOP", params={"pt1posx": 3}),
    "built": lambda bench: bench.json(
        "build_network", path=P, operators=[{"name": "l", "type": "linePOP", "sequences": {"pt": 3}, "params": {"pt2posx": 3}}]
    ),
    "inspected": lambda bench: bench.json("inspect_operator", paths=[LINE], parameters="pt*"),
    "watched": lambda bench: bench.json("watch_values", watch=[{"path": LINE, "param": "pt0posx"}], frames=2),
    "found": lambda bench: bench.json("find_operators", path=P, param="pt0posx"),
}  # fmt: skip


@pytest.mark.parametrize("what", CALLS)
def test_the_sequences_of_a_fresh_pop_are_there(bench: Bench, what: str) -> None:
    line = bench.make("linePOP", "line")
    assert line.par["pt0posx"] is None, "the stand-in has them only later, as TouchDesigner does"
    answer = CALLS[what](bench)
    assert "pt" in str(answer) or bench.op(f"{P}/l").par.pt2posx == 3


def test_a_fresh_pop_is_read_and_kept_with_its_blocks(bench: Bench) -> None:
    bench.make("linePOP", "line")
    network = bench.json("read_network", path=P, view="full")
    (row,) = [each for each in network["operators"] if each["name"] == "line"]
    assert row["sequences"]["pt"] == 2
    bench.run("checkpoint", action="save", path=P, name="c")
    bench.run("set_parameters", changes=[{"path": LINE, "params": {"pt": 4, "pt3posx": 2}}])
    bench.run("checkpoint", action="restore", path=P, name="c")
    assert bench.op(LINE).par.pt.sequence.numBlocks == 2


#: Calls that write to the first block of a sequence that has no block yet, as a new mathmixPOP's (fact 86).
FIRST_BLOCK: dict[str, Callable[[Bench], Any]] = {
    "set": lambda bench: (
        bench.make("mathmixPOP", "m"),
        bench.json("set_parameters", changes=[{"path": f"{P}/m", "params": {"comb0oper": "sqrt"}}]),
    ),
    "made": lambda bench: bench.json(
        "create_operator", parent=P, type="mathmixPOP", name="m", params={"comb1scopea": "P", "comb0oper": "sqrt"}
    ),
    "built": lambda bench: bench.json(
        "build_network", path=P, operators=[{"name": "m", "type": "mathmixPOP", "sequences": {"comb": 1}, "params": {"comb0oper": "sqrt"}}]
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FIRST_BLOCK)
@pytest.mark.parametrize("has_one", [False, True], ids=["none at first", "one at first"])
def test_the_first_block_of_a_sequence_is_made_where_it_is_written_to(
    bench: Bench, what: str, has_one: bool
) -> None:
    bench.world.every_sequence_has_a_block = has_one
    FIRST_BLOCK[what](bench)
    assert bench.op(f"{P}/m").par.comb0oper.eval() == "sqrt"


def test_a_word_that_the_menu_of_a_block_still_to_come_lacks_is_refused_and_changes_nothing(
    bench: Bench,
) -> None:
    list(bench.make("mathmixPOP", "m").seq)
    before = state(bench)
    with refused(bench, Code.MENU_VALUE_INVALID):
        bench.run("set_parameters", changes=[{"path": f"{P}/m", "params": {"comb0oper": "sqroot"}}])
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run("set_parameters", changes=[{"path": f"{P}/m", "params": {"comb0nosuch": "sqrt"}}])
    assert state(bench) == before


def test_a_network_of_sequences_with_one_block_is_built_again_as_it_was(bench: Bench) -> None:
    mix = bench.make("mathmixPOP", "m")
    mix.seq.comb.numBlocks = 1
    network = bench.json("read_network", path=P, view="full")
    mix.destroy()
    bench.json("build_network", path=P, operators=network["operators"])
    assert bench.op(f"{P}/m").seq.comb.numBlocks == 1


@pytest.fixture
def box(bench: Bench) -> Any:
    made = bench.make("baseCOMP", "box")
    page = made.appendCustomPage("Show")
    page.appendFloat("Speed")
    page.appendSequence("Items")
    page.appendStr("Label")
    made.seq.Items.blockSize = 1
    made.par.Items0label = "first"
    return made


def test_a_custom_sequence_is_left_out_of_a_reading_which_says_so(bench: Bench, box: Any) -> None:
    network = bench.json("read_network", path=P, view="full")
    (row,) = [each for each in network["operators"] if each["name"] == "box"]
    assert any("custom sequence Items of 1 block" in each for each in row["left_out"])
    assert [each["name"] for each in row["custom"][0]["parameters"]] == ["Speed"]
    assert not any(name.startswith("Items") for name in row.get("params", {}))
    # What was read is built: elsewhere without the sequence, here without touching it.
    bench.run("build_network", path=P, operators=[row | {"name": "copy"}])
    assert [par.name for par in bench.op(f"{P}/copy").customPars] == ["Speed"]
    before = state(bench)
    bench.run("build_network", path=P, operators=network["operators"], exact=True, confirm=True)
    assert box.par.Items0label == "first"
    assert {path: each for path, each in state(bench).items() if path.startswith(box.path)} == {
        path: each for path, each in before.items() if path.startswith(box.path)
    }


def test_a_checkpoint_leaves_a_custom_sequence_as_it_is(bench: Bench, box: Any) -> None:
    bench.run("checkpoint", action="save", path=box.path, name="c")
    box.par.Items0label = "second"
    box.par.Speed = 2
    bench.run("checkpoint", action="restore", path=box.path, name="c")
    assert (box.par.Speed, box.par.Items0label) == (0, "second")


@pytest.mark.parametrize("tool", ["define_parameters", "build_network"])
def test_defining_a_custom_sequence_is_refused(bench: Bench, tool: str) -> None:
    bench.make("baseCOMP", "box")
    pages = [{"name": "Show", "parameters": [{"name": "Items", "style": "Sequence"}]}]
    with refused(bench, Code.VALUE_INVALID) as caught:
        if tool == "define_parameters":
            bench.run(tool, path=f"{P}/box", pages=pages)
        else:
            bench.run(tool, path=P, operators=[{"name": "box", "custom": pages}])
    assert "custom sequences" in caught.value.message and caught.value.hint


@pytest.mark.parametrize(
    ("kind", "pattern", "name"), [("linePOP", "pt*", "pt0posx"), ("mathmixPOP", "comb*", "comb0oper")]
)
def test_a_type_is_described_with_the_parameters_of_its_sequences(
    bench: Bench, kind: str, pattern: str, name: str
) -> None:
    assert name in bench.json("describe_type", type=kind, parameters=pattern)["parameters"]


def test_blocks_of_a_custom_sequence_are_read_written_added_and_copied(bench: Bench, box: Any) -> None:
    box.seq.Items.numBlocks = 3
    shown = bench.json("inspect_operator", paths=[box.path], parameters="Items*")["operators"][0][
        "parameters"
    ]
    assert list(shown) == ["Items", "Items0label", "Items1label", "Items2label"]
    changes = [{"path": box.path, "params": {"Items1label": "second", "Items3label": "fourth"}}]
    bench.run("set_parameters", changes=changes)
    bench.run("copy_operators", paths=[box.path])
    made = bench.op(f"{P}/box1")
    assert [made.seq.Items[i].par.label.eval() for i in range(4)] == ["first", "second", "", "fourth"]
    (row,) = [o for o in bench.json("read_network", path=P, view="full")["operators"] if o["name"] == "box"]
    assert "custom sequence Items of 4 blocks" in row["left_out"][0]
