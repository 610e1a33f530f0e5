"""Some clients show the model only the structure, others only the text: each says what the other says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fakes.scenes import demo
from tests.unit.tools.harness import Bench

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_status", {}),
    (
        "find_operators",
        {"path": "/project1", "fields": ["type", "family", "tags", "flags", "inputs", "position", "size"]},
    ),
    ("find_operators", {"path": "/project1", "param": "t?", "value": "*"}),
    ("inspect_operator", {"paths": ["/project1/noise1", "/project1/controls", "/project1/comp1"]}),
    ("inspect_operator", {"paths": ["/project1/noise1"], "parameters": "all"}),
    ("read_network", {"path": "/project1", "depth": 3}),
    ("read_network", {"path": "/project1", "view": "outline"}),
    ("read_network", {"path": "/project1", "view": "mermaid"}),
    ("read_data", {"path": "/project1/notes"}),
    ("read_data", {"path": "/project1/cues"}),
    ("read_data", {"path": "/project1/lfo1"}),
    ("read_data", {"path": "/project1/circle1", "grid": 2}),
    ("check_errors", {"path": "/project1"}),
    ("capture_image", {"path": "/project1/circle1"}),
    ("measure_performance", {"frames": 3, "path": "/project1/controls"}),
    ("watch_values", {"watch": [{"path": "/project1/noise1", "param": "tz"}], "frames": 3}),
    ("describe_type", {"type": "noiseTOP", "parameters": "t? type"}),
    ("describe_type", {"type": "Par"}),
    ("get_selection", {}),
    ("compare_network", {"path": "/project1", "with": "/project1/controls"}),
]

#: Where the text says it in words of its own.
IN_OTHER_WORDS = {"as_of", "equal", "ok", "checked", "perform_mode", "kind", "view", "returned", "total"}


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    else:
        yield key, value


@pytest.mark.parametrize(("name", "asked"), CALLS)
def test_every_fact_of_the_structure_is_in_the_text(bench: Bench, name: str, asked: dict[str, Any]) -> None:
    demo.build(bench.world)
    bench.op("/project1/blur1").par.size.expr = "1/0"
    bench.op("/project1/blur1").cook(force=True)
    bench.frame(3)
    answer = bench.run(name, **asked)
    text = answer.text()
    for key, value in leaves(answer.structured()):
        if key in IN_OTHER_WORDS or isinstance(value, bool):
            continue
        said = [json.dumps(value, ensure_ascii=False), str(value)]
        if isinstance(value, float):
            said += [f"{value:g}"]
        if isinstance(value, str) and "\n" in value:
            assert all(line.strip() in text for line in value.splitlines()), (key, value)
            continue
        assert any(form in text for form in said), (key, value)


@pytest.mark.parametrize(("name", "asked"), CALLS)
def test_a_default_answer_on_a_small_project_is_small_and_strict_json(
    bench: Bench, name: str, asked: dict[str, Any]
) -> None:
    demo.build(bench.world)
    bench.frame(2)
    answer = bench.run(name, **asked)
    structured = json.dumps(answer.structured(), allow_nan=False)
    assert len(structured.encode()) + len(answer.text().encode()) < 20_000
    assert "{\n" not in answer.text()
