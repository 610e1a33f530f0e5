"""What is told of a shader without a compiler, and that a compiler is used where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fakes.dats.defaults import PIXEL_SHADER
from fakes.tops import shader_check
from fakes.tops.glsl import result_text

MANY = """uniform float uTime, uAmp;
uniform vec4 uColor;
layout(location = 0) out vec4 color;
#define TWO_PI 6.28318
#define SQUARE(a) ((a) * (a))
struct Ray { vec3 origin; vec3 way; };
float wave(vec2 p, float k)
{
    float a = 1.0, b = k * TWO_PI; // a comment with 'quotes'
    for (int i = 0; i < 3; i++) { a += sin(p.x * b); }
    if (a > 1.) return SQUARE(a);
    b += 1.0;
    return b;
}
void main()
{
    float xs[3];
    float[2] ys;
    Ray ray;
    ray.origin = vec3(0.);
    xs[0] = wave(vUV.st, uTime);
    color = TDOutputSwizzle(vec4(xs[0], uAmp, ray.origin.x, 1.) * uColor);
}
"""


@pytest.mark.parametrize("source", [PIXEL_SHADER, MANY])
def test_a_good_shader_raises_no_suspicion(source: str) -> None:
    assert shader_check.structural(source, "/s") == ()


@pytest.mark.parametrize(
    ("broken", "line", "said"),
    [
        ("out vec4 c;\nvoid main(){\n c = vec4(foo);\n}", 3, "'foo' : undeclared identifier"),
        ("out vec4 c;\nvoid main(){\n vec4 d = vec4(1.)\n c = d;\n}", 4, "syntax error"),
        ("out vec4 c;\nvoid main(){\n c = vec4(1.;\n}", 4, "unexpected RIGHT_BRACE"),
        ("out vec4 c;\nvoid main(){\n c = vec4(1.);\n", 3, "unexpected end of file"),
        ("out vec4 c;\nvoid main(){\n float x = 2.0 3.0;\n}", 3, "syntax error"),
        ("out vec4 c;\nvoid main(){\n if (true) { c = vec4(1.); }\n wrong = 1.0;\n}", 4, "'wrong'"),
        ("out vec4 c;\nfloat f() { return 1.0; }\n", 2, "entry point"),
        ("void main(){ }", 1, "no output"),
    ],
)
def test_a_broken_shader_is_told_by_line(broken: str, line: int, said: str) -> None:
    first, last = shader_check.structural(broken, "/p/shader")
    assert first.startswith(f"ERROR: /p/shader:{line}: ")
    assert said in first
    assert last == "ERROR: 1 compilation errors.  No code generated."


def test_results_have_the_form_reported_from_touchdesigner() -> None:
    assert result_text(()) == (
        "Vertex Shader Compile Results:\n\nCompiled Successfully\n\n"
        "=============\nPixel Shader Compile Results:\n\nCompiled Successfully\n"
    )
    failed = result_text(("ERROR: /s:2: 'x' : undeclared identifier ", "ERROR: 1 compilation errors."))
    assert failed.endswith(
        "Pixel Shader Compile Results:\nERROR: /s:2: 'x' : undeclared identifier \nERROR: 1 compilation errors.\n"
    )


def test_a_compiler_among_the_packages_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        tmp_path
        / "cmeel.prefix"
        / "bin"
        / ("glslangValidator.exe" if os.name == "nt" else "glslangValidator")
    )
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert shader_check.compiler.__wrapped__() == (str(program), str(tmp_path / "cmeel.prefix" / "lib"))


def test_a_compiler_that_is_installed_has_the_say(monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        "stdin\nERROR: 0:7: 'assign' : cannot convert\n"
        "ERROR: 0:7: '' : compilation terminated \nERROR: 2 compilation errors.  No code generated.\n"
    )
    given: list[str] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        given.append(options["input"])
        return subprocess.CompletedProcess(command, 2, said, "")

    monkeypatch.setattr(shader_check, "compiler", lambda: ("compiler", ""))
    monkeypatch.setattr(subprocess, "run", run)
    shader_check.errors.cache_clear()
    try:
        assert shader_check.errors("void main() { }", "/p/s") == (
            "ERROR: /p/s:7: 'assign' : cannot convert",
            "ERROR: 1 compilation errors.  No code generated.",
        )
        assert given[0].endswith("#line 1\nvoid main() { }")
    finally:
        shader_check.errors.cache_clear()
