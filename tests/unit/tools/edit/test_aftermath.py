"""What an edit broke is told, and looking for it costs the show no frame."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.tools import aftermath
from tests.unit.tools.harness import Bench, tool


def test_what_an_edit_breaks_downstream_is_told(bench: Bench) -> None:
    noise, level, null = bench.make("noiseTOP", "n"), bench.make("levelTOP", "l"), bench.make("nullTOP", "z")
    bench.wire(noise, level, null)
    bench.frame(2)
    null.cook()
    bench.frame(2)
    answer = bench.json("wire_operators", disconnect=[{"to": "/project1/l", "input": 0}])
    assert "/project1/l" in {p["path"] for p in answer["problems"]}


def test_looking_again_waits_a_frame_and_goes_in_steps(bench: Bench) -> None:
    for i in range(50):
        bench.make("nullTOP", f"n{i}")
    changes = [{"path": f"/project1/n{i}", "params": {"resolutionw": 64}} for i in range(50)]
    signals = bench.steps("set_parameters", changes=changes)
    # The edit's own frame still cooks what was touched; whether it could is seen in the next one.
    assert signals.count(NEXT_FRAME) == 1
    assert signals.count(None) >= 50


def test_an_operator_known_to_cook_long_is_left_to_cook_by_itself(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    noise.cook(force=True)
    bench.settings = bench.settings.model_copy(update={"budget_ms": noise.cpuCookTime / 2})
    cooks = noise.totalCooks
    bench.run("set_parameters", changes=[{"path": "/project1/n", "params": {"harmon": 4}}])
    assert noise.totalCooks == cooks


def test_a_cook_that_fails_does_not_lose_the_answer(bench: Bench) -> None:
    watch = aftermath.Watch()
    call = bench.call(tool("set_parameters"))

    class Broken:
        path, valid, isCOMP, isDAT, totalCooks, outputConnectors = "/x", True, False, False, 0, ()
        opType, docked = "nullTOP", ()

        def parent(self) -> None:
            return None

        def cook(self) -> None:
            raise RuntimeError("device lost")

        def errors(self) -> str:
            return ""

        warnings = scriptErrors = errors

    call.td = type("td", (), {"op": staticmethod(lambda path: Broken())})  # type: ignore[assignment]  # no module
    steps = watch.after(call, ["/x"])
    try:
        while True:
            next(steps)
    except StopIteration as stop:
        assert [p.message for p in stop.value] == ["It cannot cook: device lost"]


def test_problems_that_were_there_before_are_not_told_again(bench: Bench) -> None:
    blur = bench.make("blurTOP", "b")
    blur.cook()
    bench.frame(2)
    assert blur.errors()
    answer = bench.json("update_operator", path="/project1/b", comment="x")
    assert answer.get("problems", []) == []


def test_an_edit_takes_two_frames_when_nothing_is_slow(bench: Bench) -> None:
    bench.make("constantCHOP", "c")
    signals = bench.steps("set_parameters", changes=[{"path": "/project1/c", "params": {"const0value": 2}}])
    assert signals.count(NEXT_FRAME) == 1


def test_a_callback_that_raises_in_every_frame_is_no_news_of_an_edit(bench: Bench) -> None:
    script = bench.make("executeDAT", "broken")
    script.text = "n = 0\ndef onFrameStart(frame):\n    global n\n    n += 1\n    raise ValueError(n + 0.5)"
    script.par.framestart = script.par.active = True
    bench.frame(200)
    assert script.scriptErrors().count("Traceback") > 100
    answer = bench.json(
        "set_parameters", changes=[{"path": "/project1/broken", "params": {"frameend": True}}]
    )
    assert answer.get("problems", []) == []
    [row] = bench.json("check_errors", path="/project1/broken")["problems"]
    assert row["severity"] == "script_error"


def test_looking_at_long_error_texts_offers_the_frame_back(bench: Bench) -> None:
    from fakes.problems import script_error

    for i in range(8):
        node = bench.make("textDAT", f"t{i}")._live()
        for n in range(300):
            script_error(node, ValueError(f"no cue at {n}.5"))
    assert bench.steps("check_errors", path="/project1").count(None) >= 8


#: Types whose file TouchDesigner says nothing of, or only in its own time.
_FILES = {"moviefileinTOP": "clip.mov", "audiofileinCHOP": "song.wav", "fileinDAT": "rows.csv"}


@pytest.mark.parametrize("kind", _FILES)
def test_a_file_that_is_not_there_is_among_the_problems_of_the_edit(bench: Bench, kind: str) -> None:
    name = _FILES[kind]
    said = {"path": "/project1/f", "severity": "error", "message": f"file: there is no file {name}"}
    made = bench.json("create_operator", parent="/project1", type=kind, name="f", params={"file": name})
    assert said in made["problems"]
    again = bench.json("update_operator", path="/project1/f", comment="x")
    assert said not in again["problems"], "it was so before"
    moved = bench.json("set_parameters", changes=[{"path": "/project1/f", "params": {"file": "2" + name}}])
    assert said | {"message": f"file: there is no file 2{name}"} in moved["problems"]


def test_a_file_that_is_there_is_no_problem(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "clip.mov").touch()
    params = {"file": (tmp_path / "clip.mov").as_posix()}
    made = bench.json("create_operator", parent="/project1", type="moviefileinTOP", params=params)
    assert not [each for each in made["problems"] if "there is no file" in each["message"]]


def test_files_of_what_a_network_or_code_brings_are_looked_for(bench: Bench) -> None:
    operators = [{"name": "f", "type": "moviefileinTOP", "params": {"file": "no.mov"}}]
    built = bench.json("build_network", path="/project1", operators=operators)
    code = "op('/project1').create(moviefileinTOP, 'g').par.file = 'no.mov'"
    coded = bench.json("execute_python", code=code)
    for answer, path in ((built, "/project1/f"), (coded, "/project1/g")):
        found = [(each["path"], each["message"]) for each in answer["problems"]]
        assert (path, "file: there is no file no.mov") in found
