"""Every argument of every observing tool changes the answer: none is decoration."""

from __future__ import annotations

from typing import Any

import pytest

from fakes.scenes import demo
from tdmcp_embedded.errors import ToolFailure
from tests.unit.tools.harness import Bench, tool

P = "/project1"
WATCH = [{"path": "/project1/noise1", "param": "tz"}]
SPEED = [{"path": "/project1/controls", "param": "Speed"}]

#: tool, arguments it is called with first, and each argument with another value.
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
        {"path": "/project1/notes", "start": 1, "limit": 2, "names": ["name"], "cursor": "AA=="},
    ),
    "capture_image": (
        {"path": "/project1/circle1"},
        {"path": "/project1/controls/circle1", "max_size": 64, "wait_frames": 5, "format": "jpeg", "frames": 4},
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


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, (_, others) in CASES.items() for argument in others]
)
def test_an_argument_has_an_effect(name: str, argument: str) -> None:
    first, others = CASES[name]
    assert outcome(name, first) != outcome(name, first | {argument: others[argument]})


def test_the_remaining_arguments_have_an_effect() -> None:
    # These need another first call to show; get_job's cancel a running job (test_status), compare_network's depth two
    # networks that differ inside (test_comparing).
    pixels = {"path": "/project1/circle1"}
    assert outcome("read_data", pixels) != outcome("read_data", pixels | {"grid": 2})
    moments = {"path": "/project1/noise1", "frames": 2}
    assert outcome("capture_image", moments) != outcome("capture_image", moments | {"every": 50})


def test_no_argument_is_forgotten_here() -> None:
    elsewhere = {
        ("get_job", "cancel"),
        ("compare_network", "depth"),
        ("read_data", "grid"),
        ("capture_image", "every"),
    }
    for name, (first, others) in CASES.items():
        fields = {field.alias or key for key, field in tool(name).arguments.model_fields.items()}
        assert fields - set(others) == {argument for owner, argument in elsewhere if owner == name}, name
        assert set(first) <= fields
