"""Pictures of operators, as TouchDesigner itself encodes them: small ones at once, others on a thread of its own.

To encode a frame of full HD takes TouchDesigner longer than a frame lasts. `TOP.save(asynchronous=True)` has it done
beside the show; the file it makes is read, and removed, where nobody waits for a frame either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import lookup
from tdmcp_embedded.touchdesigner.undo import destroy
from tdmcp_embedded.touchdesigner.undo_stack import unrecorded
from tdmcp_embedded.touchdesigner.values import clean, cut

#: What every PNG ends with: its last chunk, IEND.
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"

_VIEWER_NAME = "mcp_capture"


@dataclass(frozen=True)
class Shot:
    """One moment of one operator as a PNG at native size in a file: the size TD states, and absTime's frame."""

    path: str
    """The operator's."""
    file: Path
    width: int
    height: int
    frame: int

    def png(self) -> bytes:
        """The PNG; any thread, once it is there.

        Raises:
            ToolFailure: `td_error`, when TD has written none.
        """
        try:
            data = self.file.read_bytes()
        except OSError:
            data = b""
        if not data:
            raise no_picture(self.path, "it has no pixels yet, or the folder for temporary files takes none")
        return data


@dataclass(frozen=True)
class Writing:
    """A shot that TouchDesigner is writing. Main thread only, for the status is one of TD's objects."""

    shot: Shot
    status: Any

    def is_over(self) -> bool:
        """Whether the file is whole: by the status, or by its end where a build gives none (fact 70)."""
        asked = getattr(self.status, "isCompleted", None)
        if callable(asked):
            return bool(asked())
        try:
            with self.shot.file.open("rb") as file:
                file.seek(-len(_PNG_END), os.SEEK_END)
                return file.read() == _PNG_END
        except OSError:
            # Not there yet, or not even as long as that.
            return False


def shoot(td: ModuleType, top: Any, file: Path) -> Writing:
    """Have TD write what a TOP shows now; it is encoded on a thread of TD's.

    Raises:
        ToolFailure: `td_error`, when TD gives no picture.
    """
    try:
        # TD thinks in forward slashes, on Windows too.
        status = top.save(file.as_posix(), asynchronous=True)
        width, height = int(top.width), int(top.height)
    except AttributeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever TD cannot save (3D textures, no GPU) it says its own way
        raise no_picture(top.path, cut(clean(str(error)), 300)) from None
    return Writing(Shot(str(top.path), file, width, height, int(td.absTime.frame)), status)


def small_png(top: Any) -> bytes:
    """What a TOP of a tile's size shows now, encoded at once: that takes less than to ask for a file.

    Raises:
        ToolFailure: `td_error`, when TD gives no picture.
    """
    try:
        # With the dot; without a type TD writes TIFF (fact 41).
        data = bytes(top.saveByteArray(".png"))
    except AttributeError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        raise no_picture(top.path, cut(clean(str(error)), 300)) from None
    if not data:
        raise no_picture(top.path, "it has no pixels yet")
    return data


def cook(top: Any) -> None:
    """Let a TOP cook what it needs to show its present state.

    Raises:
        ToolFailure: `td_error`, when it cannot cook.
    """
    try:
        top.cook()
    except AttributeError:
        raise
    except Exception as error:  # noqa: BLE001 - an operator that cannot cook says so in words of its own
        raise no_picture(top.path, cut(clean(str(error)), 300)) from None


def no_picture(path: str, reason: str) -> ToolFailure:
    """The refusal to show an operator, with the reason as the end of a sentence."""
    return ToolFailure(
        Code.TD_ERROR,
        f"TouchDesigner gives no picture of {path}: {reason}.",
        hint="check_errors may tell why; wait_frames gives it time to cook.",
    )


@contextmanager
def viewer(td: ModuleType, target: Any, component: str, width: int, height: int) -> Iterator[Any]:
    """A TOP that shows the viewer of any operator; it lives outside the user's networks and goes away at the end.

    It renders at the next frame (fact 11).
    """
    home = lookup.exact(td, component) if component else None
    if home is None or not home.isCOMP:
        home = td.op("/local")
    with no_undo(td):
        top = home.create(td.opviewerTOP, _VIEWER_NAME)
        top.par.opviewer = target.path
        top.par.outputresolution = "custom"
        top.par.resolutionw = width
        top.par.resolutionh = height
    try:
        yield top
    finally:
        if top.valid:
            with no_undo(td):
                destroy(top)


@contextmanager
def no_undo(td: ModuleType) -> Iterator[None]:
    """Looking must not appear among the user's undo steps, nor clear what can be redone: no block, and undo off."""
    with unrecorded(td):
        yield
