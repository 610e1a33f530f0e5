"""A stand-in that several tests share: put back after each test, and checked, so that no test meets what another left.

The state that counts: the operators, the component's own settings, the timeline, power and Perform mode, the files in
the home that are not the server's own records, no thread conflict, nothing but JSON on standard output.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fakes.driver import StandIn
from tests.integration.component import answers

#: What a running server keeps and writes in its home by itself (keys, logs, registry); the shim there is a test's doing.
RECORDS = re.compile(r"\.tdmcp/(?!shim/)")

#: What is asked of the main thread in one go: operators with their ids, the component's settings, the application.
QUESTION = """
def _state():
    operators = {o.path: o.id for o in root.findChildren(includeUtility=True)}
    components = [c for c in operators if op(c) is not None and hasattr(op(c).par, 'Requirekey')]
    settings = {}
    for path in components:
        for p in op(path).customPars:
            # Not the port: the server would move to another address, and the one it has is checked below.
            if not p.readOnly and p.style not in ('Pulse', 'Header') and p.name != 'Port':
                settings[path, p.name] = (p.mode.name, p.expr or '' if p.mode.name == 'EXPRESSION' else p.val)
    application = (root.time.play, root.time.rate, project.cookRate, app.power, ui.performMode)
    return {'operators': operators, 'settings': settings, 'application': application}
_state()
"""

RESTORE = """
def _restore(gone, settings, application):
    for path in gone:
        o = op(path)
        if o is not None and o.valid:
            o.destroy()
    for (path, name), (mode, value) in settings:
        p = op(path).par[name]
        if mode == 'EXPRESSION':
            p.expr = value
        else:
            p.val = value
    root.time.play, root.time.rate, project.cookRate = application[:3]
    app.power, ui.performMode = application[3:]
"""


@dataclass(frozen=True)
class State:
    """A stand-in's state between two tests."""

    inside: dict[str, Any]
    files: dict[str, bytes]

    @classmethod
    def of(cls, td: StandIn) -> State:
        td.do("modal", open=False)
        return cls(ast.literal_eval(td.exec(QUESTION)), _files(td.home))


def restore(td: StandIn, before: State) -> None:
    """Bring a stand-in back to a former state; one that cannot be brought back is started again.

    Raises:
        AssertionError: the test that ran last let it end, or it touched TouchDesigner from a wrong thread, or wrote
            something other than JSON to its standard output.
    """
    wrong: list[str] = []
    try:
        conflicts = td.stats()["thread_conflicts"]
        if conflicts:
            wrong.append(f"{conflicts} thread conflicts")
        if td.strays:
            wrong.append(f"lines that are not JSON: {td.strays}")
        now = State.of(td)
        again = False
        if now.inside != before.inside:
            operators = now.inside["operators"]
            new = [p for p in operators if before.inside["operators"].get(p) != operators[p]]
            settings = sorted(set(before.inside["settings"].items()) - set(now.inside["settings"].items()))
            application = before.inside["application"]
            td.exec(f"{RESTORE}\n_restore({sorted(new)!r}, {settings!r}, {application!r})")
            again = State.of(td).inside != before.inside
        _restore_files(td.home, before.files)
        again = again or not answers(td.url)
    except (TimeoutError, RuntimeError, KeyError) as error:
        wrong.append(f"it does not answer: {error}")
        again = True
    if again or wrong:
        td.start_again()
        _restore_files(td.home, before.files)
    assert not wrong, f"this test left the shared stand-in unusable: {wrong}"


def _files(home: Path) -> dict[str, bytes]:
    found = {}
    for path in home.rglob("*"):
        name = path.relative_to(home).as_posix()
        if path.is_file() and not RECORDS.match(name):
            found[name] = path.read_bytes()
    return found


def _restore_files(home: Path, before: dict[str, bytes]) -> None:
    now = _files(home)
    for name in now.keys() - before.keys():
        (home / name).unlink(missing_ok=True)
    for name, content in before.items():
        if now.get(name) != content:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(content)
    for folder in sorted((p for p in home.rglob("*") if p.is_dir()), reverse=True):
        relative = folder.relative_to(home).as_posix()
        if not any(folder.iterdir()) and not relative.startswith(".tdmcp"):
            folder.rmdir()
