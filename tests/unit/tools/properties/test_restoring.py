"""Whatever becomes of a network, its checkpoint brings it back exactly, though only what differs is built."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import STAGE, fresh, scramble
from tests.unit.tools.properties.test_round_trip import grow

examples = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def everything(bench: Bench) -> list[Any]:
    return list(bench.op(STAGE).findChildren())


def components(bench: Bench) -> list[Any]:
    return [bench.op(STAGE), *(op for op in everything(bench) if op.isCOMP)]


def _delete(bench: Bench, random: Random) -> None:
    bench.run("delete_operators", paths=[random.choice(everything(bench)).path], confirm=True)


def _retype(bench: Bench, random: Random) -> None:
    tops = [op for op in everything(bench) if op.isTOP and op.opType not in ("glslTOP", "inTOP")]
    if tops:
        random.choice(tops).changeType(bench.td.compositeTOP)


def _retype_an_input(bench: Bench, random: Random) -> None:
    inputs = [op for op in everything(bench) if op.opType == "inTOP"]
    if inputs:
        random.choice(inputs).changeType(bench.td.nullTOP)


def _replace_by_another_kind(bench: Bench, random: Random) -> None:
    found = random.choice(everything(bench))
    parent, name = found.parent(), found.name
    bench.run("delete_operators", paths=[found.path], confirm=True)
    parent.create("baseCOMP" if not found.valid else "textDAT", name)


def _make(bench: Bench, random: Random) -> None:
    random.choice(components(bench)).create(random.choice(("inTOP", "glslTOP", "tableDAT", "baseCOMP")))


def _rename(bench: Bench, random: Random) -> None:
    random.choice(everything(bench)).name = f"renamed{random.randint(0, 99)}"


def _rewire(bench: Bench, random: Random) -> None:
    wired = [op for op in everything(bench) if op.isTOP and op.inputs]
    if wired:
        op = random.choice(wired)
        op.inputConnectors[0].disconnect()


def _set(bench: Bench, random: Random) -> None:
    op = random.choice(everything(bench))
    scramble(bench, op, random, 2)
    op.comment, op.nodeX = "changed ö", 900


def _write(bench: Bench, random: Random) -> None:
    random.choice([op for op in everything(bench) if op.opType == "tableDAT"]).appendRow(["new"])


def _annotate(bench: Bench, random: Random) -> None:
    path = random.choice(components(bench)).path
    bench.run("build_network", path=path, operators=[], annotations=[{"name": "note", "title": "T"}])


def _reword(bench: Bench, random: Random) -> None:
    notes = bench.op(STAGE).findChildren(type=bench.td.annotateCOMP, includeUtility=True)
    for note in notes:
        note.par.Titletext, note.par.Opacity = random.choice(("", "Other")), 0.25


CHANGES: tuple[Callable[[Bench, Random], None], ...] = (
    _delete, _retype, _retype_an_input, _replace_by_another_kind, _make, _rename, _rewire, _set, _write, _annotate, _reword,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=[each.__name__.strip("_") for each in CHANGES])
@pytest.mark.parametrize("seed", range(3))
def test_one_change_is_taken_back(change: Callable[[Bench, Random], None], seed: int) -> None:
    changed_and_restored([change], seed)


@examples
@given(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=5), st.integers(0, 10_000))
def test_any_changes_are_taken_back(changes: list[Callable[[Bench, Random], None]], seed: int) -> None:
    changed_and_restored(changes, seed)


def changed_and_restored(changes: list[Callable[[Bench, Random], None]], seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        grow(bench, bench.op(STAGE), random, depth=2)
        bench.run("build_network", path=STAGE, operators=[], annotations=[{"name": "said", "text": "x"}])
        bench.frame()
        before = state(bench, STAGE)
        bench.run("checkpoint", action="save", path=STAGE, name="c")
        for change in changes:
            if everything(bench):
                change(bench, random)
        bench.frame()  # A COMP shows the connector of a new In operator a frame later (fact 69).
        other = state(bench, STAGE)
        bench.run("checkpoint", action="restore", path=STAGE, name="c", confirm=True)
        assert state(bench, STAGE) == before
        assert bench.json("compare_network", path=STAGE, **{"with": "c"})["equal"]
        if other != before:
            bench.run("undo")
            assert state(bench, STAGE) == other
