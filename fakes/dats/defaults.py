"""What new DATs hold: the callbacks of the execute family, and the shader beside a new GLSL TOP."""

from __future__ import annotations

from fakes.nodes import Node

PIXEL_SHADER = """// Example Pixel Shader

// uniform float exampleUniform;

out vec4 fragColor;
void main()
{
\t// vec4 color = texture(sTD2DInputs[0], vUV.st);
\tvec4 color = vec4(1.0);
\tfragColor = TDOutputSwizzle(color);
}
"""

COMPUTE_SHADER = """// Example Compute Shader

// uniform float exampleUniform;

layout (local_size_x = 8, local_size_y = 8) in;
void main()
{
\tvec4 color;
\t//color = texelFetch(sTD2DInputs[0], ivec2(gl_GlobalInvocationID.xy), 0);
\tcolor = vec4(1.0);
\timageStore(mTDComputeOutputs[0], ivec2(gl_GlobalInvocationID.xy), TDOutputSwizzle(color));
}
"""


def _functions(*signatures: str) -> str:
    return "# me - this DAT\n\n" + "\n".join(f"def {signature}:\n\treturn\n" for signature in signatures)


# Names and arguments as the documentation of each operator gives them; the comments TD adds are left out.
CALLBACKS: dict[str, str] = {
    "executeDAT": _functions(
        "onStart()",
        "onCreate()",
        "onExit()",
        "onFrameStart(frame)",
        "onFrameEnd(frame)",
        "onPlayStateChange(state)",
        "onDeviceChange()",
        "onProjectPreSave()",
        "onProjectPostSave()",
    ),
    "chopexecuteDAT": _functions(
        "onOffToOn(channel, sampleIndex, val, prev)",
        "whileOn(channel, sampleIndex, val, prev)",
        "onOnToOff(channel, sampleIndex, val, prev)",
        "whileOff(channel, sampleIndex, val, prev)",
        "onValueChange(channel, sampleIndex, val, prev)",
    ),
    "datexecuteDAT": _functions(
        "onTableChange(dat, prevDAT, info)",
        "onRowChange(dat, rows)",
        "onColChange(dat, cols)",
        "onCellChange(dat, cells, prev)",
        "onSizeChange(dat)",
    ),
    "opexecuteDAT": _functions(
        "onPreCook(changeOp)",
        "onPostCook(changeOp)",
        "onDestroy()",
        "onFlagChange(changeOp, flag)",
        "onWireChange(changeOp)",
        "onNameChange(changeOp)",
        "onPathChange(changeOp)",
        "onUIChange(changeOp)",
        "onNumChildrenChange(changeOp)",
        "onChildRename(changeOp)",
        "onCurrentChildChange(changeOp)",
        "onExtensionChange(changeOp, extension)",
    ),
    "panelexecuteDAT": _functions(
        "onOffToOn(panelValue)",
        "whileOn(panelValue)",
        "onOnToOff(panelValue)",
        "whileOff(panelValue)",
        "onValueChange(panelValue, prev)",
    ),
    "parameterexecuteDAT": _functions(
        "onValueChange(par, prev)",
        "onValuesChanged(changes)",
        "onPulse(par)",
        "onExpressionChange(par, val, prev)",
        "onExportChange(par, val, prev)",
        "onEnableChange(par, val, prev)",
        "onModeChange(par, val, prev)",
    ),
    "pargroupexecuteDAT": "",
}


def text_for(node: Node) -> str:
    """The text of a Text DAT or callback DAT that nobody has written to."""
    if node.dock is not None and node.dock.type == "glslTOP":
        if node.name.endswith("_pixel"):
            return PIXEL_SHADER
        if node.name.endswith("_compute"):
            return COMPUTE_SHADER
    return CALLBACKS.get(node.type, "")
