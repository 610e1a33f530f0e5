"""At level edit the code that a project can run stays what it was: attempts by kind, and what artists do all day.

Each attempt is made twice: as the server is, and with every early refusal taken away, so that only the comparison of
the project's code before and after decides. A new idea is one more line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.runner import run_steps
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.touchdesigner.code_routes import Access
from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit import states
from tests.unit.tools.edit.code_scenes import Call, P
from tests.unit.tools.edit.states import refused
from tests.unit.tools.harness import Bench, tool


@dataclass
class Attempt:
    """One way to change what runs: the calls before the last are allowed, the last is not."""

    scene: Callable[[Bench], None]
    call: Call
    first: list[Call] = field(default_factory=list)
    slot: str = ""
    """Path of the operator whose slot the refusal names, where the comparison refuses."""
    early: bool = False
    """Whether only an early refusal is asked for: what is written runs nowhere yet."""


def update(path: str, **what: Any) -> Call:
    return "update_operator", {"path": f"{P}/{path}", **what}


def put(path: str, **params: Any) -> Call:
    return "set_parameters", {"changes": [{"path": f"{P}/{path}", "params": params}]}


def write(path: str, **what: Any) -> Call:
    return "write_data", {"path": f"{P}/{path}", **what}


def build(path: str, *operators: dict[str, Any], **more: Any) -> Call:
    return "build_network", {"path": f"{P}/{path}".rstrip("/"), "operators": list(operators), **more}


def create(parent: str, kind: str, **more: Any) -> Call:
    return "create_operator", {"parent": f"{P}/{parent}".rstrip("/"), "type": kind, **more}


def wire(source: str, target: str, index: int = 0) -> Call:
    return "wire_operators", {"connect": [{"from": f"{P}/{source}", "to": f"{P}/{target}", "input": index}]}


def unwire(target: str, index: int = 0) -> Call:
    return "wire_operators", {"disconnect": [{"to": f"{P}/{target}", "input": index}]}


def delete(*paths: str) -> Call:
    return "delete_operators", {"paths": [f"{P}/{path}" for path in paths]}


def batch(*calls: Call) -> Call:
    return "batch", {"calls": [{"tool": tool, "arguments": arguments} for tool, arguments in calls]}


FAR, NOISE = f"{P}/far/timer", f"{P}/far/noise"
EXEC = f"{P}/far/exec"

ATTEMPTS: dict[str, Attempt] = {
    # A reference in another network
    "a script renamed to what callbacks elsewhere name": Attempt(
        scenes.far_callbacks, update("lib/job", name="run"), slot=FAR
    ),
    "a component renamed to the one on the path": Attempt(scenes.far_component, update("lib", name="tools"), slot=FAR),
    "halves merged under the name": Attempt(
        scenes.far_callbacks,
        build("lib", {"name": "run", "type": "mergeDAT", "inputs": ["half1", "half2"]}),
        slot=FAR,
    ),
    "a select of a script under the name": Attempt(
        scenes.far_callbacks, create("lib", "selectDAT", name="run", params={"dat": "job"}), slot=FAR
    ),
    "a null of a script under the name": Attempt(
        scenes.far_callbacks, create("lib", "nullDAT", name="run", inputs=["job"]), slot=FAR
    ),
    "a merge that is given its inputs later": Attempt(
        scenes.far_callbacks, wire("lib/job", "lib/run"), [create("lib", "mergeDAT", name="run")], slot=FAR
    ),
    "a merge made under another name, then renamed": Attempt(
        scenes.far_callbacks,
        update("lib/m", name="run"),
        [build("lib", {"name": "m", "type": "mergeDAT", "inputs": ["half1", "half2"]})],
        slot=FAR,
    ),
    "prose under the name": Attempt(scenes.far_callbacks, update("lib/words", name="run"), slot=FAR),
    "prose in what is called": Attempt(scenes.far_empty, write("lib/run", text="hello there"), slot=FAR),
    "a shader in what is called": Attempt(
        scenes.far_empty, write("lib/run", text="void main() { }"), slot=FAR
    ),
    "text that replaces some in what is called": Attempt(
        scenes.far_text, write("lib/run", replace=[{"old": "project.folder", "new": "7"}]), slot=FAR
    ),
    "what is called built anew": Attempt(
        scenes.far_text, build("lib", {"name": "run", "text": "hello"}), slot=FAR
    ),
    "a wire into what is called": Attempt(scenes.far_empty, wire("lib/words", "lib/run"), slot=FAR),
    "what is called turned into a table": Attempt(
        scenes.far_text, update("lib/run", type="tableDAT"), slot=FAR
    ),
    "what is called turned into a null of a script": Attempt(
        scenes.far_empty, wire("lib/job", "lib/run"), [update("lib/run", type="nullDAT")], slot=FAR
    ),
    "what is called deleted": Attempt(scenes.far_text, delete("lib/run"), slot=FAR),
    "what is called renamed away": Attempt(scenes.far_text, update("lib/run", name="gone"), slot=FAR),
    "the component around it renamed": Attempt(scenes.far_text, update("lib", name="gone"), slot=FAR),
    "the component around it deleted": Attempt(
        scenes.far_text, ("delete_operators", {"paths": [f"{P}/lib"], "confirm": True}), slot=FAR
    ),
    "a network built exactly, without what is called": Attempt(
        scenes.far_text, build("lib", {"name": "words"}, exact=True, confirm=True), slot=FAR
    ),
    "a script moved to where it is called": Attempt(scenes.far_component, update("lib/job", parent=f"{P}/tools"), [create("", "baseCOMP", name="tools")], slot=FAR),
    "a script copied to where it is called": Attempt(
        scenes.far_component,
        ("copy_operators", {"paths": [f"{P}/lib/job"], "parent": f"{P}/tools"}),
        [create("", "baseCOMP", name="tools")],
        slot=FAR,
    ),
    "a component copied with what it holds": Attempt(scenes.far_component, ("copy_operators", {"paths": [f"{P}/lib"], "parent": f"{P}/far"}), early=True),
    # Texts that are put together
    "a wire into the COMP whose In DAT is called": Attempt(scenes.far_in, wire("script", "lib"), slot=FAR),
    "prose wired into that COMP": Attempt(scenes.far_in, wire("words", "lib"), slot=FAR),
    "another text in a chain that is called": Attempt(scenes.far_chain, write("lib/half2", text="    pass it on"), slot=FAR),
    "another wire in that chain": Attempt(scenes.far_chain, wire("lib/words", "lib/second"), slot=FAR),
    "a wire taken off that chain": Attempt(scenes.far_chain, unwire("lib/run", 1), slot=FAR),
    "an operator put into that chain": Attempt(
        scenes.far_chain,
        ("wire_operators", {"insert": [{"path": f"{P}/lib/n", "to": f"{P}/lib/run", "input": 0}]}),
        [create("lib", "nullDAT", name="n")],
        slot=FAR,
    ),
    "a parameter of that chain": Attempt(scenes.far_chain, put("lib/run", spacer="x"), slot=FAR),
    "a bypass in that chain": Attempt(scenes.far_chain, update("lib/run", flags={"bypass": True}), slot=FAR),
    "an operator of that chain deleted": Attempt(scenes.far_chain, delete("lib/first"), slot=FAR),
    "another DAT for the select that is called": Attempt(
        scenes.far_select, put("lib/run", dat="job"), slot=FAR
    ),
    "a script renamed to what that select takes": Attempt(
        scenes.far_select, update("lib/job", name="chosen"), slot=FAR
    ),
    "a merge under the name that select takes": Attempt(
        scenes.far_select,
        build("lib", {"name": "chosen", "type": "mergeDAT", "inputs": ["half1", "half2"]}),
        slot=FAR,
    ),
    # References that read a value
    "a text parameter that callbacks read": Attempt(
        scenes.by_text_parameter, put("conf", Script="script"), slot=f"{P}/timer"
    ),
    "the same by definition": Attempt(scenes.by_text_parameter, build("", {"name": "conf", "params": {"Script": "script"}}), slot=f"{P}/timer"),
    "a number that callbacks read": Attempt(scenes.by_number, put("conf", Number=1), slot=f"{P}/timer"),
    "a cell that callbacks read": Attempt(scenes.by_cell, write("choice", table=[["script"]]), slot=f"{P}/timer"),
    "a channel that callbacks read": Attempt(
        scenes.by_channel, put("number", const0value=1), slot=f"{P}/timer"
    ),
    "a parameter that callbacks are bound to": Attempt(
        scenes.by_bind, put("conf", Script="script"), slot=f"{P}/timer"
    ),
    "a script renamed to what such callbacks find": Attempt(
        scenes.by_text_parameter,
        update("script", name="cb"),
        [delete("cb")],
        slot=f"{P}/timer",
    ),
    "the operator read renamed": Attempt(
        scenes.by_cell,
        update("other", name="choice"),
        [build("", {"name": "other", "type": "tableDAT", "table": [["cb1"]]}), update("choice", name="gone")],
        slot=f"{P}/timer",
    ),
    "a text parameter that a script reads to find code": Attempt(
        scenes.script_by_parameter, put("conf", Script="cb1"), slot=f"{P}/exec"
    ),
    "a text parameter that an extension reads to find code": Attempt(
        scenes.extension_by_parameter, put("conf", Script="cb1"), slot=f"{P}/tool"
    ),
    # Modules, imports, shortcuts, methods
    "an extension's source renamed into place": Attempt(
        scenes.extension_elsewhere, update("lib/job", name="MyExt"), slot=f"{P}/tool"
    ),
    "an extension's source selected into place": Attempt(
        scenes.extension_elsewhere, create("lib", "selectDAT", name="MyExt", params={"dat": "job"}), slot=f"{P}/tool"
    ),
    "a module renamed into place": Attempt(scenes.module_expression, update("far/script", name="util"), slot=NOISE),
    "a module moved into place": Attempt(
        scenes.module_expression,
        update("aside/util", parent=f"{P}/far"),
        slot=NOISE,
    ),
    "the nearer of two modules deleted": Attempt(scenes.two_modules, delete("far/util"), slot=NOISE),
    "the nearer of two modules renamed": Attempt(scenes.two_modules, update("far/util", name="u"), slot=NOISE),
    "a modules network renamed into place": Attempt(
        scenes.modules_network, update("stuff", name="local"), slot=f"{P}/exec"
    ),
    "a function's DAT renamed into place": Attempt(
        scenes.path_expression, update("lib/script", name="util"), slot=NOISE
    ),
    "a function's DAT selected into place": Attempt(
        scenes.path_expression, create("lib", "selectDAT", name="util", params={"dat": "script"}), slot=NOISE
    ),
    "a function's DAT merged into place": Attempt(
        scenes.path_expression, build("lib", {"name": "util", "type": "mergeDAT", "inputs": ["half"]}), slot=NOISE
    ),
    "a shortcut given to another component": Attempt(scenes.shortcut_expression, put("first", opshortcut="Gone"), slot=NOISE),
    "two shortcuts exchanged in one batch": Attempt(
        scenes.shortcut_expression,
        batch(put("first", opshortcut="Gone"), put("second", opshortcut="Lib")),
        slot=NOISE,
    ),
    "two shortcuts exchanged in one call": Attempt(
        scenes.shortcut_expression,
        (
            "set_parameters",
            {
                "changes": [
                    {"path": f"{P}/first", "params": {"opshortcut": "Gone"}},
                    {"path": f"{P}/second", "params": {"opshortcut": "Lib"}},
                ]
            },
        ),
        slot=NOISE,
    ),
    "a parent shortcut given to a nearer component": Attempt(
        scenes.parent_shortcut, put("outer/inner", parentshortcut="Lib"), slot=f"{P}/outer/inner/noise"
    ),
    "a text that a script runs": Attempt(scenes.script_runs, update("lib/job", name="run"), slot=EXEC),
    "a text that a script executes": Attempt(scenes.script_executes, update("lib/job", name="run"), slot=EXEC),
    "a text among those that a script runs by pattern": Attempt(
        scenes.script_loops, update("lib/job", name="task3"), slot=EXEC
    ),
    "a text that a script keeps in a variable": Attempt(
        scenes.script_keeps, update("lib/job", name="run"), slot=EXEC
    ),
    "a text that is imported by one that a script runs": Attempt(
        scenes.script_chains, update("lib/job", name="helper"), slot=EXEC
    ),
    "a component renamed to one whose method is called": Attempt(
        scenes.promoted, update("other", name="tool"), slot=NOISE
    ),
    # Evaluated texts
    "a word in a table that is evaluated": Attempt(
        scenes.evaluated, write("area/table", table=[["words"]]), slot=f"{P}/far/evaluate"
    ),
    "another table wired into that": Attempt(
        scenes.evaluated, wire("area/other", "area/between"), slot=f"{P}/far/evaluate"
    ),
    "another table under the name": Attempt(
        scenes.evaluated,
        batch(update("area/between", name="b"), update("area/other", name="between")),
        slot=f"{P}/far/evaluate",
    ),
    # Waking code
    "a component with scripts that cooks again": Attempt(
        scenes.sleeping, update("asleep", flags={"allowCooking": True}), slot=f"{P}/asleep/exec"
    ),
    "a script no longer bypassed": Attempt(
        scenes.sleeping, update("script", flags={"bypass": False}), slot=f"{P}/script"
    ),
    # There and back within one step
    "a script renamed, started and renamed back": Attempt(
        scenes.far_callbacks,
        batch(
            update("lib/job", name="run"), put("far/timer", start={"pulse": True}), update("lib/run", name="job")
        ),
        slot=FAR,
    ),
    "a reference set, started and set back in one call": Attempt(
        scenes.by_text_parameter,
        (
            "set_parameters",
            {
                "changes": [
                    {"path": f"{P}/conf", "params": {"Script": "script"}},
                    {"path": f"{P}/timer", "params": {"start": {"pulse": True}}},
                    {"path": f"{P}/conf", "params": {"Script": "cb"}},
                ]
            },
        ),
        slot=f"{P}/timer",
    ),
    # Undo, redo, checkpoints
    "a script that a person deleted, brought back": Attempt(scenes.scripts_of_a_person, ("undo", {"others": True}), slot=FAR),
    "code that a call of level full took away, brought back": Attempt(
        scenes.script_of_an_agent, ("undo", {}), slot=FAR
    ),
    "an expression that a call of level full took away, brought back": Attempt(
        scenes.code_taken_from_an_expression, ("undo", {}), slot=f"{P}/noise"
    ),
    "a checkpoint with code that is gone": Attempt(
        scenes.checkpoint_with_code,
        ("checkpoint", {"action": "restore", "path": f"{P}/lib", "name": "then", "confirm": True}),
        slot=FAR,
    ),
    # Texts that only seem not to be code
    "Python behind a byte order mark": Attempt(scenes.outside, write("words", text="\ufeffimport os"), early=True),
    "Python between two byte order marks": Attempt(scenes.outside, write("words", text="\ufeff\ufeffimport os"), early=True),
    "Python behind blanks": Attempt(scenes.outside, write("words", text="   __import__('os')"), early=True),
    "Python under a coding cookie": Attempt(
        scenes.outside, write("words", text="# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAbwBz-"), early=True
    ),
    # A script that finds what it runs in other ways: each line of code, and what is renamed into place
    **{
        f"a script renamed to what is run by {code}": Attempt(
            scenes.running(code), update("lib/job", name="run"), slot=EXEC
        )
        for code in (
            "parent(2).op('lib/run').run()",
            "me.parent().parent().op('lib').op('run').module.go()",
            "a, b = op('words'), op('../lib/run'); b.run()",
            "op(f\"../lib/{'run'}\").run()",
            "op('../lib/' + 'run').run()",
            "op('../lib/%s' % 'run').run()",
            "op('/'.join(['..', 'lib', 'run'])).run()",
            "[each.run() for each in op('../lib').ops('r*n')]",
            "[op(path).run() for path in ('../lib/run', 'b')]",
            "getattr(op('../lib/run'), 'run')()",
            "paths = {'a': '../lib/run'}; op(paths['a']).run()",
            "(lambda path='../lib/run': op(path).run())()",
            "(job := op('../lib/run')) and job.run()",
            "run(\"op('../lib/run').run()\", delayFrames=1)",
            "exec(compile(op('../lib/run').text, 'x', 'exec'))",
            "eval(op('../lib/run').text)",
            "list(map(exec, [op('../lib/run').text]))",
            "type(op('../lib/run')).run(op('../lib/run'))",
            "op('../lib').op('run').module.__dict__['go']()",
            "find = op; find('../lib/run').run()",
            "mod('/project1/lib/run').go()",
            "op('../lib').mod.run.go()",
            "op.op('/project1/lib/run').run()",
            "with open('x') as f: op('../lib/run').run()",
            "td.op('../lib/run').run()",
            "me.op('../lib/run').run()",
            "root.op('project1/lib/run').run()",
        )
    },
    **{
        f"a module moved to where it is found by {code}": Attempt(
            scenes.running(code, "util"), update("aside/util", parent=f"{P}/far"), slot=EXEC
        )
        for code in (
            "from util import go; go()",
            "import math, util as u; u.go()",
            "importlib.import_module('util').go()",
            "__import__('util').go()",
            "me.mod.util.go()",
            "parent().mod.util.go()",
            "mod('util').go()",
            "exec('import util')",
        )
    },
    # What names itself
    **{
        f"an operator renamed that runs {code}": Attempt(
            scenes.running(code), update("far/exec", name="exec2"), slot=f"{P}/far/exec2"
        )
        for code in ("op('../lib/run' + str(me.digits)).run()", "op('../lib/' + me.name).run()")
    },
    "a component renamed by whose name code is found": Attempt(
        scenes.running("op('/project1/lib/' + parent().name).run()"), update("far", name="job"), slot=f"{P}/job/exec"
    ),
    # Whatever is in a place
    **{
        f"a script moved to where all are run by {code}": Attempt(
            scenes.running(code), update("aside/run", parent=f"{P}/lib"), slot=EXEC
        )
        for code in (
            "[each.run() for each in op('../lib').children]",
            "[each.run() for each in op('../lib').findChildren(type=textDAT)]",
            "op('../lib').children[0].run()",
        )
    },
    # Words that only people see
    "a comment that a script executes": Attempt(
        scenes.running("exec(op('../lib/words').comment)"), update("lib/words", comment="import os"), slot=EXEC
    ),
    "tags by which a script finds what it runs": Attempt(
        scenes.running("[each.run() for each in op('../lib').findChildren(tags=['go'])]"),
        update("lib/words", tags=["go"]),
        slot=EXEC,
    ),
    "another component for an internal shortcut": Attempt(
        scenes.internal_shortcut, put("far", iop0op="../second"), slot=NOISE
    ),
    # Types that reach outside
    **{
        f"making a {kind}": Attempt(scenes.outside, create("", kind), early=True)
        for kind in (
            "screengrabTOP", "oscoutCHOP", "ndiinTOP", "videostreamoutTOP", "keyboardinCHOP", "mouseoutCHOP",
            "webrenderTOP", "windowCOMP", "audiodeviceinCHOP", "videodeviceinTOP", "moviefileoutTOP", "folderDAT",
            "sharedmemoutTOP", "midioutCHOP", "dmxoutCHOP", "touchoutTOP", "audiovstCHOP", "udpoutDAT",
        )
    },
    "a picture turned into one of the screen": Attempt(scenes.outside, update("plain", type="screengrabTOP"), early=True),
    "another receiver for what is sent": Attempt(scenes.outside, put("sender", netaddress="example.com"), early=True),
    "a sender no longer bypassed": Attempt(
        scenes.outside, update("sender", flags={"bypass": False}), slot=f"{P}/sender"
    ),
    "a second sender": Attempt(
        scenes.outside, ("copy_operators", {"paths": [f"{P}/sender"], "parent": f"{P}/box"}), slot=f"{P}/box/sender"
    ),
    "a sender inside a network": Attempt(
        scenes.outside,
        build("", {"name": "b", "type": "baseCOMP", "children": [{"name": "s", "type": "oscoutCHOP"}]}),
        early=True,
    ),
    # TouchDesigner's own networks
    "something in TouchDesigner's own networks": Attempt(
        scenes.outside, ("create_operator", {"parent": "/sys", "type": "nullTOP"})
    ),
}  # fmt: skip


def attempt(bench: Bench, what: Attempt) -> Any:
    """Make an attempt at level edit; the refusal."""
    what.scene(bench)
    bench.frame()
    bench.level = Level.EDIT
    for name, arguments in what.first:
        bench.run(name, **arguments)
    name, arguments = what.call
    with refused(bench, Code.ACCESS_DENIED) as caught:
        bench.run(name, **arguments)
    return caught.value


@pytest.mark.parametrize("name", ATTEMPTS)
def test_no_code_changes_by(bench: Bench, name: str) -> None:
    assert "full" in attempt(bench, ATTEMPTS[name]).message


@pytest.mark.parametrize("name", [name for name, what in ATTEMPTS.items() if what.slot and not what.early])
def test_the_comparison_alone_refuses(bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(aftermath, "access", lambda call: Access(code=True, component="/project1/tdmcp"))
    failure = attempt(bench, ATTEMPTS[name])
    assert failure.details["slot"]["path"] == ATTEMPTS[name].slot and ATTEMPTS[name].slot in failure.message


#: What artists and their agents do in the network `plain`, where scripts run, expressions read and callbacks wait.
HONEST: dict[str, Call] = {
    "a picture wired": wire("noise", "mentioned"),
    "a picture wired elsewhere": wire("noise", "out"),
    "a wire taken off": unwire("out"),
    "channels wired": wire("lfo", "wave"),
    "an operator put into a wire": (
        "wire_operators",
        {"insert": [{"path": f"{P}/mentioned", "to": f"{P}/out", "input": 0}]},
    ),
    "a table wired into a merge": wire("rows", "merged"),
    "a text nobody runs wired": wire("pieces", "merged"),
    "an operator moved in the editor": update("noise", position=[100, 200]),
    "a comment": update("noise", comment="the base of it all"),
    "a comment on a script": update("exec", comment="moves the dot"),
    "a script moved in the editor": update("exec", position=[0, -300]),
    "a colour": update("cb", color=[1, 0, 0]),
    "tags": update("timer", tags=["show"]),
    "the text of a DAT nobody runs": write("words", text="good evening"),
    "text that replaces some": write("words", replace=[{"old": "there", "new": "you"}]),
    "a table": write("rows", table=[["name", "speed"], ["left", "2"]]),
    "a shader": write("shader_pixel", text="out vec4 c;\nvoid main() { c = vec4(1.0); }\n"),
    "an operator renamed that nothing refers to": update("level", name="brightness"),
    "an operator renamed that a script mentions": update("mentioned", name="mover"),
    "a table renamed that a script reads": update("rows", name="lines"),
    "a channel source renamed that an expression reads": update("wave", name="motion"),
    "a text renamed that a script prints the name of": update("unused", name="spare"),
    "a component renamed": update("box", name="stage"),
    "a number": put("noise", harmon=4),
    "a menu": put("noise", type="sparse"),
    "a number over an expression": put("noise", period=3),
    "a number beside an expression": put("noise", tx=2),
    "a custom value that an expression reads": put("box", Speed=2),
    "a custom text": put("box", Title="Hello"),
    "a custom parameter": (
        "define_parameters",
        {"path": f"{P}/box", "pages": [{"name": "More", "parameters": [{"name": "Depth", "style": "Float"}]}]},
    ),
    "a shortcut that nothing uses": put("box", opshortcut="Stage"),
    "a timer started": put("timer", start={"pulse": True}),
    "the length of a timer with callbacks": put("timer", length=5),
    "a new picture": create("", "constantTOP", name="red"),
    "a new timer with its callbacks": create("", "timerCHOP", name="clock"),
    "a new shader with its texts": create("", "glslTOP", name="glow"),
    "a new text": build("", {"name": "notes", "type": "textDAT", "text": "buy cables"}),
    "a new component": create("", "baseCOMP", name="room"),
    "a new operator with an input": create("", "blurTOP", name="soft", inputs=["noise"]),
    "a network": build(
        "",
        {"name": "group", "type": "baseCOMP", "children": [{"name": "a", "type": "noiseTOP"}, {"name": "b", "type": "nullTOP", "inputs": ["a"]}]},
    ),
    "a picture turned into another type": update("level", type="blurTOP"),
    "an operator with an expression copied": ("copy_operators", {"paths": [f"{P}/noise"]}),
    "a component with expressions copied": ("copy_operators", {"paths": [f"{P}/box"]}),
    "a picture copied into a component": ("copy_operators", {"paths": [f"{P}/level"], "parent": f"{P}/box"}),
    "an operator moved into a component": update("level", parent=f"{P}/box"),
    "an operator with an expression moved": update("noise", parent=f"{P}/box"),
    "a picture deleted": delete("out"),
    "a text deleted that nobody runs": delete("words"),
    "an operator with an expression deleted": delete("noise"),
    "a timer deleted with what it calls": delete("timer", "cb"),
    "a component with expressions deleted": delete("box"),
    "a bypass": update("level", flags={"bypass": True}),
    "a lock": update("level", flags={"lock": True}),
    "a component that no longer cooks": update("box", flags={"allowCooking": False}),
    "an annotation": build("", annotations=[{"name": "note", "text": "here", "position": [0, 0], "size": [300, 200]}]),
    "a tidy network": ("arrange_network", {"path": P}),
    "several edits in a batch": batch(
        update("level", name="brightness"), put("noise", harmon=3), wire("noise", "mentioned")
    ),
    "a rename there and back in a batch": batch(update("level", name="l"), update("l", name="level")),
    "a checkpoint": ("checkpoint", {"action": "save", "path": P, "name": "now"}),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_an_artist_may_have(bench: Bench, name: str) -> None:
    scenes.plain(bench)
    bench.frame()
    bench.level = Level.EDIT
    tool, arguments = HONEST[name]
    bench.run(tool, **arguments)


@pytest.mark.parametrize(
    "call",
    [
        "an operator with an expression deleted",
        "a timer deleted with what it calls",
        "a new timer with its callbacks",
    ]
    + [
        "a number over an expression",
        "an operator renamed that a script mentions",
        "an operator with an expression moved",
    ],
)
def test_what_a_call_of_level_edit_did_is_undone_and_redone_at_that_level(bench: Bench, call: str) -> None:
    scenes.plain(bench)
    bench.level = Level.EDIT
    tool, arguments = HONEST[call]
    before = states.state(bench)
    bench.run(tool, **arguments)
    after = states.state(bench)
    bench.run("undo")
    assert states.state(bench) == before
    bench.run("undo", redo=True)
    assert states.state(bench) == after


def _timer_with_callbacks(bench: Bench) -> None:
    bench.make("textDAT", "work").text = "def onDone(*a):\n    return op('noise1').width\n"
    bench.make("timerCHOP", "timer1", callbacks="work")
    bench.make("noiseTOP", "noise1")
    bench.level = Level.EDIT


def test_a_refused_edit_is_put_back_in_its_own_step_and_judged_in_later_ones(bench: Bench) -> None:
    _timer_with_callbacks(bench)
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    row = tool("update_operator")
    steps = run_steps(bench.call(row), row, parse(row, {"path": "/project1/work", "name": "gone"}))
    edited = 0
    with pytest.raises(ToolFailure) as caught:
        for signal in steps:
            # Whatever step it is, others see the project as it was.
            assert bench.op("/project1/work") is not None and bench.op("/project1/gone") is None
            edited += signal is None
            bench.frame()
            # Work of a person between the steps changes nothing of the judgement.
            bench.op("/project1/noise1").par.period = 3 + edited
    assert caught.value.code is Code.ACCESS_DENIED
    # One step for the edit; how many more there are is a matter of the time they take.
    assert edited >= 1
    assert bench.op("/project1/noise1").par.period == 3 + edited
    # What was read again is right: an edit beside it is still fine, and the same one is refused again.
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    with pytest.raises(ToolFailure):
        bench.run("update_operator", path="/project1/work", name="gone")


def test_a_call_that_is_cancelled_while_it_is_judged_leaves_the_index_right(bench: Bench) -> None:
    _timer_with_callbacks(bench)
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 1}}])
    row = tool("update_operator")
    steps = run_steps(bench.call(row), row, parse(row, {"path": "/project1/work", "name": "gone"}))
    next(steps)
    steps.close()
    assert bench.op("/project1/work") is not None
    with pytest.raises(ToolFailure):
        bench.run("update_operator", path="/project1/work", name="gone")
    bench.run("set_parameters", changes=[{"path": "/project1/noise1", "params": {"period": 2}}])
