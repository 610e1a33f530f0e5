"""control_timeline: play, pause, go to a frame, set rate and range."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import project


class ControlTimeline(Arguments):
    action: Literal["play", "pause", "set"] = Field(description="set changes only the values given")
    frame: float | None = Field(default=None, description="frame to go to")
    rate: float | None = Field(default=None, gt=0, le=1000, description="frames a second")
    start: float | None = Field(default=None, description="first frame of the timeline")
    end: float | None = Field(default=None, description="last frame of the timeline")
    range_start: float | None = Field(default=None, description="first frame played")
    range_end: float | None = Field(default=None, description="last frame played")
    loop: bool | None = Field(default=None, description="start again after the last frame")


class Timeline(Output):
    playing: bool
    frame: float
    rate: float
    range: list[float] = Field(description="first and last frame played")
    start: float
    end: float
    loop: bool
    notes: list[str] = Field(default=[])

    def text(self) -> str:
        state = "playing" if self.playing else "paused"
        line = (
            f"{state} at frame {self.frame:g} of {self.start:g}–{self.end:g} (range {self.range[0]:g}–{self.range[1]:g}"
            f"{', loop' if self.loop else ''}), {self.rate:g} frames a second"
        )
        return "\n".join([line, *self.notes])


def control_timeline(call: Call, given: ControlTimeline) -> Steps[Timeline]:
    values = given.model_dump(exclude={"action"}, exclude_none=True)
    if given.action == "set" and not values:
        raise ToolFailure(
            Code.VALUE_INVALID, "Say what to set: " + ", ".join(n for n in project.TIMELINE if n != "play")
        )
    wanted: dict[str, Any] = dict(values)
    if given.action != "set":
        wanted["play"] = given.action == "play"
    project.set_timeline(call.td, wanted)
    at_once = project.timeline(call.td)
    yield NEXT_FRAME
    output = Timeline.model_validate(project.timeline(call.td))
    if given.frame is not None and at_once["frame"] != given.frame:
        output.notes.append(f"frame: asked {given.frame:g}, went to {at_once['frame']:g}")
    if given.rate is not None and output.rate != given.rate:
        output.notes.append(f"rate: asked {given.rate:g}, is {output.rate:g}")
    return output


TOOLS = [
    Tool(
        name="control_timeline",
        title="Control timeline",
        description=(
            "Play or pause the project's timeline, go to a frame, set its rate (frames a second), length and playing "
            "range. Returns the timeline one frame later. Not undoable."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=ControlTimeline,
        output=Timeline,
        run=control_timeline,
        idempotent=True,
    )
]
