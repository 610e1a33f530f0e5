"""What is read builds an equal network, and building it once more changes nothing: for every type there is."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties.arbitrary import NUMBERS, STAGE, TEXTS, all_types, fresh, scramble

TWIN = "/project1/twin"
TYPES = all_types()
CHUNK = 40

examples = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def read_whole(bench: Bench, path: str) -> dict[str, Any]:
    read = bench.json("read_network", path=path, depth=20, view="full", limit=2000)
    assert "next_cursor" not in read
    return {"operators": read["operators"], "annotations": read.get("annotations", [])}


def round_trip(bench: Bench) -> None:
    """Build what is on the stage in an empty COMP beside it, and see that it is the same."""
    network = read_whole(bench, STAGE)
    bench.make("baseCOMP", "twin")
    bench.run("build_network", path=TWIN, **network, exact=True)
    compared = bench.json("compare_network", path=TWIN, **{"with": STAGE})
    assert compared["equal"], compared["differences"]
    assert bench.json("compare_network", path=TWIN, **{"with": network})["equal"]
    again = bench.json("build_network", path=TWIN, **network, exact=True)
    assert again["undo"] == "", again["changed"]


@pytest.mark.parametrize("first", range(0, len(TYPES), CHUNK))
def test_every_type_of_the_catalogue_survives_the_round_trip(first: int) -> None:
    random = Random(first)
    with fresh() as bench:
        for kind in TYPES[first : first + CHUNK]:
            made = bench.td.op(STAGE).create(kind)
            if kind.startswith("glsl"):
                # Some only have their docked DATs once they have cooked (fact 17).
                made.cook()
            scramble(bench, made, random, 5)
        round_trip(bench)


@pytest.mark.parametrize("value", [*NUMBERS, 5e-324, 1 / 7, 16777217.0])
def test_a_number_comes_out_as_it_went_in(value: float) -> None:
    with fresh() as bench:
        made = bench.make("constantCHOP", "c", parent=STAGE)
        made.par.const0value = value
        round_trip(bench)
        assert bench.op(f"{TWIN}/c").par.const0value.val == value


@pytest.mark.parametrize("text", [*TEXTS, "a\tb\nc\r\nd", "\u2028 \x7f", "x" * 20_000, "👩‍👩‍👧‍👦"])
def test_a_text_comes_out_as_it_went_in(text: str) -> None:
    with fresh() as bench:
        made = bench.make("textDAT", "t", parent=STAGE)
        made.text = text
        made.comment = text[:100]
        made.par.file = text[:50]
        round_trip(bench)
        twin = bench.op(f"{TWIN}/t")
        assert (twin.text, twin.comment, twin.par.file.val) == (made.text, made.comment, made.par.file.val)


STYLES = {
    "Float": NUMBERS[:5], "Int": (0, 7, -3), "Str": TEXTS, "Toggle": (True, False), "Menu": ("one", "two"),
    "StrMenu": ("one", "else"), "XYZ": NUMBERS[:5], "RGBA": NUMBERS[:5], "UV": NUMBERS[:5], "WH": NUMBERS[:5],
    "File": ("a.png",), "Python": ("1 + 1",), "Header": ("h",), "OP": ("inner",), "Pulse": (), "Momentary": (),
}  # fmt: skip


@st.composite
def pages(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Custom pages with parameters of any style."""
    names = (f"P{letter}{number}" for letter, number in itertools.product("abcd", range(9)))
    found = []
    for index in range(draw(st.integers(1, 3))):
        parameters = []
        for style in draw(st.lists(st.sampled_from(sorted(STYLES)), min_size=1, max_size=5)):
            one: dict[str, Any] = {"name": next(names), "style": style}
            if draw(st.booleans()):
                one["label"] = draw(st.sampled_from([t for t in TEXTS if t.strip()]))
            if style in ("Float", "Int"):
                one["size"] = draw(st.integers(1, 4))
                if draw(st.booleans()):
                    one |= {
                        "min": -10,
                        "max": draw(st.sampled_from((10, 0.5, 1 / 3)) if style == "Float" else st.just(9)),
                    }
            if style in ("Menu", "StrMenu"):
                one |= {"menu": ["one", "two"], "menu_labels": ["Eins", "Zwei"]}
            if draw(st.booleans()):
                one["help"] = "what it does"
            if draw(st.booleans()):
                one["section"] = True
            parameters.append(one)
        found.append({"name": f"Page {index} ö", "parameters": parameters})
    return found


def values(comp: Any, random: Random) -> None:
    """Give each custom parameter a value of its style, some an expression."""
    for par in comp.customPars:
        choices = STYLES.get(str(par.style)) or ()
        if par.isPulse or par.isMomentary or not choices:
            continue
        if random.random() < 0.2 and par.isNumber:
            par.expr = "1 + 2"
        else:
            par.val = random.choice(choices)


@examples
@given(pages(), st.integers(0, 99))
def test_custom_parameters_of_every_style_survive(defined: list[dict[str, Any]], seed: int) -> None:
    with fresh() as bench:
        comp = bench.make("baseCOMP", "comp", parent=STAGE)
        bench.make("nullTOP", "inner", parent=comp.path)
        bench.run("define_parameters", path=comp.path, pages=defined)
        values(comp, Random(seed))
        round_trip(bench)
        twin = bench.op(f"{TWIN}/comp")
        assert [(p.name, p.style, p.mode.name, p.val) for p in twin.customPars if not p.isPulse] == [
            (p.name, p.style, p.mode.name, p.val) for p in comp.customPars if not p.isPulse
        ]


@examples
@given(st.integers(0, 10_000))
def test_nested_components_wires_docks_and_tables_survive(seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        grow(bench, bench.op(STAGE), random, depth=3)
        round_trip(bench)
        ours, theirs = state(bench, STAGE), state(bench, TWIN)
        assert {path.removeprefix(STAGE) for path in ours} == {path.removeprefix(TWIN) for path in theirs}


def grow(bench: Bench, comp: Any, random: Random, depth: int) -> None:
    """Fill a COMP with a small network: chains, a shader with its docked DATs, tables, components with inputs."""
    tops: list[Any] = []
    for kind in random.choices(("noiseTOP", "levelTOP", "compositeTOP", "glslTOP", "switchTOP"), k=4):
        made = comp.create(kind)
        for index in range(random.randint(0, 2)):
            if tops and index < len(made.inputConnectors):
                made.inputConnectors[index].connect(random.choice(tops))
        scramble(bench, made, random, 2)
        made.nodeX, made.nodeY = random.randint(-500, 500), random.randint(-500, 500)
        made.color = (random.random(), 0.5, 0.25)
        made.tags = random.sample(["x", "größe", "日本"], random.randint(0, 2))
        made.bypass = random.random() < 0.3
        tops.append(made)
    table = comp.create("tableDAT")
    table.clear()
    for _ in range(random.randint(0, 3)):
        table.appendRow([random.choice(TEXTS) for _ in range(3)])
    if depth:
        inner = comp.create("baseCOMP")
        inner.create("inTOP")
        grow(bench, inner, random, depth - 1)
        inner.inputConnectors[0].connect(random.choice(tops))
