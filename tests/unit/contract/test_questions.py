"""The first section of a Self Test's report: questions that only TouchDesigner can answer, on every build."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fakes
from fakes import builds, life
from fakes.world import World
from tests.contract import runner
from tests.contract.fact_list import FACTS
from tests.contract.questions import QUESTIONS, STORE_LINE, STORED

ROOT_STORAGE = "Does storage of the root come back when a saved project is opened?"
REFRESH_HOOK = "Does a RefreshHook of the Thread Manager come while the timeline is paused?"
TIME_FRAME = "Can root.time.frame be set?"
EMPTY_BLOCK = "Does an empty undo block leave what can be redone?"

#: What the stand-in answers, in the order of the report: the builds differ where the table has a dictionary.
EXPECTED: tuple[tuple[str, Any], ...] = (
    ("Has every operator OPType?", "yes"),
    ("Has it opType too?", {"2025.33070": "yes", "else": "no"}),
    (EMPTY_BLOCK, "no"),
    ("Is an annotation made with recording off left out of the undo list?", "yes"),
    ("Does an open undo block outlive an annotation made with recording off?", "no"),
    ("Does undo bring back the text of a DAT that a script changed?", "yes"),
    ("Does undo bring back a row of a table that a script changed?", "yes"),
    ("Does undo bring back a comment that a script changed?", "yes"),
    ("Does undo bring back a colour that a script changed?", "yes"),
    ("Does undo bring back a tag that a script changed?", "no"),
    ("Does undo bring back a dock that a script changed?", "yes"),
    ("Does undo bring back a tile's size that a script changed?", "yes"),
    ("Does undo bring back numBlocks of a sequence that a script changed?", "yes"),
    ("Does undo bring back an appended custom parameter that a script changed?", "yes"),
    ("Does the undo list keep 250 steps?", "yes"),
    (ROOT_STORAGE, "not asked"),
    ("Has a component its input connector at once when an In operator is made in it?", "no"),
    ("Does copyOPs of a host and its docked operators copy each once, docked to the copy?", "yes"),
    ("Does copyOPs of a host alone bring what is docked to it?", "yes"),
    ("Does destroying an operator raise while others are docked to it?", "no"),
    (
        "Does a fresh POP have all parameters of its sequences at once?",
        {"2023.12480": "not asked", "else": ("yes", "no")},
    ),
    ("Does errors() show in the same frame what a cook found?", "no"),
    ("Does errors() show it one frame later?", "yes"),
    ("Does a Run that is over raise when touched?", "yes"),
    (REFRESH_HOOK, {"2023.12480": "not asked", "else": "yes"}),
    ("Can root.time.frame be set?", "no"),
    ("Has Python lzma?", "yes"),
    ("Has the project `modified`?", {"2025.33070": "yes", "else": "no"}),
    ("Does the interpreter call a function on the main thread when another thread asks for it?", "yes"),
)


@pytest.fixture(params=list(builds.BUILDS))
def build(request: pytest.FixtureRequest) -> Iterator[tuple[str, World]]:
    former = builds.current().name
    builds.use(request.param)
    try:
        yield request.param, fakes.install()
    finally:
        fakes.uninstall()
        builds.use(former)


def ask(
    td: ModuleType, frame: Callable[[], None], *texts: str, disturbing: bool = False
) -> dict[str, dict[str, Any]]:
    """The rows of the report, by question."""
    wanted = [q for q in QUESTIONS if not texts or q.text in texts]
    test = runner.SelfTest(td, cases=[], questions=wanted, disturbing=disturbing)
    for _ in test.steps():
        frame()
    assert test.report["complete"]
    return {row["question"]: row for row in test.report["questions"]}


def test_every_question_is_answered_first_with_what_was_seen_on_every_build(
    build: tuple[str, World],
) -> None:
    import td

    name, world = build
    before = [o.path for o in td.root.findChildren(includeUtility=True)]
    test = runner.SelfTest(td, only=["creating.test_a_taken"], disturbing=True, questions=QUESTIONS)
    for _ in test.steps():
        life.of(world).step()
    section = runner.text(test.report).splitlines()[1:]
    assert section[:3] == ["", "Questions that only TouchDesigner can answer", ""]
    for number, (question, wanted) in enumerate(EXPECTED, 1):
        line, beneath = section[1 + 2 * number : 3 + 2 * number]
        row = test.report["questions"][number - 1]
        if isinstance(wanted, dict):
            wanted = wanted.get(name, wanted["else"])
        assert row["question"] == question and row["number"] == number
        assert row["answer"] in ((wanted,) if isinstance(wanted, str) else wanted), row
        assert row["seen"] and line == f"{number:2}  {row['answer']:9}  {question}  {row['seen']}"
        assert (
            beneath.strip() == f"(fact {', '.join(map(str, row['facts']))}; depends on it: {row['depends']})"
        )
    assert len(test.report["questions"]) == len(EXPECTED)
    assert "tests in" in section[2 * len(EXPECTED) + 4]
    assert [o.path for o in td.root.findChildren(includeUtility=True)] == before
    assert td.root.time.play and world.conflicts == []


def test_every_question_names_facts_what_depends_on_it_and_how_a_person_sees_what_would_disturb() -> None:
    for question in QUESTIONS:
        assert question.text.endswith("?") and question.depends
        assert question.facts and set(question.facts) <= set(FACTS)
        assert question.by_hand or not question.disturbs


def test_with_something_to_undo_nothing_is_asked_that_would_lose_it(
    td: ModuleType, world: World, frame: Callable[[], None]
) -> None:
    noise = td.op("/project1").create(td.noiseTOP)
    for value in (5, 6):
        td.ui.undo.startBlock(f"period {value}")
        noise.par.period = value
        td.ui.undo.endBlock()
    td.ui.undo.undo()
    rows = ask(td, frame)
    assert (td.ui.undo.undoStack, td.ui.undo.redoStack) == (["period 5"], ["period 6"])
    assert rows[EMPTY_BLOCK]["answer"] == "not asked"
    assert rows[EMPTY_BLOCK]["seen"].startswith("it disturbs the undo stack. By hand: move an operator")
    assert [q for q, row in rows.items() if row["answer"] != "not asked" and row["disturbs"]] == []


def test_with_nothing_to_undo_all_but_the_timeline_is_asked_and_nothing_is_left_to_undo(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    rows = ask(td, frame)
    assert [q for q, row in rows.items() if row["answer"] == "not asked"] == [
        ROOT_STORAGE,
        REFRESH_HOOK,
        TIME_FRAME,
    ]
    assert td.ui.undo.undoStack == td.ui.undo.redoStack == []


def test_in_a_pause_the_refresh_hook_is_asked_about_and_the_timeline_stays_paused(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    td.root.time.play = False
    [row] = ask(td, frame, REFRESH_HOOK).values()
    assert row["answer"] == "yes" and not td.root.time.play


def test_who_agrees_gets_every_answer_and_recording_and_timeline_as_they_were(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    td.ui.undo.globalState = False
    rows = ask(td, frame, EMPTY_BLOCK, REFRESH_HOOK, disturbing=True)
    assert [row["answer"] for row in rows.values()] == ["no", "yes"]
    assert td.ui.undo.globalState is False and td.root.time.play


@pytest.mark.parametrize(
    ("found", "answer", "seen"),
    [
        ({}, "not asked", "it takes a save and a new start. By hand: in a new project run"),
        ({"/": "own", "/project1": "own"}, "not asked", "stored; now save, quit TouchDesigner"),
        ({"/": 7, "/project1": 7}, "yes", "/ has 7; /project1 has 7"),
        ({"/project1": 7}, "no", "/ has None; /project1 has 7"),
    ],
)
def test_storage_of_the_root_is_asked_in_two_parts(
    td: ModuleType, frame: Callable[[], None], found: dict[str, Any], answer: str, seen: str
) -> None:
    for path, value in found.items():
        td.op(path).store(STORED, os.getpid() if value == "own" else value)
    [row] = ask(td, frame, ROOT_STORAGE).values()
    assert row["answer"] == answer and row["seen"].startswith(seen)


def test_the_list_for_a_person_has_the_same_line_and_number() -> None:
    page = (Path(__file__).parents[3] / "docs" / "release.md").read_text("utf-8")
    number = [q.text for q in QUESTIONS].index(ROOT_STORAGE) + 1
    assert STORE_LINE in page and page.count(f"uestion {number}") == 2
    numbers = {text: n for n, (text, _) in enumerate(EXPECTED, 1)}
    assert f"redo after all: question {numbers[EMPTY_BLOCK]}." in page
    assert f"and {numbers[REFRESH_HOOK]}." in page


def test_the_line_for_the_textport_stores_in_both_places(td: ModuleType, frame: Callable[[], None]) -> None:
    exec(STORE_LINE, {"op": td.op})  # noqa: S102  It is what a person pastes.
    assert {td.op(path).fetch(STORED, search=False) for path in ("/", "/project1")} == {os.getpid()}


def test_a_question_that_fails_says_so_and_the_others_are_asked(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    broken = QUESTIONS[0]._replace(ask=lambda t: t.td.nothing_of_the_kind)
    test = runner.SelfTest(td, cases=[], questions=[broken, QUESTIONS[-1]])
    for _ in test.steps():
        frame()
    first, second = test.report["questions"]
    assert first["answer"] == "failed" and "nothing_of_the_kind" in first["seen"]
    assert second["answer"] == "yes"
