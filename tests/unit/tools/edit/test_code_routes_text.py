"""What counts as code in a DAT: what Python would do with the text, not what the DAT is for."""

from __future__ import annotations

import pytest

from tdmcp_embedded.touchdesigner.code_routes import is_executor
from tdmcp_embedded.touchdesigner.code_text import is_code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello world, this is a note.",
        "clip.mov",
        "42",
        '{"a": [1, 2.5, true, null], "b": "x"}',
        "name\tspeed\nleft\t2\nright\t-3",
        "out vec4 fragColor;\nvoid main() { fragColor = TDOutputSwizzle(vec4(1.0)); }",
        "# only a comment",
        "こんにちは",
    ],
)
def test_prose_data_and_shaders_are_no_code(text: str) -> None:
    assert not is_code(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "print('x')",
        "x = 3",
        "def onStart():\n    return",
        "class A: pass",
        "[f() for f in x]",
        "lambda: 0",
        "f'{a}'",
        "(x := 3)",
        "del op",
        "@x\ndef f(): pass",
        "a[0]",
        "while 1: pass",
        "await x",
        # A coding cookie makes Python read another text than the one that is checked.
        "# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAbwBz-",
        "\n# -*- coding: utf-7 -*-\n1",
    ],
)
def test_anything_python_would_act_on_is_code(text: str) -> None:
    assert is_code(text)


def test_a_text_too_nested_to_parse_counts_as_code() -> None:
    assert is_code("(" * 5000 + ")" * 5000) or is_code("-" * 100_000 + "1")


def test_large_json_is_told_apart_without_parsing_it_as_python() -> None:
    assert not is_code("[" + ",".join(["1"] * 60_000) + "]")


@pytest.mark.parametrize(
    "name", ["executeDAT", "parameterexecuteDAT", "scriptTOP", "cplusplusCHOP", "webserverDAT", "evaluateDAT"]
)
def test_types_that_run_code_are_known(name: str) -> None:
    assert is_executor(name)


@pytest.mark.parametrize(
    "name", ["noiseTOP", "textDAT", "tableDAT", "glslTOP", "baseCOMP", "timerCHOP", "constantCHOP"]
)
def test_ordinary_types_are_not(name: str) -> None:
    assert not is_executor(name)
