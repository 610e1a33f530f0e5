"""Attempts to change code at level edit by what references lead to: operators, texts that are made, and values."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit.code_calls import (
    FAR,
    NOISE,
    Attempt,
    build,
    create,
    delete,
    put,
    unwire,
    update,
    wire,
    write,
)
from tests.unit.tools.edit.code_scenes import Call, P
from tests.unit.tools.harness import Bench

#: Where code finds other code by a name that nothing has: the scene, the operator's path, and the slot that runs it.
CALLED: dict[str, tuple[Callable[[Bench], None], str, str]] = {
    "what a script imports": (scenes.modules_network, "util", f"{P}/exec"),
    "what a script imports that nothing runs": (scenes.idle_scripts, "util", f"{P}/importer"),
    "what a script calls by path that nothing runs": (scenes.idle_scripts, "lib/util", f"{P}/caller"),
    "what an expression calls by mod": (scenes.module_expression, "far/util", NOISE),
    "what an expression calls by mod and path": (scenes.module_by_path, "far/lib/util", NOISE),
    "what an expression calls by path": (scenes.path_expression, "lib/util", NOISE),
    "what makes an extension": (scenes.extension_elsewhere, "lib/MyExt", f"{P}/tool"),
}


def _at(path: str) -> tuple[str, str]:
    home, _, name = path.rpartition("/")
    return home, name


#: How a DAT that makes its own text comes to a path: the call that is refused, and those before it.
MAKING: dict[str, tuple[Callable[[str], Call], Callable[[str], list[Call]]]] = {
    **{
        f"an empty {kind}": (
            lambda path, kind=kind: create(_at(path)[0], kind, name=_at(path)[1]),  # type: ignore[misc]
            lambda path: [],
        )
        for kind in ("mergeDAT", "selectDAT", "choptoDAT", "infoDAT")
    },
    "a select that takes a text from elsewhere": (
        lambda path: create(_at(path)[0], "selectDAT", name=_at(path)[1], params={"dat": f"{P}/far"}),
        lambda path: [],
    ),
    "a renamed merge": (
        lambda path: update(f"{_at(path)[0]}/m".lstrip("/"), name=_at(path)[1]),
        lambda path: [create(_at(path)[0], "mergeDAT", name="m")],
    ),
    "an empty text turned into a select": (
        lambda path: update(path, type="selectDAT"),
        lambda path: [create(_at(path)[0], "textDAT", name=_at(path)[1])],
    ),
}


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
    "a merge that could be given its inputs later": Attempt(
        scenes.far_callbacks, create("lib", "mergeDAT", name="run"), slot=FAR
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
    "what is called turned into a null that could be given a script": Attempt(
        scenes.far_empty, update("lib/run", type="nullDAT"), slot=FAR
    ),
    # What makes its text itself, under a name that code imports or calls: empty now, but not in the next frame
    **{
        f"{how} under {what}": Attempt(scene, call(place), first(place), slot=slot)
        for what, (scene, place, slot) in CALLED.items()
        for how, (call, first) in MAKING.items()
    },
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
}  # fmt: skip
