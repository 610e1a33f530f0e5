"""check_errors: whole messages, their owners, their number."""

from __future__ import annotations

from pathlib import Path

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
    bench.make("noiseTOP", "n").cook()
    answer = bench.run("check_errors", path="/project1")
    assert answer.structured()["ok"] is True and answer.text() == "No errors or warnings on 2 operators."


def test_how_many_never_cooked_is_said_since_nothing_shows_on_them(bench: Bench) -> None:
    for name in ("idle1", "idle2"):
        bench.make("blurTOP", name)
    bench.make("noiseTOP", "n").cook()
    bench.make("textDAT", "text")
    bench.frame(2)
    answer = bench.run("check_errors", path="/project1")
    assert answer.structured()["ok"] is True and answer.structured()["never_cooked"] == 2
    assert "2 operators of 5 never cooked" in answer.text()


@pytest.mark.parametrize(
    ("kind", "parameter", "text"),
    [
        ("moviefileinTOP", "file", "gone/clip.mov"),
        ("audiofileinCHOP", "file", "/nowhere/song.wav"),
        ("moviefileinTOP", "file", "picture with blanks.png"),
        ("fileinDAT", "file", "list.csv"),
    ],
)
def test_a_file_that_is_not_there_is_an_error(bench: Bench, kind: str, parameter: str, text: str) -> None:
    bench.make(kind, "reader", **{parameter: text})
    found = bench.json("check_errors", path="/project1")
    [group] = found["problems"]
    assert (group["severity"], group["paths"]) == ("error", ["/project1/reader"])
    assert group["message"] == f"{parameter}: there is no file {text}"


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("moviefileinTOP", {}),
        ("moviefileinTOP", {"file": "http://example.com/a.mp4"}),
        ("moviefileinTOP", {"file": "frames/*.png"}),
        ("moviefileoutTOP", {"file": "not/yet.mov"}),
        ("textDAT", {"file": "not/yet.txt"}),
        ("baseCOMP", {"externaltox": "gone.tox", "enableexternaltox": False}),
    ],
)
def test_what_no_file_need_be_there_for_is_no_error(
    bench: Bench, kind: str, params: dict[str, object]
) -> None:
    bench.make(kind, "op", **params)
    assert bench.json("check_errors", path="/project1")["ok"] is True


def test_a_file_beside_the_project_is_found(bench: Bench, tmp_path: Path) -> None:
    bench.life.project.folder = tmp_path
    (tmp_path / "clip.mov").write_bytes(b"x")
    bench.make("moviefileinTOP", "m", file="clip.mov")
    assert bench.json("check_errors", path="/project1")["ok"] is True


def test_an_error_comes_with_the_parameters_name_and_expression(bench: Bench) -> None:
    broken(bench, "a")
    bench.frame(2)
    [group] = [g for g in bench.json("check_errors", path="/project1")["problems"]]
    assert group["message"].endswith("/project1/a opacity: 1/0")


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
    # Once: the operator's own warning only says where to look.
    [group] = found["problems"]
    assert group["severity"] == "shader"
    assert "/project1/g_pixel:2: void main(){ c = vec4(1.0);" in group["message"]


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


@pytest.mark.parametrize(("operators", "rows"), [(3, 3), (4, 1), (40, 1)])
def test_messages_of_many_operators_that_differ_only_in_numbers_are_one_row(
    bench: Bench, operators: int, rows: int
) -> None:
    for number in range(operators):
        op = bench.make("noiseTOP", f"n{number}")
        op.par.period.expr = f"1/0 if op('none') is not None else int('{number} x')"
        op.cook(force=True)
    found = bench.json("check_errors", path="/project1")
    assert found["by_severity"] == {"error": operators}
    assert (found["total"], len(found["problems"])) == (rows, rows)
    if rows == 1:
        [group] = found["problems"]
        assert group["count"] == operators and group["paths"][0] == "/project1/n0"
        assert f"one of {operators} that differ only in numbers" in group["message"]
        assert "/project1/n0 period: " in group["message"], "the row says what its first operator's is about"


def test_missing_files_are_named_each_whatever_number_they_have(bench: Bench) -> None:
    for number in range(5):
        bench.make("moviefileinTOP", f"m{number}", file=f"take {number}.mov")
    found = bench.json("check_errors", path="/project1")
    assert [group["message"] for group in found["problems"]] == [
        f"file: there is no file take {number}.mov" for number in range(5)
    ]


def test_a_shader_that_fails_is_told_by_what_its_info_dat_says_and_once(bench: Bench) -> None:
    """The operator's own warning says no more than where to look (fact 75)."""
    glsl = bench.make("glslTOP", "g")
    bench.op("/project1/g_pixel").text = "out vec4 c;\nvoid main() { c = vec4(nothing); }\n"
    for _ in range(3):
        glsl.cook(force=True)
        bench.frame()
    assert "Info DAT" in glsl.warnings()
    problems = bench.json("check_errors", path="/project1")["problems"]
    assert [(each["severity"], each["paths"]) for each in problems] == [("shader", ["/project1/g"])]
    assert "nothing" in problems[0]["message"] and "Info DAT" not in problems[0]["message"]
