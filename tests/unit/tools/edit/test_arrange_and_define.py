"""arrange_network and define_parameters."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def tiles(bench: Bench, path: str = "/project1") -> list[Any]:
    return list(bench.op(path).children)


def overlapping(bench: Bench, path: str = "/project1") -> list[tuple[str, str]]:
    found = []
    everything = tiles(bench, path)
    for i, a in enumerate(everything):
        for b in everything[i + 1 :]:
            if (
                a.nodeX < b.nodeX + b.nodeWidth
                and b.nodeX < a.nodeX + a.nodeWidth
                and a.nodeY < b.nodeY + b.nodeHeight
                and b.nodeY < a.nodeY + a.nodeHeight
            ):
                found.append((a.name, b.name))
    return found


def mess(bench: Bench) -> None:
    """Operators as TD makes them: all in one place."""
    a, b, c, d = (
        bench.make(kind, name)
        for kind, name in (("noiseTOP", "a"), ("blurTOP", "b"), ("overTOP", "c"), ("nullTOP", "d"))
    )
    bench.wire(a, b, c, d)
    bench.op("/project1/c").inputConnectors[1].connect(a)
    bench.make("glslTOP", "g")
    for i in range(5):
        bench.make("constantCHOP", f"k{i}")


def test_a_mess_becomes_chains_from_left_to_right(bench: Bench) -> None:
    mess(bench)
    assert overlapping(bench)
    bench.run("arrange_network", path="/project1")
    assert overlapping(bench) == []
    x = {op.name: op.nodeX for op in tiles(bench)}
    assert x["a"] < x["b"] < x["c"] < x["d"]


def test_arranging_again_moves_nothing(bench: Bench) -> None:
    mess(bench)
    bench.run("arrange_network", path="/project1")
    assert bench.json("arrange_network", path="/project1")["moved"] == 0


def test_feedback_loops_do_not_hang_it(bench: Bench) -> None:
    a, b = bench.make("levelTOP", "a"), bench.make("blurTOP", "b")
    bench.wire(a, b, a)
    bench.run("arrange_network", path="/project1")
    assert overlapping(bench) == []


def test_docked_operators_stay_beside_their_host(bench: Bench) -> None:
    mess(bench)
    bench.run("arrange_network", path="/project1")
    host, pixel = bench.op("/project1/g"), bench.op("/project1/g_pixel")
    assert abs(host.nodeX - pixel.nodeX) < 500
    assert abs(host.nodeY - pixel.nodeY) < 300


def test_annotations_stay_round_their_members(bench: Bench) -> None:
    mess(bench)
    members = [{"name": n, "position": p} for n, p in (("a", [0, 0]), ("b", [0, 100]), ("c", [2000, 0]))]
    note = {"name": "note", "title": "Look", "position": [-40, -40], "size": [300, 300]}
    bench.run("build_network", path="/project1", operators=members, annotations=[note])
    for op in tiles(bench):
        if op.name not in ("a", "b", "c", "note"):
            op.nodeX += 3000
    made = bench.op("/project1").findChildren(type=bench.td.annotateCOMP, includeUtility=True)[0]
    assert {o.name for o in made.enclosedOPs} == {"a", "b"}
    bench.run("arrange_network", path="/project1")
    assert {o.name for o in made.enclosedOPs} == {"a", "b"}


def test_one_undo_puts_everything_back_in_its_place(bench: Bench) -> None:
    mess(bench)
    before = state(bench)
    bench.run("arrange_network", path="/project1")
    bench.run("undo")
    assert state(bench) == before


PAGE: dict[str, Any] = {
    "name": "Look",
    "parameters": [
        {"name": "Speed", "style": "Float", "min": 0, "max": 10, "default": 2},
        {"name": "Mode", "style": "Menu", "menu": ["one", "two"]},
        {"name": "Pos", "style": "XYZ"},
        {"name": "Size", "style": "Float", "size": 3},
    ],
}


def test_custom_parameters_are_made_with_their_ranges(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    answer = bench.json("define_parameters", path="/project1/base", pages=[PAGE])
    assert answer["changed"] == ["Speed", "Mode", "Pos", "Size"]
    speed = base.par.Speed
    assert (speed.eval(), speed.default, speed.min, speed.max, speed.clampMin, speed.normMax) == (
        2,
        2,
        0,
        10,
        True,
        10,
    )
    assert base.par.Mode.menuNames == ["one", "two"]
    assert [p.name for p in base.pars("Size*")] == ["Size1", "Size2", "Size3"]
    assert [p.name for p in base.pars("Pos*")] == ["Posx", "Posy", "Posz"]


def test_defining_again_changes_nothing_and_keeps_values(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.run("define_parameters", path="/project1/base", pages=[PAGE])
    base.par.Speed = 7
    answer = bench.json("define_parameters", path="/project1/base", pages=[PAGE])
    assert (answer["changed"], answer["undo"]) == ([], "")
    assert base.par.Speed.eval() == 7


def test_changing_a_definition_keeps_the_value(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.run("define_parameters", path="/project1/base", pages=[PAGE])
    base.par.Speed = 7
    page = {
        "name": "Look",
        "parameters": [{"name": "Speed", "style": "Float", "label": "Tempo", "max": 20, "help": "beats"}],
    }
    answer = bench.json("define_parameters", path="/project1/base", pages=[page])
    assert answer["changed"] == ["Speed"]
    assert (base.par.Speed.eval(), base.par.Speed.label, base.par.Speed.max) == (7, "Tempo", 20)


def test_another_style_carries_the_value_over_where_it_fits(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.run("define_parameters", path="/project1/base", pages=[PAGE])
    base.par.Speed = 7
    page = {"name": "Look", "parameters": [{"name": "Speed", "style": "Int"}]}
    bench.run("define_parameters", path="/project1/base", pages=[page])
    assert (base.par.Speed.style, base.par.Speed.eval()) == ("Int", 7)


def test_removing_takes_the_parameter_and_an_empty_page(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.run(
        "define_parameters",
        path="/project1/base",
        pages=[{"name": "P", "parameters": PAGE["parameters"][:1]}],
    )
    bench.run("define_parameters", path="/project1/base", remove=["Speed"])
    assert (base.customPars, base.customPages) == ([], [])
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run("define_parameters", path="/project1/base", remove=["Speed"])


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        ({"name": "speed", "style": "Float"}, Code.VALUE_INVALID),
        ({"name": "My_Speed", "style": "Float"}, Code.VALUE_INVALID),
        ({"name": "Speed", "style": "Flot"}, Code.VALUE_INVALID),
        ({"name": "Speed", "style": "Float", "menu": ["a"]}, Code.VALUE_INVALID),
        ({"name": "Speed", "style": "XYZ", "size": 2}, Code.VALUE_INVALID),
        ({"name": "Speed", "style": "Float", "size": 9}, Code.VALUE_INVALID),
        ({"name": "M", "style": "Menu", "menu": ["a"], "default": "b"}, Code.MENU_VALUE_INVALID),
        ({"name": "M", "style": "Menu", "menu": ["a"], "menu_labels": ["A", "B"]}, Code.VALUE_INVALID),
        ({"name": "V", "style": "XYZ", "default": [1, 2]}, Code.VALUE_INVALID),
    ],
)
def test_a_definition_that_cannot_be_refuses_them_all(
    bench: Bench, definition: dict[str, Any], code: Code
) -> None:
    bench.make("baseCOMP", "base")
    with refused(bench, code):
        bench.run(
            "define_parameters",
            path="/project1/base",
            pages=[{"name": "P", "parameters": [{"name": "Fine", "style": "Float"}, definition]}],
        )


def test_only_comps_have_custom_parameters(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    with refused(bench, Code.VALUE_INVALID):
        bench.run("define_parameters", path="/project1/n", pages=[PAGE])


def test_an_unknown_style_is_refused_with_the_styles_there_are(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "comp")
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run(
            "define_parameters",
            path=comp.path,
            pages=[{"name": "P", "parameters": [{"name": "Foo", "style": "Slider"}]}],
        )
    assert "Float" in caught.value.hint and "RGBA" in caught.value.hint
