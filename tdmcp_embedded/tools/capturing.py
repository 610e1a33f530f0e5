"""capture_image: what an operator looks like."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.file_modes import TemporaryFolder
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import pictures
from tdmcp_embedded.tools.pictures import Format, Verdict
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import diagnostics, images, lookup, project
from tdmcp_embedded.touchdesigner.error_context import with_context
from tdmcp_embedded.touchdesigner.images import Shot, Writing
from tdmcp_embedded.touchdesigner.values import cut

#: Frames an opviewerTOP needs before it shows anything (fact 11), and one for what it looks at.
_VIEWER_FRAMES = 2

_MOST_PROBLEMS = 5
_LONGEST_PROBLEM = 1_000

#: Seconds TouchDesigner may take to write a picture, once asked.
_WRITTEN_WITHIN: Final = 20.0

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
    moves: bool | None = None
    """Of several frames, whether they differ."""
    problems: list[dict[str, str]] | None = None
    """The operator's own: severity and message. A shader that fails passes its input through and looks fine."""
    notes: list[str] | None = None

    def text(self) -> str:
        native, size = ("x".join(map(str, s)) for s in (self.native_size, self.size))
        lines = [
            f"{self.path} ({self.source}): {self.verdict}; native {native}, sent {size} {self.format}, {self.bytes} bytes"
        ]
        lines.append(f"at frame {', '.join(map(str, self.frames))}; mean rgba {self.mean_rgba}")
        lines += [f"{each['severity']}: {each['message']}" for each in self.problems or []]
        return "\n".join([*lines, *(self.notes or [])])

    def for_app(self) -> dict[str, Any]:
        return {"path": self.path, "native_size": self.native_size, "verdict": self.verdict}


@dataclass(frozen=True)
class Taken:
    """What was taken on the main thread: the moments, as files in a folder that goes away with them."""

    path: str
    source: str
    shots: list[Shot]
    folder: TemporaryFolder
    problems: list[dict[str, str]]
    paused: str
    """In words, if the timeline did not play."""


def capture_image(call: Call, given: CaptureImage) -> Steps[Taken]:
    """Waits, and has TD write each moment to a file on a thread of its own; the rest is done on a worker (`finish`)."""
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
        with _folder() as folder:
            begun: list[Writing] = []
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
                begun.append(images.shoot(call.td, top, folder.path / f"{moment}.png"))
            late = time.monotonic() + _WRITTEN_WITHIN
            while not all(writing.is_over() for writing in begun):
                if time.monotonic() > late:
                    raise images.no_picture(path, f"it was not written within {_WRITTEN_WITHIN:.0f} s")
                yield NEXT_FRAME
        shots = [writing.shot for writing in begun]
        problems = _problems(target) if target.valid else []
        source = "top" if top is target else "viewer"
        return Taken(path, source, shots, folder, problems, project.paused(call.td))


def _problems(target: Any) -> list[dict[str, str]]:
    found = diagnostics.problems(target)[:_MOST_PROBLEMS]
    return [
        {"severity": each.severity, "message": cut(with_context(target, each.message), _LONGEST_PROBLEM)}
        for each in found
    ]


@contextmanager
def _folder() -> Iterator[TemporaryFolder]:
    """A folder for files, removed if what is done with it fails; else by `cleanup`, or when nobody holds it any more."""
    try:
        folder = TemporaryFolder("tdmcp-")
    except OSError as error:
        raise ToolFailure(
            Code.TD_ERROR,
            f"There is no folder for temporary files to put the picture in: {error.strerror or error}.",
            hint="Free some space on the disk of this machine, or mend its TEMP setting, and start TouchDesigner anew.",
        ) from None
    try:
        yield folder
    except BaseException:
        folder.cleanup()
        raise


def _viewer_size(target: Any) -> tuple[int, int]:
    if target.isPanel:
        width, height = int(target.width), int(target.height)
        if width > 0 and height > 0:
            return width, height
    return _VIEWER_SIZE


def finish(call: Call, given: CaptureImage, taken: Taken) -> Captured:
    """Develops the shots."""
    shots = taken.shots
    with taken.folder:
        pngs = [shot.png() for shot in shots]
    developed = pictures.develop(pngs, (shots[0].width, shots[0].height), given.max_size, given.format)
    answer = Captured(
        path=taken.path,
        source=taken.source,
        native_size=list(developed.native),
        size=list(developed.size),
        format=developed.picture.mime.removeprefix("image/"),
        bytes=len(developed.picture.data),
        verdict=developed.verdict,
        mean_rgba=developed.mean or None,
        frames=[shot.frame for shot in shots],
        moves=developed.moves,
        problems=taken.problems or None,
        notes=[*developed.notes, *([taken.paused] if taken.paused else [])] or None,
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
        may_give_pictures=True,
        arguments=CaptureImage,
        output=Captured,
        run=capture_image,
        finish=finish,
        core=True,
        deadline=_deadline,
    )
]
