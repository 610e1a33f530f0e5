"""Every argument of every editing tool makes a difference: called with it and without it, in a project of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import life
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Effect
from tests.unit.tools.edit import test_execute_python, test_undo_lists
from tests.unit.tools.edit.states import state
from tests.unit.tools.harness import Bench, tool

P = "/project1"
MANY = [f"{P}/{name}" for name in ("noise1", "level1", "blur1", "out1", "notes")]
LEVEL: dict[str, Any] = {"name": "level1", "params": {"opacity": 0.5}}
PAGE = {"name": "P", "parameters": [{"name": "Other", "style": "Int"}]}
DELETE = {"tool": "delete_operators", "arguments": {"paths": MANY}}

#: tool: what it is first called with, and of each argument another value, with what must go along to show it.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "create_operator": (
        {"parent": P, "type": "levelTOP"},
        {
            "parent": f"{P}/box", "type": "blurTOP", "name": "mine", "params": {"opacity": 0.5}, "inputs": ["noise1"],
            "position": [900, 900], "if_exists": ({"name": "level1"}, "rename"),
        },
    ),
    "build_network": (
        {"path": P, "operators": [LEVEL]},
        {
            "path": f"{P}/box", "operators": [{"name": "new", "type": "nullTOP"}], "exact": True, "dry_run": True,
            "annotations": [{"name": "a", "title": "T"}], "confirm": ({"exact": True}, True),
        },
    ),
    "set_parameters": (
        {"changes": [{"path": f"{P}/level1", "params": {"opacity": 0.5, "no": 1}}]},
        {"changes": [{"path": f"{P}/level1", "params": {"opacity": 0.5}}], "partial": True},
    ),
    "wire_operators": (
        {"disconnect": [{"to": f"{P}/out1"}]},
        {
            "connect": [{"from": f"{P}/noise1", "to": f"{P}/out1"}], "disconnect": [{"to": f"{P}/blur1"}],
            "insert": [{"path": f"{P}/spare", "to": f"{P}/blur1"}],
        },
    ),
    "update_operator": (
        {"path": f"{P}/level1"},
        {
            "path": f"{P}/blur1", "name": "renamed", "type": "blurTOP", "parent": f"{P}/box", "flags": {"bypass": True},
            "position": [700, 700], "color": [1, 0, 0], "comment": "c", "tags": ["t"],
            "paths": ({"path": None, "color": [1, 0, 0]}, [f"{P}/noise1", f"{P}/spare"]),
            "names": ({"path": P}, {"noise1": "cloud"}),
            "collapse": ({"path": None, "paths": [f"{P}/noise1"], "color": [1, 0, 0]}, "group"),
        },
    ),
    "copy_operators": ({"paths": [f"{P}/level1"]}, {"paths": [f"{P}/blur1"], "parent": f"{P}/box"}),
    "delete_operators": ({"paths": MANY}, {"paths": [f"{P}/spare"], "confirm": True}),
    "write_data": (
        {"path": f"{P}/notes", "text": "new"},
        {
            "path": f"{P}/other", "text": "newer", "expected_hash": "stale", "confirm": ({"text": ""}, True),
            "table": ({"path": f"{P}/table", "text": None}, [["a"]]),
            "replace": ({"text": None}, [{"old": "old", "new": "new"}]),
        },
    ),
    "arrange_network": ({"path": P}, {"path": f"{P}/box"}),
    "define_parameters": (
        {"path": f"{P}/box"}, {"path": f"{P}/empty", "pages": [PAGE], "remove": ["Amount"], "rename": {"Amount": "Quantity"}},
    ),
    "control_timeline": (
        {"action": "pause"},
        {
            "action": "play", "frame": 33, "rate": 30, "start": 0, "end": 700, "range_start": 10, "range_end": 90,
            "loop": False,
        },
    ),
    "checkpoint": (
        {"action": "restore", "path": P, "name": "c"},
        {
            "action": "drop", "path": f"{P}/box", "name": "d",
            "confirm": ({"path": f"{P}/box", "name": "empty"}, True),
        },
    ),
    "undo": ({}, {"steps": 2, "redo": True}),
    "save_project": ({}, {"path": "mine.toe", "confirm": ({"path": "there.toe"}, True)}),
    "export_component": (
        {"path": f"{P}/box", "file": "new.tox"},
        {"path": f"{P}/empty", "file": "newer.tox", "confirm": ({"file": "there.tox"}, True)},
    ),
    "import_component": (
        {"parent": P, "file": "there.tox"},
        {"parent": f"{P}/box", "file": "again.tox", "name": "mine"},
    ),
    "batch": (
        {"calls": [DELETE]},
        {"calls": [{"tool": "update_operator", "arguments": {"path": f"{P}/level1", "comment": "x"}}], "confirm": True},
    ),
    "execute_python": (
        {"code": "op('/project1').create('nullTOP', 'made')\n1 / 0"}, {"code": "2", "keep": True},
    ),
}  # fmt: skip

#: Arguments that need a watchdog to show, by the test that shows it.
ELSEWHERE: dict[tuple[str, str], Callable[..., None]] = {
    ("undo", "others"): test_undo_lists.test_undo_is_refused_when_a_person_has_worked_since,
    (
        "execute_python",
        "time_limit",
    ): test_execute_python.test_an_endless_loop_ends_at_its_limit_and_the_queue_goes_on,
}


def project(bench: Bench, folder: Path) -> None:
    """A small project with something for every tool to change."""
    life.of(bench.world).project.folder = folder
    for kind, name in (
        ("noiseTOP", "noise1"), ("levelTOP", "level1"), ("blurTOP", "blur1"), ("nullTOP", "out1"),
        ("levelTOP", "spare"), ("textDAT", "notes"), ("textDAT", "other"), ("tableDAT", "table"), ("baseCOMP", "empty"),
        ("baseCOMP", "box"),
    ):  # fmt: skip
        bench.make(kind, name)
    bench.make("noiseCHOP", "waves", channelname="one two")
    bench.wire(*(bench.op(path) for path in MANY[:4]))
    bench.op(f"{P}/notes").text = bench.op(f"{P}/other").text = "old"
    box = bench.op(f"{P}/box")
    for saved in ("there.tox", "again.tox"):
        (bench.op(f"{P}/empty") if saved == "again.tox" else box).save(str(folder / saved))
    (folder / "there.toe").write_bytes(b"")
    box.appendCustomPage("P").appendFloat("Amount")
    for number in range(5):
        bench.make("constantTOP", f"n{number}", parent=box.path)


def history(bench: Bench) -> None:
    """Checkpoints and undo steps, for the tools that live on them."""
    for number in range(5):
        bench.op(f"{P}/box/n{number}").destroy()
    bench.run("checkpoint", action="save", path=f"{P}/box", name="empty")
    for number in range(5):
        bench.make("constantTOP", f"n{number}", parent=f"{P}/box")
    bench.run("checkpoint", action="save", path=f"{P}/box", name="c")
    bench.run("checkpoint", action="save", path=P, name="c")
    for comment in ("one", "two", "three"):
        bench.run("update_operator", path=f"{P}/noise1", comment=comment)
    bench.run("checkpoint", action="save", path=P, name="d")
    bench.run("undo")


def outcome(name: str, asked: dict[str, Any], folder: Path) -> tuple[str, Any, Any]:
    """Answer or refusal, and what the project and its folder are afterwards."""
    bench = Bench()
    folder.mkdir()
    try:
        project(bench, folder)
        if name in ("checkpoint", "undo"):
            history(bench)
        bench.frame(2)
        try:
            said = bench.run(name, **{key: value for key, value in asked.items() if value is not None}).text()
        except ToolFailure as refusal:
            said = refusal.text()
        bench.frame(4)
        said = re.sub(r"\d{4}-\d\d-\d\dT\S+", "", said.replace(str(folder), ""))
        return said, state(bench), sorted(path.name for path in folder.iterdir())
    finally:
        bench.close()


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, (_, others) in CASES.items() for argument in others]
)
def test_an_argument_has_an_effect(name: str, argument: str, tmp_path: Path) -> None:
    first, others = CASES[name]
    value = others[argument]
    if isinstance(value, tuple):
        besides, value = value
        first = first | besides
    without = outcome(name, first, tmp_path / "without")
    assert without != outcome(name, first | {argument: value}, tmp_path / "with")


def test_no_argument_and_no_tool_is_forgotten_here() -> None:
    editing = {row.name for row in TABLE.values() if row.effect is not Effect.READ}
    assert set(CASES) == editing
    for name, (first, others) in CASES.items():
        fields = {field.alias or key for key, field in tool(name).arguments.model_fields.items()}
        assert fields - set(others) == {argument for owner, argument in ELSEWHERE if owner == name}, name
        assert set(first) <= fields
