"""Execute DAT: when the server starts, ends, and is looked after."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT


#: The pump of this component's server, which outlives this module; None until it is known.
_pump: Any = None


def _extension() -> Any:
    """Made here, so that it is there whether or not TouchDesigner has built and promoted one."""
    component = me.parent()
    return component.op("Tdmcp").module.Tdmcp(component)


def onStart() -> None:
    _extension().Boot()


def onCreate() -> None:
    # Comes on dropping the component in and on paste; at launch it may come together with onStart. Boot() knows.
    global _pump
    _pump = None
    _extension().Boot()


def onExit() -> None:
    # The process ends now, and with it the thread: let it take leave of its clients first.
    _extension().Stop(2.0)


def onFrameStart(frame: int) -> None:
    # Not through the extension: this comes in every frame. While the server is switched off, nothing is called.
    if _pump is None:
        _look(frame)
    elif _pump.awake:
        _pump.frame_started()
    elif _pump.ended:
        _look(frame)


def _look(frame: int) -> None:
    """Find the pump, or go on with the unpacking that a script may have cancelled."""
    global _pump
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None:
        _pump = embed.pump_of(me.parent())
    elif frame % 60 == 0 and getattr(sys.modules.get("_tdmcp_unpacking"), "jobs", None):
        _extension().Boot()


def onPlayStateChange(state: bool) -> None:
    # While the timeline is paused there is no onFrameStart; the server looks after its frames in another way.
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None:
        embed.play_changed()
