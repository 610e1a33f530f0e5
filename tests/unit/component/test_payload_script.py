"""The script that brings the full build's code into reach of `import`, without the main thread paying for it."""

import builtins
import importlib.util
import json
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from td_component.model import SCRIPTS


@pytest.fixture
def payload(tmp_path):
    """The DAT's script as a module, as it is before `tdmcp build` has packed anything."""
    text = (
        (SCRIPTS / "payload.py")
        .read_text("utf-8")
        .replace('"@MANIFEST@"', repr(json.dumps({"version": "1"})))
    )
    file = tmp_path / "payload_script.py"
    file.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("payload_script", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop(module.HOME, None)


class Owner:
    """The component, with a script of `unpacking` of the test's own; `looks` counts what was scheduled."""

    id, valid = 7, True

    def __init__(self, text):
        self.text = text
        self.booted = 0

    def op(self, name):
        def boot():
            self.booted += 1

        extension = SimpleNamespace(Boot=boot)
        return SimpleNamespace(text=self.text, module=SimpleNamespace(Tdmcp=lambda owner: extension))


def load(payload, owner, *, until):
    """Call it as once a frame until the work has come to a state; what it gave last."""
    scheduled = []
    td = SimpleNamespace(
        app=SimpleNamespace(pythonExecutable=""),
        op=SimpleNamespace(TDResources=None),
        root=None,
        run=lambda text, function, *args, **when: scheduled.append((function, args)),
    )
    for _ in range(50):
        given = payload.load(owner, td)
        for thread in threading.enumerate():
            if thread.name == "tdmcp-unpacking":
                thread.join(30)
        for function, args in scheduled:
            function(*args)
        scheduled.clear()
        if until():
            return given
    raise AssertionError("it never came to that")


def test_the_modules_that_a_thread_imports_first_are_all_that_the_boot_module_needs(payload):
    code = f"""
import importlib, sys
for name in {payload.BEFORE_EMBED}:
    importlib.import_module(name)
before = set(sys.modules)
import tdmcp_embedded.embed
print(sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tdmcp_embedded.embed']"


def test_the_text_is_compiled_and_run_on_another_thread_and_nothing_is_said_meanwhile(payload):
    text = """
import threading
where = threading.current_thread() is threading.main_thread()
class Unpacking:
    made = []
    def __init__(self, manifest, interpreter):
        self.state, self.on_main, self.manifest = "looking", where, manifest
        self.made.append(self)
"""
    owner = Owner(text)
    made = lambda: [w for w in payload._jobs().values() if type(w).__name__ == "Unpacking"]
    assert load(payload, owner, until=made) is None
    (work,) = made()
    assert work.on_main is False and work.manifest == {"version": "1"}
    assert owner.booted > 0, "it asks to be called again"


def test_what_runs_on_a_thread_has_pythons_own_import(payload, monkeypatch):
    # TouchDesigner gives a DAT's code an import of its own, which looks for DATs: on the main thread only (fact 1).
    def of_touchdesigner(name, *args):
        if threading.current_thread() is not threading.main_thread():
            pytest.fail("a DAT was looked for on another thread")
        return __import__(name, *args)

    own = {**vars(builtins), "__import__": of_touchdesigner}
    monkeypatch.setitem(vars(payload), "__builtins__", own)
    owner = Owner(
        "import colorsys\nclass Unpacking:\n    state = 'looking'\n    def __init__(self, *given): pass"
    )
    made = lambda: [w for w in payload._jobs().values() if type(w).__name__ == "Unpacking"]
    load(payload, owner, until=made)
    (work,) = made()
    assert type(work).__init__.__globals__["__builtins__"] in (builtins, vars(builtins))


def test_a_text_that_is_damaged_is_said_and_can_be_tried_again(payload):
    owner = Owner("this is no Python")
    with pytest.raises(ImportError, match="damaged .SyntaxError.*put a fresh copy"):
        load(payload, owner, until=lambda: False)
    assert payload._jobs() == {}
