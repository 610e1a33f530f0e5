"""Whatever stands in a network, what tools make covers nothing; and tidying it keeps its sense and its annotations."""

from __future__ import annotations

import itertools
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from tdmcp_embedded.touchdesigner import layout
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import STAGE, fresh

#: Many inputs, docked operators, COMPs with connectors on all sides, every family.
KINDS = (
    "noiseTOP", "levelTOP", "compositeTOP", "switchTOP", "glslTOP", "renderTOP", "constantCHOP", "mathCHOP", "scriptCHOP",
    "textDAT", "mergeDAT", "mergeSOP", "baseCOMP", "geometryCOMP", "nullCOMP", "glslMAT",
)  # fmt: skip
FRAMES = ((120, 80), (300, 200), (600, 500), (1500, 1200))


def operators(bench: Bench) -> list[Any]:
    return [each for each in bench.op(STAGE).children if each.opType != "annotateCOMP"]


def overlapping(bench: Bench, among: set[str] | None = None) -> list[tuple[str, str]]:
    """Pairs of operators that overlap, one of which is among these."""
    boxes = {each.name: layout.box(each) for each in operators(bench)}
    pairs = [pair for pair in itertools.combinations(boxes, 2) if boxes[pair[0]].overlaps(boxes[pair[1]])]
    return pairs if among is None else [pair for pair in pairs if among.intersection(pair)]


