"""Projects with code in them, for the attempts and the honest edits at level edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.tools.harness import Bench

P = "/project1"
PYTHON = "import os\nos.getcwd()\n"
SMALL = "def go():\n    return absTime.frame\n"
LIBRARY = "def go():\n    return project.folder\n"

Call = tuple[str, dict[str, Any]]


def text(bench: Bench, path: str, words: str = "") -> Any:
    """A text DAT at a path below /project1."""
    home, _, name = f"{P}/{path}".rpartition("/")
    made = bench.make("textDAT", name, parent=home)
    made.text = words
    return made


def base(bench: Bench, path: str) -> Any:
    home, _, name = f"{P}/{path}".rpartition("/")
    return bench.make("baseCOMP", name, parent=home)


def reader(bench: Bench, code: str, path: str = "far/noise") -> Any:
    """An operator whose parameter has an expression, in a network of its own."""
    home, _, name = f"{P}/{path}".rpartition("/")
    if bench.op(home) is None:
        base(bench, home.removeprefix(f"{P}/"))
    noise = bench.make("noiseTOP", name, parent=home)
    noise.par.period.expr = code
    return noise


def far_callbacks(bench: Bench, target: str = f"{P}/lib/run") -> None:
    """A timer whose callbacks stand in another network, where nothing has that name yet."""
    base(bench, "far")
    base(bench, "lib")
    bench.make("timerCHOP", "timer", parent=f"{P}/far", callbacks=target)
    text(bench, "lib/job", PYTHON)
    text(bench, "lib/words", "hello there")
    text(bench, "lib/half1", "def onInitialize(timerOp, callCount):")
    text(bench, "lib/half2", "    project.quit(force=True)")


def far_component(bench: Bench) -> None:
    """Callbacks in a COMP of a name that is free; a COMP of another name holds a script of that name."""
    far_callbacks(bench, f"{P}/tools/job")


def far_in(bench: Bench) -> None:
    """Callbacks in an In DAT: its text is what is wired into the COMP."""
    far_callbacks(bench)
    bench.make("inDAT", "run", parent=f"{P}/lib")
    text(bench, "script", PYTHON)
    text(bench, "words", "hello there")


def far_chain(bench: Bench) -> None:
    """Callbacks put together from two texts by a Merge DAT, with a null behind each."""
    far_callbacks(bench)
    for name, kind in (("first", "nullDAT"), ("second", "nullDAT"), ("run", "mergeDAT")):
        bench.make(kind, name, parent=f"{P}/lib")
    lib = f"{P}/lib"
    bench.wire(bench.op(f"{lib}/half1"), bench.op(f"{lib}/first"))
    bench.wire(bench.op(f"{lib}/half2"), bench.op(f"{lib}/second"))
    merge = bench.op(f"{lib}/run")
    merge.inputConnectors[0].connect(bench.op(f"{lib}/first"))
    merge.inputConnectors[1].connect(bench.op(f"{lib}/second"))


def far_select(bench: Bench) -> None:
    """Callbacks that a Select DAT takes from a name that is free."""
    far_callbacks(bench)
    bench.make("selectDAT", "run", parent=f"{P}/lib", dat="chosen")


def far_text(bench: Bench) -> None:
    """Callbacks in another network that are there."""
    far_callbacks(bench)
    text(bench, "lib/run", LIBRARY)


def far_empty(bench: Bench) -> None:
    """Callbacks in another network, with nothing in them yet."""
    far_callbacks(bench)
    text(bench, "lib/run")


def by_parameter(bench: Bench) -> None:
    """Callbacks that a text parameter of a COMP chooses."""
    conf = base(bench, "conf")
    page = conf.appendCustomPage("Setup")
    page.appendStr("Script")
    page.appendInt("Number")
    conf.par.Script = "cb"
    table = bench.make("tableDAT", "choice")
    table.clear()
    table.appendRow(["cb"])
    bench.make("constantCHOP", "number", const0value=0)
    text(bench, "cb")
    text(bench, "cb0")
    text(bench, "cb1", PYTHON)
    text(bench, "script", PYTHON)


def timer_by(bench: Bench, expression: str) -> None:
    by_parameter(bench)
    bench.make("timerCHOP", "timer").par.callbacks.expr = expression


def by_text_parameter(bench: Bench) -> None:
    timer_by(bench, "op('conf').par.Script.eval()")


def by_number(bench: Bench) -> None:
    timer_by(bench, "'cb%d' % op('conf').par.Number")


def by_cell(bench: Bench) -> None:
    timer_by(bench, "op('choice')[0, 0].val")


def by_channel(bench: Bench) -> None:
    timer_by(bench, "'cb%d' % op('number')['chan1']")


def by_bind(bench: Bench) -> None:
    by_parameter(bench)
    bench.make("timerCHOP", "timer").par.callbacks.bindExpr = "op('conf').par.Script"


def extension_elsewhere(bench: Bench) -> None:
    """An extension whose source is in another network, under a name that is free."""
    base(bench, "lib")
    text(bench, "lib/job", PYTHON)
    text(bench, "lib/words", "hello there")
    base(bench, "tool").par.ext0object = "op('../lib/MyExt').module.MyExt(me)"


def extension_by_parameter(bench: Bench) -> None:
    by_parameter(bench)
    base(bench, "tool").par.ext0object = "op(op('conf').par.Script).module.MyExt(me)"


def module_expression(bench: Bench) -> None:
    """An expression that calls a function of a DAT found by its module's name, which is free."""
    reader(bench, "mod.util.go()")
    text(bench, "far/script", LIBRARY)
    base(bench, "aside")
    text(bench, "aside/util", LIBRARY)


