"""Small pictures of TOPs and small curves of CHOPs, for tiles of a drawn network.

A look must not cost the show: TouchDesigner itself scales each picture down (so that a few kilobytes are read back
instead of a frame of a film), and what is known to cook for longer than the budget is left alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack
from functools import partial
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.touchdesigner import contents, images, lookup
from tdmcp_embedded.touchdesigner.operators import cook_cost
from tdmcp_embedded.touchdesigner.telling import told

#: Pixels of a picture: that of a tile, for a screen of double density.
PICTURE_SIZE = (208, 120)
#: Operators one look takes.
MOST_LOOKED_AT = 16
#: Frames an opviewerTOP needs before it shows anything (fact 11), and one for what it looks at.
_VIEWER_FRAMES = 2


def look(
    td: ModuleType, paths: Iterable[str], component: str, most_ms: float
) -> Generator[Any, None, dict[str, dict[str, Any]]]:
    """By path: `png` (bytes) of a TOP, or `names` and `samples` (array [channel, sample], a copy) of a CHOP.

    Args:
        component: path of the component, in which the operators that scale live for those frames.
        most_ms: what cooks for longer only because we look is passed over; so is what is not there, or cannot cook.
    """
    found: dict[str, dict[str, Any]] = {}
    with ExitStack() as scratch:
        viewers: dict[str, tuple[Any, Any]] = {}
        for path in list(paths)[:MOST_LOOKED_AT]:
            target = lookup.exact(td, path)
            if target is None or _is_dear(td, target, most_ms):
                continue
            if target.isTOP:
                viewer = scratch.enter_context(images.viewer(td, target, component, *PICTURE_SIZE))
                viewers[path] = target, viewer
            elif target.isCHOP:
                curve = told(partial(contents.channels, target, None))
                if curve is not None:
                    found[path] = {"names": curve[0], "samples": curve[1]}
            yield
        for _ in range(_VIEWER_FRAMES if viewers else 0):
            for target, viewer in viewers.values():
                if target.valid and viewer.valid:
                    _try(images.cook, viewer)
                    yield
            yield NEXT_FRAME
        for path, (target, viewer) in viewers.items():
            if target.valid and viewer.valid:
                png = _try(images.small_png, viewer)
                if png is not None:
                    found[path] = {"png": png}
                yield
    return found


def _is_dear(td: ModuleType, op: Any, most_ms: float) -> bool:
    """Whether looking would cost more than is allowed. What cooks for the show anyway costs nothing more."""
    if not op.totalCooks or cook_cost(op) <= most_ms:
        return False
    return bool(op.cookAbsFrame < td.absTime.frame - 1)


def _try(work: Any, *given: Any) -> Any:
    """None for an operator that gives no picture: its errors are shown on its tile anyway."""
    try:
        return work(*given)
    except ToolFailure:
        return None
