"""The network as the viewer draws it: what is wrong is told with what it is about."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.tools.tool import at_once
from tdmcp_embedded.touchdesigner import drawing
from tests.unit.tools.harness import Bench


def problems_of(bench: Bench, name: str) -> str:
    drawn: Any = at_once(drawing.draw(bench.td, "/project1"))
    [row] = [each for each in drawn["operators"] if each["name"] == name]
    return "\n".join(each["message"] for each in row["problems"])


def test_a_failing_expression_is_shown_with_its_parameter(bench: Bench) -> None:
    level = bench.make("levelTOP", "l")
    level.par.opacity.expr = "op('no')['x']"
    level.cook(force=True)
    bench.frame(2)
    assert "/project1/l opacity: op('no')['x']" in problems_of(bench, "l")


def test_a_failing_shader_is_shown_with_the_line_of_its_dat(bench: Bench) -> None:
    glsl = bench.make("glslTOP", "g")
    bench.op("/project1/g_pixel").text = "out vec4 c;\nvoid main() { c = vec4(nothing); }\n"
    for _ in range(3):
        glsl.cook(force=True)
        bench.frame()
    assert "/project1/g_pixel:2: void main() { c = vec4(nothing); }" in problems_of(bench, "g")
