"""find_operators: what is found, in what pages, and how the frame is given back meanwhile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench


@pytest.fixture
def project(bench: Bench) -> Bench:
    noise = bench.make("noiseTOP", "noise1", period=3)
    blur = bench.make("blurTOP", "blur1")
    bench.wire(noise, blur)
    inner = bench.make("baseCOMP", "inner")
    deep = bench.make("textDAT", "notes", parent="/project1/inner")
    deep.text = "Remember the Milk"
    deep.tags.add("todo")
    inner.comment = "milk inside"
    blur.par.size.expr = "op('noise1').par.period * 2"
    blur.viewer = True
    return bench


def paths(bench: Bench, **asked: Any) -> list[str]:
    return [row["path"] for row in bench.json("find_operators", path="/project1", **asked)["operators"]]


def test_everything_below_a_path_is_found_parents_first(project: Bench) -> None:
    assert paths(project) == [
        "/project1/noise1",
        "/project1/blur1",
        "/project1/inner",
        "/project1/inner/notes",
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"name": "NOISE1"}, ["noise1"]),
        ({"name": "n*"}, ["noise1", "inner/notes"]),
        ({"name": "noise"}, []),
        ({"type": "blurTOP"}, ["blur1"]),
        ({"type": "*TOP"}, ["noise1", "blur1"]),
        ({"family": "DAT"}, ["inner/notes"]),
        ({"tag": "todo"}, ["inner/notes"]),
        ({"flag": "viewer"}, ["blur1"]),
        ({"text": "milk"}, ["inner", "inner/notes"]),
        ({"depth": 1}, ["noise1", "blur1", "inner"]),
        ({"param": "period", "value": "3"}, ["noise1"]),
        ({"param": "period", "value": "4"}, []),
        ({"param": "size", "value": "noise1"}, ["blur1"]),
        ({"value": "*par.period*"}, ["blur1"]),
        ({"family": "TOP", "name": "b*"}, ["blur1"]),
    ],
)
def test_each_condition_narrows_the_search(
    project: Bench, asked: dict[str, Any], expected: list[str]
) -> None:
    assert paths(project, **asked) == [f"/project1/{path}" for path in expected]


def test_a_parameter_search_says_what_it_hit(project: Bench) -> None:
    [row] = project.json("find_operators", path="/project1", param="si*", value="period")["operators"]
    assert row["match"] == [{"param": "size", "value": {"expr": "op('noise1').par.period * 2"}}]


def test_only_operators_with_errors(project: Bench) -> None:
    project.op("/project1/blur1").par.size.expr = "1/0"
    project.op("/project1/blur1").cook(force=True)
    project.frame(2)
    assert paths(project, errors_only=True) == ["/project1/blur1"]


def test_chosen_fields_are_given_and_no_others(project: Bench) -> None:
    fields = [
        "name",
        "family",
        "tags",
        "flags",
        "inputs",
        "outputs",
        "position",
        "size",
        "cook",
        "problems",
        "comment",
    ]
    [row] = project.json("find_operators", path="/project1", name="blur1", fields=fields)["operators"]
    assert set(row) == {"path", *fields}
    assert row["inputs"] == ["/project1/noise1"] and "viewer" in row["flags"] and row["family"] == "TOP"
    [row] = project.json("find_operators", path="/project1", name="blur1", fields=[])["operators"]
    assert row == {"path": "/project1/blur1"}


def test_pages_join_up_and_counts_agree(bench: Bench) -> None:
    for i in range(25):
        bench.make("nullTOP", f"n{i}")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = bench.json(
            "find_operators", path="/project1", limit=10, **({"cursor": cursor} if cursor else {})
        )
        assert page["total"] == 25 and page["returned"] == len(page["operators"])
        seen += [row["path"] for row in page["operators"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert seen == [f"/project1/n{i}" for i in range(25)]


def test_a_cursor_of_another_question_is_refused(bench: Bench) -> None:
    for i in range(3):
        bench.make("nullTOP", f"n{i}")
    cursor = bench.json("find_operators", path="/project1", limit=1)["next_cursor"]
    for asked in ({"name": "n*", "cursor": cursor}, {"cursor": "nonsense"}):
        with pytest.raises(ToolFailure) as refusal:
            bench.run("find_operators", path="/project1", **asked)
        assert refusal.value.code is Code.VALUE_INVALID


def test_a_default_answer_stays_small_on_a_large_project(bench: Bench) -> None:
    for i in range(300):
        bench.make("nullTOP", f"a_rather_long_operator_name_to_fill_the_page_{i}")
    answer = bench.run(
        "find_operators", path="/project1", fields=["type", "position", "flags", "cook", "outputs", "size"]
    )
    assert len(json.dumps(answer.structured())) + len(answer.text()) < 20_000


def test_a_long_search_offers_the_frame_back_often(bench: Bench) -> None:
    for i in range(200):
        bench.make("nullTOP", f"n{i}")
    assert len(bench.steps("find_operators", path="/project1", name="zzz")) >= 200 // 16
    assert len(bench.steps("find_operators", path="/project1", value="zzz")) >= 200 // 2


def test_operators_deleted_while_it_searches_are_passed_over(bench: Bench) -> None:
    bench.queue.budget_ms = 0.0001
    for i in range(100):
        bench.make("nullTOP", f"n{i}")
    from tdmcp_embedded.protocol import arguments
    from tdmcp_embedded.protocol.runner import run_steps
    from tests.unit.tools.harness import tool

    row = tool("find_operators")
    steps = run_steps(bench.call(row), row, arguments.parse(row, {"path": "/project1", "limit": 1000}))
    next(steps)
    for i in range(50, 100):
        bench.op(f"/project1/n{i}").destroy()
    found: Any = None
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        found = stop.value.output()
    assert found.total == 50


def test_the_text_names_what_the_structure_names(project: Bench) -> None:
    answer = project.run("find_operators", path="/project1")
    for row in answer.structured()["operators"]:
        assert f"{row['path']} {row['type']}" in answer.text()


def test_a_misspelt_type_or_path_comes_with_the_right_one(project: Bench) -> None:
    with pytest.raises(ToolFailure) as refusal:
        project.run("find_operators", path="/project1", type="noiseTop")
    assert refusal.value.code is Code.OPERATOR_TYPE_UNKNOWN and "noiseTOP" in refusal.value.suggestions
    with pytest.raises(ToolFailure) as refusal:
        project.run("find_operators", path="/project1/Inner")
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND and refusal.value.suggestions == ["/project1/inner"]
    with pytest.raises(ToolFailure) as refusal:
        project.run("find_operators", path="/project1/noise1")
    assert refusal.value.code is Code.VALUE_INVALID and "COMP" in refusal.value.message


def test_touchdesigners_own_networks_are_searched_only_when_named(bench: Bench) -> None:
    bench.make("nullTOP", "inside", parent="/ui")
    answer = bench.json("find_operators", name="inside")
    assert answer["operators"] == [] and answer["skipped"] == ["/ui", "/sys"]
    found = bench.json("find_operators", path="/ui", name="inside")["operators"]
    assert [row["path"] for row in found] == ["/ui/inside"]


def test_the_problems_of_found_operators_say_what_they_are_about(bench: Bench) -> None:
    bench.make("noiseTOP", "n").par.period.expr = "op('gone')['x']"
    bench.op("/project1/n").cook(force=True)
    shader = bench.make("glslTOP", "sh")
    bench.op("/project1/sh_pixel").text = "out vec4 c;\nvoid main()\n{\n\tc = vec4(1.0;\n}\n"
    bench.frame(2)
    shader.cook(force=True)
    rows = bench.json("find_operators", path="/project1", errors_only=True, fields=["problems"])["operators"]
    found = {row["path"]: "\n".join(row["problems"]) for row in rows}
    assert "/project1/n period: op('gone')['x']" in found["/project1/n"]
    assert found["/project1/sh"].splitlines()[-1].startswith("/project1/sh_pixel:")


@pytest.mark.parametrize(
    ("wanted", "hit"), [("ghost", True), ("geo1", True), ("/project1/geo1", True), ("geo", False)]
)
def test_a_reference_among_several_is_found_by_name_and_by_path(bench: Bench, wanted: str, hit: bool) -> None:
    bench.make("renderTOP", "r", geometry="/project1/geo1 ghost")
    found = bench.json("find_operators", path="/project1", value=wanted)["operators"]
    assert [row["path"] for row in found] == ["/project1/r"] * hit
