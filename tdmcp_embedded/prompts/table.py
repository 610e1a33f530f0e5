"""The table of prompts: what each asks for, what it must know, and what it looks up in the project first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Argument:
    """One argument of a prompt. `completes` is what completions offer for it: path, type, parameter or value; or `words`."""

    name: str
    description: str
    required: bool = False
    completes: str = ""
    family: str = ""
    words: tuple[str, ...] = ()
    default: str = ""


@dataclass(frozen=True)
class Look:
    """A tool whose answer goes into the prompt. Texts among `arguments` may hold `{argument}` of the prompt."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class PromptRow:
    """One prompt: `text` is what the agent is asked, with `{argument}`; the looks come after it, under their names."""

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[Argument, ...] = ()
    looks: tuple[Look, ...] = field(default=())


_NETWORK = Argument(
    "path", "The COMP whose network it is about.", completes="path", family="COMP", default="/project1"
)
_TIDY = "When you are done, capture_image the result and say what you see, run check_errors, and say what you changed."

_ROWS = [
    PromptRow(
        "build_from_description",
        "Build from a description",
        "Build a network that does what you describe.",
        "Build this in {path}: {description}\n\n"
        "Plan the operators first (describe_type where you are not sure of a type's parameters; the recipes under "
        "td://recipe may be a start), then make them with one build_network call. Leave what is there as it is. "
        "Let the result end in a null. " + _TIDY,
        (Argument("description", "What it should do or look like.", required=True), _NETWORK),
        (Look("read_network", {"path": "{path}", "view": "outline"}),),
    ),
    PromptRow(
        "fix_errors",
        "Find and fix errors",
        "Find what is broken below a network and mend it.",
        "Find and mend what is broken below {path}. Begin with the errors below; inspect_operator and read_data show "
        "the operators they name. Mend causes, not symptoms: an operator often only passes on the error of an input. "
        "Change as little as you can, one repair at a time, and look after each whether the error is gone. Where the "
        "right repair is a matter of taste or a file is missing, ask.",
        (_NETWORK,),
        (Look("check_errors", {"path": "{path}"}),),
    ),
    PromptRow(
        "make_faster",
        "Make it faster",
        "Find out what costs frame time and reduce it.",
        "Make {path} faster without changing what it shows. Begin with the figures below; operators that cook every "
        "frame though nothing they depend on changes are the first suspects, then large resolutions, then readbacks "
        "from the graphics card (TOP to CHOP, pixel reads), then Python in per-frame callbacks. Save a checkpoint, "
        "change one thing, measure_performance again, and keep only what helps. Say before and after in milliseconds.",
        (_NETWORK,),
        (Look("measure_performance", {"path": "{path}", "frames": 30}),),
    ),
    PromptRow(
        "explain_network",
        "Explain this network",
        "Explain what a network does and how.",
        "Explain {path} to somebody who knows TouchDesigner but not this project: what goes in, what comes out, what "
        "happens between, which parameters are worth playing with, and what is odd. Follow the wires; look into "
        "nested COMPs and DATs where they matter. Change nothing.",
        (_NETWORK,),
        (Look("read_network", {"path": "{path}", "view": "outline", "depth": 2}),),
    ),
    PromptRow(
        "port_shader",
        "Port a shader",
        "Bring a shader from elsewhere into a GLSL TOP.",
        "Port the {language} shader below into a GLSL TOP in {path}. TouchDesigner's pixel shaders declare "
        "`out vec4 fragColor;` and write through TDOutputSwizzle(); inputs are sTD2DInputs[], texture coordinates "
        "vUV.st, the resolution uTDOutputInfo.res.zw; time and other uniforms are given on the GLSL TOP's pages. Put "
        "the code into the docked pixel DAT with write_data, then check_errors (it reads the compiler's messages) and "
        "mend until it compiles. Turn its constants into uniforms that a person can play with. " + _TIDY
        + "\n\n{shader}",
        (
            Argument("shader", "The shader's source code.", required=True),
            Argument("language", "Where it comes from.", words=("Shadertoy", "ISF", "GLSL"), default="GLSL"),
            _NETWORK,
        ),
        (Look("describe_type", {"type": "glslTOP", "parameters": "pixeldat vec* array* glslversion resolution*"}),),
    ),
    PromptRow(
        "make_audio_reactive",
        "Make it audio-reactive",
        "Let sound drive a parameter.",
        "Let the {band} of the sound drive the parameter {parameter} of {path}. Build the analysis beside it: an audio "
        "device in (or a file the user names), a filter for that band, analyze (RMS power), lag and math to bring it "
        "into the parameter's range, ending in a null; then set the parameter to an expression on that null, so that "
        "a still value stays when there is no sound. Keep the old value at silence. " + _TIDY,
        (
            Argument("path", "The operator to drive.", required=True, completes="path"),
            Argument("parameter", "Its parameter.", required=True, completes="parameter"),
            Argument("band", "Which part of the sound.", words=("bass", "middle", "treble", "volume"), default="bass"),
        ),
        (Look("inspect_operator", {"paths": ["{path}"], "parameters": "{parameter}"}),),
    ),
    PromptRow(
        "try_values",
        "Try values of a parameter",
        "See what a parameter does, by pictures.",
        "Show what {parameter} of {path} does. Starting from {value}, set it to four or five telling values one after "
        "the other, capture_image the nearest TOP downstream each time, then put the old value back (undo). Say in a "
        "sentence what each value does and which you would choose.",
        (
            Argument("path", "The operator.", required=True, completes="path"),
            Argument("parameter", "Its parameter.", required=True, completes="parameter"),
            Argument("value", "A value to begin with; the present one if left out.", completes="value",
                     default="its present value"),
        ),
        (Look("inspect_operator", {"paths": ["{path}"], "parameters": "{parameter}"}),),
    ),
    PromptRow(
        "prepare_show",
        "Prepare for a show",
        "Check that a project is ready to run unattended.",
        "Check whether this project is ready for a show and say what is not, worst first: errors and warnings, "
        "whether it is saved, frames that drop, files outside the project folder or missing, operators that wait for "
        "devices, Python in per-frame callbacks, viewers that are open for nothing. Change nothing before the user "
        "has said so. Then offer: a checkpoint, the repairs, a save, and this server's level in Perform mode set to "
        "observe.",
        (Argument("path", "What the show runs.", completes="path", family="COMP", default="/project1"),),
        (
            Look("get_status", {}),
            Look("check_errors", {"path": "{path}"}),
            Look("measure_performance", {"path": "{path}", "frames": 30}),
        ),
    ),
]  # fmt: skip

PROMPTS = {row.name: row for row in _ROWS}
