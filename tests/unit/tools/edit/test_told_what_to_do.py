"""Small things that an agent trips over: what is refused points to what works, and what TD changes is said."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tdmcp_embedded
from tdmcp_embedded.errors import Code, ToolFailure
from tests.unit.tools.harness import Bench

P = "/project1"
N = f"{P}/n"


def setting(name: str, value: Any = True) -> tuple[str, dict[str, Any]]:
    return "set_parameters", {"changes": [{"path": N, "params": {name: value}}]}


#: A call that is refused, and words of what it says to do.
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], Code, tuple[str, ...]]] = {
    "bypass as a parameter": (setting("bypass"), Code.PARAMETER_NOT_FOUND, ("a flag", 'flags: {"bypass": true}')),
    "display as a parameter": (setting("display"), Code.PARAMETER_NOT_FOUND, ("a flag", "update_operator")),
    "viewer as a parameter": (setting("viewer"), Code.PARAMETER_NOT_FOUND, ("a flag",)),
    "comment as a parameter": (setting("comment", "c"), Code.PARAMETER_NOT_FOUND, ("its comment",)),
    "nodeX as a parameter": (setting("nodeX", 5), Code.PARAMETER_NOT_FOUND, ("position: [x, y]",)),
    "inputs as a parameter": (setting("inputs", ["a"]), Code.PARAMETER_NOT_FOUND, ("wire_operators",)),
    "a family as a type to find": (("find_operators", {"type": "TOP"}), Code.OPERATOR_TYPE_UNKNOWN, ('family: "TOP"',)),
    "several of a family": (("find_operators", {"type": "chops"}), Code.OPERATOR_TYPE_UNKNOWN, ('family: "CHOP"',)),
    "a family as a type to make": (("create_operator", {"parent": P, "type": "TOP"}), Code.OPERATOR_TYPE_UNKNOWN, ("noiseTOP",)),
    "a name that is taken, where one can say what then": (("create_operator", {"parent": P, "type": "nullTOP", "name": "n"}), Code.NAME_TAKEN, ("if_exists",)),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_says_how_it_is_done(bench: Bench, what: str) -> None:
    bench.make("noiseTOP", "n")
    (name, arguments), code, words = REFUSED[what]
    with pytest.raises(ToolFailure) as refused:
        bench.run(name, **arguments)
    said = f"{refused.value.message} {refused.value.hint}"
    assert refused.value.code is code and all(word in said for word in words), said


#: Calls for a name that is taken, of tools without `if_exists`.
TAKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "renaming": ("update_operator", {"path": N, "name": "other"}),
    "moving": ("update_operator", {"path": N, "parent": f"{P}/box"}),
    "building another type": ("build_network", {"path": P, "operators": [{"name": "n", "type": "nullTOP"}]}),
}


@pytest.mark.parametrize("what", TAKEN)
def test_if_exists_is_only_named_where_there_is_one(bench: Bench, what: str) -> None:
    bench.make("noiseTOP", "n")
    bench.make("noiseTOP", "other")
    bench.make("baseCOMP", "box")
    bench.make("noiseTOP", "n", f"{P}/box")
    name, arguments = TAKEN[what]
    with pytest.raises(ToolFailure) as refused:
        bench.run(name, **arguments)
    assert refused.value.code is Code.NAME_TAKEN
    assert refused.value.hint and "if_exists" not in refused.value.hint


def test_whatever_is_too_large_is_refused_with_a_hint() -> None:
    without = []
    for file in Path(tdmcp_embedded.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (
                isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ToolFailure" and node.args
            ):
                continue
            too_large = "TOO_LARGE" in ast.unparse(node.args[0])
            if too_large and not any(keyword.arg == "hint" for keyword in node.keywords):
                without.append(f"{file.name}:{node.lineno}")
    assert without == []


def noted(answer: dict[str, Any]) -> str:
    notes = list(answer.get("notes") or [])
    for each in answer.get("operators") or ():
        notes += each.get("notes") or []
    return "\n".join(notes)


def whole(bench: Bench) -> dict[str, Any]:
    page = {"name": "P", "parameters": [{"name": "Speed", "style": "Float", "default": 2.75}]}
    bench.run("define_parameters", path=f"{P}/box", pages=[page])
    page["parameters"][0] = {"name": "Speed", "style": "Int", "max": 7.5}
    return bench.json("define_parameters", path=f"{P}/box", pages=[page])


#: What is done, and words of the notes: where what is there is not what was asked.
NOTED: dict[str, tuple[Callable[[Bench], dict[str, Any]], tuple[str, ...]]] = {
    "a gap that an operator closes, made": (
        lambda bench: bench.json("create_operator", parent=P, type="compositeTOP", name="c", inputs=[None, "n"]),
        ("asked [null, n], are [n]",),
    ),
    "a gap that an operator closes, built": (
        lambda bench: bench.json(
            "build_network", path=P, operators=[{"name": "c", "type": "compositeTOP", "inputs": ["m", None, "n"]}]
        ),
        ("asked [m, null, n], are [m, n]",),
    ),
    "a fraction for a whole number": (
        lambda bench: bench.json("set_parameters", changes=[{"path": N, "params": {"harmon": 2.75}}]),
        ("asked 2.75, is 2 (whole numbers only)",),
    ),
    "a style that has no fractions": (whole, ("was 2.75, is 2 as Int",)),
    "the label of a menu entry": (
        lambda bench: bench.json("set_parameters", changes=[{"path": N, "params": {"type": "Sparse"}}]),
        ("'Sparse' is the label of 'sparse'",),
    ),
    "a resolution that another parameter switches on": (
        lambda bench: bench.json("set_parameters", changes=[{"path": N, "params": {"resolutionw": 77}}]),
        ("outputresolution",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NOTED)
def test_what_is_not_as_asked_is_said(bench: Bench, what: str) -> None:
    for name in ("n", "m"):
        bench.make("noiseTOP", name)
    bench.make("baseCOMP", "box")
    do, words = NOTED[what]
    notes = noted(do(bench))
    assert all(word in notes for word in words), notes


def test_the_results_of_a_batch_hold_nothing_empty(bench: Bench) -> None:
    calls = [
        {"tool": "create_operator", "arguments": {"parent": P, "type": "nullTOP", "name": f"n{i}"}}
        for i in range(3)
    ]
    answer = bench.json("batch", calls=calls)
    for each in answer["results"]:
        assert each["result"]["path"] and not [k for k, v in each["result"].items() if v in ("", [], {})]


#: A call, and what its undo step is called.
STEPS: list[tuple[str, dict[str, Any], str]] = [
    ("set_parameters", {"changes": [{"path": N, "params": {"period": 2, "amp": 2}}]}, f"MCP Set parameters {N} period, amp"),
    ("set_parameters", {"changes": [{"path": N, "params": {"period": 2}}, {"path": f"{P}/m", "params": {"amp": 2}}]}, f"MCP Set parameters {N} and 1 more"),
    ("create_operator", {"parent": P, "type": "nullTOP", "name": "x"}, f"MCP Create operator {P}/x"),
    ("create_operator", {"parent": P, "type": "nullTOP"}, f"MCP Create operator {P}"),
    ("update_operator", {"path": N, "name": "z", "comment": "c"}, f"MCP Update operator {N} name, comment"),
    ("delete_operators", {"paths": [N]}, "Delete Node"),
    ("wire_operators", {"connect": [{"from": N, "to": f"{P}/b"}]}, f"MCP Wire operators {P}/b"),
    ("batch", {"calls": [{"tool": "create_operator", "arguments": {"parent": P, "type": "nullTOP"}}]}, "MCP Batch create_operator"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "step"), STEPS, ids=[step for _, _, step in STEPS])
def test_an_undo_step_says_what_was_done_to_which_operator(
    bench: Bench, name: str, arguments: dict[str, Any], step: str
) -> None:
    for each in ("n", "m"):
        bench.make("noiseTOP", each)
    bench.make("blurTOP", "b")
    assert bench.json(name, **arguments)["undo"] == step
    assert bench.json("undo")["undone"] == [step]


def test_a_custom_parameter_gets_another_name_and_keeps_what_it_holds(bench: Bench) -> None:
    box = bench.make("baseCOMP", "box")
    parameters = [
        {"name": "Speed", "style": "Float", "min": 0, "max": 9, "default": 3, "help": "how fast"},
        {"name": "Pos", "style": "XYZ"},
        {"name": "Last", "style": "Toggle"},
    ]
    bench.run("define_parameters", path=box.path, pages=[{"name": "P", "parameters": parameters}])
    params = {"Speed": {"expr": "1 + 1"}, "Pos": [1, 2, 3]}
    bench.run("set_parameters", changes=[{"path": box.path, "params": params}])
    answer = bench.json("define_parameters", path=box.path, rename={"Speed": "Tempo", "Pos": "Place"})
    assert answer["values"] == {
        "Tempo": {"expr": "1 + 1"},
        "Placex": 1,
        "Placey": 2,
        "Placez": 3,
        "Last": False,
    }
    names = [each["name"] for each in answer["pages"][0]["parameters"]]
    assert names == ["Tempo", "Place", "Last"]
    tempo = answer["pages"][0]["parameters"][0]
    assert (tempo["min"], tempo["max"], tempo["default"], tempo["help"]) == (0, 9, 3, "how fast")
    assert answer["renamed"] == {"Speed": "Tempo", "Pos": "Place"}
    bench.run("undo")
    assert [p.name for p in box.customPars] == ["Speed", "Posx", "Posy", "Posz", "Last"]
    assert (box.par.Speed.expr, box.par.Posy.val) == ("1 + 1", 2)


@pytest.mark.parametrize(
    ("names", "code"),
    [({"No": "A"}, Code.PARAMETER_NOT_FOUND), ({"Speed": "bad name"}, Code.VALUE_INVALID), ({"Speed": "Pos"}, Code.NAME_TAKEN)],
)  # fmt: skip
def test_a_wrong_new_name_is_refused(bench: Bench, names: dict[str, str], code: Code) -> None:
    box = bench.make("baseCOMP", "box")
    parameters = [{"name": "Speed", "style": "Float"}, {"name": "Pos", "style": "XYZ"}]
    bench.run("define_parameters", path=box.path, pages=[{"name": "P", "parameters": parameters}])
    with pytest.raises(ToolFailure) as refused:
        bench.run("define_parameters", path=box.path, rename=names)
    assert refused.value.code is code


@pytest.mark.parametrize("tool", ["define_parameters", "build_network"])
def test_a_slider_spans_the_limits_whoever_makes_it(bench: Bench, tool: str) -> None:
    box = bench.make("baseCOMP", "box")
    pages = [{"name": "P", "parameters": [{"name": "Gain", "style": "Float", "min": -4, "max": 12}]}]
    if tool == "define_parameters":
        bench.run(tool, path=box.path, pages=pages)
    else:
        bench.run(tool, path=P, operators=[{"name": "box", "custom": pages}])
    assert (box.par.Gain.normMin, box.par.Gain.normMax) == (-4, 12)
    # A reading leaves out the usual range: building it again must not take it for the limits.
    box.par.Gain.normMin, box.par.Gain.normMax = 0, 1
    (row,) = [
        each for each in bench.json("read_network", path=P, view="full")["operators"] if each["name"] == "box"
    ]
    bench.run("build_network", path=P, operators=[row, row | {"name": "copy"}])
    for name in ("box", "copy"):
        made = bench.op(f"{P}/{name}")
        assert (made.par.Gain.normMin, made.par.Gain.normMax) == (0, 1)


#: Execute DATs: the type, what is set, and words of why they never fire; none where they do.
EXECUTORS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("chopexecuteDAT", {"active": True, "valuechange": True}, ("chop names no operator",)),
    ("chopexecuteDAT", {"active": True, "valuechange": True, "chop": "nowhere"}, ("chop names no operator",)),
    ("chopexecuteDAT", {"active": True, "valuechange": False, "chop": "lfo"}, ("none of offtoon",)),
    ("chopexecuteDAT", {"active": False, "valuechange": True, "chop": "lfo"}, ("active is off",)),
    ("chopexecuteDAT", {"active": True, "valuechange": True, "chop": "lfo"}, ()),
    ("chopexecuteDAT", {"active": {"expr": "False"}, "valuechange": True, "chop": "lfo"}, ()),
    ("datexecuteDAT", {"active": True, "tablechange": True}, ("dat names no operator",)),
    ("opexecuteDAT", {"active": True, "op": "lfo", "postcook": False}, ("none of precook",)),
    ("panelexecuteDAT", {"active": True, "offtoon": True}, ("panels names no operator",)),
    ("parameterexecuteDAT", {"active": True, "op": "lfo", "valuechange": True, "builtin": True, "pars": ""}, ("pars is empty",)),
    ("parameterexecuteDAT", {"active": True, "op": "lfo", "pars": "*", "valuechange": True, "custom": False, "builtin": False}, ("neither custom nor builtin",)),
    ("parameterexecuteDAT", {"active": True, "op": "lfo", "pars": "*", "valuechange": True, "builtin": True}, ()),
    ("executeDAT", {"active": True, "framestart": False}, ("none of start",)),
    ("executeDAT", {"active": True, "framestart": True}, ()),
    ("textDAT", {}, ()),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "params", "words"), EXECUTORS)
def test_an_execute_dat_that_can_never_fire_is_told(
    bench: Bench, kind: str, params: dict[str, Any], words: tuple[str, ...]
) -> None:
    bench.make("lfoCHOP", "lfo")
    built = bench.json("build_network", path=P, operators=[{"name": "x", "type": kind, "params": params}])
    made = bench.json("create_operator", parent=P, type=kind, name="y", params=params)
    again = bench.json(
        "set_parameters", changes=[{"path": f"{P}/x", "params": params | {"language": "python"}}]
    )
    written = bench.json("write_data", path=f"{P}/x", text="# nothing yet")
    for answer in (built, made, again, written):
        notes = noted(answer)
        assert ("never fires" in notes) == bool(words) and all(word in notes for word in words), notes


#: What is wrong with a parameter, as the problems of the answer say: a word of it that the notes do not repeat.
REPEATED: dict[str, tuple[str, dict[str, Any], str]] = {
    "an expression that fails": ("noiseTOP", {"period": {"expr": "1/0"}}, "division by zero"),
    "a path that leads nowhere": ("selectTOP", {"top": "nowhere"}, "nowhere"),
}


@pytest.mark.parametrize("tool", ["create_operator", "set_parameters", "build_network"])
@pytest.mark.parametrize("what", REPEATED)
def test_notes_do_not_repeat_problems(bench: Bench, what: str, tool: str) -> None:
    kind, params, word = REPEATED[what]
    if tool == "create_operator":
        answer = bench.json(tool, parent=P, type=kind, name="x", params=params)
    elif tool == "build_network":
        answer = bench.json(tool, path=P, operators=[{"name": "x", "type": kind, "params": params}])
    else:
        bench.make(kind, "x")
        answer = bench.json(tool, changes=[{"path": f"{P}/x", "params": params}])
    assert any(word in each["message"] for each in answer["problems"]), answer
    assert word not in noted(answer), noted(answer)
