"""Self Test and catalogue dump: asks the running TouchDesigner what it does, and writes that down for whoever wants to know.

Both work in a scratch component that is removed afterwards. Their files name nothing of the user's project.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tdmcp_embedded.errands import Errand, Steps, apart, start
from tdmcp_embedded.file_modes import make_private_folder
from tdmcp_embedded.files import home, write_private, write_private_bytes

#: The contract tests, as they are packed into the component and into the package that pip installs.
PACKAGE = "tdmcp_embedded.contract"
READ_OUT = "Report"
MISSING = "This installation of tdmcp-embedded lacks the contract tests: install it anew with pip, or take the full build."
#: Frames between two words on how far it is.
_NEWS = 15


def self_test(owner: Any, td: Any, *, disturbing: bool = False) -> Errand:
    """Ask the questions and run the contract tests, a step a frame; the report goes to `reports/` in our home.

    Main thread; returns at once.

    Args:
        disturbing: also what empties the undo list and moves the timeline or the editor for some frames.
    """
    return start(owner, td, READ_OUT, _tested(td, disturbing))


def dump_catalogue(owner: Any, td: Any) -> Errand:
    """Write down every operator type and parameter of this build. Main thread; returns at once."""
    return start(owner, td, READ_OUT, _dumped(td))


def _tested(td: Any, disturbing: bool) -> Steps:
    # Some thirty modules, which the main thread has better things to do than to compile.
    runner = yield from apart(lambda: contract("runner"))
    if runner is None:
        return MISSING
    cases = yield from apart(runner.collect)
    test = runner.SelfTest(td, disturbing=disturbing, cases=cases, questions=runner.QUESTIONS)
    yield from _with_news(test, "Self Test: {} of {} questions and tests.")
    report = test.report
    path = yield from apart(lambda: _write_report(report, runner.text(report)))
    totals = ", ".join(f"{count} {word}" for word, count in report["totals"].items() if count)
    answered = sum(row["answer"] in (runner.YES, runner.NO) for row in report["questions"])
    return f"Self Test: {answered} of {len(report['questions'])} questions answered; {totals}. The report: {path}"


def _dumped(td: Any) -> Steps:
    module = yield from apart(lambda: contract("catalogue_dump"))
    if module is None:
        return MISSING
    dump = module.CatalogueDump(td)
    yield from _with_news(dump, "Catalogue: {} of {} types.")
    path = _file("catalogue", ".json.gz")
    yield from apart(lambda: module.write(dump.catalogue, path))
    left = f", {len(dump.failed)} could not be made" if dump.failed else ""
    return f"Catalogue: {len(dump.catalogue)} types{left}. The file: {path}"


def _with_news(work: Any, words: str) -> Iterator[str]:
    for frame, _ in enumerate(work.steps()):
        yield words.format(*work.progress) if frame % _NEWS == 0 else ""


def _write_report(report: dict[str, Any], text: str) -> Path:
    path = _file("self-test", ".txt")
    write_private_bytes(path, (text + "\n").encode("utf-8"))
    write_private(path.with_suffix(".json"), report)
    return path


def _file(subject: str, suffix: str) -> Path:
    folder = home() / "reports"
    make_private_folder(folder)
    return folder / f"{subject}-{time.strftime('%Y%m%d-%H%M%S')}{suffix}"


def contract(name: str) -> ModuleType | None:
    """A module of the contract tests, from beside this one or, in a checkout, from the sources; None if there are none."""
    for load in (_packed, _from_sources):
        if load():
            return importlib.import_module(f"{PACKAGE}.{name}")
    return None


def _packed() -> bool:
    return PACKAGE in sys.modules or importlib.util.find_spec(PACKAGE) is not None


def _from_sources() -> bool:
    folder = Path(__file__).parent.parent / "tests" / "contract"
    if not (folder / "runner.py").is_file():
        return False
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        return False
    package = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return True
