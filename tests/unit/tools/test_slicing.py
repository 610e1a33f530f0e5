"""What reads a whole project offers the frame back every few operators, whatever the size of the project.

Counted in offers, not in milliseconds, so that a busy machine changes nothing; `tests/benchmarks/slicing.py` has the
milliseconds, on 10 000 operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fakes.scenes import large
from tests.unit.tools.harness import Bench

P = "/project1"
OPERATORS = 1500

#: Operators between two offers, at most: of the cheapest kind of look, a fraction of a millisecond.
STRIDE = 20

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
    ("checkpoint", {"action": "restore", "path": P, "name": "kept"}),
    ("measure_performance", {"frames": 2}),
    ("describe_type", {"type": "glslTOP", "parameters": "all"}),
    ("execute_python", {"code": "op('/' + 'project1').create(nullTOP, 'made').destroy()"}),
]


@pytest.fixture(scope="module")
def project() -> Iterator[Bench]:
    bench = Bench()
    try:
        large.build(bench.world, OPERATORS)
        bench.frame()
        bench.run("checkpoint", action="save", path=P, name="kept")
        yield bench
        assert bench.world.conflicts == []
    finally:
        bench.close()


WHOLE = [
    (name, given)
    for name, given in CALLS
    if name != "describe_type" and "depth" not in given or "limit" in given
]


@pytest.mark.parametrize(("name", "given"), WHOLE, ids=[f"{name}-{i}" for i, (name, _) in enumerate(WHOLE)])
def test_a_look_at_the_whole_project_is_taken_in_small_steps(
    project: Bench, name: str, given: dict[str, Any]
) -> None:
    # Listing names and ids is cheaper still.
    stride = 2 * STRIDE if name == "execute_python" else STRIDE
    assert len(project.steps(name, **given)) >= OPERATORS / stride


def test_an_answer_about_a_whole_project_is_below_20_kb_unless_more_is_asked_for(project: Bench) -> None:
    for name, given in CALLS:
        if "limit" in given or given.get("parameters") == "all":
            continue
        answer = project.run(name, **given)
        assert len(answer.model_dump_json(exclude_none=True).encode()) < 20_000, name
        assert len(answer.text().encode()) < 20_000, name
