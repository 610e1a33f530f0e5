"""Checkpoints, files, the timeline, and several calls as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fakes import life
from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def stage(bench: Bench) -> None:
    bench.make("baseCOMP", "stage")
    bench.wire(
        bench.make("noiseTOP", "a", parent="/project1/stage", period=3),
        bench.make("blurTOP", "b", parent="/project1/stage"),
    )
    text = bench.make("textDAT", "t", parent="/project1/stage")
    text.text = "words"


def checkpoint(bench: Bench, action: str, **more: Any) -> dict[str, Any]:
    return bench.json("checkpoint", action=action, path="/project1/stage", **more)


def test_a_checkpoint_gives_back_exactly_what_was(bench: Bench) -> None:
    stage(bench)
    before = state(bench)
    checkpoint(bench, "save", name="good")
    bench.op("/project1/stage/a").par.period.expr = "absTime.frame"
    bench.op("/project1/stage/a").par.harmon = 5
    bench.op("/project1/stage/b").destroy()
    bench.op("/project1/stage/t").text = "other"
    bench.make("nullTOP", "extra", parent="/project1/stage")
    answer = checkpoint(bench, "restore", name="good")
    assert state(bench) == before
    assert answer["created"] == ["/project1/stage/b"]
    assert answer["deleted"] == ["/project1/stage/extra"]


def test_restoring_what_is_there_changes_nothing(bench: Bench) -> None:
    stage(bench)
    checkpoint(bench, "save", name="good")
    answer = checkpoint(bench, "restore", name="good")
    assert answer["undo"] == ""


def test_a_restore_is_one_undo_step(bench: Bench) -> None:
    stage(bench)
    checkpoint(bench, "save", name="good")
    bench.op("/project1/stage/b").destroy()
    after = state(bench)
    checkpoint(bench, "restore", name="good")
    bench.run("undo")
    assert state(bench) == after


def test_restoring_over_much_asks(bench: Bench) -> None:
    stage(bench)
    checkpoint(bench, "save", name="good")
    for i in range(4):
        bench.make("nullTOP", f"n{i}", parent="/project1/stage")
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        checkpoint(bench, "restore", name="good")
    checkpoint(bench, "restore", name="good", confirm=True)


def test_checkpoints_are_listed_compared_with_and_dropped(bench: Bench) -> None:
    stage(bench)
    checkpoint(bench, "save", name="good")
    assert [(c["name"], c["operators"]) for c in checkpoint(bench, "list")["checkpoints"]] == [("good", 3)]
    bench.op("/project1/stage/a").par.period = 8
    compared = bench.json("compare_network", path="/project1/stage", **{"with": "good"})
    assert [row["path"] for row in compared["differences"]] == ["a"]
    assert checkpoint(bench, "drop", name="good")["checkpoints"] == []
    with refused(bench, Code.PRECONDITION_FAILED):
        checkpoint(bench, "restore", name="good")


def test_an_unknown_checkpoint_suggests_those_there_are(bench: Bench) -> None:
    stage(bench)
    checkpoint(bench, "save", name="good")
    with refused(bench, Code.PRECONDITION_FAILED) as caught:
        checkpoint(bench, "restore", name="goood")
    assert caught.value.suggestions == ["good"]


def test_saving_touches_no_operator_of_the_user(bench: Bench) -> None:
    stage(bench)
    before = state(bench)
    checkpoint(bench, "save", name="good")
    assert state(bench) == before
    assert bench.td.ui.undo.undoStack == []


def test_the_timeline_is_driven_and_read_back(bench: Bench) -> None:
    assert bench.json("control_timeline", action="pause")["playing"] is False
    answer = bench.json("control_timeline", action="set", frame=50)
    assert answer["frame"] == 50
    assert bench.json("control_timeline", action="play")["playing"] is True
    answer = bench.json("control_timeline", action="set", end=1200, range_end=900, rate=30)
    assert (answer["end"], answer["range"][1], answer["rate"]) == (1200, 900, 30)
    with refused(bench, Code.VALUE_INVALID):
        bench.run("control_timeline", action="set", range_end=99999)
    with refused(bench, Code.VALUE_INVALID):
        bench.run("control_timeline", action="set")


@pytest.mark.parametrize("how", ["refused", "ignored", "taken"])
def test_the_timeline_goes_to_a_frame_whether_it_can_be_set_or_not(bench: Bench, how: Any) -> None:
    bench.world.time_frame = how
    bench.json("control_timeline", action="pause")
    assert bench.json("control_timeline", action="set", frame=50)["frame"] == 50
    with refused(bench, Code.VALUE_INVALID):
        bench.run("control_timeline", action="set", frame=20, range_end=99999)


def test_a_save_is_a_job_whose_outcome_can_be_asked_for(bench: Bench, project: Path) -> None:
    answer = bench.json("save_project", path="show.toe")
    bench.frame(5)
    job = bench.json("get_job", job=answer["job"])
    assert job["state"] == "done"
    assert job["result"]["file"] == str(project / "show.toe")
    assert job["result"]["bytes"] == (project / "show.toe").stat().st_size


def test_a_save_as_the_next_version_names_the_file_it_wrote(bench: Bench, project: Path) -> None:
    # project.name may already be the next one's (fact 36).
    answer = bench.json("save_project")
    bench.frame(5)
    written = bench.json("get_job", job=answer["job"])["result"]["file"]
    assert [str(path) for path in project.glob("*.toe")] == [written]


def test_saving_over_a_file_asks(bench: Bench, project: Path) -> None:
    (project / "show.toe").write_text("x")
    with refused(bench, Code.CONFIRMATION_REQUIRED):
        bench.run("save_project", path="show.toe")


@pytest.mark.parametrize("path", ["../out.toe", "/tmp/out.toe"])
def test_files_stay_inside_the_projects_folder(bench: Bench, project: Path, path: str) -> None:
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("save_project", path=path)
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("import_component", parent="/project1", file=path.replace(".toe", ".tox"))


def test_a_link_does_not_lead_out_of_the_folder(bench: Bench, project: Path, tmp_path_factory: Any) -> None:
    (project / "link").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    bench.make("baseCOMP", "stage")
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("export_component", path="/project1/stage", file="link/x.tox")


def test_a_component_travels_through_a_file(bench: Bench, project: Path) -> None:
    stage(bench)
    answer = bench.json("export_component", path="/project1/stage", file="stage.tox")
    assert (project / "stage.tox").stat().st_size == answer["bytes"]
    came = bench.json("import_component", parent="/project1", file="stage.tox", name="again")
    assert (came["path"], came["operators"]) == ("/project1/again", 3)
    assert bench.op("/project1/again/a").par.period.eval() == 3
    bench.run("undo")
    assert bench.op("/project1/again") is None


def test_a_file_that_is_not_there_suggests_others(bench: Bench, project: Path) -> None:
    (project / "stage.tox").write_text("x")
    with refused(bench, Code.VALUE_INVALID) as caught:
        bench.run("import_component", parent="/project1", file="stge.tox")
    assert caught.value.suggestions == ["stage.tox"]


def test_this_servers_own_component_is_not_written_to_a_file(bench: Bench, project: Path) -> None:
    # Its access key would go with it.
    for path in ("/project1/tdmcp", "/project1"):
        with refused(bench, Code.PRECONDITION_FAILED):
            bench.run("export_component", path=path, file="x.tox")


@pytest.fixture
def project(bench: Bench, tmp_path: Path) -> Path:
    life.of(bench.world).project.folder = tmp_path
    return tmp_path


def batch(bench: Bench, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return bench.json("batch", calls=[{"tool": name, "arguments": arguments} for name, arguments in calls])


def test_a_batch_is_one_undo_step_and_later_calls_see_earlier_ones(bench: Bench) -> None:
    before = state(bench)
    answer = batch(
        bench,
        ("create_operator", {"parent": "/project1", "type": "noiseTOP", "name": "n"}),
        ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"period": 4}}]}),
        ("inspect_operator", {"paths": ["/project1/n"]}),
        ("execute_python", {"code": "op('/project1/n').par.harmon = 3\nop('/project1/n').par.period.eval()"}),
    )
    assert [r["tool"] for r in answer["results"]] == [
        "create_operator",
        "set_parameters",
        "inspect_operator",
        "execute_python",
    ]
    assert answer["results"][3]["result"]["value"] == 4
    assert len(bench.td.ui.undo.undoStack) == 1
    bench.run("undo")
    assert state(bench) == before


def test_one_call_that_fails_undoes_the_whole_batch(bench: Bench) -> None:
    bench.make("noiseTOP", "n", period=3)
    for bad in (
        ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"perod": 1}}]}),
        ("execute_python", {"code": "op('/project1/n').par.period = 9\n1/0"}),
        ("delete_operators", {"paths": ["/project1/nosuch"]}),
    ):
        with refused(
            bench,
            {"set_parameters": Code.PARAMETER_NOT_FOUND, "execute_python": Code.PYTHON_ERROR}.get(
                bad[0], Code.OPERATOR_NOT_FOUND
            ),
        ) as caught:
            batch(
                bench,
                ("create_operator", {"parent": "/project1", "type": "noiseTOP", "name": "m"}),
                ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"period": 5}}]}),
                bad,
            )
        assert caught.value.details["call"] == 2
        assert bench.td.ui.undo.undoStack == []


def test_a_call_that_changes_nothing_does_not_end_the_batchs_undo_step(bench: Bench) -> None:
    before = state(bench)
    batch(
        bench,
        ("create_operator", {"parent": "/project1", "type": "noiseTOP", "name": "n"}),
        ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"period": 1}}]}),
        ("create_operator", {"parent": "/project1", "type": "blurTOP", "inputs": ["n"]}),
    )
    bench.run("undo")
    assert state(bench) == before


@pytest.mark.parametrize(
    "call",
    [
        ("no_such_tool", {}),
        ("undo", {}),
        ("batch", {"calls": []}),
        ("create_operator", {"parnt": "/"}),
        ("create_operator", {}),
    ],
)
def test_what_cannot_be_in_a_batch_is_refused_before_anything_happens(
    bench: Bench, call: tuple[str, dict[str, Any]]
) -> None:
    with refused(bench, Code.VALUE_INVALID):
        batch(bench, ("create_operator", {"parent": "/project1", "type": "noiseTOP"}), call)


def test_many_edits_of_a_batch_look_again_in_the_same_frame(bench: Bench) -> None:
    calls = [
        {"tool": "create_operator", "arguments": {"parent": "/project1", "type": "noiseTOP"}}
        for _ in range(10)
    ]
    signals = [s for s in bench.steps("batch", calls=calls) if s is not None]
    assert len(signals) == 1


def test_problems_of_a_batch_are_told_once(bench: Bench) -> None:
    answer = batch(
        bench,
        ("create_operator", {"parent": "/project1", "type": "blurTOP", "name": "b"}),
        ("set_parameters", {"changes": [{"path": "/project1/b", "params": {"size": 3}}]}),
    )
    paths = [p["path"] for p in answer["problems"]]
    assert paths == ["/project1/b"]


def test_a_refusal_is_a_tool_failure_with_the_calls_place(bench: Bench) -> None:
    with pytest.raises(ToolFailure, match=r"calls\[0\]"):
        batch(bench, ("create_operator", {"parent": "/nosuch", "type": "noiseTOP"}))
