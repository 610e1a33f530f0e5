"""Runs the contract tests where there is no pytest: inside TouchDesigner, on the main thread, a step a frame.

    from tests.contract import runner          # by whatever name the folder is importable
    runner.start(td, done=lambda report: print(runner.text(report)))

or, where somebody else owns the frames, `SelfTest(td).steps()`: a generator that wants to go on once a frame. First come
the `questions` that only TouchDesigner can answer, then the tests. Everything happens in one scratch component, which is
removed afterwards; the undo list and the timeline stay as they are unless the person agrees (`disturbing`). The report is
plain data for JSON; it names no file, no folder and nothing of the user's project.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import platform
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from .fact_list import FACTS
from .facts import UNDO_STACK, lacking
from .questions import QUESTIONS, Answer, Question

#: Frames that one test may take.
FRAMES = 600
#: Characters of a value that a report shows.
SHOWN = 200

HOLDS, DIFFERS, REFUSED, LEFT_OUT = "holds", "differs", "not faked", "left out"
YES, NO, NOT_ASKED, FAILED = "yes", "no", "not asked", "failed"


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
        disturbing: also run what moves something of the user's for a moment (the timeline, the editor) and what empties
            the undo list.
        only: parts of module or test names; by default everything runs. Questions are asked when there is none.
        cases: the tests, where they are not the ones beside this file.
        questions: the questions, by default all of them.
    """

    def __init__(
        self,
        td: Any,
        parent: Any = None,
        *,
        disturbing: bool = False,
        only: Iterable[str] = (),
        cases: list[Case] | None = None,
        questions: Iterable[Question] | None = None,
    ) -> None:
        self._td = td
        self._parent = parent
        self._disturbing = disturbing
        words = tuple(only)
        found = collect() if cases is None else cases
        self._cases = [c for c in found if not words or any(w in f"{c.module}.{c.name}" for w in words)]
        asked = () if words or cases is not None else QUESTIONS
        self._questions = list(asked if questions is None else questions)
        self._rows: list[dict[str, Any]] = []
        self._answers: list[dict[str, Any]] = []
        self.report: dict[str, Any] = {}

    @property
    def progress(self) -> tuple[int, int]:
        return len(self._answers) + len(self._rows), len(self._questions) + len(self._cases)

    def steps(self) -> Generator[None, None, None]:
        """The run itself; each `yield` wants the next frame."""
        began, started = time.perf_counter(), time.strftime("%Y-%m-%dT%H:%M:%S")
        try:
            for number, question in enumerate(self._questions, 1):
                yield from self._asked(number, question)
                yield  # What the question left behind settles before the next one.
            for case in self._cases:
                if not self._may(case.function):
                    words = "empties" if case.disturbs == UNDO_STACK else "moves"
                    moment = "" if case.disturbs == UNDO_STACK else " for a moment"
                    self._rows.append(_row(case, LEFT_OUT, f"{words} {case.disturbs}{moment}"))
                    continue
                lacks = lacking(case.function, self._td)
                if lacks:
                    self._rows.append(_row(case, LEFT_OUT, f"this build has no {lacks}"))
                    continue
                yield from self._run(case)
                yield
        finally:
            self.report = {
                "report": "TouchDesigner contract self test",
                "format": 2,
                "started": started,
                "seconds": round(time.perf_counter() - began, 2),
                "host": host(self._td),
                "questions": self._answers,
                "complete": self.progress[0] == self.progress[1],
                "totals": {word: sum(r["outcome"] == word for r in self._rows)
                           for word in (HOLDS, DIFFERS, REFUSED, LEFT_OUT)},
                "facts": _by_fact(self._rows),
                "tests": self._rows,
            }  # fmt: skip

    def _may(self, function: Callable[..., Any]) -> bool:
        """Whether the person agreed to what this disturbs, or it disturbs nothing here."""
        if self._disturbing or not getattr(function, "disturbs", ""):
            return True
        unless = getattr(function, "unless", None)
        return unless is not None and bool(unless(self._td))

    def _asked(self, number: int, question: Question) -> Generator[None, None, None]:
        def answered(answer: str, seen: str) -> None:
            self._answers.append(
                {
                    "number": number,
                    "question": question.text,
                    "answer": answer,
                    "seen": seen[: 5 * SHOWN],
                    "facts": list(question.facts),
                    "depends": question.depends,
                    "disturbs": question.disturbs,
                }
            )

        by_hand = f". By hand: {question.by_hand}" if question.by_hand else ""
        lacks = lacking(question.ask, self._td)
        if lacks:
            answered(NOT_ASKED, f"this build has no {lacks}")
        elif not self._may(question.ask):
            answered(NOT_ASKED, f"it disturbs {question.disturbs}{by_hand}")
        else:
            _, reply, error = yield from self._in_scratch(question.ask)
            if error is not None:
                answered(FAILED, _plain(error))
            elif isinstance(reply, Answer):
                answered(YES if reply.yes else NO, reply.seen)
            else:
                answered(NOT_ASKED, f"{reply}{by_hand}")

    def _run(self, case: Case) -> Generator[None, None, None]:
        frames, _, error = yield from self._in_scratch(case.function)
        if error is None:
            self._rows.append(_row(case, HOLDS, frames=frames))
        else:
            outcome = REFUSED if type(error).__name__ == "NotFaked" else DIFFERS
            self._rows.append(_row(case, outcome, _plain(error), frames, _places(error)))

    def _in_scratch(
        self, function: Callable[..., Any]
    ) -> Generator[None, None, tuple[int, Any, BaseException | None]]:
        """Call it with an empty component; the frames it took, what it gave, and what it raised."""
        parent = self._parent or self._td.op("/project1") or self._td.root
        frames, given = 0, None
        with self._put_back(function):
            scratch = parent.create(self._td.baseCOMP, "scratch")
            try:
                given = function(Stage(self._td, scratch))
                if inspect.isgenerator(given):
                    running = given
                    try:
                        while True:
                            try:
                                next(running)
                            except StopIteration as end:
                                given = end.value
                                break
                            frames += 1
                            if frames > FRAMES:
                                raise AssertionError(f"not done after {FRAMES} frames")
                            yield
                    finally:
                        running.close()
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001  Some of TouchDesigner's errors are no Exceptions.
                return frames, None, error
            finally:
                if scratch.valid:
                    scratch.destroy()
        return frames, given, None

    @contextmanager
    def _put_back(self, function: Callable[..., Any]) -> Iterator[None]:
        """What disturbs the undo list finds it empty and on, and leaves it empty; the timeline plays on as it did."""
        disturbs = getattr(function, "disturbs", "")
        if not disturbs:
            yield
            return
        undo, time_comp = self._td.ui.undo, self._td.root.time
        on, playing = undo.globalState, time_comp.play
        if disturbs == UNDO_STACK:
            undo.clear()
            undo.globalState = True
        try:
            yield
        finally:
            if disturbs == UNDO_STACK:
                undo.globalState = on
                undo.clear()
            if time_comp.play != playing:
                time_comp.play = playing


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
    """The report for a person: the questions first, then what differs, with where and how."""
    told, totals = report["host"], report["totals"]
    product = " ".join(told[k] for k in ("product", "version", "build") if k in told)
    lines = [
        f"{product or 'TouchDesigner'} on {told['system']} {told['machine']}, Python {told['python']}",
        *_questions(report["questions"]),
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


def _questions(answers: list[dict[str, Any]]) -> list[str]:
    """A line for each question, and a line for what depends on it."""
    if not answers:
        return []
    lines = ["", "Questions that only TouchDesigner can answer", ""]
    for row in answers:
        facts = ", ".join(str(n) for n in row["facts"])
        lines += [
            f"{row['number']:2}  {row['answer']:9}  {row['question']}  {row['seen']}",
            f"{'':15}(fact {facts}; depends on it: {row['depends']})",
        ]
    return [*lines, ""]


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
