"""check_errors: whole messages, their owners, their number."""

from __future__ import annotations

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench


def broken(bench: Bench, name: str, parent: str = "/project1") -> None:
    op = bench.make("levelTOP", name, parent=parent)
    op.inputConnectors[0].connect(
        bench.op(f"{parent}/source") or bench.make("noiseTOP", "source", parent=parent)
    )
    op.par.opacity.expr = "1/0"
    op.cook(force=True)


def test_a_sound_project_is_called_so(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    answer = bench.run("check_errors", path="/project1")
    assert answer.structured()["ok"] is True and answer.text() == "No errors or warnings on 2 operators."


def test_the_same_message_on_several_operators_is_told_once_with_all_owners(bench: Bench) -> None:
    broken(bench, "a")
    broken(bench, "b")
    bench.frame(2)
    found = bench.json("check_errors", path="/project1")
    [group] = [g for g in found["problems"] if "ZeroDivisionError" in g["message"]]
    assert group["severity"] == "error" and group["count"] == 2
    assert group["paths"] == ["/project1/a", "/project1/b"]
    assert "Context:(Parameter: Opacity)" in group["message"] and "(/project1/" not in group["message"]


def test_an_operator_without_its_input_is_an_error(bench: Bench) -> None:
    bench.make("blurTOP", "b").cook(force=True)
    bench.frame(2)
    [group] = bench.json("check_errors", path="/project1")["problems"]
    assert group["message"] == "Not enough sources specified" and group["paths"] == ["/project1/b"]


def test_a_warning_is_a_warning_and_comes_last(bench: Bench) -> None:
    broken(bench, "a")
    select = bench.make("selectTOP", "s")
    select.par.top = "nowhere"
    select.cook(force=True)
    bench.frame(2)
    found = bench.json("check_errors", path="/project1")
    assert found["problems"][0]["severity"] == "error"
    assert found["problems"][-1]["severity"] == "warning" and "nowhere" in found["problems"][-1]["message"]
    assert found["by_severity"]["warning"] == 1


def test_a_callback_that_failed_is_a_script_error(bench: Bench) -> None:
    dat = bench.make("textDAT", "cb")
    bench.world.callback(dat._node, lambda: "".index("x"))
    found = bench.json("check_errors", path="/project1")
    assert [(g["severity"], g["paths"]) for g in found["problems"]] == [("script_error", ["/project1/cb"])]
    assert "ValueError" in found["problems"][0]["message"] and "\n" in found["problems"][0]["message"]


def test_a_shader_that_does_not_compile_is_told_though_the_operator_shows_no_error(bench: Bench) -> None:
    glsl = bench.make("glslTOP", "g")
    bench.op("/project1/g_pixel").text = "out vec4 c;\nvoid main(){ c = vec4(1.0);\n"
    glsl.cook(force=True)
    bench.frame(3)
    found = bench.json("check_errors", path="/project1/g")
    assert "shader" in [g["severity"] for g in found["problems"]]


def test_depth_bounds_the_look(bench: Bench) -> None:
    bench.make("baseCOMP", "c")
    broken(bench, "a", parent="/project1/c")
    bench.frame(2)
    assert bench.json("check_errors", path="/project1", depth=1)["ok"] is True
    assert bench.json("check_errors", path="/project1", depth=2)["ok"] is False
    assert bench.json("check_errors", path="/project1", depth=0)["checked"] == 1
    assert bench.json("check_errors", path="/project1/c/a")["checked"] == 1


def test_messages_page_and_counts_agree(bench: Bench) -> None:
    bench.make("noiseTOP", "source")
    for i in range(7):
        op = bench.make("levelTOP", f"l{i}")
        op.inputConnectors[0].connect(bench.op("/project1/source"))
        op.par.opacity.expr = f"undefined_{i}"
        op.cook(force=True)
    bench.frame(2)
    first = bench.json("check_errors", path="/project1", limit=5)
    second = bench.json("check_errors", path="/project1", limit=5, cursor=first["next_cursor"])
    assert (first["total"], first["returned"], second["returned"]) == (7, 5, 2)
    assert len({g["message"] for g in first["problems"] + second["problems"]}) == 7
    assert "next_cursor" not in second


def test_checking_offers_the_frame_back(bench: Bench) -> None:
    for i in range(80):
        bench.make("nullTOP", f"n{i}")
    assert len(bench.steps("check_errors", path="/project1")) >= 10


def test_a_wrong_path_is_refused_with_the_right_one(bench: Bench) -> None:
    with pytest.raises(ToolFailure) as refusal:
        bench.run("check_errors", path="/projekt1")
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND and refusal.value.suggestions == ["/project1"]
