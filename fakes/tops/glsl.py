"""The GLSL TOP: its shader is checked, not run (facts 34 and 41)."""

from __future__ import annotations

from fakes.cooking import CookContext, cooks
from fakes.dats.content import DatContent
from fakes.dats.defaults import PIXEL_SHADER
from fakes.errors import NotFaked
from fakes.memory import recall
from fakes.nodes import Node

from . import page, shader_check
from .generators import blank
from .image import Image, fill
from .placeholders import placeholder

_FINE = "Compiled Successfully\n"

#: What an operator shows of a shader that fails (fact 75); what is wrong is in the Info DAT only.
COMPILE_WARNING = "The GLSL Shader has compile errors (Use Info DAT to see details)."


class _Result:
    """What the last compilation said."""

    __slots__ = ("text",)

    def __init__(self) -> None:
        self.text = ""


@cooks("glslTOP", "glslmultiTOP")
def glsl(node: Node, ctx: CookContext) -> Image:
    """White for the shader that a new GLSL TOP has; a placeholder for any other that compiles.

    A shader that fails passes the input through with a warning on the operator (facts 41 and 75): what is wrong is in
    `compileResult` and the Info DAT alone.
    """
    source = page.first(ctx)
    size = page.output_size(node, ctx, (source.width, source.height) if source else None)
    pixel = node.value("pixeldat")
    if node.value("mode") != "vertexpixel" or isinstance(node.value("vertexdat"), Node):
        raise NotFaked("a glslTOP with a vertex or compute shader")
    text, where = _text_of(pixel), pixel.path if isinstance(pixel, Node) else node.path
    wrong = shader_check.errors(text, where)
    recall(node, _Result).text = result_text(wrong)
    if wrong:
        ctx.warning(COMPILE_WARNING)
        return page.finish(node, page.fitted(source, size, node), source) if source else blank(node, ctx)
    if text == PIXEL_SHADER:
        return page.finish(node, fill(*size, (1, 1, 1, 1)), source)
    return placeholder(node, ctx)


def _text_of(dat: object) -> str:
    """The shader that the DAT shows now, which trails its text by one cook (fact 11)."""
    data = dat.data() if isinstance(dat, Node) else None
    return data.text if isinstance(data, DatContent) else PIXEL_SHADER


def result_text(wrong: tuple[str, ...]) -> str:
    """`compileResult`, in the form reported from build 2025.32460."""
    body = "\n".join(wrong) + "\n" if wrong else "\n" + _FINE
    return f"Vertex Shader Compile Results:\n\n{_FINE}\n=============\nPixel Shader Compile Results:\n{body}"


def compile_result(node: Node) -> str:
    """The result of the latest compilation, which asking brings about."""
    node.data()
    return recall(node, _Result).text
