"""capture_image: pictures that show what is there, and leave nothing behind."""

from __future__ import annotations

import gc
import tempfile
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy
import pytest

from fakes import builds
from fakes.tops import files, saving
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol import arguments
from tdmcp_embedded.protocol.runner import Done, run_steps
from tdmcp_embedded.tools import capturing
from tests.unit.tools.harness import Bench, tool


def shot(bench: Bench, path: str, **asked: Any) -> tuple[dict[str, Any], Any]:
    answer = bench.run("capture_image", path=path, **asked)
    [picture] = answer.pictures
    pixels = cv2.imdecode(numpy.frombuffer(picture.data, numpy.uint8), cv2.IMREAD_UNCHANGED)
    return answer.structured(), pixels


def small(bench: Bench, type_name: str, name: str, **params: Any) -> Any:
    return bench.make(type_name, name, outputresolution="custom", resolutionw=64, resolutionh=32, **params)


def test_a_picture_shows_the_pixels_of_the_top(bench: Bench) -> None:
    small(bench, "constantTOP", "red", colorr=1, colorg=0, colorb=0)
    facts, pixels = shot(bench, "/project1/red")
    assert pixels.shape[:2] == (32, 64)
    assert tuple(int(v) for v in pixels[5, 5][:3]) == (0, 0, 255)
    assert (facts["native_size"], facts["size"], facts["verdict"], facts["source"]) == (
        [64, 32],
        [64, 32],
        "flat",
        "top",
    )


def test_a_large_picture_is_reduced_and_its_native_size_stated(bench: Bench) -> None:
    bench.make("rampTOP", "r", outputresolution="custom", resolutionw=400, resolutionh=200)
    facts, pixels = shot(bench, "/project1/r", max_size=100)
    assert facts["native_size"] == [400, 200] and facts["size"] == [100, 50] and pixels.shape[:2] == (50, 100)


@pytest.mark.parametrize(
    ("params", "verdict"), [({}, "flat"), ({"colorr": 0, "colorg": 0, "colorb": 0}, "black")]
)
def test_an_empty_picture_is_called_by_its_name(bench: Bench, params: dict[str, Any], verdict: str) -> None:
    small(bench, "constantTOP", "c", **({"colorr": 0.5, "colorg": 0.5, "colorb": 0.5} | params))
    facts, _ = shot(bench, "/project1/c")
    assert facts["verdict"] == verdict


def test_a_jpeg_is_a_jpeg(bench: Bench) -> None:
    small(bench, "rampTOP", "r")
    answer = bench.run("capture_image", path="/project1/r", format="jpeg")
    assert answer.pictures[0].mime == "image/jpeg" and answer.pictures[0].data[:2] == b"\xff\xd8"


def test_an_edit_of_the_same_frame_is_in_the_picture(bench: Bench) -> None:
    top = small(bench, "constantTOP", "c", colorr=0, colorg=0, colorb=0)
    shot(bench, "/project1/c")
    top.par.colorg = 1
    _, pixels = shot(bench, "/project1/c")
    assert int(pixels[0, 0][1]) == 255


def test_several_moments_show_movement_as_a_grid(bench: Bench) -> None:
    top = small(bench, "constantTOP", "c", colorr=0, colorg=0, colorb=0)
    top.par.colorr.expr = "(absTime.frame % 100) / 100"
    facts, pixels = shot(bench, "/project1/c", frames=4, every=5)
    assert pixels.shape[:2] == (64, 128)
    assert [b - a for a, b in zip(facts["frames"], facts["frames"][1:], strict=False)] == [5, 5, 5]
    reds = [int(pixels[y, x][2]) for y, x in ((0, 0), (0, 64), (32, 0), (32, 64))]
    assert reds == sorted(set(reds))


def drained(bench: Bench, steps: Any) -> Done:
    """What steps come to, a frame passing for each that asks for one."""
    while True:
        try:
            signal = next(steps)
        except StopIteration as end:
            assert isinstance(end.value, Done)
            return end.value
        if signal is NEXT_FRAME:
            bench.frame()


