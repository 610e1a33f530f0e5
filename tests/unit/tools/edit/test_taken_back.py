"""Failures and undo where TouchDesigner's own undo alone would not do."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench


def undone_and_redone(bench: Bench, name: str, /, **given: Any) -> None:
    before = state(bench)
    assert bench.json(name, **given)["undo"]
    after = state(bench)
    for _ in range(2):
        bench.run("undo")
        assert state(bench) == before
        bench.run("undo", redo=True)
        assert state(bench) == after


def test_a_failed_build_does_not_take_along_what_stood_where_it_made_something(bench: Bench) -> None:
    info = bench.make("glslTOP", "g").docked[-1]
    info.par.op = "elsewhere"
    row = {"name": info.name, "type": info.opType, "dock": "g", "params": {"op": "other"}}
    with refused(bench, Code.OPERATOR_NOT_FOUND):
        bench.run("build_network", path="/project1", operators=[row], exact=True, confirm=True)


def test_what_a_failed_build_deleted_comes_back_though_the_user_has_undo_off(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.td.ui.undo.globalState = False
    wrong = {"name": "x", "type": "nullTOP", "params": {"nosuch": 1}}
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run("build_network", path="/project1", operators=[wrong], exact=True)
    assert bench.td.ui.undo.globalState is False


def test_an_edit_can_be_undone_as_it_says_though_the_user_has_undo_off(bench: Bench) -> None:
    bench.td.ui.undo.globalState = False
    undone_and_redone(bench, "create_operator", parent="/project1", type="noiseTOP")
    assert bench.td.ui.undo.globalState is False


def test_a_dry_run_in_a_batch_is_refused_and_undoes_nothing_else(bench: Bench) -> None:
    made = {"tool": "create_operator", "arguments": {"parent": "/project1", "type": "noiseTOP"}}
    looked = {"tool": "build_network", "arguments": {"path": "/project1", "operators": [], "dry_run": True}}
    with refused(bench, Code.VALUE_INVALID):
        bench.run("batch", calls=[made, looked, made])


@pytest.mark.parametrize("kind", ["glslPOP", "glslTOP"])
def test_an_operator_is_undone_with_what_touchdesigner_docks_to_it(bench: Bench, kind: str) -> None:
    before = state(bench)
    made = bench.json("create_operator", parent="/project1", type=kind)
    assert made["also_made"]
    bench.run("undo")
    assert state(bench) == before


def test_a_new_type_is_undone_with_what_touchdesigner_docks_to_it(bench: Bench) -> None:
    bench.make("gridPOP", "p")
    undone_and_redone(bench, "update_operator", path="/project1/p", type="glslPOP")


NOTE = {"name": "note", "title": "Inside"}


def test_annotations_of_several_networks_are_undone_together(bench: Bench) -> None:
    box = {"name": "box", "type": "baseCOMP", "annotations": [NOTE]}
    given = {"path": "/project1", "operators": [box], "annotations": [{"name": "top", "title": "Out"}]}
    undone_and_redone(bench, "build_network", **given)
    again = given | {"operators": [{"name": "box", "annotations": [{"name": "note", "title": "Other"}]}]}
    undone_and_redone(bench, "build_network", **again, exact=True)


def test_annotations_that_others_take_the_place_of_are_undone_and_redone(bench: Bench) -> None:
    bench.run("build_network", path="/project1", operators=[], annotations=[NOTE])
    other = [{"name": "other", "title": "T"}]
    undone_and_redone(bench, "build_network", path="/project1", operators=[], annotations=other, exact=True)


def test_annotations_of_several_calls_of_a_batch_are_undone_together(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.make("baseCOMP", name)
    calls = [
        {
            "tool": "build_network",
            "arguments": {"path": f"/project1/{n}", "operators": [], "annotations": [NOTE]},
        }
        for n in ("a", "b")
    ]
    undone_and_redone(bench, "batch", calls=calls)


def test_an_annotation_for_a_network_that_the_batch_then_deletes_is_not_made(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    noted = {"path": "/project1/box", "operators": [], "annotations": [NOTE]}
    calls = [
        {"tool": "build_network", "arguments": noted},
        {"tool": "delete_operators", "arguments": {"paths": ["/project1/box"]}},
    ]
    undone_and_redone(bench, "batch", calls=calls)


MEANT = [
    {"name": "Amount", "style": "Float", "label": "Other", "min": 0, "max": 2, "default": 1, "help": "h"},
    {"name": "Mood", "style": "StrMenu", "menu": ["a", "b"], "read_only": True, "enable_expr": "me.digits"},
    {"name": "Fresh", "style": "XYZ", "section": True, "norm": [0, 5]},
]


@pytest.mark.parametrize("page", ["P", "Q"])
def test_definitions_of_custom_parameters_are_undone_and_redone(bench: Bench, page: str) -> None:
    made = bench.make("baseCOMP", "box").appendCustomPage("P")
    made.appendFloat("Amount")[0].val = 7
    made.appendMenu("Mood")
    given = {"path": "/project1/box", "pages": [{"name": page, "parameters": MEANT}]}
    undone_and_redone(bench, "define_parameters", **given)
    undone_and_redone(bench, "define_parameters", path="/project1/box", remove=["Amount", "Fresh"])


def test_defining_what_is_there_already_is_no_step(bench: Bench) -> None:
    bench.make("baseCOMP", "box")
    given = {"path": "/project1/box", "pages": [{"name": "P", "parameters": MEANT}]}
    bench.run("define_parameters", **given)
    steps = bench.td.ui.undo.undoStack
    assert bench.json("define_parameters", **given)["undo"] == ""
    assert bench.td.ui.undo.undoStack == steps
