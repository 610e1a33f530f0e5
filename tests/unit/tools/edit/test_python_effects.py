"""What a piece of Python may do is told by its text; in doubt it may do everything."""

from __future__ import annotations

import pytest

from tdmcp_embedded.touchdesigner import python_effects
from tdmcp_embedded.touchdesigner.python_effects import EVERYTHING, Effects

LOOKS = Effects()
EDITS = Effects(edits=True)
MAKES = Effects(edits=True, makes=True)
STORES = Effects(edits=True, stores=True)

CODE: list[tuple[str, Effects]] = [
    ("1+1", LOOKS),
    ("op('/project1/n').par.period.eval()", LOOKS),
    ("import math\nmath.pi * len(me.children)", LOOKS),
    ("from collections import Counter\nCounter(o.OPType for o in me.children).most_common(3)", LOOKS),
    ("d = {}\nfor o in me.children:\n    d[o.name] = o.par.w.eval()\nd", LOOKS),
    ("def f(x):\n    return x.path\n[f(o) for o in root.findChildren(type=TOP)]", LOOKS),
    ("found = []\nfound.append(op('a'))\nprint(found)", LOOKS),
    ("op('n').par.Speed.eval(), me.par.w.mode == ParMode.CONSTANT", LOOKS),
    ("try:\n    1/0\nexcept ZeroDivisionError as e:\n    print(e)", LOOKS),
    ("this is no Python", LOOKS),
    ("op('n').par.period = 3", EDITS),
    ("op('n').par['period'] = 3", EDITS),
    ("op('t')[0, 0] = 'x'", EDITS),
    ("t = op('t')\nt[0, 0] = 'x'", EDITS),
    ("t = {}\nfor t in ops('t*'):\n    t[0, 0] = 'x'", EDITS),
    ("setattr(op('n').par, 'period', 3)", EDITS),
    ("op('n').tags.add('x')", EDITS),
    ("op('a').outputConnectors[0].connect(op('b'))", EDITS),
    ("op('t').appendRow(['a'])", EDITS),
    ("me.create(noiseTOP)", MAKES),
    ("make = me.create\nlist(map(make, [noiseTOP]))", MAKES),
    ("op('n').name = 'm'", MAKES),
    ("setattr(op('n'), 'name', 'm')", MAKES),
    ("[o.destroy() for o in me.children]", MAKES),
    ("me.store('x', 1)", STORES),
    ("me.storage['x'] = 1", STORES),
    ("exec('x')", EVERYTHING),
    ("eval('x')", EVERYTHING),
    ("e = exec\ne('x')", EVERYTHING),
    ("__builtins__['exec']('x')", EVERYTHING),
    ("len.__self__.exec('x')", EVERYTHING),
    ("getattr(me, 'cre' + 'ate')(noiseTOP)", EVERYTHING),
    ("op('n').Build()", EVERYTHING),
    ("op('n').Value", EVERYTHING),
    ("op('n').ext.Tool", EVERYTHING),
    ("op('n').module.go()", EVERYTHING),
    ("mod.tool.go()", EVERYTHING),
    ("import mylib", EVERYTHING),
    ("from mylib import x", EVERYTHING),
    ("run('me.create(noiseTOP)')", EVERYTHING),
    ("ui.undo.undo()", EVERYTHING),
    ("me.create(annotateCOMP)", EVERYTHING),
    ("me.create('annotateCOMP')", EVERYTHING),
    ("print = op('n').destroyer\nprint()", EVERYTHING),
    ("def len(x):\n    x.destroy()\nlen(op('n'))", MAKES),
    ("@op('n').deco\ndef f():\n    pass", EVERYTHING),
    ("(lambda f: f())(op('n').weird)", EVERYTHING),
]


@pytest.mark.parametrize(("code", "effects"), CODE, ids=[code[:40] for code, _ in CODE])
def test_the_effects_of_code(code: str, effects: Effects) -> None:
    assert python_effects.of(code) == effects
