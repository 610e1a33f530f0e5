"""Whatever is built, and wherever it fails: afterwards all of it is there, or nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench

examples = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)

#: Types with an input, a number, a menu and a text among their parameters, so that every kind of write comes up.
TYPES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "noiseTOP": {
        "period": st.floats(0.125, 10, width=32),
        "type": st.sampled_from(["sparse", "simplex3d", "random"]),
        "mono": st.booleans(),
    },
    "levelTOP": {"opacity": st.floats(0, 1, width=32), "brightness1": st.just({"expr": "absTime.seconds"})},
    "compositeTOP": {"operand": st.sampled_from(["add", "multiply", "over"])},
    "constantCHOP": {"const0name": st.text("abc", min_size=1, max_size=4), "const2value": st.integers(-5, 5)},
    "mathCHOP": {"gain": st.floats(-2, 2, width=32)},
    "textDAT": {},
    "tableDAT": {},
    "baseCOMP": {"parentshortcut": st.sampled_from(["A", "B"])},
    "glslTOP": {"mode": st.just("vertexpixel")},
}
PLAIN = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12)


@st.composite
def network(draw: st.DrawFn, depth: int = 2, prefix: str = "n") -> list[dict[str, Any]]:
    """A network that can be built: wires only to what stands before, within the family."""
    operators: list[dict[str, Any]] = []
    for index in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(TYPES)))
        spec: dict[str, Any] = {"name": f"{prefix}{index}", "type": kind}
        chosen = {name: draw(values) for name, values in TYPES[kind].items() if draw(st.booleans())}
        if chosen:
            spec["params"] = chosen
        before = [
            o["name"]
            for o in operators
            if o["type"][-4:] == kind[-4:] and kind not in ("noiseTOP", "constantCHOP")
        ]
        if before and kind.endswith(("TOP", "CHOP")):
            spec["inputs"] = [draw(st.sampled_from(before))]
        if kind == "textDAT":
            spec["text"] = draw(PLAIN)
        if kind == "tableDAT":
            spec["table"] = draw(st.lists(st.lists(PLAIN, min_size=2, max_size=2), min_size=1, max_size=3))
        if kind == "baseCOMP" and depth:
            spec["children"] = draw(network(depth - 1, prefix))
            if draw(st.booleans()):
                page = {
                    "name": "P",
                    "parameters": [
                        {"name": "Amount", "style": "Float", "max": 4},
                        {"name": "Where", "style": "XYZ"},
                    ],
                }
                spec["custom"] = [page]
                spec["params"] = spec.get("params", {}) | {
                    "Amount": draw(st.floats(0, 4, width=32)),
                    "Wherey": 2,
                }
        if draw(st.booleans()):
            spec["comment"] = draw(PLAIN)
        if draw(st.booleans()):
            spec["tags"] = draw(st.lists(st.sampled_from(["x", "y", "ö"]), unique=True, min_size=1))
        operators.append(spec)
    return operators


FAULTS: list[dict[str, Any]] = [
    {"params": {"nosuchparameter": 1}},
    {"inputs": ["nosuchoperator"]},
    {"flags": {"nosuchflag": True}},
    {"dock": "nosuchoperator"},
    {"type": "nosuchTOP"},
    {"name": "no good"},
]


@contextmanager
def fresh() -> Iterator[Bench]:
    bench = Bench()
    try:
        bench.queue.stall_after = 1e6
        bench.make("baseCOMP", "stage")
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


def build(
    bench: Bench, operators: list[dict[str, Any]], path: str = "/project1/stage", **more: Any
) -> dict[str, Any]:
    return bench.json("build_network", path=path, operators=operators, **more)


@examples
@given(network(), network(), st.data())
def test_a_failure_anywhere_leaves_the_state_before(
    first: list[dict[str, Any]], second: list[dict[str, Any]], data: st.DataObject
) -> None:
    with fresh() as bench:
        build(bench, first)
        before, steps = state(bench), bench.td.ui.undo.undoStack
        # Names clash with the first network on purpose: some are brought up to date, some are of another type.
        place = data.draw(st.integers(0, len(second)))
        wrong = {"name": "wrong", "type": "nullTOP"} | data.draw(st.sampled_from(FAULTS))
        second = [*second[:place], wrong, *second[place:]]
        with pytest.raises(ToolFailure):
            build(bench, second)
        assert state(bench) == before
        assert bench.td.ui.undo.undoStack == steps


@examples
@given(network(), network(), st.data())
def test_the_same_without_touchdesigners_undo(
    first: list[dict[str, Any]], second: list[dict[str, Any]], data: st.DataObject
) -> None:
    with fresh() as bench:
        build(bench, first)
        before = state(bench)
        bench.td.ui.undo.globalState = False
        wrong = {"name": "wrong", "type": "nullTOP"} | data.draw(st.sampled_from(FAULTS))
        with pytest.raises(ToolFailure):
            build(bench, [*second, wrong])
        assert state(bench) == before


@examples
@given(network())
def test_building_again_changes_nothing(operators: list[dict[str, Any]]) -> None:
    with fresh() as bench:
        build(bench, operators)
        before = state(bench)
        assert build(bench, operators)["undo"] == ""
        assert state(bench) == before


@examples
@given(network())
def test_undo_is_exactly_the_state_before(operators: list[dict[str, Any]]) -> None:
    with fresh() as bench:
        before = state(bench)
        build(bench, operators)
        bench.run("undo")
        assert state(bench) == before


@examples
@given(network())
def test_what_is_read_builds_an_equal_network(operators: list[dict[str, Any]]) -> None:
    with fresh() as bench:
        build(bench, operators)
        bench.make("baseCOMP", "twin")
        read = bench.json("read_network", path="/project1/stage", depth=10, view="full")
        build(bench, read["operators"], "/project1/twin", exact=True)
        compared = bench.json("compare_network", path="/project1/twin", **{"with": "/project1/stage"})
        assert compared["equal"] is True, compared
        again = build(bench, read["operators"], "/project1/twin", exact=True)
        assert again["undo"] == ""


@examples
@given(network(), network())
def test_a_checkpoint_brings_back_any_state_from_any_other(
    one: list[dict[str, Any]], other: list[dict[str, Any]]
) -> None:
    with fresh() as bench:
        build(bench, one)
        before = state(bench)
        bench.run("checkpoint", action="save", path="/project1/stage", name="c")
        build(bench, other, exact=True, confirm=True)
        bench.run("checkpoint", action="restore", path="/project1/stage", name="c", confirm=True)
        assert state(bench) == before
