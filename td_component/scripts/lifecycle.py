"""Execute DAT: when the server starts, ends, and is looked after."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT


#: The component's id, so that a frame need not ask for it.
_component = 0


def onStart() -> None:
    me.parent().Boot()


def onCreate() -> None:
    # Comes on dropping the component in and on paste; at launch it may come together with onStart. Boot() knows.
    global _component
    _component = 0
    me.parent().Boot()


def onExit() -> None:
    # The process ends now, and with it the thread: let it take leave of its clients first.
    me.parent().Stop(2.0)


def onFrameStart(frame: int) -> None:
    # Not through the extension: this is asked every frame, and must cost nothing.
    global _component
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None:
        _component = _component or me.parent().id
        embed.frame_started(_component)
    elif "_tdmcp_unpacking" in sys.modules and frame % 60 == 0:
        # Somebody's script may have cancelled what waits for the libraries.
        me.parent().Boot()


def onPlayStateChange(state: bool) -> None:
    # While the timeline is paused there is no onFrameStart; the server looks after its frames in another way.
    embed = sys.modules.get("tdmcp_embedded.embed")
    if embed is not None:
        embed.play_changed()
