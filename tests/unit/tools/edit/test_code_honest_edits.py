"""At level edit artists do what they do all day, beside code that must go on."""

from __future__ import annotations

import pytest

from tdmcp_embedded.settings import Level
from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit import states
from tests.unit.tools.edit.code_calls import batch, build, create, delete, put, unwire, update, wire, write
from tests.unit.tools.edit.code_scenes import Call, P
from tests.unit.tools.harness import Bench

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
