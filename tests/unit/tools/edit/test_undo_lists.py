"""TouchDesigner's lists of what can be undone and redone: a call that did nothing is on neither, and takes nothing off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.edit.states import refused, state
from tests.unit.tools.harness import Bench

P = "/project1"

Lists = tuple[list[str], list[str]]


def lists(bench: Bench) -> Lists:
    undo = bench.td.ui.undo
    return list(undo.undoStack), list(undo.redoStack)


@pytest.fixture(params=["as always", "not redoable", "nothing"])
def reading(bench: Bench, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """What `undo()` does while undo is off is not established: a stand-in for each reading."""
    bench.world.undo.undo_while_off = request.param
    yield bench


def person(bench: Bench, name: str, work: Callable[[], Any]) -> None:
    """A step of the person's own."""
    undo = bench.td.ui.undo
    undo.startBlock(name)
    work()
    undo.endBlock()


def furnish(bench: Bench) -> None:
    """Operators, a step the person can undo, and one that can be redone."""
    noise, level = bench.make("noiseTOP", "n"), bench.make("levelTOP", "l")
    bench.make("baseCOMP", "box").create("nullTOP", "inside")
    bench.make("textDAT", "t").text = "one"
    bench.make("speedCHOP", "speed")
    bench.wire(noise, level)
    person(bench, "Move", lambda: setattr(noise, "nodeX", 400))
    person(bench, "Resize", lambda: setattr(noise, "nodeY", 400))
    bench.td.ui.undo.undo()
    assert lists(bench) == (["Move"], ["Resize"])


def _set(**params: Any) -> tuple[str, dict[str, Any]]:
    return "set_parameters", {"changes": [{"path": f"{P}/n", "params": params}]}


MAKE = {"tool": "create_operator", "arguments": {"parent": P, "type": "nullTOP", "name": "made"}}
WRONG = {"tool": "set_parameters", "arguments": {"changes": [{"path": f"{P}/n", "params": {"nosuch": 1}}]}}

REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "unknown parameter": _set(nosuch=1),
    "unknown parameter of a new operator": (
        "create_operator", {"parent": P, "type": "noiseTOP", "name": "x", "params": {"nosuch": 1}}
    ),
    "impossible input of a new operator": (
        "create_operator", {"parent": P, "type": "noiseTOP", "inputs": ["n", "n", "n", "n", "n", "n"]}
    ),
    "last of a network": (
        "build_network",
        {
            "path": P,
            "operators": [
                {"name": "n", "params": {"period": 9}, "tags": ["x"], "position": [9, 9]},
                {"name": "made", "type": "glslTOP", "inputs": ["n"]},
                {"name": "b", "type": "baseCOMP", "custom": [{"name": "P", "parameters": [{"name": "A", "style": "Float"}]}]},
                {"name": "w", "type": "nullTOP", "params": {"nosuch": 1}},
            ],
        },
    ),
    "deletions that need a word": ("build_network", {"path": P, "operators": [], "exact": True}),
    "last of a batch": ("batch", {"calls": [MAKE, WRONG]}),
    "a deletion in a batch": (
        "batch", {"calls": [{"tool": "delete_operators", "arguments": {"paths": [f"{P}/l"]}}, MAKE, WRONG]}
    ),
    "a wire and a name": (
        "batch",
        {
            "calls": [
                {"tool": "wire_operators", "arguments": {"disconnect": [{"to": f"{P}/l", "input": 0}]}},
                {"tool": "update_operator", "arguments": {"path": f"{P}/n", "name": "m", "color": [1, 0, 0]}},
                {"tool": "write_data", "arguments": {"path": f"{P}/t", "text": "two"}},
                {"tool": "define_parameters", "arguments": {
                    "path": f"{P}/box", "pages": [{"name": "P", "parameters": [{"name": "A", "style": "Float"}]}]}},
                {"tool": "arrange_network", "arguments": {"path": P}},
                {"tool": "control_timeline", "arguments": {"action": "set", "frame": 7}},
                WRONG,
            ]
        },
    ),
    "a text that is not there": ("write_data", {"path": f"{P}/t", "replace": [{"old": "none", "new": "x"}]}),
    "code that fails before it changes anything": ("execute_python", {"code": "1/0"}),
}  # fmt: skip

