"""What a DAT holds: text or a table; how scripts write it, undoably, and when others see it (facts 11 and 40)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes.errors import tdError
from fakes.memory import recall
from fakes.nodes import Node

from . import defaults, tables
from .tables import Rows

# Types that hold what somebody wrote into them; all other DATs compute theirs.
_TEXT_TYPES = frozenset({"textDAT"}) | frozenset(defaults.CALLBACKS)
_TABLE_TYPES = frozenset({"tableDAT", "scriptDAT"})
_SCRIPT = "scriptDAT"


class DatContent:
    """Text, or a table when `rows` is not None. A table's text is its rows as lines (`tables.as_text`)."""

    __slots__ = ("_text", "rows")

    def __init__(self, text: str = "", rows: Rows | None = None) -> None:
        self._text = text
        self.rows = rows

    @property
    def text(self) -> str:
        return self._text if self.rows is None else tables.as_text(self.rows)

    def copy(self) -> DatContent:
        """An independent one: rows are lists that scripts change in place."""
        return DatContent(self._text, None if self.rows is None else [list(row) for row in self.rows])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatContent) and (self._text, self.rows) == (other._text, other.rows)

    def __repr__(self) -> str:
        return f"DatContent({self.text!r})"


class _Shown:
    """What the operator's own cook hands on: it trails what was written by one cook (fact 11)."""

    __slots__ = ("content", "step", "waiting")

    def __init__(self) -> None:
        self.content: DatContent | None = None
        self.waiting = False
        self.step: Any = None
        """The undo step that holds the content from before the present edit."""


def holds_content(node: Node) -> bool:
    """Whether the DAT holds what was written into it, rather than computing it from inputs."""
    return node.type in _TEXT_TYPES or node.type in _TABLE_TYPES


def content_of(node: Node) -> DatContent:
    """What the DAT reads as right now: written content at once, computed content after its cook.

    The content is the live one: change it only through `write`.
    """
    if not holds_content(node) or (node.type == _SCRIPT and not node.cooking) or _takes_input(node):
        data = node.data()
        return data if isinstance(data, DatContent) else DatContent()
    node.world.cooking.note(node, "data")
    return _own(node)


def scripted(node: Node) -> DatContent:
    """What the callback of a Script DAT has made so far."""
    return _own(node)


def _fresh(node: Node) -> DatContent:
    """What a DAT holds that nobody has written to."""
    if node.type in _TABLE_TYPES:
        return DatContent(rows=defaults.rows_for(node))
    return DatContent(defaults.text_for(node))


def _own(node: Node) -> DatContent:
    if node.content is None:
        node.content = _fresh(node)
    own: DatContent = node.content
    return own


def shown(node: Node) -> DatContent:
    """What the operator's cook gives to others: the last written content, one cook late."""
    state = recall(node, _Shown)
    if state.content is None:
        state.content = _fresh(node)
    if state.waiting:
        _catch_up_later(node, state)
    else:
        state.content = _own(node).copy()
    return state.content


def _catch_up_later(node: Node, state: _Shown) -> None:
    # The cook that this is shows the old text; the next one, or the next frame, the new.
    state.waiting = False
    node.world.at_next_frame(lambda: node.changed("content") if node.alive else None)


def is_editable(node: Node) -> bool:
    """Whether scripts may write it: DATs that compute their content, and those with an input, may not (fact 40)."""
    if node.type == _SCRIPT:
        return node.cooking
    return holds_content(node) and not _takes_input(node)


def _takes_input(node: Node) -> bool:
    """Whether a Text DAT shows what is wired into it."""
    return node.type == "textDAT" and bool(node.inputs())


def write(node: Node, change: Callable[[DatContent], DatContent | None]) -> None:
    """Let `change` alter the content (in place, or by returning another), as one undoable step.

    Raises:
        tdError: the operator computes its content.
    """
    if not is_editable(node):
        raise tdError(f"Cannot edit the contents of {node.path}.")
    if node.type == _SCRIPT:
        node.content = change(_own(node)) or _own(node)  # part of its cook: no step of its own, and no news
        return
    _remember(node)
    changed = change(_own(node))
    if changed is not None:
        node.content = changed
    _announce(node)


def _remember(node: Node) -> None:
    """Have the open undo step put the content back; once a step, however often it is written to."""
    undo, state = node.world.undo, recall(node, _Shown)
    if not undo.recording or state.step is undo.open:
        return
    state.step = undo.open
    before = _own(node).copy()
    after = before

    def back() -> None:
        nonlocal after
        after = _own(node).copy()
        state.step = None
        _put(node, before.copy())

    undo.record("text", back, lambda: _put(node, after.copy()))


def _put(node: Node, content: DatContent) -> None:
    node.content = content
    _announce(node)


def _announce(node: Node) -> None:
    state = recall(node, _Shown)
    if not state.waiting:
        state.waiting = True
        node.world.at_next_frame(lambda: setattr(state, "waiting", False))
    node.changed("content")


def set_text(node: Node, text: str) -> None:
    """Replace the whole content by text; in a Table DAT, lines become rows and tabs part cells.

    Raises:
        tdError: the operator computes its content.
    """
    write(node, lambda content: _from_text(node, text))


def _from_text(node: Node, text: str) -> DatContent:
    if is_table(node):
        return DatContent(rows=tables.parse(text))
    return DatContent(text)


def set_rows(node: Node, rows: list[list[Any]]) -> None:
    """Replace the whole content by a table.

    Raises:
        tdError: the operator computes its content, or holds text.
    """
    if not is_table(node):
        raise tdError(f"{node.path} is not a table.")
    write(node, lambda content: DatContent(rows=tables.square([tables.row_of(row) for row in rows])))


def load(node: Node, text: str | None = None, rows: Rows | None = None) -> None:
    """Give a new operator the content it was saved with: not undoable, and everybody sees it at once."""
    node.content = (
        DatContent(rows=tables.square([list(r) for r in rows]))
        if rows is not None
        else DatContent(text or "")
    )
    recall(node, _Shown).content = node.content.copy()
    node.changed("content")


def is_table(node: Node) -> bool:
    """Whether the DAT holds a table now."""
    if holds_content(node):
        return _own(node).rows is not None
    return content_of(node).rows is not None


def text_of(node: Node) -> str:
    """The DAT's content as text, whatever its form."""
    return content_of(node).text


def rows_of(data: Any) -> Rows:
    """The rows of a DAT's cooked data; of text, one row a line with one cell."""
    if not isinstance(data, DatContent):
        return []
    if data.rows is not None:
        return data.rows
    return [[line] for line in data.text.split("\n")] if data.text else []
