"""What reads a whole project does so in small steps: no step grows with the project.

Steps are weighed in calls of Python functions, not in milliseconds, so that a busy machine changes nothing;
`tests/benchmarks/slicing.py` has the milliseconds, on 10 000 operators.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from fakes.scenes import large
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.protocol.arguments import parse
from tdmcp_embedded.protocol.runner import run_steps
from tests.unit.tools.harness import Bench, tool

P = "/project1"

#: Function calls in one step: about a millisecond of an idle core, a quarter of the budget.
BOUND = 10_000

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("find_operators", {}),
    ("find_operators", {"param": "period", "value": "4", "fields": ["type", "flags", "inputs", "position"]}),
    ("find_operators", {"text": "nothing like this"}),
    ("find_operators", {"errors_only": True}),
    ("find_operators", {"limit": 1000, "fields": ["type", "tags", "flags", "problems"]}),
    ("check_errors", {}),
    ("read_network", {"path": P, "depth": 3}),
    ("read_network", {"path": P, "depth": 3, "limit": 2000}),
    ("read_network", {"path": P, "depth": 3, "view": "mermaid", "limit": 2000}),
    ("compare_network", {"path": P, "with": P}),
    ("compare_network", {"path": P, "with": "kept"}),
    ("checkpoint", {"action": "save", "path": P, "name": "again"}),
    ("measure_performance", {"frames": 2}),
    ("describe_type", {"type": "glslTOP", "parameters": "all"}),
    ("execute_python", {"code": "1 + 1"}),
]


def weights(bench: Bench, name: str, given: dict[str, Any]) -> Iterator[int]:
    """Function calls of each step of a tool, driven without a queue."""
    row = tool(name)
    steps = run_steps(bench.call(row), row, parse(row, given))
    count = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    while True:
        count = 0
        sys.setprofile(profile)
        try:
            signal = next(steps)
        except StopIteration:
            return
        finally:
            sys.setprofile(None)
            yield count
        if signal is NEXT_FRAME:
            bench.life.step()


@pytest.fixture(scope="module")
def project() -> Iterator[Bench]:
    bench = Bench()
    try:
        large.build(bench.world, 1500)
        bench.frame()
        bench.run("checkpoint", action="save", path=P, name="kept")
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


@pytest.mark.parametrize(("name", "given"), CALLS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CALLS)])
def test_no_step_is_longer_than_a_frames_budget(project: Bench, name: str, given: dict[str, Any]) -> None:
    taken = list(weights(project, name, given))
    assert len(taken) > 3
    assert max(taken) <= BOUND


def test_an_answer_about_a_whole_project_is_below_20_kb_unless_more_is_asked_for(project: Bench) -> None:
    for name, given in CALLS:
        if "limit" in given or given.get("parameters") == "all":
            continue
        answer = project.run(name, **given)
        assert len(answer.model_dump_json(exclude_none=True).encode()) < 20_000, name
        assert len(answer.text().encode()) < 20_000, name
