"""The scene `demo`: a small, plausible project without errors, written as plain TouchDesigner Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakes.world import World

NOTES = """A small show.

The noise is lit by the sound: `null_sound` drives the brightness of `level1`.
Cues are in the table `cues`; `controls` holds the knobs.
"""

CUES = (
    ("cue", "name", "seconds", "speed"),
    ("1", "Doors", "120", "0.2"),
    ("2", "Opening", "45", "0.6"),
    ("3", "Storm", "90", "1.5"),
    ("4", "Applause", "30", "0.4"),
)


def build(world: World) -> None:
    """Build the scene in `/project1`."""
    project = world.face(world.root.children["project1"])
    build_sound(project)
    build_picture(project)
    build_controls(project)
    build_texts(project)
    build_render(project)


def make(network: Any, kind: str, name: str, x: int, y: int, *inputs: Any, **values: Any) -> Any:
    """One operator at its place, wired and set."""
    made = network.create(kind, name)
    made.nodeX, made.nodeY = x, y
    for index, source in enumerate(inputs):
        made.inputConnectors[index].connect(source)
    for par, value in values.items():
        setattr(made.par, par, value)
    return made


def build_sound(project: Any) -> None:
    """What stands in for a microphone: a slow wave, scaled and smoothed."""
    lfo = make(project, "lfoCHOP", "lfo1", 0, 0, frequency=0.5)
    scale = make(project, "mathCHOP", "math1", 200, 0, lfo, gain=0.5, postoff=0.75)
    smooth = make(project, "filterCHOP", "filter1", 400, 0, scale)
    make(project, "nullCHOP", "null_sound", 600, 0, smooth)


def build_picture(project: Any) -> None:
    """A moving noise and a circle, one over the other."""
    noise = make(project, "noiseTOP", "noise1", 0, 200, period=2.5, mono=False)
    noise.par.tz.expr = "absTime.seconds * op('controls').par.Speed"
    level = make(project, "levelTOP", "level1", 200, 200, noise)
    level.par.brightness1.expr = "op('null_sound')['chan1']"
    blur = make(project, "blurTOP", "blur1", 400, 200, level, size=4)
    circle = make(project, "circleTOP", "circle1", 400, 340, radiusx=0.2, radiusy=0.2)
    over = make(project, "compositeTOP", "comp1", 600, 200, circle, blur, operand="over")
    make(project, "nullTOP", "null1", 800, 200, over)
    frame = make(project, "annotateCOMP", "annotate_picture", -40, 160, Titletext="Picture")
    frame.nodeWidth, frame.nodeHeight = 1010, 310


def build_controls(project: Any) -> None:
    """A component with custom parameters, one of them bound to a parameter inside it."""
    controls = make(project, "baseCOMP", "controls", 0, 400)
    page = controls.appendCustomPage("Controls")
    page.appendFloat("Speed", label="Speed")
    page.appendFloat("Size", label="Size")
    page.appendToggle("Blackout", label="Blackout")
    controls.par.Speed, controls.par.Size = 0.4, 0.25
    circle = make(controls, "circleTOP", "circle1", 0, 0)
    circle.par.radiusx.bindExpr = "parent().par.Size"
    circle.par.radiusy.expr = "parent().par.Size"
    make(controls, "outTOP", "out1", 200, 0, circle)


def build_texts(project: Any) -> None:
    """Notes and cues."""
    notes = make(project, "textDAT", "notes", 0, 600)
    notes.text = NOTES
    cues = make(project, "tableDAT", "cues", 200, 600)
    cues.clear()
    for row in CUES:
        cues.appendRow(list(row))


def build_render(project: Any) -> None:
    """A torus, a camera, a light, and what renders them."""
    geometry = make(project, "geometryCOMP", "geo1", 0, -300)
    material = make(project, "phongMAT", "phong1", 0, -500)
    camera = make(project, "cameraCOMP", "cam1", 200, -300, tz=5)
    light = make(project, "lightCOMP", "light1", 400, -300, tx=3, ty=4, tz=5)
    geometry.par.material = material
    render = make(project, "renderTOP", "render1", 600, -300)
    render.par.geometry = geometry
    render.par.camera = camera
    render.par.lights = light
    make(project, "nullTOP", "null_render", 800, -300, render)
