"""Runs the contract tests where there is no pytest: inside TouchDesigner, on the main thread, a step a frame.

    from tests.contract import runner          # by whatever name the folder is importable
    runner.start(td, done=lambda report: print(runner.text(report)))

or, where somebody else owns the frames, `SelfTest(td).steps()`: a generator that wants to go on once a frame. Everything
happens in one scratch component, which is removed afterwards. The report is plain data for JSON; it names no file, no
folder and nothing of the user's project.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import platform
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .fact_list import FACTS
from .facts import lacking

#: Frames that one test may take.
FRAMES = 600
#: Characters of a value that a report shows.
SHOWN = 200

HOLDS, DIFFERS, REFUSED, LEFT_OUT = "holds", "differs", "not faked", "left out"


class Case(NamedTuple):
    """One contract test."""

    module: str
    name: str
    function: Callable[..., Any]
    facts: tuple[int, ...]
    disturbs: str

    @property
    def sentence(self) -> str:
        return self.name.removeprefix("test_").replace("_", " ")


class Stage:
    """What a test gets: the `td` module, and an empty component."""

    def __init__(self, td: Any, scratch: Any) -> None:
        self.td = td
        self.scratch = scratch


def collect(modules: Iterable[ModuleType] | None = None) -> list[Case]:
    """Every contract test of these modules, by default of all that lie beside this file."""
    if modules is None:
        names = sorted(m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]))
        modules = [importlib.import_module(f"{__package__}.{n}") for n in names if n.startswith("test_")]
    return [
        Case(
            module.__name__.rpartition(".")[2].removeprefix("test_"),
            name,
            function,
            tuple(getattr(function, "facts", ())),
            str(getattr(function, "disturbs", "")),
        )
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("test_") and callable(function)
    ]


class SelfTest:
    """One run. `report` is whole once `steps()` has ended; `progress` is (done, of how many) meanwhile.

    Args:
        td: the module.
        parent: where the scratch component is made; `/project1` or else the root by default.
        disturbing: also run what moves something of the user's for a moment (the timeline, the editor, undo).
        only: parts of module or test names; by default everything runs.
        cases: the tests, where they are not the ones beside this file.
    """

    def __init__(
        self,
        td: Any,
        parent: Any = None,
        *,
        disturbing: bool = False,
        only: Iterable[str] = (),
        cases: list[Case] | None = None,
    ) -> None:
        self._td = td
        self._parent = parent
        self._disturbing = disturbing
        words = tuple(only)
        found = collect() if cases is None else cases
        self._cases = [c for c in found if not words or any(w in f"{c.module}.{c.name}" for w in words)]
        self._rows: list[dict[str, Any]] = []
        self.report: dict[str, Any] = {}

    @property
    def progress(self) -> tuple[int, int]:
        return len(self._rows), len(self._cases)

    def steps(self) -> Generator[None, None, None]:
        """The run itself; each `yield` wants the next frame."""
        began, started = time.perf_counter(), time.strftime("%Y-%m-%dT%H:%M:%S")
        try:
            for case in self._cases:
                if case.disturbs and not self._disturbing:
                    self._rows.append(_row(case, LEFT_OUT, f"moves {case.disturbs} for a moment"))
                    continue
                lacks = lacking(case.function, self._td)
                if lacks:
                    self._rows.append(_row(case, LEFT_OUT, f"this build has no {lacks}"))
                    continue
                yield from self._run(case)
                yield  # What the test left behind settles before the next one.
        finally:
            self.report = {
                "report": "TouchDesigner contract self test",
                "format": 1,
                "started": started,
                "seconds": round(time.perf_counter() - began, 2),
                "host": host(self._td),
                "complete": len(self._rows) == len(self._cases),
                "totals": {word: sum(r["outcome"] == word for r in self._rows)
                           for word in (HOLDS, DIFFERS, REFUSED, LEFT_OUT)},
                "facts": _by_fact(self._rows),
                "tests": self._rows,
            }  # fmt: skip

    def _run(self, case: Case) -> Generator[None, None, None]:
        parent = self._parent or self._td.op("/project1") or self._td.root
        scratch = parent.create(self._td.baseCOMP, "scratch")
        frames = 0
        try:
            running = case.function(Stage(self._td, scratch))
            if inspect.isgenerator(running):
                try:
                    for _ in running:
                        frames += 1
                        if frames > FRAMES:
                            raise AssertionError(f"not done after {FRAMES} frames")
                        yield
                finally:
                    running.close()
            self._rows.append(_row(case, HOLDS, frames=frames))
        except GeneratorExit:
            raise
        except BaseException as error:  # noqa: BLE001  Some of TouchDesigner's errors are no Exceptions.
            outcome = REFUSED if type(error).__name__ == "NotFaked" else DIFFERS
            self._rows.append(_row(case, outcome, _plain(error), frames, _places(error)))
        finally:
            if scratch.valid:
                scratch.destroy()


def start(
    td: Any, done: Callable[[dict[str, Any]], Any], parent: Any = None, *, disturbing: bool = False
) -> SelfTest:
    """Run everything from here on, a step a frame, also while the timeline is paused; `done(report)` at the end.

    Main thread only. `run()` is TouchDesigner's own way to come back in the next frame.
    """
    test = SelfTest(td, parent, disturbing=disturbing)
    steps = test.steps()

    def step() -> None:
        if next(steps, done) is done:
            done(test.report)
        else:
            td.run("args[0]()", step, delayFrames=1, delayRef=td.op.TDResources)

    td.run("args[0]()", step, delayFrames=1, delayRef=td.op.TDResources)
    return test


def host(td: Any) -> dict[str, str]:
    """Which TouchDesigner this is; what cannot be told is left out."""
    found = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    for name in ("product", "version", "build", "experimental", "osName", "osVersion", "architecture"):
        try:
            found[name] = str(getattr(td.app, name))
        except Exception:  # noqa: BLE001, S112  An older build without it is no reason to stop.
            continue
    return found


def text(report: dict[str, Any]) -> str:
    """The report for a person: what differs first, with where and how."""
    told, totals = report["host"], report["totals"]
    product = " ".join(told[k] for k in ("product", "version", "build") if k in told)
    lines = [
        f"{product or 'TouchDesigner'} on {told['system']} {told['machine']}, Python {told['python']}",
        f"{len(report['tests'])} tests in {report['seconds']} s: "
        + ", ".join(f"{n} {word}" for word, n in totals.items() if n),
    ]
    if not report["complete"]:
        lines.append("The run was broken off.")
    differing = [n for n, outcome in report["facts"].items() if outcome == DIFFERS]
    if differing:
        lines.append(f"Facts that differ here: {', '.join(differing)}")
    for wanted in (DIFFERS, REFUSED, LEFT_OUT):
        for row in report["tests"]:
            if row["outcome"] != wanted:
                continue
            facts = ", ".join(str(n) for n in row["facts"])
            lines += [
                "",
                f"{wanted.upper()}  {row['module']}: {row['sentence']}"
                + (f"  (fact {facts})" if facts else ""),
            ]
            lines += [f"    {line}" for line in row.get("message", "").splitlines()]
            lines += [f"    {place}" for place in row.get("places", ())]
    return "\n".join(lines) + "\n"


def save(report: dict[str, Any], folder: str | Path) -> tuple[Path, Path]:
    """Write the report as JSON and as text; where they are.

    Raises:
        OSError: the folder cannot be written.
    """
    stem = "selftest-" + report["started"].replace(":", "").replace("-", "")
    data, readable = Path(folder) / f"{stem}.json", Path(folder) / f"{stem}.txt"
    data.write_text(json.dumps(report, indent=1, ensure_ascii=False), "utf-8")
    readable.write_text(text(report), "utf-8")
    return data, readable


def _row(
    case: Case, outcome: str, message: str = "", frames: int = 0, places: list[str] | None = None
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "module": case.module,
        "test": case.name,
        "sentence": case.sentence,
        "facts": list(case.facts),
        "outcome": outcome,
        "frames": frames,
    }
    if message:
        row["message"] = message
    if places:
        row["places"] = places
    return row


def _by_fact(rows: list[dict[str, Any]]) -> dict[str, str]:
    """What came out for each fact: the worst of its tests; "not tested" where none ran."""
    found: dict[str, str] = {}
    for number in FACTS:
        outcomes = {r["outcome"] for r in rows if number in r["facts"]} - {LEFT_OUT}
        worst = next((w for w in (DIFFERS, REFUSED, HOLDS) if w in outcomes), "not tested")
        found[str(number)] = worst
    return found


def _plain(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[: 5 * SHOWN] if str(error) else type(error).__name__


def _places(error: BaseException) -> list[str]:
    """Where in the test it went wrong, with the line and the values of its plain variables."""
    places: list[str] = []
    here = str(Path(__file__).parent)
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not name.startswith(here) or name == __file__:
            continue
        source = traceback.extract_tb(error.__traceback__)
        said = next((s.line for s in source if s.filename == name and s.lineno == line), "") or ""
        places.append(f"{Path(name).name}:{line}: {said}")
        for variable, value in frame.f_locals.items():
            if isinstance(value, (str, int, float, bool, list, tuple, dict, type(None))):
                places.append(f"  {variable} = {value!r}"[:SHOWN])
    return places
