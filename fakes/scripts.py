"""What the life-cycle parts need from DATs and from the `td` module's scope, in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.dats import content, modules

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World


def text(node: Node) -> str:
    """The text of a DAT; no cook of whoever asks depends on it."""
    return content.text_of(node)


def rows(node: Node) -> list[list[str]]:
    """The table of a DAT, a text as one row a line; no cook of whoever asks depends on it."""
    return [list(row) for row in content.rows_of(content.content_of(node))]


def set_text(node: Node, text: str) -> None:
    """Give a loaded DAT its text."""
    content.load(node, text=text)


def set_table(node: Node, rows: list[list[str]]) -> None:
    """Give a loaded DAT its table."""
    content.load(node, rows=rows)


def module(node: Node) -> Any:
    """The module made of a DAT's text.

    Raises:
        Whatever compiling or running the text raises.
    """
    return modules.module_of(node)


def scope(world: World, node: Node) -> dict[str, Any]:
    """A fresh namespace with every name TouchDesigner puts into a script of `node`."""
    from fakes import scope as names

    return names.for_script(node)


def undo(world: World) -> Any:
    """The object `ui.undo`."""
    from fakes.undo import Undo

    return Undo(world)
