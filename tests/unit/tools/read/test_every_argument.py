"""Every argument of every observing tool changes the answer: none is decoration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fakes.scenes import demo
from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.tools.table import TABLE
from tdmcp_embedded.tools.tool import Effect
from tests.unit.tools.harness import Bench, tool
from tests.unit.tools.read import test_status

P = "/project1"
WATCH = [{"path": "/project1/noise1", "param": "tz"}]
SPEED = [{"path": "/project1/controls", "param": "Speed"}]

INSIDE = {
    "operators": [{"name": "controls", "type": "baseCOMP", "children": [{"name": "x", "type": "nullTOP"}]}]
}

#: tool, arguments it is called with first, and each argument with another value (and what must go along to show it).
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "find_operators": (
        {"path": P},
        {
            "path": "/project1/controls", "name": "n*", "type": "nullTOP", "family": "DAT", "tag": "x", "flag": "viewer",
            "text": "cues", "param": "period", "value": "4", "errors_only": True, "depth": 1, "fields": ["name"],
            "limit": 2, "cursor": "AA==",
        },
    ),
    "inspect_operator": ({"paths": ["/project1/noise1"]}, {"paths": ["/project1/null1"], "parameters": "all"}),
    "read_network": (
        {"path": P}, {"path": "/project1/controls", "depth": 2, "view": "outline", "limit": 3, "cursor": "AA=="},
    ),
    "read_data": (
        {"path": "/project1/cues"},
        {
            "path": "/project1/notes", "start": 1, "limit": 2, "names": ["name"], "cursor": "AA==",
            "grid": ({"path": "/project1/circle1"}, 2),
        },
    ),
    "capture_image": (
        {"path": "/project1/circle1"},
        {
            "path": "/project1/controls/circle1", "max_size": 64, "wait_frames": 5, "format": "jpeg", "frames": 4,
            "every": ({"path": "/project1/noise1", "frames": 2}, 50),
        },
    ),
    "check_errors": ({"path": P}, {"path": "/project1/noise1", "depth": 1, "limit": 1, "cursor": "AA=="}),
    "get_job": ({"job": "none"}, {"job": "other"}),
    "measure_performance": (
        {"frames": 3, "path": "/project1/controls"}, {"frames": 4, "path": P, "slowest": 0},
    ),
    "watch_values": ({"watch": WATCH, "frames": 6}, {"watch": SPEED, "frames": 3, "every": 2}),
    "describe_type": ({"type": "noiseTOP"}, {"type": "levelTOP", "parameters": "t?"}),
    "get_selection": ({}, {"show": "/project1/controls/circle1"}),
    "compare_network": (
        {"path": P, "with": "/project1/controls"},
        {
            "path": "/project1/geo1", "with": {"operators": []}, "layout": False, "limit": 2, "cursor": "AA==",
            "depth": ({"with": INSIDE}, 1),
        },
    ),
}  # fmt: skip


def outcome(name: str, asked: dict[str, Any]) -> str:
    """What a call gives in a project of its own, answer or refusal."""
    bench = Bench()
    try:
        demo.build(bench.world)
        for path in ("/project1/blur1", "/project1/level1", "/project1/controls/circle1"):
            bench.op(path).par.resolutionw.expr = f"missing_in_{path[-3:]}"
            bench.op(path).cook(force=True)
        bench.make("baseCOMP", "deep", parent="/project1/controls")
        bench.frame(3)
        answer = bench.run(name, **asked)
        return answer.text() + "".join(str(picture.data) for picture in answer.pictures)
    except ToolFailure as refusal:
        return refusal.text()
    finally:
        bench.close()


#: Arguments that need a job at work to show, by the test that shows it.
ELSEWHERE: dict[tuple[str, str], Callable[..., None]] = {
    ("get_job", "cancel"): test_status.test_a_running_job_is_cancelled_at_its_next_step,
}


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, (_, others) in CASES.items() for argument in others]
)
def test_an_argument_has_an_effect(name: str, argument: str) -> None:
    first, others = CASES[name]
    value = others[argument]
    if isinstance(value, tuple):
        besides, value = value
        first = first | besides
    assert outcome(name, first) != outcome(name, first | {argument: value})


def test_no_argument_and_no_tool_is_forgotten_here() -> None:
    looking = {row.name for row in TABLE.values() if row.effect is Effect.READ and row.arguments.model_fields}
    assert set(CASES) == looking
    for name, (first, others) in CASES.items():
        fields = {field.alias or key for key, field in tool(name).arguments.model_fields.items()}
        assert fields - set(others) == {argument for owner, argument in ELSEWHERE if owner == name}, name
        assert set(first) <= fields