def network(bench: Bench, random: Random, count: int) -> None:
    """Operators anywhere, some of them large, wired into chains, loops and hierarchies."""
    made = [bench.make(random.choice(KINDS), f"o{index}", parent=STAGE) for index in range(count)]
    for each in made:
        each.nodeX, each.nodeY = random.randint(-600, 600), random.randint(-400, 400)
        if random.random() < 0.15:
            each.nodeWidth, each.nodeHeight = random.randint(150, 1800), random.randint(60, 900)
    for _ in range(count + count // 2):
        source, target = random.choice(made), random.choice(made)
        with suppress(bench.td.tdError):
            if source.isCOMP and target.isCOMP and random.random() < 0.6:
                # A hierarchy that runs in a circle has no top.
                if made.index(source) < made.index(target):
                    for connector in target.inputCOMPConnectors[:1]:
                        connector.connect(source)
            elif source.family == target.family and target.inputConnectors:
                target.inputConnectors[random.randrange(len(target.inputConnectors))].connect(source)


def draw_notes(bench: Bench, random: Random, count: int) -> list[Any]:
    made = []
    for index in range(count):
        each = bench.op(STAGE).create("annotateCOMP", f"note{index}")
        each.utility = True
        each.nodeX, each.nodeY = random.randint(-700, 300), random.randint(-500, 200)
        each.nodeWidth, each.nodeHeight = random.choice(FRAMES)
        made.append(each)
    return made


def framed(notes: list[Any]) -> dict[str, set[str]]:
    """The operators in each annotation; what is docked goes with its host, wherever that is."""
    return {
        note.name: {e.name for e in note.enclosedOPs if e.opType != "annotateCOMP" and e.dock is None}
        for note in notes
    }


def upstream(bench: Bench) -> dict[str, set[str]]:
    """Everything that feeds an operator, at any remove."""
    direct = {
        each.name: {far.owner.name for connector in each.inputConnectors for far in connector.connections}
        for each in operators(bench)
    }
    found: dict[str, set[str]] = {}
    for name in direct:
        waiting, seen = [name], set[str]()
        while waiting:
            for source in direct[waiting.pop()] - seen:
                seen.add(source)
                waiting.append(source)
        found[name] = seen
    return found


@pytest.mark.parametrize("seed", range(30))
def test_any_network_is_tidied_once_and_for_all(seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        network(bench, random, random.randint(1, 25))
        notes = draw_notes(bench, random, random.choice((0, 0, 1, 2, 4)))
        before, kept = state(bench), framed(notes)
        bench.run("arrange_network", path=STAGE)
        assert overlapping(bench) == []
        # Those that overlap without being nested cannot all keep others out; none loses a member.
        assert all(kept[name] <= now for name, now in framed(notes).items())
        if all(a <= b or b <= a or not a & b for a in kept.values() for b in kept.values()):
            assert framed(notes) == kept
        feeds = upstream(bench)
        tiles = {each.name: layout.box(each) for each in operators(bench)}
        for each in operators(bench):
            for connector in each.inputConnectors:
                for source in {far.owner.name for far in connector.connections}:
                    if not any(kept.values()) and each.name not in feeds[source]:
                        assert tiles[source].x + tiles[source].w < tiles[each.name].x, (source, each.name)
            if each.dock is not None:
                assert tiles[each.dock.name].overlaps(tiles[each.name], 700)
        after = state(bench)
        assert all(isinstance(part, int) for one in after.values() for part in one["tile"])
        again = bench.json("arrange_network", path=STAGE)
        assert (again["moved"], again["undo"], state(bench)) == (0, "", after)
        if before != after:
            bench.run("undo")
            assert state(bench) == before


@pytest.mark.parametrize("seed", range(24))
def test_what_is_made_covers_nothing_and_moves_nobody(seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        # From 200 on, a network is looked at before the edit.
        network(bench, random, 210 if seed % 20 == 0 else random.choice((0, 3, 15)))
        notes = draw_notes(bench, random, random.choice((0, 1, 3)))
        for step in range(4):
            there = {each.name: (each.nodeX, each.nodeY) for each in operators(bench)}
            make(bench, random, f"s{step}_", list(there))
            new = {each.name for each in operators(bench)} - set(there)
            assert overlapping(bench, new) == []
            assert {name: (bench.op(f"{STAGE}/{name}").nodeX, bench.op(f"{STAGE}/{name}").nodeY) for name in there} == there  # fmt: skip
            assert not [
                (name, note.name) for name in new for note in notes
                if (made := bench.op(f"{STAGE}/{name}")).dock is None and not made.inputs
                and crosses(layout.box(note), layout.box(made))
            ]  # fmt: skip


def crosses(frame: layout.Box, tile: layout.Box) -> bool:
    """Whether a tile stands on the edge of an annotation, half inside."""
    return frame.overlaps(tile) and not frame.encloses(tile)


def make(bench: Bench, random: Random, stem: str, there: list[str]) -> None:
    """One edit that makes operators, of some kind."""
    kind = random.choice(("create", "place", "build", "copy", "batch", "retype"))
    tops = [name for name in there if bench.op(f"{STAGE}/{name}").family == "TOP"]
    if kind == "create" and tops:
        bench.run(
            "create_operator",
            parent=STAGE,
            type=random.choice(("levelTOP", "glslTOP")),
            inputs=[random.choice(tops)],
        )
    elif kind == "place":
        # The operator goes where it was asked to go; what comes docked to it does not lie on others.
        below = min((bench.op(f"{STAGE}/{name}").nodeY for name in there), default=0) - 1000
        for number, y in enumerate((below - 150, below)):
            place = {"parent": STAGE, "position": [0, y], "type": "glslTOP" if number else "nullTOP"}
            bench.run("create_operator", **place)
    elif kind == "build":
        specs: list[dict[str, Any]] = []
        for index in range(random.randint(1, 8)):
            spec: dict[str, Any] = {
                "name": f"{stem}{index}",
                "type": random.choice(("noiseTOP", "glslTOP", "compositeTOP")),
            }
            if index and random.random() < 0.7:
                spec["inputs"] = [f"{stem}{random.randrange(index)}"]
            specs.append(spec | ({"inputs": []} if spec["type"] == "noiseTOP" else {}))
        bench.run("build_network", path=STAGE, operators=specs)
    elif kind == "copy" and there:
        chosen = random.sample(there, min(len(there), random.randint(1, 6)))
        bench.run("copy_operators", paths=[f"{STAGE}/{name}" for name in chosen])
    elif kind == "retype" and tops:
        bench.run("update_operator", path=f"{STAGE}/{random.choice(tops)}", type="glslTOP")
    else:
        one = {"tool": "create_operator", "arguments": {"parent": STAGE, "type": random.choice(KINDS)}}
        bench.run("batch", calls=[one] * 4)
