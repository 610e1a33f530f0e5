"""Small parts of an operator's state: a parameter somebody touched, its modes, and the flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakes.catalogue import ParInfo
    from fakes.custom import CustomInfo
    from fakes.nodes import Node


class Mode:
    """A parameter's mode as a small number; `parameters.ParMode` is what scripts see."""

    CONSTANT = 0
    EXPRESSION = 1
    EXPORT = 2
    BIND = 3


class ParState:
    """One parameter that somebody has touched; untouched ones have no state.

    `value` is the constant in the parameter's own type: a number, a bool, a menu word, a path for OP styles.
    """

    __slots__ = (
        "bind",
        "code",
        "enable",
        "enable_expr",
        "error",
        "export",
        "expr",
        "info",
        "mode",
        "name",
        "node",
        "previous_mode",
        "read_only",
        "sources",
        "timed",
        "value",
    )  # fmt: skip

    def __init__(self, node: Node, name: str, info: ParInfo | CustomInfo, value: Any) -> None:
        self.node = node
        self.name = name
        self.info = info
        self.value = value
        self.mode = Mode.CONSTANT
        self.previous_mode = Mode.CONSTANT
        self.expr = ""
        self.bind = ""
        self.export: tuple[Node, str | int] | None = None
        """The operator and the channel's name or the row's number that exports to this parameter."""
        self.enable = True
        self.enable_expr = ""
        self.read_only = False
        self.code: Any = None
        self.error = ""
        """What the last evaluation failed with, in the words `errors()` uses."""
        self.sources: set[tuple[Node, str]] | None = None
        self.timed = False


FLAGS: dict[str, int] = {
    name: 1 << i
    for i, name in enumerate(
        (
            "bypass", "display", "render", "viewer", "lock", "expose", "cloneImmune", "allowCooking",
            "selected", "current", "activeViewer", "python", "showCustomOnly", "showDocked", "pickable",
            "utility", "componentCloneImmune", "export",
        )
    )
}  # fmt: skip
DEFAULT_FLAGS = sum(FLAGS[n] for n in ("expose", "allowCooking", "python", "showDocked", "pickable"))
