"""Pictures of operators, as TouchDesigner itself encodes them. Everything slow about a picture happens elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import lookup
from tdmcp_embedded.touchdesigner.undo import destroy
from tdmcp_embedded.touchdesigner.values import clean, cut

_VIEWER_NAME = "mcp_capture"


@dataclass(frozen=True)
class Shot:
    """One frame of one operator: a PNG at native size, the size TD states, and absTime's frame."""

    png: bytes
    width: int
    height: int
    frame: int


def shoot(td: ModuleType, top: Any) -> Shot:
    """Encode what a TOP shows now.

    Raises:
        ToolFailure: `td_error`, when TD gives no picture.
    """
    try:
        # With the dot; without a type TD writes TIFF (fact 41).
        data = top.saveByteArray(".png")
        width, height = int(top.width), int(top.height)
    except AttributeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever TD cannot encode (3D textures, no GPU) it says its own way
        raise _no_picture(top, cut(clean(str(error)), 300)) from None
    if not data:
        raise _no_picture(top, "it has no pixels yet")
    return Shot(bytes(data), width, height, int(td.absTime.frame))


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
        raise _no_picture(top, cut(clean(str(error)), 300)) from None


def _no_picture(top: Any, reason: str) -> ToolFailure:
    return ToolFailure(
        Code.TD_ERROR,
        f"TouchDesigner gives no picture of {top.path}: {reason}.",
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
    """Looking must not appear among the user's undo steps."""
    td.ui.undo.startBlock("capture", enable=False)
    try:
        yield
    finally:
        # A block may be gone before its end (fact 35); then there is nothing left to end.
        with suppress(Exception):
            td.ui.undo.endBlock()
