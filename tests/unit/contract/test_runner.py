"""The runner that takes the contract tests into TouchDesigner: what it runs, what it reports, what it leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from fakes import coercion
from tests.contract import runner
from tests.contract.facts import disturbs, fact


def case(function: Callable[..., Any]) -> runner.Case:
    module = ModuleType("tests.contract.test_samples")
    setattr(module, function.__name__, function)
    [found] = runner.collect([module])
    return found


def run(td: ModuleType, frame: Callable[[], None], *functions: Any, **options: Any) -> dict[str, Any]:
    """The report of a run of these tests."""
    test = runner.SelfTest(td, cases=[case(f) for f in functions], **options)
    for _ in test.steps():
        frame()
    return test.report


def test_every_contract_test_is_found_with_its_facts() -> None:
    found = {f"{c.module}.{c.name}": c for c in runner.collect()}
    assert len(found) > 280
    assert found["frames.test_abs_time_stands_still_within_a_callback"].facts == (10,)
    assert found["timeline.test_the_timeline_stands_still_while_paused_and_goes_on_from_there"].disturbs


def test_a_part_of_the_real_tests_holds_and_nothing_is_left_in_the_project(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    before = [o.path for o in td.root.findChildren(includeUtility=True)]
    test = runner.SelfTest(td, only=["creating", "execute"])
    for _ in test.steps():
        frame()
    totals = test.report["totals"]
    assert totals["holds"] > 30 and totals["differs"] == totals["not faked"] == 0
    assert totals["left out"] == 1, "only the one that stops the timeline"
    assert test.report["complete"]
    assert [o.path for o in td.root.findChildren(includeUtility=True)] == before


def test_a_build_that_behaves_otherwise_is_told_with_the_fact_the_place_and_the_values(
    td: ModuleType, frame: Callable[[], None], monkeypatch: Any
) -> None:
    def raising(given: Any, info: Any) -> str:
        if given not in info.menu_names:
            raise td.tdError("no such word")
        return str(given)

    monkeypatch.setattr(coercion, "_menu_word", raising)
    test = runner.SelfTest(td, only=["unknown_menu_word"])
    for _ in test.steps():
        frame()
    [row] = test.report["tests"]
    assert (row["outcome"], row["message"]) == ("differs", "tdError: no such word")
    assert test.report["facts"]["23"] == "differs"
    told = runner.text(test.report)
    assert "Facts that differ here: 23" in told
    assert "DIFFERS  parameters: an unknown menu word silently becomes the first entry  (fact 23)" in told
    assert any(place.startswith("test_parameters.py:") for place in row["places"])


def test_what_the_stand_in_refuses_is_no_difference(td: ModuleType, frame: Callable[[], None]) -> None:
    @fact(45)
    def test_asks(t: Any) -> None:
        t.td.passive  # noqa: B018  Asking is the point.

    report = run(td, frame, test_asks)
    assert report["totals"] == {"holds": 0, "differs": 0, "not faked": 1, "left out": 0}
    assert report["facts"]["45"] == "not faked"


def test_a_test_that_waits_for_ever_is_ended(td: ModuleType, frame: Callable[[], None]) -> None:
    def test_waits(t: Any) -> Iterator[None]:
        while True:
            yield

    [row] = run(td, frame, test_waits)["tests"]
    assert row["message"] == f"AssertionError: not done after {runner.FRAMES} frames"


def test_what_moves_the_users_things_runs_only_when_asked(td: ModuleType, frame: Callable[[], None]) -> None:
    ran = []

    @disturbs("the timeline")
    def test_moves(t: Any) -> None:
        ran.append(True)

    assert run(td, frame, test_moves)["totals"]["left out"] == 1
    assert not ran
    assert run(td, frame, test_moves, disturbing=True)["totals"]["holds"] == 1


def test_an_error_that_is_no_exception_ends_one_test_and_not_the_run(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    def test_first(t: Any) -> None:
        raise SystemExit("what no `except Exception` catches")

    def test_second(t: Any) -> None:
        pass

    assert [r["outcome"] for r in run(td, frame, test_first, test_second)["tests"]] == ["differs", "holds"]


def test_a_run_that_is_broken_off_cleans_up_and_says_so(td: ModuleType, frame: Callable[[], None]) -> None:
    def test_long(t: Any) -> Iterator[None]:
        yield
        yield

    def test_never(t: Any) -> None:
        raise AssertionError("not reached")

    test = runner.SelfTest(td, cases=[case(test_long), case(test_never)])
    steps = test.steps()
    next(steps)
    frame()
    steps.close()
    assert not test.report["complete"]
    assert "broken off" in runner.text(test.report)
    assert td.op("/project1").children == []


def test_it_drives_itself_also_while_the_timeline_is_paused(
    td: ModuleType, frame: Callable[[], None]
) -> None:
    reports: list[dict[str, Any]] = []
    td.root.time.play = False
    test = runner.start(td, reports.append)
    test._cases = [c for c in test._cases if c.module == "finding" and not c.disturbs]
    for _ in range(200):
        if reports:
            break
        frame()
    [report] = reports
    assert report["totals"]["holds"] == len(report["tests"]) > 10


def test_the_report_is_saved_as_json_and_as_text_and_names_no_folder(
    td: ModuleType, frame: Callable[[], None], tmp_path: Path
) -> None:
    def test_fails(t: Any) -> None:
        here = 3
        assert here == 4

    report = run(td, frame, test_fails)
    data, readable = runner.save(report, tmp_path)
    assert json.loads(data.read_text("utf-8")) == json.loads(json.dumps(report))
    assert "1 tests" in readable.read_text("utf-8")
    assert str(Path.home()) not in data.read_text("utf-8")
    assert report["host"]["build"] == td.app.build