def test_waiting_waits_as_many_frames(bench: Bench) -> None:
    small(bench, "constantTOP", "c")
    for wait in (7, 0):
        now = bench.td.absTime.frame
        row = tool("capture_image")
        steps = run_steps(
            bench.call(row), row, arguments.parse(row, {"path": "/project1/c", "wait_frames": wait})
        )
        taken = drained(bench, steps).output().structured()
        assert taken["frames"] == [now + wait]


def everything(bench: Bench) -> list[str]:
    return sorted(node.path for node in bench.world.walk())


def test_any_operator_is_shown_by_its_viewer_and_nothing_stays(bench: Bench) -> None:
    bench.make("constantCHOP", "wave")
    bench.frame()
    before, undo = everything(bench), list(bench.td.ui.undo.undoStack)
    facts, pixels = shot(bench, "/project1/wave", max_size=320)
    assert facts["source"] == "viewer" and max(pixels.shape[:2]) == 320
    assert everything(bench) == before and list(bench.td.ui.undo.undoStack) == undo


def test_the_viewer_is_never_in_the_users_network(bench: Bench) -> None:
    bench.make("constantCHOP", "wave")
    mine = bench.make("baseCOMP", "server")
    bench.instance["component"] = mine.path
    row = tool("capture_image")
    steps = run_steps(bench.call(row), row, arguments.parse(row, {"path": "/project1/wave"}))
    next(steps)
    assert [child.opType for child in mine.children] == ["opviewerTOP"]
    steps.close()
    assert mine.children == []


def test_a_capture_that_fails_half_way_leaves_nothing(bench: Bench) -> None:
    wave = bench.make("constantCHOP", "wave")
    before = everything(bench)
    row = tool("capture_image")
    steps = run_steps(bench.call(row), row, arguments.parse(row, {"path": "/project1/wave"}))
    next(steps)
    wave.destroy()
    with pytest.raises(ToolFailure) as refusal:
        for _ in range(10):
            next(steps)
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND
    assert [path for path in everything(bench)] == [path for path in before if path != "/project1/wave"]


def test_the_size_a_licence_allows_is_the_size_stated(bench: Bench) -> None:
    bench.world.licence.max_resolution = 128
    bench.make("rampTOP", "r", outputresolution="custom", resolutionw=400, resolutionh=400)
    facts, _ = shot(bench, "/project1/r")
    assert facts["native_size"] == [128, 128]


def test_a_top_that_cannot_cook_is_told_as_touchdesigners_error(bench: Bench) -> None:
    bench.make("glslTOP", "g", mode="compute")
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1/g")
    assert refusal.value.code is Code.TD_ERROR and "/project1/g" in refusal.value.message


def test_a_wrong_path_is_refused_with_the_right_one(bench: Bench) -> None:
    small(bench, "constantTOP", "red")
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1/Red")
    assert refusal.value.code is Code.OPERATOR_NOT_FOUND and refusal.value.suggestions == ["/project1/red"]


@pytest.mark.parametrize("asked", [{"frames": 10}, {"max_size": 5}, {"format": "gif"}, {"wait_frames": -1}])
def test_arguments_out_of_range_are_refused(bench: Bench, asked: dict[str, Any]) -> None:
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1", **asked)
    assert refusal.value.code is Code.VALUE_INVALID


def in_temporary_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))


def test_a_picture_is_encoded_beside_the_show_and_its_file_is_removed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_temporary_folder(monkeypatch, tmp_path)
    small(bench, "constantTOP", "c")
    encoders: list[str] = []
    encode = files.encode

    def noted(*given: Any) -> bytes:
        encoders.append(threading.current_thread().name)
        return encode(*given)

    monkeypatch.setattr(files, "encode", noted)
    shot(bench, "/project1/c", frames=2, every=1)
    assert encoders == ["fake-td-save"] * 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", ["fails", "is_cancelled", "is_never_asked_for"])