def idle_scripts(bench: Bench) -> None:
    """Scripts that only a person runs, by hand, with names that are free."""
    text(bench, "importer", "import util\n\nutil.go()\n")
    text(bench, "caller", "op('lib/util').module.go()\n")
    base(bench, "lib")


def module_by_path(bench: Bench) -> None:
    """An expression that calls a function of a DAT found by a path of modules, which is free."""
    reader(bench, "mod('lib/util').go()")
    base(bench, "far/lib")


def two_modules(bench: Bench) -> None:
    """A module near an expression hides one further up."""
    reader(bench, "mod.util.go()")
    text(bench, "far/util", SMALL)
    base(bench, "local")
    base(bench, "local/modules")
    text(bench, "local/modules/util", LIBRARY)


def modules_network(bench: Bench) -> None:
    """A script imports what is looked for in local/modules, which is not there."""
    bench.make("executeDAT", "exec").text = "import util\n\ndef onFrameStart(frame):\n    util.go()\n"
    base(bench, "stuff")
    base(bench, "stuff/modules")
    text(bench, "stuff/modules/util", LIBRARY)


def path_expression(bench: Bench) -> None:
    """An expression that calls a function of a DAT found by its path, which is free."""
    reader(bench, "op('/project1/lib/util').module.go()")
    base(bench, "lib")
    text(bench, "lib/script", LIBRARY)
    text(bench, "lib/half", "def go(): return op('/').path")


def shortcut_expression(bench: Bench) -> None:
    """An expression that finds a component by its global shortcut."""
    first, second = base(bench, "first"), base(bench, "second")
    text(bench, "first/util", SMALL)
    text(bench, "second/util", LIBRARY)
    first.par.opshortcut = "Lib"
    second.par.opshortcut = "Other"
    reader(bench, "op.Lib.op('util').module.go()")


def parent_shortcut(bench: Bench) -> None:
    """Code that finds a component around it by its parent shortcut."""
    base(bench, "outer").par.parentshortcut = "Lib"
    base(bench, "outer/inner")
    text(bench, "outer/util", SMALL)
    text(bench, "outer/inner/util", LIBRARY)
    reader(bench, "parent.Lib.op('util').module.go()", "outer/inner/noise")


def script_runs(bench: Bench) -> None:
    """An Execute DAT in another network that runs the text of a DAT by path, which is free."""
    base(bench, "far")
    base(bench, "lib")
    bench.make(
        "executeDAT", "exec", parent=f"{P}/far"
    ).text = "def onFrameStart(frame):\n    op('../lib/run').run()\n"
    text(bench, "lib/job", PYTHON)


def script_executes(bench: Bench) -> None:
    script_runs(bench)
    bench.op(f"{P}/far/exec").text = "def onFrameStart(frame):\n    exec(op('../lib/run').text)\n"


def script_loops(bench: Bench) -> None:
    script_runs(bench)
    bench.op(
        f"{P}/far/exec"
    ).text = "def onFrameStart(frame):\n    for each in op('../lib').ops('task*'):\n        each.run()\n"


def script_keeps(bench: Bench) -> None:
    script_runs(bench)
    bench.op(
        f"{P}/far/exec"
    ).text = "def onFrameStart(frame):\n    job = op('../lib/run')\n    job.module.go()\n"


def script_chains(bench: Bench) -> None:
    """An Execute DAT runs a DAT, which imports another one that is not there."""
    script_runs(bench)
    text(bench, "lib/run", "import helper\n\ndef go():\n    helper.go()\n")


def script_by_parameter(bench: Bench) -> None:
    by_parameter(bench)
    bench.make(
        "executeDAT", "exec"
    ).text = "def onFrameStart(frame):\n    op(op('conf').par.Script).module.go()\n"


def promoted(bench: Bench) -> None:
    """An expression that calls a promoted method of a component found by name, which is free."""
    reader(bench, "op('/project1/tool').Reset()")
    other = base(bench, "other")
    text(
        bench, "other/Ext", "class Ext:\n    def __init__(self, owner): pass\n    def Reset(self): return 2\n"
    )
    other.par.ext0object = "op('./Ext').module.Ext(me)"


