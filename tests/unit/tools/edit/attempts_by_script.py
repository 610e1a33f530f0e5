"""Attempts to change what the project's own scripts find and run, or to reach outside of the project."""

from __future__ import annotations

from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit.code_calls import EXEC, NOISE, Attempt, build, create, put, update
from tests.unit.tools.edit.code_scenes import P

ATTEMPTS: dict[str, Attempt] = {
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