NOTHING: dict[str, tuple[str, dict[str, Any]]] = {
    "the value that is there": _set(period={"reset": True}),
    "dry run": ("build_network", {"path": P, "operators": [{"name": "made", "type": "glslTOP"}], "dry_run": True}),
    "dry run that deletes": (
        "build_network",
        {"path": P, "operators": [{"name": "n", "type": "rampTOP"}], "dry_run": True, "exact": True},
    ),
    "a network as it is": ("build_network", {"path": P, "operators": [{"name": "n", "type": "noiseTOP"}]}),
    "a text that is there": ("write_data", {"path": f"{P}/t", "text": "one"}),
    "a pulse": ("set_parameters", {"changes": [{"path": f"{P}/speed", "params": {"resetpulse": {"pulse": True}}}]}),
    "code that only looks": (
        "execute_python", {"code": f"[(o.name, o.par.w.eval() if o.isTOP and o.par['w'] else 0) for o in op('{P}').children]"}
    ),
    "the timeline": ("control_timeline", {"action": "pause"}),
    "a checkpoint": ("checkpoint", {"action": "save", "path": P, "name": "c"}),
    "a picture": ("capture_image", {"path": f"{P}/box"}),
    "a type": ("describe_type", {"type": "glslTOP"}),
    "reads in a batch": ("batch", {"calls": [{"tool": "read_network", "arguments": {"path": P}}]}),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_call_is_on_neither_list_and_what_can_be_redone_stays(reading: Bench, case: str) -> None:
    furnish(reading)
    before, then, frame = state(reading), lists(reading), reading.td.root.time.play
    name, given = REFUSED[case]
    with pytest.raises(ToolFailure):
        reading.run(name, **given)
    assert (state(reading), lists(reading), reading.td.root.time.play) == (before, then, frame)
    reading.td.ui.undo.redo()
    assert reading.op(f"{P}/n").nodeY == 400


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_call_leaves_nothing_to_redo(reading: Bench, case: str) -> None:
    furnish(reading)
    reading.td.ui.undo.redo()
    before, then = state(reading), lists(reading)
    name, given = REFUSED[case]
    with pytest.raises(ToolFailure):
        reading.run(name, **given)
    assert (state(reading), lists(reading)) == (before, then)


@pytest.mark.parametrize("case", NOTHING)
def test_a_call_that_changes_nothing_is_on_neither_list(reading: Bench, case: str) -> None:
    furnish(reading)
    before, then = state(reading), lists(reading)
    name, given = NOTHING[case]
    answer = reading.json(name, **given)
    assert not answer.get("undo")
    assert (state(reading), lists(reading)) == (before, then)


def test_code_that_fails_after_a_change_leaves_nothing_to_redo(reading: Bench) -> None:
    furnish(reading)
    reading.td.ui.undo.redo()
    then = lists(reading)
    with refused(reading, Code.PYTHON_ERROR):
        reading.run("execute_python", code=f"op('{P}/n').par.period = 9\n1/0")
    assert lists(reading) == then


_N = f"op('{P}/n').par.period"
#: Calls that open a block and leave no step: (tool, arguments). TouchDesigner then has nothing left to redo.
WITHOUT_A_STEP: dict[str, tuple[str, dict[str, Any]]] = {
    "code that sets what is there": ("execute_python", {"code": f"{_N} = {_N}.eval()"}),
    "code that fails": ("execute_python", {"code": f"{_N} = 9\n1/0"}),
    "code that fails before it changes anything, and keeps it": (
        "execute_python", {"code": f"x = {_N}.nosuch; {_N} = 9", "keep": True}
    ),
    "code in a batch": (
        "batch", {"calls": [{"tool": "execute_python", "arguments": {"code": f"{_N} = {_N}.eval()"}}]}
    ),
    "code before a wrong call": (
        "batch", {"calls": [{"tool": "execute_python", "arguments": {"code": f"{_N} = 9"}}, WRONG]}
    ),
    "a new type before a wrong call": (
        "batch",
        {"calls": [
            {"tool": "update_operator", "arguments": {"path": f"{P}/n", "type": "rampTOP"}},
            {"tool": "set_parameters", "arguments": {"changes": [{"path": f"{P}/l", "params": {"nosuch": 1}}]}},
        ]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WITHOUT_A_STEP)
def test_where_redo_is_lost_without_a_step_the_answer_says_so_and_why(reading: Bench, case: str) -> None:
    furnish(reading)
    name, given = WITHOUT_A_STEP[case]
    try:
        answer = reading.run(name, **given)
        text, structured = answer.text(), answer.structured()
    except ToolFailure as refusal:
        text, structured = refusal.text(), refusal.structured()
    if "Resize" in reading.td.ui.undo.redoStack:
        assert "redo_lost" not in structured
        return
    assert "'Resize'" in structured["redo_lost"] and structured["redo_lost"] in text


@pytest.mark.parametrize("case", [*WITHOUT_A_STEP])
def test_where_nothing_could_be_redone_nothing_is_said_of_it(bench: Bench, case: str) -> None:
    furnish(bench)
    bench.td.ui.undo.redo()
    name, given = WITHOUT_A_STEP[case]
    try:
        assert "redo_lost" not in bench.json(name, **given)
    except ToolFailure as refusal:
        assert "redo_lost" not in refusal.details


def test_an_edit_that_can_be_undone_says_nothing_of_redo(bench: Bench) -> None:
    furnish(bench)
    assert "redo_lost" not in bench.json("set_parameters", **_set(period=9)[1])


def test_where_nothing_takes_a_step_off_the_redo_list_redoing_it_does_nothing(bench: Bench) -> None:
    """The kind reading of an empty block with the unkind one of undo while it is off."""
    bench.world.undo.empty_clears_redo = False
    bench.make("noiseTOP", "n")
    with refused(bench, Code.PYTHON_ERROR):
        bench.run("execute_python", code=f"op('{P}/n').par.period = 9\n1/0")
    before = state(bench)
    bench.td.ui.undo.redo()
    assert state(bench) == before


# -- what the answer names


@pytest.mark.parametrize(
    ("name", "given", "listed"),
    [
        ("delete_operators", {"paths": [f"{P}/n"]}, "Delete Node"),
        ("update_operator", {"path": f"{P}/n", "flags": {"bypass": True}}, "Change Bypass Flag"),
        ("update_operator", {"path": f"{P}/n", "comment": "x"}, f"MCP Update operator {P}/n comment"),
    ],
)
def test_the_answer_names_the_step_as_touchdesigner_lists_it(
    bench: Bench, name: str, given: dict[str, Any], listed: str
) -> None:
    bench.make("noiseTOP", "n")
    before = state(bench)
    answer = bench.json(name, **given)
    assert answer["undo"] == listed == bench.td.ui.undo.undoStack[0]
    assert bench.json("undo")["undone"] == [listed]
    assert state(bench) == before


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_short_list_still_names_and_takes_back_the_newest_step(bench: Bench, limit: int) -> None:
    bench.world.undo.limit = limit
    for index in range(2 * limit):
        made = bench.json("create_operator", parent=P, type="nullTOP", name=f"made{index}")
        bench.run("update_operator", path=made["path"], comment=f"c{index}")
    assert bench.json("undo")["undone"] == [f"MCP Update operator {made['path']} comment"]
    assert bench.op(made["path"]).comment == ""
    with refused(bench, Code.PARAMETER_NOT_FOUND):
        bench.run(
            "build_network", path=P, operators=[{"name": "x", "type": "nullTOP", "params": {"nosuch": 1}}]
        )


def test_the_newest_steps_are_listed_first(bench: Bench) -> None:
    for index in range(30):
        person(bench, f"step {index}", lambda i=index: setattr(bench.op(P), "nodeX", i + 1))  # type: ignore[misc]
    bench.run("create_operator", parent=P, type="nullTOP", name="made")
    assert bench.json("undo")["can_undo"] == [f"step {i}" for i in range(29, 9, -1)]


# -- a person has worked since


def test_undo_is_refused_when_a_person_has_worked_since(bench: Bench) -> None:
    bench.run("create_operator", parent=P, type="noiseTOP", name="n")
    person(bench, "Move", lambda: setattr(bench.op(f"{P}/n"), "nodeX", 400))
    with refused(bench, Code.PRECONDITION_FAILED) as caught:
        bench.run("undo")
    assert "'Move'" in caught.value.message and "others" in caught.value.hint
    assert bench.json("undo", others=True)["undone"] == ["Move"]
    assert bench.json("undo")["undone"] == [f"MCP Create operator {P}/n"]


def test_undo_stops_at_a_step_of_a_person(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    person(bench, "Move", lambda: setattr(bench.op(f"{P}/n"), "nodeX", 400))
    bench.run("update_operator", path=f"{P}/n", comment="x")
    answer = bench.json("undo", steps=3)
    assert answer["undone"] == [f"MCP Update operator {P}/n comment"] and "'Move'" in answer["note"]
    assert bench.op(f"{P}/n").nodeX == 400


def test_what_a_person_undid_is_known(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    bench.run("update_operator", path=f"{P}/n", comment="one")
    bench.run("update_operator", path=f"{P}/n", tags=["x"])
    bench.td.ui.undo.undo()
    person(bench, "Move", lambda: setattr(bench.op(f"{P}/n"), "nodeX", 400))
    with refused(bench, Code.PRECONDITION_FAILED):
        bench.run("undo")
    bench.td.ui.undo.undo()
    assert bench.json("undo")["undone"] == [f"MCP Update operator {P}/n comment"]
    assert bench.op(f"{P}/n").comment == ""


def test_redo_is_refused_for_what_a_person_undid(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    person(bench, "Move", lambda: setattr(bench.op(f"{P}/n"), "nodeX", 400))
    bench.td.ui.undo.undo()
    with refused(bench, Code.PRECONDITION_FAILED):
        bench.run("undo", redo=True)
    assert bench.json("undo", redo=True, others=True)["redone"] == ["Move"]
