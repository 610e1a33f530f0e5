"""capture_image: what an operator looks like."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import pictures
from tdmcp_embedded.tools.pictures import Format, Verdict
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import images, lookup
from tdmcp_embedded.touchdesigner.images import Shot

#: Frames an opviewerTOP needs before it shows anything (fact 11), and one for what it looks at.
_VIEWER_FRAMES = 2

#: Size in pixels of the viewer of an operator that has no resolution of its own.
_VIEWER_SIZE = (640, 480)


class CaptureImage(Arguments):
    """Of which operator, how large, when."""

    path: str = Field(description="A TOP; of any other operator its viewer.")
    max_size: int = Field(default=1024, ge=16, le=4096, description="Longest side in pixels.")
    wait_frames: int = Field(
        default=1,
        ge=0,
        le=600,
        description="Frames to cook it first; an edit shows after one or two.",
    )
    format: Format = "png"
    frames: int = Field(default=1, ge=1, le=9, description="Moments in one picture, from top left.")
    every: int = Field(default=10, ge=1, le=300, description="Frames between moments.")


class Captured(Output):
    """What the picture in this answer shows."""

    path: str
    source: str
    """top, or viewer for an operator that is no TOP."""
    native_size: list[int]
    """Width and height in pixels in TouchDesigner."""
    size: list[int]
    """Width and height of the picture sent (of the whole grid)."""
    format: str
    bytes: int
    verdict: Verdict
    """ok; or black, flat (one colour), transparent: then look for the reason before showing it to anyone."""
    mean_rgba: list[float] | None = None
    """Mean colour, 0 to 1."""
    frames: list[int]
    """absTime.frame of each moment."""
    notes: list[str] | None = None

    def text(self) -> str:
        native, size = ("x".join(map(str, s)) for s in (self.native_size, self.size))
        lines = [
            f"{self.path} ({self.source}): {self.verdict}; native {native}, sent {size} {self.format}, {self.bytes} bytes"
        ]
        lines.append(f"at frame {', '.join(map(str, self.frames))}; mean rgba {self.mean_rgba}")
        return "\n".join([*lines, *(self.notes or [])])


def capture_image(call: Call, given: CaptureImage) -> Steps[dict[str, Any]]:
    """Waits, then lets TD encode each moment; the rest is done on a worker (`finish`)."""
    target = lookup.operator(call.td, given.path)
    path = str(target.path)
    with ExitStack() as scratch:
        top = target
        wait = given.wait_frames
        if not target.isTOP:
            width, height = _viewer_size(target)
            component = str(call.instance.get("component", ""))
            top = scratch.enter_context(images.viewer(call.td, target, component, width, height))
            wait = max(wait, _VIEWER_FRAMES)
        shots: list[Shot] = []
        for moment in range(given.frames):
            for _ in range(wait if moment == 0 else given.every):
                # Operators cook only when something asks; those behind it (feedback, say) must live through each frame.
                images.cook(top)
                yield NEXT_FRAME
                if not (target.valid and top.valid):
                    raise ToolFailure(
                        Code.OPERATOR_NOT_FOUND, f"{path} was deleted while its picture was taken."
                    )
            call.progress(moment, given.frames, f"frame {moment + 1} of {given.frames}")
            shots.append(images.shoot(call.td, top))
        return {"path": path, "source": "top" if top is target else "viewer", "shots": shots}


def _viewer_size(target: Any) -> tuple[int, int]:
    if target.isPanel:
        width, height = int(target.width), int(target.height)
        if width > 0 and height > 0:
            return width, height
    return _VIEWER_SIZE


def finish(call: Call, given: CaptureImage, taken: dict[str, Any]) -> Captured:
    """Develops the shots."""
    shots: list[Shot] = taken["shots"]
    developed = pictures.develop(
        [shot.png for shot in shots], (shots[0].width, shots[0].height), given.max_size, given.format
    )
    answer = Captured(
        path=taken["path"],
        source=taken["source"],
        native_size=list(developed.native),
        size=list(developed.size),
        format=developed.picture.mime.removeprefix("image/"),
        bytes=len(developed.picture.data),
        verdict=developed.verdict,
        mean_rgba=developed.mean or None,
        frames=[shot.frame for shot in shots],
        notes=developed.notes or None,
    )
    answer._pictures = [developed.picture]
    return answer


def _deadline(given: CaptureImage) -> float:
    """Seconds: half a minute, and the frames asked for at a slow thirty a second."""
    return 30.0 + (given.wait_frames + (given.frames - 1) * given.every) / 30


TOOLS = [
    Tool(
        name="capture_image",
        title="Capture an image",
        description=(
            "A picture of a TOP, or of any operator's viewer, with its native size and a verdict: ok, black, flat or "
            "transparent. Several frames show movement as a grid. Nothing stays in the project."
        ),
        level=Level.OBSERVE,
        effect=Effect.READ,
        own_progress=True,
        arguments=CaptureImage,
        output=Captured,
        run=capture_image,
        finish=finish,
        core=True,
        deadline=_deadline,
    )
]
