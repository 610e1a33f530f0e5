"""Execute DAT: when the server starts, ends, and is looked after."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT


#: What each frame is told to; None while nothing of ours is to run.
_frame_started: Callable[[int], None] | None = None


def _extension() -> Any:
    """Made here, so that it is there whether or not TouchDesigner has built and promoted one."""
    component = me.parent()
    return component.op("Tdmcp").module.Tdmcp(component)


def onStart() -> None:
    _extension().Boot()


def onCreate() -> None:
    # Comes on dropping the component in and on paste; at launch it may come together with onStart. Boot() knows.
    _extension().Boot()


def onExit() -> None:
    # The process ends now, and with it the thread: let it take leave of its clients first.
    _extension().Stop(2.0)


def onFrameStart(frame: int) -> None:
    # While the server is switched off, this comparison is all.
    if _frame_started is not None:
        _frame_started(frame)


def follow(told: Callable[[int], None] | None) -> None:
    """Have each frame told to this from now on. Called by the pump of the server when it goes to sleep and wakes."""
    global _frame_started
    _frame_started = told


def look(frame: int) -> None:
    """Find the pump, which outlives this module, or go on with the unpacking that a script may have cancelled."""
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None and embed.lead_frames(me.parent(), follow):
        return
    if not getattr(sys.modules.get("_tdmcp_unpacking"), "jobs", None):
        follow(None)
    elif frame % 60 == 0:
        _extension().Boot()


def onPlayStateChange(state: bool) -> None:
    # While the timeline is paused there is no onFrameStart; the server looks after its frames in another way.
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None:
        embed.play_changed()


# This module is compiled again at every change of its text, and in every copy. `Boot` asks for this as well.
follow(look)
