"""At level edit nothing an agent can do brings code into the project, by any route; at level full all of it works."""

from __future__ import annotations

from typing import Any

import pytest

from tdmcp_embedded.errors import Code
from tdmcp_embedded.settings import Level
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench

PYTHON = "def onStart():\n    return\n"


def prepare(bench: Bench) -> None:
    bench.make("noiseTOP", "noise")
    bench.make("moviefileinTOP", "movie")
    bench.make("textDAT", "text")
    bench.make("tableDAT", "table")
    bench.make("executeDAT", "exec").par.active = False
    base = bench.make("baseCOMP", "base")
    base.appendCustomPage("P").appendPython("Code")
    bench.make("textDAT", "inner", parent="/project1/tdmcp")


def put(path: str, **params: Any) -> tuple[str, dict[str, Any]]:
    return "set_parameters", {"changes": [{"path": f"/project1/{path}", "params": params}]}


def build(spec: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "build_network", {"path": "/project1", "operators": [spec]}


ROUTES: dict[str, tuple[str, dict[str, Any]]] = {
    "an expression": put("noise", period={"expr": "1"}),
    "a bind": put("noise", period={"bind": "op('noise').par.tx"}),
    "an extension": put("base", ext0object="op('./x').module.X(me)"),
    "a custom Python parameter": put("base", Code="1"),
    "an external component": put("base", externaltox="x.tox"),
    "loading it": put("base", enableexternaltoxpulse={"pulse": True}),
    "cloning another component": put("base", clone="tdmcp"),
    "a file": put("movie", file="x.mov"),
    "a text's file": put("text", file="x.py"),
    "keeping it in step with its file": put("text", syncfile=True),
    "waking an execute DAT": put("exec", active=True),
    "the server's own settings": put("tdmcp", parentshortcut="X"),
    "an execute DAT": ("create_operator", {"parent": "/project1", "type": "executeDAT"}),
    "a script operator": ("create_operator", {"parent": "/project1", "type": "scriptCHOP"}),
    "a web server": ("create_operator", {"parent": "/project1", "type": "webserverDAT"}),
    "an evaluate DAT": ("create_operator", {"parent": "/project1", "type": "evaluateDAT"}),
    "a plug-in": ("create_operator", {"parent": "/project1", "type": "cplusplusTOP"}),
    "a replicator": ("create_operator", {"parent": "/project1", "type": "replicatorCOMP"}),
    "an expression on a new operator": (
        "create_operator",
        {"parent": "/project1", "type": "noiseTOP", "params": {"period": {"expr": "1"}}},
    ),
    "an execute DAT in a network": build({"name": "e", "type": "executeDAT"}),
    "one deeper in it": build(
        {"name": "b", "type": "baseCOMP", "children": [{"name": "e", "type": "executeDAT"}]}
    ),
    "Python text in a network": build({"name": "t", "type": "textDAT", "text": PYTHON}),
    "Python text in an existing DAT": build({"name": "text", "text": PYTHON}),
    "text of an existing execute DAT": build({"name": "exec", "text": "x"}),
    "Python in a table": build({"name": "table", "table": [["import os"]]}),
    "an expression in a network": build({"name": "noise", "params": {"period": {"expr": "1"}}}),
    "a custom parameter of style Python": build(
        {"name": "base", "custom": [{"name": "Q", "parameters": [{"name": "Evil", "style": "Python"}]}]}
    ),
    "a menu filled by an expression": build(
        {
            "name": "base",
            "custom": [{"name": "Q", "parameters": [{"name": "M", "style": "Menu", "menu_source": "x()"}]}],
        }
    ),
    "an enabling expression": build(
        {
            "name": "base",
            "custom": [{"name": "Q", "parameters": [{"name": "F", "style": "Float", "enable_expr": "x()"}]}],
        }
    ),
    "something inside the server": (
        "create_operator",
        {"parent": "/project1/tdmcp", "type": "nullTOP"},
    ),
    "the server's own text": ("write_data", {"path": "/project1/tdmcp/inner", "text": "plain"}),
    "Python by write_data": ("write_data", {"path": "/project1/text", "text": PYTHON}),
    "Python by a replacement": (
        "write_data",
        {"path": "/project1/text", "replace": [{"old": "harmless words", "new": "import os"}]},
    ),
    "a type change to a script": ("update_operator", {"path": "/project1/text", "type": "executeDAT"}),
    "a copy of what holds code": ("copy_operators", {"paths": ["/project1/exec"]}),
    "a move of what holds code": ("update_operator", {"path": "/project1/exec", "parent": "/project1/base"}),
    "a component from a file": ("import_component", {"parent": "/project1", "file": "x.tox"}),
    "code inside a batch": (
        "batch",
        {"calls": [{"tool": put("noise")[0], "arguments": put("noise", period={"expr": "1"})[1]}]},
    ),
    "Python inside a batch": ("batch", {"calls": [{"tool": "execute_python", "arguments": {"code": "1"}}]}),
    "custom parameters with code": (
        "define_parameters",
        {
            "path": "/project1/base",
            "pages": [{"name": "Q", "parameters": [{"name": "E", "style": "Python"}]}],
        },
    ),
}


@pytest.mark.parametrize("route", ROUTES)
def test_no_code_comes_in_by(bench: Bench, route: str) -> None:
    prepare(bench)
    bench.op("/project1/text").text = "harmless words"
    bench.level = Level.EDIT
    name, arguments = ROUTES[route]
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run(name, **arguments)
    assert "full" in caught.value.message


def test_text_of_a_callbacks_dat_is_refused_whatever_it_says(bench: Bench) -> None:
    timer = bench.make("timerCHOP", "timer")
    bench.make("textDAT", "mycallbacks")
    timer.par.callbacks = "mycallbacks"
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED) as caught:
        build_and_run(bench, {"name": "mycallbacks", "text": "just words here"})
    assert "/project1/timer" in caught.value.message
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("set_parameters", changes=[{"path": "/project1/timer", "params": {"callbacks": "other"}}])


