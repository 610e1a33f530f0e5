"""Parameter Execute DAT: hands changed values and pulses of the component to its extension."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT


def onValueChange(par: Any, prev: Any) -> None:
    me.parent().Changed(par)


def onPulse(par: Any) -> None:
    me.parent().Pulse(par)
