"""The longer ways round: code that comes in through wires, names, cells, exports, flags or undo, at level edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import life
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol import access
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.table import TABLE
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench

PYTHON = "import os\nos.getcwd()\n"
Call = tuple[str, dict[str, Any]]


def component(bench: Bench) -> None:
    """The server's own component, with the setting that matters."""
    menu = bench.op("/project1/tdmcp").appendCustomPage("Security").appendMenu("Accesslevel")[0]
    menu.menuNames = ["observe", "edit", "full"]
    menu.val = "edit"


def with_callbacks(bench: Bench) -> None:
    bench.make("timerCHOP", "timer", callbacks="cb")
    bench.make("textDAT", "script").text = PYTHON
    bench.make("textDAT", "words").text = "hello there"


def with_a_select_as_callbacks(bench: Bench) -> None:
    with_callbacks(bench)
    bench.make("selectDAT", "cb")


def with_an_extension(bench: Bench) -> None:
    base = bench.make("baseCOMP", "base")
    bench.make("textDAT", "MyExt", parent="/project1/base")
    bench.make("textDAT", "words", parent="/project1/base").text = "hello there"
    base.par.ext0object = "op('./MyExt').module.MyExt(me)"


def with_a_library(bench: Bench) -> None:
    bench.make("textDAT", "library").text = PYTHON
    bench.make("textDAT", "words").text = "hello there"


def with_an_importer(bench: Bench) -> None:
    bench.make("textDAT", "script").text = "import tools\n\ndef go():\n    tools.run()\n"
    bench.make("textDAT", "reader").text = "import os\n\ndef go():\n    return op('rows').text\n"
    bench.make("textDAT", "half").text = "def run():"


def with_an_evaluate(bench: Bench) -> None:
    bench.make("tableDAT", "table")
    bench.make("nullDAT", "between")
    bench.make("evaluateDAT", "evaluate")
    bench.wire(bench.op("/project1/between"), bench.op("/project1/evaluate"))


def with_an_exporting_table(bench: Bench) -> None:
    component(bench)
    bench.make("noiseTOP", "noise")
    table = bench.make("tableDAT", "table")
    table.clear()
    table.appendRow(["path", "parameter", "value"])
    table.appendRow(["noise", "period", "2"])
    table.export = True


def with_executors(bench: Bench) -> None:
    component(bench)
    bench.make("executeDAT", "exec")
    bench.make("scriptCHOP", "script").bypass = True
    bench.make("noiseCHOP", "channels")
    bench.make("moviefileoutTOP", "movie")
    bench.make("buttonCOMP", "button")
    bench.make("baseCOMP", "base")


def with_docked_code(bench: Bench) -> None:
    timer = bench.make("timerCHOP", "timer")
    bench.make("textDAT", "cb").text = "def onDone(timerOp, segment, interrupt):\n    op('x').destroy()\n"
    bench.op("/project1/cb").dock = timer


def wire(source: str, target: str) -> Call:
    return "wire_operators", {"connect": [{"from": f"/project1/{source}", "to": f"/project1/{target}"}]}


def put(path: str, **params: Any) -> Call:
    return "set_parameters", {"changes": [{"path": f"/project1/{path}", "params": params}]}


def build(*operators: dict[str, Any]) -> Call:
    return "build_network", {"path": "/project1", "operators": list(operators)}


def exports(channel: str) -> Call:
    params = {"const0name": channel, "const0value": 2, "exportmethod": "autoname"}
    return build({"name": "c", "type": "constantCHOP", "params": params, "flags": {"export": True}})