def evaluated(bench: Bench) -> None:
    """An Evaluate DAT that takes its expressions from a table in another network, through a null."""
    base(bench, "area")
    table = bench.make("tableDAT", "table", parent=f"{P}/area")
    table.clear()
    table.appendRow(["plain"])
    bench.make("tableDAT", "other", parent=f"{P}/area")
    bench.make("nullDAT", "between", parent=f"{P}/area")
    bench.wire(table, bench.op(f"{P}/area/between"))
    base(bench, "far")
    bench.make("evaluateDAT", "evaluate", parent=f"{P}/far", dat=f"{P}/area/between")


def sleeping(bench: Bench) -> None:
    """Scripts that do not run: in a component that does not cook, and bypassed."""
    base(bench, "asleep")
    bench.make("executeDAT", "exec", parent=f"{P}/asleep").text = PYTHON
    bench.op(f"{P}/asleep").allowCooking = False
    bench.make("scriptCHOP", "script").bypass = True


def scripts_of_a_person(bench: Bench) -> None:
    """A person deleted a script that is called, and renamed one away."""
    far_text(bench)
    lib, undo = f"{P}/lib", bench.td.ui.undo
    undo.startBlock("Delete")
    bench.op(f"{lib}/run").destroy()
    undo.endBlock()


def script_of_an_agent(bench: Bench) -> None:
    """A call of level full took code away."""
    far_text(bench)
    bench.run("write_data", path=f"{P}/lib/run", text="hello there")


def code_taken_from_an_expression(bench: Bench) -> None:
    noise = bench.make("noiseTOP", "noise")
    noise.par.period.expr = "op('x').par.y"
    bench.run("set_parameters", changes=[{"path": f"{P}/noise", "params": {"period": 3}}])


def checkpoint_with_code(bench: Bench) -> None:
    far_text(bench)
    bench.run("checkpoint", action="save", path=f"{P}/lib", name="then")
    bench.op(f"{P}/lib/run").text = ""


def outside(bench: Bench) -> None:
    """Operators that reach outside the project, which a person has made."""
    bench.make("oscoutCHOP", "sender").bypass = True
    bench.make("constantCHOP", "levels")
    bench.make("constantTOP", "plain")
    bench.make("textDAT", "words").text = "hello there"
    base(bench, "box")


def plain(bench: Bench) -> None:
    """A network as artists make it, with a script that mentions operators, and code that must go on."""
    for kind, name in (
        ("noiseTOP", "noise"), ("levelTOP", "level"), ("nullTOP", "out"), ("lfoCHOP", "lfo"), ("mathCHOP", "math"),
        ("nullCHOP", "wave"), ("tableDAT", "rows"), ("timerCHOP", "timer"),
    ):  # fmt: skip
        bench.make(kind, name)
    bench.wire(*(bench.op(f"{P}/{name}") for name in ("noise", "level", "out")))
    bench.wire(*(bench.op(f"{P}/{name}") for name in ("lfo", "math", "wave")))
    bench.op(f"{P}/noise").par.period.expr = "op('wave')['chan1'] + 1"
    text(bench, "words", "hello there")
    text(bench, "unused", LIBRARY)
    text(bench, "cb", "def onDone(timerOp, segment, interrupt):\n    op('level').par.opacity = 1\n")
    bench.op(f"{P}/timer").par.callbacks = "cb"
    bench.make("executeDAT", "exec").text = (
        "import math\n\ndef onFrameStart(frame):\n    op('mentioned').par.tx = math.sin(frame)\n"
        "    print(op('rows')[0, 0], 'unused')\n"
    )
    bench.make("transformTOP", "mentioned")
    box = base(bench, "box")
    page = box.appendCustomPage("Look")
    page.appendFloat("Speed")
    page.appendStr("Title")
    bench.make("circleTOP", "dot", parent=f"{P}/box")
    bench.make("levelTOP", "inner", parent=f"{P}/box").par.opacity.expr = "parent().par.Speed"
    bench.make("glslTOP", "shader")
    text(bench, "pieces", "one")
    bench.make("mergeDAT", "merged")


def running(code: str, name: str = "run") -> Callable[[Bench], None]:
    """An Execute DAT in another network with a line of code that runs a DAT of a name that is free."""

    def scene(bench: Bench) -> None:
        script_runs(bench)
        bench.op(f"{P}/far/exec").text = f"import importlib\n\ndef onFrameStart(frame):\n    {code}\n"
        for word in ("words", "exec2", "run2"):
            text(bench, f"lib/{word}", PYTHON)
        base(bench, "aside")
        text(bench, f"aside/{name}", PYTHON)

    return scene


def internal_shortcut(bench: Bench) -> None:
    """An expression that finds code by an internal shortcut of the component around it."""
    base(bench, "far")
    base(bench, "first")
    base(bench, "second")
    text(bench, "first/util", SMALL)
    text(bench, "second/util", LIBRARY)
    far = bench.op(f"{P}/far")
    far.seq.iop[0].par.shortcut = "Lib"
    far.seq.iop[0].par.op = "../first"
    reader(bench, "iop.Lib.op('util').module.go()")
