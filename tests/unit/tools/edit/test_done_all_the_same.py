"""An edit that is done is said to be done, whatever becomes of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol import results
from tdmcp_embedded.tools import aftermath, batching, bounding, parameters
from tdmcp_embedded.tools.tool import Output
from tests.unit.tools.harness import Bench

P = "/project1"
EDIT = {"changes": [{"path": f"{P}/n", "params": {"period": 3}}]}
SET = {"tool": "set_parameters", "arguments": EDIT}


def fails(*_: Any, **__: Any) -> Any:
    raise RuntimeError("something unforeseen")


def fails_later(*_: Any, **__: Any) -> Any:
    yield NEXT_FRAME
    fails()


def refuses(*_: Any, **__: Any) -> Any:
    raise ToolFailure(Code.OPERATOR_NOT_FOUND, "It was deleted meanwhile.")


def large(*_: Any) -> str:
    return "x" * 2_000_000


#: Where after the edit it goes wrong: the thing that is replaced, and by what.
PLACES: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "looking at problems": (aftermath.Watch, "after", fails_later),
    "a refusal while looking": (aftermath, "reread", refuses),
    "bounding": (bounding, "bound", fails),
    "text": (parameters.ParametersSet, "text", fails),
    "structure": (Output, "structured", fails),
    "too large to send": (parameters.ParametersSet, "text", large),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("batched", [False, True], ids=["alone", "in a batch"])
def test_the_answer_says_that_the_edit_stands(
    bench: Bench, place: str, batched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = bench.make("noiseTOP", "n")
    owner, name, wrong = PLACES[place]
    if place == "structure":
        owner = parameters.ParametersSet
    monkeypatch.setattr(owner, name, wrong, raising=True)
    output = bench.run("batch", calls=[SET]) if batched else bench.run("set_parameters", **EDIT)
    result = results.success(output)
    monkeypatch.undo()
    text = result.content[0].text  # type: ignore[union-attr]  # the text comes first
    assert not result.is_error and "done" in text
    assert result.structured_content is not None and result.structured_content["undo"].startswith("MCP ")
    assert noise.par.period.eval() == 3
    assert bench.json("undo")["undone"] == [result.structured_content["undo"]]


def test_a_batch_with_check_errors_among_its_edits_has_both_answers(bench: Bench) -> None:
    bench.make("blurTOP", "b")
    bench.frame(2)
    make = {"tool": "create_operator", "arguments": {"parent": P, "type": "levelTOP", "name": "l"}}
    look = {"tool": "check_errors", "arguments": {"path": P}}
    answer = bench.json("batch", calls=[look, make, look])
    before, _, after = (row["result"] for row in answer["results"])
    assert before["checked"] + 1 == after["checked"]
    assert after["by_severity"] and "undo" in answer


def test_a_look_that_fails_after_the_edits_leaves_their_answers(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    calls = [
        SET,
        {"tool": "read_data", "arguments": {"path": f"{P}/nosuch"}},
        {"tool": "read_network", "arguments": {"path": P}},
    ]
    answer = bench.json("batch", calls=calls)
    edit, failed, read = answer["results"]
    assert edit["result"]["changed"] == 1 and "result" in read
    assert failed["error"]["code"] == "operator_not_found"
    assert answer["undo"] == bench.td.ui.undo.undoStack[0]


def test_a_look_before_the_edits_refuses_the_batch(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "n")
    with pytest.raises(ToolFailure) as caught:
        bench.run("batch", calls=[{"tool": "read_data", "arguments": {"path": f"{P}/nosuch"}}, SET])
    assert caught.value.code is Code.OPERATOR_NOT_FOUND
    assert noise.par.period.eval() == 1


def test_a_look_in_a_batch_comes_when_callbacks_have_had_their_say(bench: Bench) -> None:
    bench.make("noiseTOP", "n")
    table = bench.make("tableDAT", "t")
    listener = bench.make("parameterexecuteDAT", "listener")
    listener.text = f"def onValueChange(par, prev):\n    op('{P}/t').appendRow([par.eval()])\n"
    listener.par.op, listener.par.pars = f"{P}/n", "*"
    listener.par.active = listener.par.valuechange = listener.par.builtin = True
    bench.frame(3)
    table.clear()
    answer = bench.json("batch", calls=[SET, {"tool": "read_data", "arguments": {"path": f"{P}/t"}}])
    assert "3" in str(answer["results"][1]["result"]["table"])


def test_a_picture_in_a_batch_shows_the_shader_that_the_batch_has_written(bench: Bench) -> None:
    shader = bench.make("glslTOP", "g")
    bench.frame(2)
    text = {
        "tool": "write_data",
        "arguments": {"path": str(shader.par.pixeldat.eval().path), "text": "broken"},
    }
    look = {"tool": "check_errors", "arguments": {"path": P}}
    assert batching.TOOLS[0].description.count("frames later") == 1
    answer = bench.json("batch", calls=[text, look])
    alone = bench.json("check_errors", path=P)
    assert answer["results"][1]["result"]["by_severity"] == alone["by_severity"]
