"""What is read builds an equal network, and building it once more changes nothing: for every type there is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench
from tests.unit.tools.properties import networks
from tests.unit.tools.properties.arbitrary import NUMBERS, STAGE, TEXTS, all_types, fresh, scramble

TWIN = "/project1/twin"
TYPES = all_types()
CHUNK = 40

examples = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def read_whole(bench: Bench, path: str) -> dict[str, Any]:
    read = bench.json("read_network", path=path, depth=20, view="full", limit=2000)
    assert "next_cursor" not in read
    return {"operators": read["operators"], "annotations": read.get("annotations", [])}


def round_trip(bench: Bench) -> None:
    """Build what is on the stage in an empty COMP beside it, and see that it is the same."""
    network = read_whole(bench, STAGE)
    bench.make("baseCOMP", "twin")
    bench.run("build_network", path=TWIN, **network)
    compared = bench.json("compare_network", path=TWIN, **{"with": STAGE})
    assert compared["equal"], compared["differences"]
    assert bench.json("compare_network", path=TWIN, **{"with": network})["equal"]
    for exact in (False, True):
        again = bench.json("build_network", path=TWIN, **network, exact=exact)
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


@examples
@given(st.integers(0, 10_000))
def test_custom_parameters_of_every_style_survive(seed: int) -> None:
    random = Random(seed)
    with fresh() as bench:
        comp = bench.make("baseCOMP", "comp", parent=STAGE)
        bench.run("define_parameters", path=comp.path, pages=networks.pages(random))
        networks.values(comp, random)
        round_trip(bench)
        assert state(bench, TWIN)[f"{TWIN}/comp"]["custom"] == state(bench, STAGE)[comp.path]["custom"]


@settings(examples, max_examples=6)
@given(st.integers(0, 100_000))
def test_any_network_survives(seed: int) -> None:
    with fresh() as bench:
        networks.fill(bench, bench.op(STAGE), Random(seed))
        bench.frame()
        round_trip(bench)
        ours, theirs = state(bench, STAGE), state(bench, TWIN)
        assert {path.removeprefix(STAGE) for path in ours} == {path.removeprefix(TWIN) for path in theirs}
        for path, one in ours.items():
            if path != STAGE:
                twin = theirs[TWIN + path.removeprefix(STAGE)]
                assert (twin["custom"] if "custom" in one else []) == one.get("custom", []), path
                assert (twin["flags"], twin.get("text")) == (one["flags"], one.get("text")), path


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [("cameraCOMP", "tz", 0), ("lfoCHOP", "timeslice", False), ("buttonCOMP", "w", 400)],
)
def test_what_a_user_put_to_its_default_is_so_in_the_twin(kind: str, name: str, value: object) -> None:
    with fresh() as bench:
        made = bench.make(kind, "it", parent=STAGE)
        setattr(made.par, name, value)
        round_trip(bench)
        assert bench.op(f"{TWIN}/it").par[name].val == value


def test_an_operator_described_by_an_agent_is_made_as_touchdesigner_makes_it() -> None:
    with fresh() as bench:
        bench.run("build_network", path=STAGE, operators=[{"name": "cam", "type": "cameraCOMP"}])
        assert bench.op(f"{STAGE}/cam").par.tz.val == 5


def test_a_docked_operator_that_was_deleted_is_not_in_the_twin_either() -> None:
    with fresh() as bench:
        shader = bench.make("glslTOP", "g", parent=STAGE)
        for docked in [each for each in shader.docked if each.opType == "infoDAT"]:
            docked.destroy()
        round_trip(bench)
        assert sorted(each.name for each in bench.op(f"{TWIN}/g").docked) == ["g_compute", "g_pixel"]


def test_a_shader_taken_alone_from_a_reading_has_its_texts() -> None:
    with fresh() as bench:
        bench.make("glslTOP", "g", parent=STAGE)
        [row] = [each for each in read_whole(bench, STAGE)["operators"] if each["name"] == "g"]
        bench.make("baseCOMP", "twin")
        bench.run("build_network", path=TWIN, operators=[row])
        assert bench.op(f"{TWIN}/g").par.pixeldat.eval().path == f"{TWIN}/g_pixel"


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
        inner.cook(force=True)
        grow(bench, inner, random, depth - 1)
        inner.inputConnectors[0].connect(random.choice(tops))
