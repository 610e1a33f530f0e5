"""The flags of operators: which an operator has, and which value needs no mention."""

from __future__ import annotations

from typing import Any

#: Every flag a network carries. Which of them an operator has depends on its family (`default_flags`).
FLAGS = (
    "bypass",
    "lock",
    "display",
    "render",
    "viewer",
    "activeViewer",
    "expose",
    "cloneImmune",
    "componentCloneImmune",
    "allowCooking",
    "pickable",
    "export",
    "showCustomOnly",
    "showDocked",
)


def default_flags(family: str, is_object: bool = False) -> dict[str, bool]:
    """The flags an operator of this family has, each with the value that a network leaves out.

    Args:
        family: COMP, TOP, CHOP, SOP, POP, DAT or MAT.
        is_object: whether a COMP is an object in a 3D scene (it has `display`, `render`, `pickable`).
    """
    # The editor makes operators with their viewer on, components without; so do our tools.
    flags = {
        "viewer": family != "COMP",
        "activeViewer": False,
        "expose": True,
        "showDocked": True,
        "cloneImmune": False,
    }
    if family == "COMP":
        # TD keeps allowCooking on COMPs only (fact 20).
        flags |= {"allowCooking": True, "componentCloneImmune": False, "showCustomOnly": False}
        if is_object:
            flags |= {"display": True, "render": True, "pickable": True}
        return flags
    flags |= {"bypass": False, "lock": False}
    if family in ("SOP", "POP"):
        flags |= {"display": False, "render": False}
    if family == "CHOP":
        flags["export"] = False
    return flags


def read_flags(operator: Any) -> dict[str, bool]:
    """Every flag this operator has, with its present value."""
    return {name: bool(getattr(operator, name)) for name in default_flags(operator.family, operator.isObject)}


def changed_flags(operator: Any) -> dict[str, bool]:
    """The flags that differ from their default, and those whose default is not established."""
    usual = default_flags(operator.family, operator.isObject)
    unsure = ("display", "render") if operator.isObject else ()
    return {
        name: value for name, value in read_flags(operator).items() if value != usual[name] or name in unsure
    }


def flag_names(operator: Any) -> tuple[str, ...]:
    """The flags this operator has."""
    return tuple(default_flags(operator.family, operator.isObject))
