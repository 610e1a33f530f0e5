"""The operators that TouchDesigner docks to a new one: shaders with their Info DAT, callbacks, keys (facts 17, 74)."""

from __future__ import annotations

from typing import NamedTuple

from fakes.nodes import Node


class Dock(NamedTuple):
    """A docked operator `NAME_suffix` of this type; `refers` is the host's parameter that names it, if there is one."""

    suffix: str
    kind: str
    refers: str = ""
    language: str = ""


def _shader(suffix: str, refers: str) -> Dock:
    return Dock(suffix, "textDAT", refers, "glsl")


_INFO = Dock("info", "infoDAT")
_CALLBACKS = (Dock("callbacks", "textDAT", "callbacks", "python"),)
_PIXELS = (_shader("pixel", "pixeldat"), _shader("compute", "computedat"), _INFO)

#: Type -> what is docked when the operator is made.
AT_CREATION: dict[str, tuple[Dock, ...]] = {
    "glslTOP": _PIXELS,
    "glslmultiTOP": _PIXELS,
    "glslMAT": (_shader("vertex", "vdat"), _shader("pixel", "pdat"), _INFO),
    "rampTOP": (Dock("keys", "tableDAT", "dat"),),
    **dict.fromkeys(
        ("scriptTOP", "scriptCHOP", "scriptSOP", "scriptDAT", "timerCHOP", "oscinDAT", "webclientDAT", "webserverDAT",
         "websocketDAT", "keyboardinDAT"),
        _CALLBACKS,
    ),
}  # fmt: skip

#: Type -> what is docked only once the operator has cooked.
AFTER_FIRST_COOK: dict[str, tuple[Dock, ...]] = {
    "glslPOP": (_shader("compute", "computedat"), _INFO),
    "glslcopyPOP": (
        _shader("ptCompute", "ptcomputedat"),
        _shader("vertCompute", "vertcomputedat"),
        _shader("primCompute", "primcomputedat"),
        _INFO,
    ),
}


def dock(node: Node, companions: tuple[Dock, ...]) -> None:
    """Make these operators beside a host and dock them to it."""
    from fakes.creating import set_dock

    if node.parent is None:
        return
    for wanted in companions:
        made = node.world.create(node.parent, wanted.kind, f"{node.name}_{wanted.suffix}")
        set_dock(made, node)
        if wanted.language:
            made.par("language").value = wanted.language
        if wanted.refers:
            node.par(wanted.refers).value = made.name
        elif wanted.kind == "infoDAT":
            made.par("op").value = node.name


def unmade(node: Node) -> bool:
    """Whether an operator has not had those of its first cook yet: none is docked, and none of its own is named."""
    named = [each.refers for each in AFTER_FIRST_COOK.get(node.type, ()) if each.refers]
    return bool(named) and not node.docked and not any(node.value(name) for name in named)