def test_no_file_stays_when_a_capture_comes_to_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str
) -> None:
    in_temporary_folder(monkeypatch, tmp_path)
    top = small(bench, "constantTOP", "c")
    row = tool("capture_image")
    steps = run_steps(
        bench.call(row), row, arguments.parse(row, {"path": "/project1/c", "frames": 2, "wait_frames": 0})
    )
    if end == "is_never_asked_for":
        done = drained(bench, steps)
        assert list(tmp_path.iterdir()) != []
        del done, steps
        gc.collect()
    else:
        next(steps)
        bench.frame()
        assert list(tmp_path.iterdir()) != []
        if end == "is_cancelled":
            steps.close()
        else:
            top.destroy()
            with pytest.raises(ToolFailure):
                drained(bench, steps)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_picture_is_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small(bench, "constantTOP", "c")
    in_temporary_folder(monkeypatch, tmp_path / "not there")
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1/c")
    assert refusal.value.code is Code.TD_ERROR and "temporary files" in refusal.value.message

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    in_temporary_folder(monkeypatch, tmp_path)
    monkeypatch.setattr(files, "save", full)
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1/c")
    assert refusal.value.code is Code.TD_ERROR and "/project1/c" in refusal.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_is_never_written_is_given_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    small(bench, "constantTOP", "c")
    monkeypatch.setattr(capturing, "_WRITTEN_WITHIN", 0.0)
    monkeypatch.setattr(saving.FileSaveStatus, "isCompleted", lambda status: False)
    with pytest.raises(ToolFailure) as refusal:
        bench.run("capture_image", path="/project1/c")
    assert refusal.value.code is Code.TD_ERROR and "not written within" in refusal.value.message


@pytest.mark.parametrize("moves", [True, False])
def test_several_frames_say_whether_they_differ(bench: Bench, moves: bool) -> None:
    top = bench.make("constantTOP", "c", colorr=0.2)
    if moves:
        top.par.colorr.expr = "absTime.frame % 50 / 50"
    facts, _ = shot(bench, "/project1/c", frames=3, every=4)
    assert facts["moves"] is moves
    assert any("differ" in note if moves else "nothing moves" in note for note in facts["notes"])


@pytest.mark.parametrize("build", ["2023.12480", "2025.32820", "2025.33070"])
def test_a_picture_comes_whatever_save_answers(bench: Bench, build: str) -> None:
    bench.make("constantTOP", "c", colorr=0.5)
    builds.use(build)
    try:
        facts, picture = shot(bench, "/project1/c")
    finally:
        builds.use(builds.NEWEST)
    assert facts["verdict"] == "flat" and picture.size


def test_a_picture_of_a_failed_shader_says_so(bench: Bench) -> None:
    glsl = bench.make("glslTOP", "g")
    bench.wire(bench.make("noiseTOP", "n"), glsl)
    bench.op("/project1/g_pixel").text = "out vec4 c;\nvoid main() {\n    c = vec4(nothing);\n}\n"
    facts, _ = shot(bench, "/project1/g", wait_frames=3)
    assert facts["verdict"] == "ok"
    [problem] = facts["problems"]
    assert problem["severity"] == "shader"
    assert "/project1/g_pixel:3: c = vec4(nothing);" in problem["message"]


@pytest.mark.parametrize("playing", [True, False])
def test_what_cannot_move_since_the_timeline_is_paused_is_said(bench: Bench, playing: bool) -> None:
    bench.make("constantTOP", "c")
    bench.make("constantCHOP", "k")
    bench.td.root.time.play = playing
    answers = [
        bench.json("capture_image", path="/project1/c", frames=2, every=2),
        bench.json("capture_image", path="/project1/c"),
        bench.json("capture_image", path="/project1/c", wait_frames=0),
        bench.json("capture_image", path="/project1/c", wait_frames=5),
        bench.json("capture_image", path="/project1/k"),
        bench.json("watch_values", watch=[{"path": "/project1/k"}], frames=3),
        bench.json("measure_performance", path="/project1", frames=2),
    ]
    for answer in answers:
        said = any("timeline is paused" in note for note in answer.get("notes") or [])
        assert said is not playing