DETOURS: dict[str, tuple[Callable[[Bench], None], Call]] = {
    "a wire into what evaluates its input": (with_an_evaluate, wire("table", "evaluate")),
    "a wire into what feeds it": (with_an_evaluate, wire("table", "between")),
    "a wire into an extension's source": (with_an_extension, wire("base/words", "base/MyExt")),
    "the same as an input": (
        with_an_extension,
        ("build_network", {"path": "/project1/base", "operators": [{"name": "MyExt", "inputs": ["words"]}]}),
    ),
    "a wire into a library of functions": (with_a_library, wire("words", "library")),
    "a script renamed to what is called": (
        with_callbacks,
        ("update_operator", {"path": "/project1/script", "name": "cb"}),
    ),
    "halves of a script merged where they are called": (
        with_callbacks,
        build(
            {"name": "a", "type": "textDAT", "text": "def onInitialize(timerOp, callCount):"},
            {"name": "b", "type": "textDAT", "text": "    project.quit(force=True)"},
            {"name": "cb", "type": "mergeDAT", "inputs": ["a", "b"]},
        ),
    ),
    "a merge under the name of what a script imports": (
        with_an_importer,
        build({"name": "tools", "type": "mergeDAT", "inputs": ["half"]}),
    ),
    "a select that is called, pointed elsewhere": (with_a_select_as_callbacks, put("cb", dat="script")),
    "an expression in a cell beside prose": (
        with_an_evaluate,
        ("write_data", {"path": "/project1/table", "table": [["hello world"], ["__import__('os')"]]}),
    ),
    "code that a flattened line break makes": (
        with_an_evaluate,
        ("write_data", {"path": "/project1/table", "table": [["import\nos"]]}),
    ),
    "an expression that a table exports": (
        with_an_exporting_table,
        (
            "write_data",
            {
                "path": "/project1/table",
                "table": [["path", "parameter", "value"], ["noise", "period", "f()"]],
            },
        ),
    ),
    "a table that exports to the server's settings": (
        with_an_exporting_table,
        (
            "write_data",
            {
                "path": "/project1/table",
                "table": [["path", "parameter", "value"], ["tdmcp", "Accesslevel", "full"]],
            },
        ),
    ),
    "channels that export to the server's settings": (with_executors, exports("tdmcp/Accesslevel")),
    "channels that wake a script": (with_executors, exports("exec:active")),
    "a script no longer bypassed": (
        with_executors,
        ("update_operator", {"path": "/project1/script", "flags": {"bypass": False}}),
    ),
    "the same by building": (with_executors, build({"name": "script", "flags": {"bypass": False}})),
    "recording into a file": (with_executors, put("movie", record=True)),
    "an extension made at the start": (with_executors, put("base", initextonstart=True)),
    "a script for what is dropped": (with_executors, put("button", droptypescript="x")),
    "a file as a default": (
        with_executors,
        (
            "define_parameters",
            {
                "path": "/project1/base",
                "pages": [{"name": "P", "parameters": [{"name": "F", "style": "File", "default": "x.tox"}]}],
            },
        ),
    ),
    "a copy with code docked to it": (with_docked_code, ("copy_operators", {"paths": ["/project1/timer"]})),
}


@pytest.mark.parametrize("detour", DETOURS)
def test_no_code_comes_in_by(bench: Bench, detour: str) -> None:
    prepare, (name, arguments) = DETOURS[detour]
    prepare(bench)
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run(name, **arguments)
    assert "needs access level full" in caught.value.message
    # It is the level that refuses, not the call that is wrong.
    bench.level = Level.FULL
    bench.run(name, **arguments)


def test_what_a_person_took_back_in_the_settings_an_agent_cannot_bring_again(bench: Bench) -> None:
    component(bench)
    level = bench.op("/project1/tdmcp").par.Accesslevel
    bench.run("create_operator", parent="/project1", type="noiseTOP", name="n")
    level.val = "full"
    bench.td.ui.undo.startBlock("Parameter change")
    level.val = "observe"
    bench.td.ui.undo.endBlock()
    bench.run("create_operator", parent="/project1", type="nullTOP", name="after")
    bench.level = Level.EDIT
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run("undo", steps=3, others=True)
    assert level.eval() == "observe" and "Parameter change" in caught.value.message
    assert bench.json("undo", steps=1)["undone"] == ["MCP Create operator /project1/after"]
    bench.level = Level.FULL
    bench.run("undo", others=True)
    assert level.eval() == "full"


