"""Self Test (All), pulsed in a TouchDesigner process of every build: each question asked, every contract test run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from fakes.builds import BUILDS
from fakes.driver import StandIn
from tests.integration.component import COMPONENT, answers, par, quick, until

#: What can be asked by a person only, or of builds only that have what it asks for.
NOT_ASKED = {
    "2023.12480": [
        "Does storage of the root come back when a saved project is opened?",
        "Does a fresh POP have all parameters of its sequences at once?",
        "Does a RefreshHook of the Thread Manager come while the timeline is paused?",
    ],
}
OPERATORS = "len(root.findChildren(includeUtility=True))"
BY_A_PERSON = ["Does storage of the root come back when a saved project is opened?"]


@dataclass(frozen=True)
class Run:
    """What a self test said, and what the process was like before and after."""

    said: str
    operators: tuple[str, str]
    application: str
    conflicts: int
    serves: bool

    @property
    def report(self) -> dict[str, Any]:
        path = Path(self.said.partition("The report: ")[2])
        return cast("dict[str, Any]", json.loads(path.with_suffix(".json").read_text("utf-8")))


def pulse(td: StandIn) -> Run:
    before = td.exec(OPERATORS)
    with quick(td):
        td.exec(f"{COMPONENT}.par.Selftestall.pulse()")
        said = until(
            lambda: par(td, "Report"),
            lambda said: bool(said) and ("The report:" in said or not said.startswith("Self Test: ")),
            tries=3000,
            pause=0.1,
        )
    application = td.exec("(root.time.play, ui.undo.undoStack, ui.undo.redoStack)")
    conflicts = td.stats()["thread_conflicts"]
    return Run(said, (before, td.exec(OPERATORS)), application, conflicts, answers(td.url))


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, Run]]:
    """One for each build, at the same time: most of it is waiting for frames."""
    with ExitStack() as open_ones, ThreadPoolExecutor(len(BUILDS)) as pool:
        processes = [
            open_ones.enter_context(StandIn("--scene", "empty", "--build", build)) for build in BUILDS
        ]
        yield dict(zip(BUILDS, pool.map(pulse, processes), strict=True))


@pytest.mark.parametrize("build", BUILDS)
def test_every_question_is_asked_and_every_test_holds(runs: dict[str, Run], build: str) -> None:
    run = runs[build]
    assert run.said.startswith("Self Test: "), run.said
    report = run.report
    assert report["complete"]
    assert [row for row in report["tests"] if row["outcome"] in ("differs", "not faked")] == []
    open_questions = [row["question"] for row in report["questions"] if row["answer"] not in ("yes", "no")]
    assert open_questions == NOT_ASKED.get(build, BY_A_PERSON)
    assert (report["totals"]["left out"] == 0) is (not build.startswith("2023.")), "only what a build lacks"
    assert report["totals"]["holds"] > 300


@pytest.mark.parametrize("build", BUILDS)
def test_everything_is_as_it_was_and_the_server_serves(runs: dict[str, Run], build: str) -> None:
    run = runs[build]
    assert run.operators[0] == run.operators[1]
    assert run.application == "(True, [], [])"
    assert run.conflicts == 0
    assert run.serves
