"""read_network: a subtree in the format in which networks are written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools.network_model import NetworkOperator, walk
from tests.unit.tools.harness import Bench


def read(bench: Bench, path: str = "/project1", **asked: Any) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in bench.json("read_network", path=path, **asked)["operators"]}


def test_parameters_are_stated_only_where_they_were_changed(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n", period=3, mono=False)
    noise.par.seed.expr = "me.digits"
    noise.par.type = "sparse"
    assert read(bench)["n"]["params"] == {
        "type": "sparse",
        "period": 3,
        "mono": False,
        "seed": {"expr": "me.digits"},
    }


def test_which_page_the_user_looks_at_is_no_part_of_a_network(bench: Bench) -> None:
    bench.make("noiseTOP", "n").par.pageindex = 2
    assert "params" not in read(bench)["n"]


def test_wires_keep_their_index_and_their_output(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "c")
    for name in ("out1", "out2"):
        bench.make("outTOP", name, parent="/project1/c")
    over = bench.make("overTOP", "o")
    over.inputConnectors[1].connect(comp.outputConnectors[1])
    assert read(bench)["o"]["inputs"] == [None, {"from": "c", "output": 1}]
    over.inputConnectors[0].connect(comp.outputConnectors[0])
    assert read(bench)["o"]["inputs"] == ["c", {"from": "c", "output": 1}]


def test_the_hierarchy_of_objects_has_wires_of_its_own(bench: Bench) -> None:
    null, cam = bench.make("nullCOMP", "pivot"), bench.make("cameraCOMP", "cam")
    cam.inputCOMPConnectors[0].connect(null)
    assert read(bench)["cam"]["comp_inputs"] == ["pivot"]


def test_text_tables_comments_colours_tags_and_flags_are_stated(bench: Bench) -> None:
    text, table, noise = (
        bench.make("textDAT", "t"),
        bench.make("tableDAT", "tab"),
        bench.make("noiseTOP", "n"),
    )
    text.text = "ä\nb"
    table.clear()
    table.appendRow(["a", "1"])
    table.appendRow(["b\nc", ""])
    noise.comment, noise.color, noise.tags = "why", (1, 0.5, 0), {"z", "a"}
    noise.bypass = True
    noise.nodeX, noise.nodeY = -150, 75
    rows = read(bench)
    assert rows["t"]["text"] == "ä\nb"
    assert rows["tab"]["table"] == [["a", "1"], ["b\nc", ""]]
    assert {k: rows["n"][k] for k in ("comment", "color", "tags", "flags", "position")} == {
        "comment": "why",
        "color": [1, 0.5, 0],
        "tags": ["a", "z"],
        "flags": {"viewer": False, "bypass": True},
        "position": [-150, 75],
    }
    assert not {"comment", "color", "tags", "size"} & set(rows["t"])


def test_what_a_dat_derives_from_elsewhere_is_not_its_own(bench: Bench) -> None:
    source, null = bench.make("textDAT", "t"), bench.make("nullDAT", "n")
    source.text = "secret"
    bench.wire(source, null)
    assert "text" not in read(bench)["n"]


def test_docked_operators_name_their_host(bench: Bench) -> None:
    bench.make("glslTOP", "g")
    assert read(bench)["g_pixel"]["dock"] == "g"


def test_custom_parameters_come_with_their_definition_and_their_values(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "c")
    page = comp.appendCustomPage("Look")
    speed = page.appendFloat("Speed", label="How fast")[0]
    speed.default, speed.min, speed.clampMin, speed.normMax = 2, 0, True, 10
    page.appendXYZ("Pos")
    page.appendRGB("Tint")
    page.appendInt("Count", size=2)
    menu = page.appendMenu("Mode")[0]
    menu.menuNames, menu.menuLabels = ["a", "b"], ["Aye", "Bee"]
    page.appendPulse("Go")
    comp.par.Speed, comp.par.Posy = 5, 1.5
    row = read(bench)["c"]
    assert row["params"] == {"Speed": 5, "Posy": 1.5}
    assert row["custom"] == [
        {
            "name": "Look",
            "parameters": [
                {
                    "name": "Speed",
                    "style": "Float",
                    "label": "How fast",
                    "default": 2,
                    "min": 0,
                    "norm": [0, 10],
                },
                {"name": "Pos", "style": "XYZ"},
                {"name": "Tint", "style": "RGB"},
                {"name": "Count", "style": "Int", "size": 2},
                {"name": "Mode", "style": "Menu", "menu": ["a", "b"], "menu_labels": ["Aye", "Bee"]},
                {"name": "Go", "style": "Pulse"},
            ],
        }
    ]


def test_sequences_state_how_many_blocks_they_have(bench: Bench) -> None:
    glsl = bench.make("glslTOP", "g")
    glsl.par.vec.sequence.numBlocks = 2
    glsl.par.vec1name = "uTime"
    row = read(bench)["g"]
    assert row["sequences"] == {"vec": 2} and row["params"]["vec1name"] == "uTime"


def test_annotations_are_read_apart_from_operators(bench: Bench) -> None:
    note = bench.make("annotateCOMP", "note", Titletext="Here", Bodytext="be dragons")
    note.utility = True
    bench.make("nullTOP", "n")
    answer = bench.json("read_network", path="/project1")
    assert [row["name"] for row in answer["operators"]] == ["n"] and answer["total"] == 1
    [found] = answer["annotations"]
    assert (found["name"], found["title"], found["text"]) == ("note", "Here", "be dragons")


def test_depth_bounds_what_is_read_and_says_so(bench: Bench) -> None:
    bench.make("baseCOMP", "a")
    bench.make("baseCOMP", "b", parent="/project1/a")
    bench.make("nullTOP", "n", parent="/project1/a/b")
    one = read(bench)["a"]
    assert "children" not in one and one["left_out"] == [
        "1 operator inside; read_network /project1/a reads inside"
    ]
    two = read(bench, depth=2)["a"]["children"][0]
    assert two["name"] == "b" and "left_out" in two
    three = read(bench, depth=3)["a"]["children"][0]["children"]
    assert [row["name"] for row in three] == ["n"]


def test_an_empty_component_says_that_it_is(bench: Bench) -> None:
    bench.make("baseCOMP", "c")
    assert read(bench)["c"]["children"] == []


def test_long_text_is_named_instead_of_given(bench: Bench) -> None:
    bench.make("textDAT", "t").text = "x" * 5000
    row = read(bench)["t"]
    assert "text" not in row and row["left_out"] == [
        "text of 5000 characters; read_data /project1/t reads it"
    ]
    assert read(bench, limit=10)["t"]["text"] == "x" * 5000


def test_pages_join_up_and_the_default_answer_is_small(bench: Bench) -> None:
    for i in range(200):
        bench.make("noiseTOP", f"noise_with_a_name_{i}", period=3).comment = "something to say about it"
    names: list[str] = []
    cursor: str | None = None
    for _ in range(50):
        answer = bench.run("read_network", path="/project1", **({"cursor": cursor} if cursor else {}))
        page = answer.structured()
        assert len(json.dumps(page)) + len(answer.text()) < 20_000
        assert page["total"] == 200 and page["returned"] == len(page["operators"])
        names += [row["name"] for row in page["operators"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert names == [f"noise_with_a_name_{i}" for i in range(200)]


def test_a_deep_network_does_not_make_the_answer_large(bench: Bench) -> None:
    path = "/project1"
    for i in range(6):
        for k in range(30):
            bench.make("nullTOP", f"n{k}", parent=path).comment = "a comment to fill the page with words"
        bench.make("baseCOMP", f"c{i}", parent=path)
        path += f"/c{i}"
    answer = bench.run("read_network", path="/project1", depth=9)
    assert len(json.dumps(answer.structured())) + len(answer.text()) < 20_000
    assert "read_network" in answer.text()


def test_an_outline_has_names_types_and_wires_only(bench: Bench) -> None:
    noise, blur = bench.make("noiseTOP", "n", period=3), bench.make("blurTOP", "b")
    bench.wire(noise, blur)
    assert bench.json("read_network", path="/project1", view="outline")["operators"] == [
        {"name": "n", "type": "noiseTOP"},
        {"name": "b", "type": "blurTOP", "inputs": ["n"]},
    ]


def test_a_diagram_shows_boxes_wires_and_what_is_inside(bench: Bench) -> None:
    noise, comp = bench.make("noiseTOP", "n"), bench.make("baseCOMP", "c")
    bench.make("inTOP", "in1", parent="/project1/c")
    bench.wire(noise, comp)
    answer = bench.run("read_network", path="/project1", view="mermaid", depth=2)
    diagram = answer.structured()["mermaid"]
    assert diagram.startswith("flowchart LR") and "n0 --> n1" in diagram and "subgraph n1" in diagram
    assert diagram in answer.text()


def test_the_text_says_what_the_structure_says(bench: Bench) -> None:
    noise, blur, text = (
        bench.make("noiseTOP", "n", period=3),
        bench.make("blurTOP", "b"),
        bench.make("textDAT", "t"),
    )
    bench.wire(noise, blur)
    noise.par.seed.expr, text.text, blur.bypass = "me.digits", "line one\nline two", True
    shown = bench.run("read_network", path="/project1").text()
    for words in (
        "n noiseTOP",
        "period=3",
        "seed={expr me.digits}",
        "b blurTOP <- n",
        "bypass",
        "| line two",
    ):
        assert words in shown


def test_what_was_read_is_a_network_again(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "c")
    comp.appendCustomPage("P").appendStr("Name")
    bench.make("textDAT", "t", parent="/project1/c").text = "x"
    rows = bench.json("read_network", path="/project1", depth=5)["operators"]
    models = [NetworkOperator.model_validate(row) for row in rows]
    assert [model.compact() for model in models] == rows
    assert [path for path, _ in walk(models)] == ["c", "c/t"]


def test_reading_offers_the_frame_back_also_inside(bench: Bench) -> None:
    bench.make("baseCOMP", "c")
    for i in range(60):
        bench.make("nullTOP", f"n{i}", parent="/project1/c")
    assert len(bench.steps("read_network", path="/project1", depth=2)) >= 20


def test_only_a_component_has_a_network(bench: Bench) -> None:
    bench.make("nullTOP", "n")
    with pytest.raises(ToolFailure) as refusal:
        bench.run("read_network", path="/project1/n")
    assert refusal.value.code is Code.VALUE_INVALID