def test_text_of_an_extensions_dat_is_refused_whatever_it_says(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.make("textDAT", "MyExt", parent="/project1/base")
    base.par.ext0object = "op('./MyExt').module.MyExt(me)"
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED):
        bench.run(
            "build_network", path="/project1/base", operators=[{"name": "MyExt", "text": "just words here"}]
        )


def build_and_run(bench: Bench, spec: dict[str, Any]) -> None:
    name, arguments = build(spec)
    bench.run(name, **arguments)


def test_everything_an_artist_shapes_is_open_at_level_edit(bench: Bench) -> None:
    prepare(bench)
    bench.level = Level.EDIT
    bench.run(
        "create_operator", parent="/project1", type="glslTOP", name="g", params={"outputresolution": "custom"}
    )
    build_and_run(
        bench, {"name": "g_pixel", "text": "out vec4 c;\nvoid main() { c = TDOutputSwizzle(vec4(1.0)); }\n"}
    )
    build_and_run(bench, {"name": "text", "text": "Words on the wall, in any language: 壁"})
    build_and_run(bench, {"name": "table", "table": [["name", "speed"], ["left", "2.5"]]})
    bench.run(
        "set_parameters", changes=[{"path": "/project1/noise", "params": {"period": 3, "type": "sparse"}}]
    )
    bench.run("wire_operators", connect=[{"from": "/project1/noise", "to": "/project1/g"}])
    bench.run("delete_operators", paths=["/project1/movie"])
    bench.run("undo")


def test_at_level_full_the_same_routes_are_open(bench: Bench) -> None:
    prepare(bench)
    for route in ("an expression", "an extension", "an execute DAT", "Python text in a network", "a file"):
        name, arguments = ROUTES[route]
        bench.run(name, **arguments)


def test_code_that_is_there_already_does_not_stand_in_the_way(bench: Bench) -> None:
    prepare(bench)
    bench.op("/project1/noise").par.period.expr = "absTime.seconds"
    bench.op("/project1/text").text = PYTHON
    bench.level = Level.EDIT
    answer = bench.json(
        "build_network",
        path="/project1",
        operators=[
            {"name": "noise", "params": {"period": {"expr": "absTime.seconds"}, "harmon": 4}},
            {"name": "text", "text": PYTHON, "comment": "as before"},
        ],
    )
    assert answer["changed"] == ["/project1/noise", "/project1/text"]
