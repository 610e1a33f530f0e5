"""inspect_operator: what an agent learns about single operators."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench


def one(bench: Bench, path: str, **asked: Any) -> dict[str, Any]:
    [row] = bench.json("inspect_operator", paths=[path], **asked)["operators"]
    assert isinstance(row, dict)
    return row


def test_only_what_was_changed_is_told_unless_asked(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n", period=3)
    assert one(bench, "/project1/n")["parameters"]["period"]["value"] == 3
    assert "seed" not in one(bench, "/project1/n")["parameters"]
    assert len(one(bench, "/project1/n", parameters="all")["parameters"]) == len(noise.pars())
    assert list(one(bench, "/project1/n", parameters="T? SEED")["parameters"]) == ["seed", "tx", "ty", "tz"]


def test_a_parameter_says_what_it_may_be(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    shown = one(bench, "/project1/n", parameters="type harmon")["parameters"]
    assert shown["type"]["style"] == "Menu" and "sparse" in shown["type"]["menu"]
    assert shown["type"]["value"] == shown["type"]["default"]
    assert shown["harmon"]["style"] == "Int" and shown["harmon"]["label"] == "Harmonics"


def test_an_expression_is_shown_with_its_value_and_its_text(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    noise.par.period.expr = "1 + 1"
    entry = one(bench, "/project1/n")["parameters"]["period"]
    assert (entry["value"], entry["mode"], entry["expr"]) == (2, "expression", "1 + 1")


def test_a_broken_expression_does_not_break_the_answer(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    noise.par.period.expr = "nothing.at.all"
    entry = one(bench, "/project1/n")["parameters"]["period"]
    assert entry["value"].startswith("<error: ") and entry["expr"] == "nothing.at.all"


def test_a_bind_names_what_it_is_bound_to(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "ctl")
    comp.appendCustomPage("Controls").appendFloat("Speed")
    comp.par.Speed = 2
    noise = bench.make("noiseTOP", "n")
    noise.par.period.bindExpr = "op('ctl').par.Speed"
    assert one(bench, "/project1/n")["parameters"]["period"]["bind"] == "op('ctl').par.Speed"


def test_wires_are_told_by_index_and_gaps_stay_gaps(bench: Bench) -> None:
    noise, over = bench.make("noiseTOP", "n"), bench.make("compositeTOP", "c")
    over.inputConnectors[0].connect(noise)
    row = one(bench, "/project1/c")
    assert row["inputs"] == [{"input": 0, "from": "/project1/n", "output": 0}]
    assert one(bench, "/project1/n")["outputs"] == [{"output": 0, "to": "/project1/c", "input": 0}]


@pytest.mark.parametrize(
    ("type_name", "key"),
    [("noiseTOP", "width"), ("constantCHOP", "channels"), ("tableDAT", "rows"), ("baseCOMP", "children")],
)
def test_each_family_tells_its_size_in_its_own_words(bench: Bench, type_name: str, key: str) -> None:
    bench.make(type_name, "x")
    assert key in one(bench, "/project1/x")["data"]


def test_flags_comment_tags_dock_and_storage_are_told(bench: Bench) -> None:
    glsl = bench.make("glslTOP", "g")
    glsl.bypass = True
    glsl.comment, glsl.tags = "mind this", {"b", "a"}
    glsl.store("secret", {"of": "many"})
    row = one(bench, "/project1/g")
    assert (
        row["flags"] == {"bypass": True, "viewer": False}
        and row["comment"] == "mind this"
        and row["tags"] == ["a", "b"]
    )
    assert row["storage_keys"] == ["secret"] and "/project1/g_pixel" in row["docked"]
    assert one(bench, "/project1/g_pixel")["dock"] == "/project1/g"


def test_a_component_tells_its_custom_pages(bench: Bench) -> None:
    comp = bench.make("baseCOMP", "c")
    comp.appendCustomPage("Look").appendXYZ("Pos")
    assert one(bench, "/project1/c")["custom_pages"] == [
        {"name": "Look", "parameters": ["Posx", "Posy", "Posz"]}
    ]


def test_errors_are_told_whole(bench: Bench) -> None:
    blur = bench.make("blurTOP", "b")
    blur.par.size.expr = "1/0"
    blur.cook(force=True)
    bench.frame(2)
    messages = [p["message"] for p in one(bench, "/project1/b")["problems"]]
    assert any("ZeroDivisionError" in m and "Context:" in m for m in messages)


@pytest.mark.parametrize("type_name", ["artnetDAT", "audiodeviceoutCHOP"])
def test_an_operator_that_cannot_cook_can_be_looked_at_all_the_same(bench: Bench, type_name: str) -> None:
    bench.make(type_name, "x").bypass = True
    row = one(bench, "/project1/x", parameters="all")
    assert (
        row["data"]["unavailable"]
        and row["flags"] == {"bypass": True, "viewer": False}
        and len(row["parameters"]) > 3
    )
    assert bench.json("find_operators", path="/project1", text="anything")["total"] == 0


def test_several_operators_come_in_the_order_asked_for(bench: Bench) -> None:
    for name in "abc":
        bench.make("nullTOP", name)
    rows = bench.json("inspect_operator", paths=["/project1/c", "/project1/a"])["operators"]
    assert [row["path"] for row in rows] == ["/project1/c", "/project1/a"]


def test_one_wrong_path_refuses_the_call_and_names_it(bench: Bench) -> None:
    bench.make("nullTOP", "a")
    with pytest.raises(ToolFailure) as refusal:
        bench.run("inspect_operator", paths=["/project1/a", "/project1/A"])
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND and "/project1/A" in refusal.value.message


@pytest.mark.parametrize(("paths", "code"), [([], Code.VALUE_INVALID), (["/project1"] * 21, Code.TOO_LARGE)])
def test_none_and_more_than_twenty_are_refused(bench: Bench, paths: list[str], code: Code) -> None:
    with pytest.raises(ToolFailure) as refusal:
        bench.run("inspect_operator", paths=paths)
    assert refusal.value.code is code


def test_a_default_answer_about_twenty_operators_stays_small(bench: Bench) -> None:
    for i in range(20):
        comp = bench.make("baseCOMP", f"c{i}")
        page = comp.appendCustomPage("Page")
        for k in range(15):
            page.appendFloat(f"Value{k}")
            setattr(comp.par, f"Value{k}", 0.5)
    answer = bench.run("inspect_operator", paths=[f"/project1/c{i}" for i in range(20)])
    assert len(json.dumps(answer.structured())) + len(answer.text()) < 40_000
    assert "not shown" in answer.text()


def test_looking_offers_the_frame_back(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    assert len(bench.steps("inspect_operator", paths=["/project1/n"], parameters="all")) > 5


def test_the_text_holds_every_value_of_the_structure(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n", period=3.25)
    noise.par.seed.expr = "me.digits"
    text = bench.run("inspect_operator", paths=["/project1/n"]).text()
    for word in ("/project1/n", "noiseTOP", "period = 3.25", "expr=me.digits", "default="):
        assert word in text


def test_a_wire_of_the_hierarchy_is_told_from_one_of_data_in_both_forms(bench: Bench) -> None:
    body, hand = bench.make("geometryCOMP", "body"), bench.make("geometryCOMP", "hand")
    hand.inputCOMPConnectors[0].connect(body)
    answer = bench.run("inspect_operator", paths=["/project1/hand", "/project1/body"])
    assert answer.structured()["operators"][0]["inputs"][0]["comp"] is True
    assert "comp input 0 <- /project1/body" in answer.text()
    assert "comp output 0 -> /project1/hand input 0" in answer.text()
