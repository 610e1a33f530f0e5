"""An extension that an edit wrote is built at once: the answer says that it is ready, or why not."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.settings import Level
from tdmcp_embedded.touchdesigner import census
from tests.unit.tools.harness import Bench

GOOD = "class ToolExt:\n    def __init__(self, owner):\n        self.owner = owner\n        self.Size = 2\n\n    def Greet(self):\n        return 'hello'\n\n    def hidden(self):\n        pass\n"
OBJECT = "op('./ToolExt').module.ToolExt(me)"


def tool(bench: Bench, text: str, parameters: bool = True) -> Any:
    comp = bench.make("baseCOMP", "tool")
    bench.make("textDAT", "ToolExt", parent="/project1/tool").text = text
    if parameters:
        comp.par.ext0object, comp.par.ext0promote = OBJECT, True
    return comp


READY = ["extension ToolExt of /project1/tool ready, promotes Greet, Size"]


def test_a_text_that_is_written_is_built(bench: Bench) -> None:
    comp = tool(bench, "")
    answer = bench.run("write_data", path="/project1/tool/ToolExt", text=GOOD)
    assert answer.structured()["extensions"] == READY
    assert READY[0] in answer.text()
    assert comp.Greet() == "hello"


def test_parameters_that_declare_it_are_enough(bench: Bench) -> None:
    tool(bench, GOOD, parameters=False)
    params = {"ext0object": OBJECT, "ext0promote": True}
    answer = bench.json("set_parameters", changes=[{"path": "/project1/tool", "params": params}])
    assert answer["extensions"] == READY


def test_a_network_that_brings_one_says_so(bench: Bench) -> None:
    box = {
        "name": "tool",
        "type": "baseCOMP",
        "params": {"ext0object": OBJECT, "ext0name": "Named", "ext0promote": False},
        "children": [{"name": "ToolExt", "type": "textDAT", "text": GOOD}],
    }
    answer = bench.json("build_network", path="/project1", operators=[box])
    assert answer["extensions"] == [
        "extension Named of /project1/tool ready, promotes nothing: /project1/tool.ext.Named reaches it"
    ]
    assert answer["problems"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "class ToolExt:\n    def __init__(self, owner):\n        owner.nothing.here\n",
            ["nothing", "line 3"],
        ),
        ("class ToolExt\n    pass\n", ["SyntaxError"]),
        ("import nowhere_at_all\nclass ToolExt: pass\n", ["nowhere_at_all"]),
        ("class Other:\n    pass\n", ["ToolExt"]),
    ],
)
def test_one_that_cannot_be_built_says_why(bench: Bench, text: str, words: list[str]) -> None:
    tool(bench, GOOD)
    [line] = bench.json("write_data", path="/project1/tool/ToolExt", text=text)["extensions"]
    assert line.startswith("extension ToolExt of /project1/tool failed: ")
    for word in words:
        assert word in line


def test_custom_parameters_that_it_waited_for_make_it_ready(bench: Bench) -> None:
    text = "class ToolExt:\n    def __init__(self, owner):\n        self.Speed = owner.par.Speed.eval()\n"
    comp = tool(bench, text)
    comp.initializeExtensions()
    pages = [{"name": "Tool", "parameters": [{"name": "Speed", "style": "Float"}]}]
    answer = bench.json("define_parameters", path="/project1/tool", pages=pages)
    assert answer["extensions"] == ["extension ToolExt of /project1/tool ready, promotes Speed"]


def test_another_parameter_builds_nothing(bench: Bench) -> None:
    comp = tool(bench, "raise ValueError('built')\n")
    answer = bench.json(
        "set_parameters", changes=[{"path": "/project1/tool", "params": {"parentshortcut": "Tool"}}]
    )
    assert "extensions" not in answer or answer["extensions"] is None
    assert not comp.extensionsReady


def test_one_that_never_ends_is_broken_off(bench: Bench) -> None:
    tool(bench, GOOD)
    bench.settings = bench.settings.model_copy(update={"python_limit": 0.05})
    bench.queue.close("another one watches")
    bench.queue = FrameQueue()
    text = "class ToolExt:\n    def __init__(self, owner):\n        while True:\n            pass\n"
    [line] = bench.json("write_data", path="/project1/tool/ToolExt", text=text)["extensions"]
    assert "failed" in line


def test_below_level_full_no_code_is_run(bench: Bench) -> None:
    comp = tool(bench, GOOD)
    bench.level = Level.EDIT
    bench.json("update_operator", path="/project1/tool", comment="x")
    bench.json(
        "define_parameters",
        path="/project1/tool",
        pages=[{"name": "P", "parameters": [{"name": "A", "style": "Float"}]}],
    )
    assert not comp.extensionsReady


# -- written by code

BAD = "class ToolExt:\n    def __init__(self, owner):\n        owner.nothing.here\n"
WRITES = "op('/project1/tool/ToolExt').text = {!r}"


@pytest.fixture(params=[800, 0], ids=["small project", "large project"])
def project(bench: Bench, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(census, "MOST_AT_ONCE", request.param)
    return bench


def test_a_text_that_code_writes_is_built(project: Bench) -> None:
    bench = project
    comp = tool(bench, "")
    answer = bench.run("execute_python", code=WRITES.format(GOOD))
    assert answer.structured()["extensions"] == READY and READY[0] in answer.text()
    assert comp.Greet() == "hello"


def test_a_text_that_code_breaks_says_why(project: Bench) -> None:
    bench = project
    tool(bench, GOOD)
    [line] = bench.json("execute_python", code=WRITES.format(BAD))["extensions"]
    assert line.startswith("extension ToolExt of /project1/tool failed: ") and "nothing" in line


def test_parameters_that_code_sets_are_enough(project: Bench) -> None:
    bench = project
    tool(bench, GOOD, parameters=False)
    code = f"c = op('/project1/tool')\nc.par.ext0object = {OBJECT!r}\nc.par.ext0promote = True"
    assert bench.json("execute_python", code=code)["extensions"] == READY


def test_a_component_that_code_makes_with_an_extension_says_so(bench: Bench) -> None:
    code = (
        "c = op('/project1').create(baseCOMP, 'tool')\n"
        f"c.create(textDAT, 'ToolExt').text = {GOOD!r}\n"
        f"c.par.ext0object = {OBJECT!r}\nc.par.ext0promote = True"
    )
    assert bench.json("execute_python", code=code)["extensions"] == READY


def test_what_code_has_built_itself_is_not_built_again(bench: Bench) -> None:
    comp = tool(bench, "")
    code = (
        WRITES.format(GOOD) + "\nc = op('/project1/tool')\nc.initializeExtensions()\nc.ext.ToolExt.Size = 7"
    )
    assert bench.json("execute_python", code=code)["extensions"] == READY
    assert comp.ext.ToolExt.Size == 7


def test_code_that_writes_no_extension_says_nothing_of_any(bench: Bench) -> None:
    tool(bench, GOOD)
    bench.make("textDAT", "other")
    answer = bench.json("execute_python", code="op('/project1/other').text = 'x'")
    assert "extensions" not in answer