HARMLESS: dict[str, tuple[Callable[[Bench], None], Call]] = {
    "prose with a colon": (with_callbacks, ("write_data", {"path": "/project1/words", "text": "Score: 12"})),
    "settings with colons": (
        with_callbacks,
        ("write_data", {"path": "/project1/words", "text": "speed: 3\ncolor: red"}),
    ),
    "words that are Python's as well": (
        with_callbacks,
        build(
            {"name": "t", "type": "tableDAT", "table": [["pass", "return"], ["3", "-0.5"], ["a (b c)", ""]]}
        ),
    ),
    "an empty text where callbacks are missed": (
        with_callbacks,
        ("create_operator", {"parent": "/project1", "type": "textDAT", "name": "cb"}),
    ),
    "a table that a script reads": (
        with_an_importer,
        build({"name": "rows", "type": "nullDAT", "inputs": ["half"]}),
    ),
    "tables selected and wired": (
        with_callbacks,
        build(
            {"name": "t", "type": "tableDAT", "table": [["name", "speed"], ["left", "2"]]},
            {"name": "s", "type": "selectDAT", "params": {"dat": "t"}},
            {"name": "n", "type": "nullDAT", "inputs": ["s"]},
            {"name": "d", "type": "dattoCHOP", "params": {"dat": "n"}},
        ),
    ),
    "channels that move a picture": (
        with_an_exporting_table,
        exports("noise/period"),
    ),
    "a table that exports numbers": (
        with_an_exporting_table,
        (
            "write_data",
            {"path": "/project1/table", "table": [["path", "parameter", "value"], ["noise", "period", "3"]]},
        ),
    ),
    "a wire into a script that works on channels": (
        with_executors,
        wire("channels", "script"),
    ),
}


@pytest.mark.parametrize("work", HARMLESS)
def test_an_artist_may_have(bench: Bench, work: str) -> None:
    prepare, (name, arguments) = HARMLESS[work]
    prepare(bench)
    bench.level = Level.EDIT
    bench.run(name, **arguments)


def test_callbacks_as_touchdesigner_makes_them_are_copied_with_their_operator(bench: Bench) -> None:
    with_docked_code(bench)
    bench.op("/project1/cb").text = "# callbacks\n\ndef onDone(timerOp, segment, interrupt):\n\treturn\n"
    bench.op("/project1/timer").par.callbacks = "cb"
    bench.level = Level.EDIT
    assert len(bench.json("copy_operators", paths=["/project1/timer"])["copies"]) == 3


def test_custom_parameters_with_code_can_be_stated_again_as_they_are(bench: Bench) -> None:
    page = bench.make("baseCOMP", "base").appendCustomPage("P")
    page.appendPython("Code")
    page.appendMenu("Choice")[0].menuSource = "op('x')"
    page.appendFloat("Speed")[0].enableExpr = "me.par.Choice"
    found = bench.json("read_network", path="/project1", view="full")["operators"]
    [network] = [each for each in found if each["name"] == "base"]
    bench.level = Level.EDIT
    network["comment"] = "as before"
    assert bench.json("build_network", path="/project1", operators=[network])["changed"] == ["/project1/base"]
    network["custom"][0]["parameters"][2]["enable_expr"] = "f()"
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("build_network", path="/project1", operators=[network])


def test_code_is_not_moved_by_writing_it_over_another_components_file(bench: Bench, tmp_path: Path) -> None:
    life.of(bench.world).project.folder = tmp_path
    bench.make("baseCOMP", "lib")
    bench.make("textDAT", "script", parent="/project1/lib").text = PYTHON
    bench.make("baseCOMP", "plain")
    bench.level = Level.EDIT
    bench.run("export_component", path="/project1/lib", file="lib.tox")
    bench.run("export_component", path="/project1/plain", file="plain.tox")
    with refused(bench, Code.ACCESS_DENIED):
        bench.run("export_component", path="/project1/lib", file="plain.tox", confirm=True)
    bench.run("export_component", path="/project1/plain", file="lib.tox", confirm=True)


@pytest.mark.parametrize("level", Level)
def test_what_is_not_listed_at_a_level_is_refused_by_itself_and_in_a_batch(
    bench: Bench, level: Level
) -> None:
    listed = {tool.name for tool in access.allowed(TABLE.values(), level, bench.settings)}
    bench.level = level
    for name, tool in TABLE.items():
        if name in listed:
            access.require(tool, level)
            continue
        with pytest.raises(ToolFailure) as denied:
            access.require(tool, level)
        assert denied.value.code is Code.ACCESS_DENIED
        if "batch" in listed and tool.run is not None:
            with refused(bench, Code.ACCESS_DENIED):
                bench.run("batch", calls=[{"tool": name, "arguments": {}}])


def test_nothing_stops_the_network_that_the_server_lives_in(bench: Bench) -> None:
    for name, arguments in (
        ("update_operator", {"path": "/project1", "flags": {"allowCooking": False}}),
        (
            "build_network",
            {"path": "/", "operators": [{"name": "project1", "flags": {"allowCooking": False}}]},
        ),
    ):
        with refused(bench, Code.PRECONDITION_FAILED):
            bench.run(name, **arguments)
