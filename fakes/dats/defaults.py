"""What new DATs hold: the callbacks of the execute family, and the shader beside a new GLSL TOP."""

from __future__ import annotations

import json
from functools import cache

from fakes import catalogue
from fakes.nodes import Node

#: The keys of a new Ramp TOP: black to white.
KEYS = [["pos", "r", "g", "b", "a"], ["0", "0", "0", "0", "1"], ["1", "1", "1", "1", "1"]]

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


_SCRIPT = _functions("onSetupParameters(scriptOp)", "onPulse(par)", "onCook(scriptOp)")

#: Type of a host -> the text of the callbacks docked to it. Of the others the stand-in has no template.
DOCKED: dict[str, str] = {
    **dict.fromkeys(("scriptTOP", "scriptCHOP", "scriptSOP", "scriptDAT"), _SCRIPT),
    "timerCHOP": _functions(
        "onInitialize(timerOp, callCount)",
        "onReady(timerOp)",
        "onStart(timerOp)",
        "onTimerPulse(timerOp, segment)",
        "whileTimerActive(timerOp, segment, cycle, fraction)",
        "onSegmentEnter(timerOp, segment, interrupt)",
        "onSegmentExit(timerOp, segment, interrupt)",
        "onCycleStart(timerOp, segment, cycle)",
        "onCycle(timerOp, segment, cycle)",
        "onDone(timerOp, segment, interrupt)",
    ),
}


#: The DAT of TouchDesigner's own that holds help on every type (fact 45).
OFFLINE_HELP = "/ui/dialogs/parGrabber/offlineHelp"


@cache
def offline_help() -> str:
    """JSON on every type and parameter of the build. TouchDesigner's own form is not established: this one is ours."""
    types = {
        name: {
            "family": info.family,
            "pars": {
                p.name: {"label": p.label, "page": p.page, "menu": list(p.menu_names)}
                for p in info.pars.values()
            },
        }
        for name, info in catalogue.types().items()
    }
    return json.dumps(types)


def text_for(node: Node) -> str:
    """The text of a Text DAT or callback DAT that nobody has written to."""
    if node.name == "offlineHelp" and node.path == OFFLINE_HELP:
        return offline_help()
    if node.dock is not None and node.dock.type in ("glslTOP", "glslmultiTOP"):
        if node.name.endswith("_pixel"):
            return PIXEL_SHADER
        if node.name.endswith("_compute"):
            return COMPUTE_SHADER
    if node.dock is not None and node.name.endswith("_callbacks"):
        return DOCKED.get(node.dock.type, "")
    return CALLBACKS.get(node.type, "")


def rows_for(node: Node) -> list[list[str]]:
    """The rows of a table that nobody has written to."""
    keys = node.dock is not None and node.dock.type == "rampTOP" and node.name.endswith("_keys")
    return [list(row) for row in KEYS] if keys else []
