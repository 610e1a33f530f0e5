"""Parameter Execute DAT: hands changed values and pulses of the component to its extension."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    me: Any = None  # TouchDesigner puts it in the scope of every DAT


def _extension() -> Any:
    """Made here, so that it is there whether or not TouchDesigner has built and promoted one."""
    component = me.parent()
    return component.op("Tdmcp").module.Tdmcp(component)


def onValueChange(par: Any, prev: Any) -> None:
    _extension().Changed(par)


def onPulse(par: Any) -> None:
    _extension().Pulse(par)
