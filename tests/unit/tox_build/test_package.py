"""The package that pip installs carries the contract tests, as the full build does: *Self Test* needs them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

from tox_build.payload import CONTRACT, own_files

SETUP = Path(__file__).parents[3] / "setup.py"


def test_a_wheel_has_the_same_contract_tests_as_the_component(tmp_path, monkeypatch):
    handed_over = {}
    setuptools, commands = ModuleType("setuptools"), ModuleType("setuptools.command.build_py")
    setuptools.setup = lambda **options: handed_over.update(options)
    commands.build_py = type("build_py", (SimpleNamespace,), {"run": lambda self: None})
    for module in (setuptools, ModuleType("setuptools.command"), commands):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location("setup_for_tests", SETUP)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))

    handed_over["cmdclass"]["build_py"](editable_mode=False, build_lib=str(tmp_path)).run()
    built = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert built == {path for path in own_files() if path.startswith(CONTRACT)}
    assert f"{CONTRACT}/runner.py" in built
