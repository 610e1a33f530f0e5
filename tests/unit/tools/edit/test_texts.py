"""Some clients show the model only the text, others only the structure: every edit's text says what its structure says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.tools.harness import Bench

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("create_operator", {"parent": "/project1", "type": "glslTOP", "name": "g", "params": {"resolutionw": {"expr": "64"}}, "inputs": ["n"]}),
    ("build_network", {"path": "/project1", "operators": [{"name": "b", "type": "blurTOP", "inputs": ["n"], "params": {"size": {"expr": "3"}}}]}),
    ("set_parameters", {"changes": [{"path": "/project1/n", "params": {"harmon": 3.5, "tx": {"expr": "nope"}, "perod": 1}}], "partial": True}),
    ("wire_operators", {"connect": [{"from": "/project1/n", "to": "/project1/level"}]}),
    ("delete_operators", {"paths": ["/project1/m"]}),
    ("update_operator", {"path": "/project1/level", "name": "l", "position": [70, 80], "flags": {"viewer": True}}),
    ("copy_operators", {"paths": ["/project1/level"]}),
    ("write_data", {"path": "/project1/t", "text": "words"}),
    ("arrange_network", {"path": "/project1"}),
    ("define_parameters", {"path": "/project1/base", "pages": [{"name": "P", "parameters": [{"name": "Speed", "style": "Float", "default": 2}]}]}),
    ("control_timeline", {"action": "set", "frame": 20}),
    ("checkpoint", {"action": "save", "path": "/project1/base", "name": "first"}),
    ("execute_python", {"code": "print('said')\nop('/project1').create(nullTOP, 'made')\nop('/project1/m').destroy()\n42"}),
    ("batch", {"calls": [{"tool": "create_operator", "arguments": {"parent": "/project1", "type": "nullTOP", "name": "q"}}]}),
]  # fmt: skip


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    elif value is not None and not isinstance(value, bool):
        yield key, value


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_the_text_says_what_the_structure_says(bench: Bench, name: str, arguments: dict[str, Any]) -> None:
    noise, m, level = (
        bench.make("noiseTOP", "n"),
        bench.make("noiseTOP", "m"),
        bench.make("levelTOP", "level"),
    )
    bench.wire(m, level)
    assert noise is not None
    bench.make("textDAT", "t")
    bench.make("baseCOMP", "base")
    output = bench.run(name, **arguments)
    text = output.text()
    for key, value in leaves(output.structured()):
        if key in ("code", "parameter"):
            continue  # the sentence that goes with them names both
        said = f"{value:g}" if isinstance(value, float) else str(value)
        assert said in text or said.splitlines()[0] in text, (key, value, text)


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_default_answers_are_small(bench: Bench, name: str, arguments: dict[str, Any]) -> None:
    for kind, other in (
        ("noiseTOP", "n"),
        ("noiseTOP", "m"),
        ("levelTOP", "level"),
        ("textDAT", "t"),
        ("baseCOMP", "base"),
    ):
        bench.make(kind, other)
    assert len(bench.run(name, **arguments).text()) < 2000
