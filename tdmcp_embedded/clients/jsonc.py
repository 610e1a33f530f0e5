"""Editing JSON as a person would: one member put in or taken out, every other byte left as it is.

Client configurations hold comments, odd indentation and somebody's order of keys, which parsing and writing anew would
destroy. So this reads where things are and edits the text. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

#: Deeper than any configuration; a file beyond it is broken, and not worth a stack overflow.
MAX_DEPTH = 200

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}


class Broken(ValueError):
    """The text is not what its format allows. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message, self.line, self.column = message, line, column


@dataclass
class Node:
    """A value and where it stands: `text[start:end]`."""

    value: Any
    start: int
    end: int
    members: list[Member] = field(default_factory=list)
    """The members of an object, in order; empty for other values."""

    def member(self, key: str) -> Member | None:
        """The member that counts: of several of one name, parsers take the last."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass
class Member:
    """One `"key": value` of an object; `start` is where the key begins."""

    key: str
    start: int
    node: Node


def parse(text: str, *, comments: bool = True, trailing_commas: bool = True) -> Node:
    """Read JSON, with or without comments and trailing commas.

    Raises:
        Broken: the text is not JSON of that kind.
    """
    return _Reader(text, comments, trailing_commas).document()


def put(text: str, path: Sequence[str], value: Any, **kind: bool) -> str:
    """The text with the member at `path` (object keys from the top) set to `value`.

    Missing objects on the way are made. An empty text counts as an empty object. New lines are indented and ended as
    the others are. A value that is there already in the same form leaves the text as it is.

    Raises:
        Broken: the text is not JSON of that kind, or something on the path is no object.
    """
    if not text.strip():
        return _dump(_nest(path, value), "", "  ", _newline(text)) + _newline(text)
    root = parse(text, **kind)
    node, depth = root, 0
    while True:
        if not isinstance(node.value, dict):
            what = f'"{path[depth - 1]}"' if depth else "the file"
            raise Broken(f"{what} is not an object", *place(text, node.start))
        found = node.member(path[depth])
        if found is None:
            return _insert(text, node, path[depth], _nest(path[depth + 1 :], value), _style(text, root))
        depth += 1
        if depth == len(path):
            break
        node = found.node
    if same(found.node.value, value):
        return text
    written = _dump(value, _indent_of(text, found.start), _style(text, root), _newline(text))
    return text[: found.node.start] + written + text[found.node.end :]


def take(text: str, path: Sequence[str], **kind: bool) -> str:
    """The text without the member at `path`; unchanged if it is not there.

    Raises:
        Broken: the text is not JSON of that kind.
    """
    while text.strip():
        node = parse(text, **kind)
        for key in path[:-1]:
            found = node.member(key)
            if found is None:
                return text
            node = found.node
        keys = [member.key for member in node.members]
        if path[-1] not in keys:
            return text
        # Once more afterwards, since there may be several of one name.
        text = _cut(text, node, len(keys) - 1 - keys[::-1].index(path[-1]))
    return text


def get(root: Node, path: Sequence[str]) -> Any:
    """The value at `path`, or None."""
    node: Node = root
    for key in path:
        member = node.member(key)
        if member is None:
            return None
        node = member.node
    return node.value


def same(one: Any, other: Any) -> bool:
    """Whether two values are written alike, order of keys included; unlike `==`, True is not 1."""
    return json.dumps(one) == json.dumps(other)


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


# -- editing ---------------------------------------------------------------------------------------------------


def _nest(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert(text: str, parent: Node, key: str, value: Any, step: str) -> str:
    """Put a new last member into an object."""
    newline = _newline(text)
    outer = _indent_of(text, parent.start)
    inner = outer + step
    if parent.members:
        last = parent.members[-1]
        if "\n" not in text[parent.start : last.start]:
            # An object on one line stays on one line.
            after = _after_comma(text, last.node.end, parent.end)
            member = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
            if after is None:
                return text[: last.node.end] + f", {member}" + text[last.node.end :]
            return text[:after] + f" {member}," + text[after:]
        inner = _indent_of(text, last.start)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_dump(value, inner, step, newline)}"
    if not parent.members:
        if _bare(text, parent):
            return f"{text[: parent.start]}{{{newline}{inner}{member}{newline}{outer}}}{text[parent.end :]}"
        # Only a comment is in it, which stays before the new member.
        end = len(text[: parent.end - 1].rstrip())
        return f"{text[:end]}{newline}{inner}{member}{newline}{outer}{text[parent.end - 1 :]}"
    last = parent.members[-1]
    after = _after_comma(text, last.node.end, parent.end)
    comma, at, trail = ("", after, ",") if after is not None else (",", last.node.end, "")
    # A comment on the line of the last member belongs to that member.
    line_end = _rest_of_line(text, at, parent.end)
    return f"{text[: last.node.end]}{comma}{text[last.node.end : line_end]}{newline}{inner}{member}{trail}{text[line_end:]}"


def _cut(text: str, parent: Node, index: int) -> str:
    """Take one member out of an object, with its comma, its line and the comment on that line."""
    member, last = parent.members[index], index == len(parent.members) - 1
    comma = _after_comma(text, member.node.end, parent.end)
    start, stop = member.start, comma or member.node.end
    # Without its own comma a last member leaves the one before it dangling.
    dangling = None
    if last and index and comma is None:
        dangling = _after_comma(text, parent.members[index - 1].node.end, start)
    line = text.rfind("\n", 0, start)
    rest = _rest_of_line(text, stop, parent.end)
    if line > parent.start and not text[line:start].strip() and text[rest] in "\r\n":
        start, stop = line - (text[line - 1] == "\r"), rest
    elif last:
        start = len(text[:start].rstrip(" \t"))
    else:
        stop += len(text[stop:]) - len(text[stop:].lstrip(" \t"))
    # From behind, so that the places before stay true.
    text = text[:start] + text[stop:]
    if dangling is not None:
        text = text[: dangling - 1] + text[dangling:]
    if len(parent.members) == 1:
        close = parent.end - (stop - start)
        if not text[parent.start + 1 : close - 1].strip():
            text = text[: parent.start] + "{}" + text[close:]
    return text


def _bare(text: str, node: Node) -> bool:
    """Whether an object holds no comment outside its members."""
    inside, at = "", node.start + 1
    for member in node.members:
        inside += text[at : member.start]
        at = member.node.end
    return not re.sub(r"[\s,]", "", inside + text[at : node.end - 1])


def _after_comma(text: str, at: int, end: int) -> int | None:
    """Where the text goes on behind the comma that follows a member, or None if there is no comma."""
    at = _skip(text, at, end)
    return at + 1 if at < end and text[at] == "," else None


def _skip(text: str, at: int, end: int) -> int:
    """Over blanks and comments, which are known to be well-formed."""
    while at < end:
        if text[at] in " \t\r\n":
            at += 1
        elif text.startswith("//", at):
            found = text.find("\n", at)
            at = end if found < 0 else found
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 2
        else:
            break
    return at


def _rest_of_line(text: str, at: int, end: int) -> int:
    """The end of the line if only blanks and a comment follow on it, else where they end."""
    while at < end and text[at] in " \t":
        at += 1
    if text.startswith("//", at):
        found = text.find("\n", at)
        at = len(text) if found < 0 else found
        return at - 1 if text[at - 1] == "\r" else at
    if text.startswith("/*", at):
        close = text.index("*/", at) + 2
        if "\n" not in text[at:close]:
            return _rest_of_line(text, close, end)
    return at if at < end and text[at] in "\r\n" else len(text[:at].rstrip(" \t"))


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _style(text: str, root: Node) -> str:
    """One step of indentation, as the first member shows it."""
    for member in root.members:
        if "\n" in text[root.start : member.start]:
            return _indent_of(text, member.start)[len(_indent_of(text, root.start)) :] or "  "
    return "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dump(value: Any, indent: str, step: str, newline: str) -> str:
    written = json.dumps(value, ensure_ascii=False, indent=step)
    return written.replace("\n", newline + indent)


# -- reading ---------------------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, text: str, comments: bool, trailing_commas: bool) -> None:
        self.text, self.at = text, 0
        self.comments, self.trailing_commas = comments, trailing_commas

    def document(self) -> Node:
        self.blank()
        node = self.value(0)
        self.blank()
        if self.at < len(self.text):
            raise self.broken("something follows after the end")
        return node

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.broken("nested too deeply")
        start, text = self.at, self.text
        char = text[start : start + 1]
        if char == "{":
            members = self.object(depth)
            value: Any = {member.key: member.node.value for member in members}
            return Node(value, start, self.at, members)
        if char == "[":
            return Node(self.array(depth), start, self.at)
        if char == '"':
            return Node(self.string(), start, self.at)
        number = _NUMBER.match(text, start)
        if number:
            self.at = number.end()
            return Node(json.loads(number.group()), start, self.at)
        for word, value in _WORDS.items():
            if text.startswith(word, start):
                self.at += len(word)
                return Node(value, start, self.at)
        raise self.broken("the file ends too early" if not char else f"a value is expected, not {char!r}")

    def object(self, depth: int) -> list[Member]:
        members: list[Member] = []
        while self.next("}", bool(members)):
            if self.text[self.at] != '"':
                raise self.broken(f"a key in double quotes is expected, not {self.text[self.at]!r}")
            start = self.at
            key = self.string()
            self.blank()
            if self.text[self.at : self.at + 1] != ":":
                raise self.broken("a colon is expected after a key")
            self.at += 1
            self.blank()
            members.append(Member(key, start, self.value(depth + 1)))
        return members

    def array(self, depth: int) -> list[Any]:
        values: list[Any] = []
        while self.next("]", bool(values)):
            values.append(self.value(depth + 1).value)
        return values

    def next(self, close: str, more: bool) -> bool:
        """Go to the next item of an object or array; False, and past the bracket, when there is none."""
        if not more:
            self.at += 1
        self.blank()
        if more and self.text[self.at : self.at + 1] == ",":
            comma = self.at
            self.at += 1
            self.blank()
            if self.text[self.at : self.at + 1] == close and not self.trailing_commas:
                raise Broken("a comma stands before the closing bracket", *place(self.text, comma))
        elif more and self.text[self.at : self.at + 1] != close:
            raise self.broken(f"a comma or {close} is expected")
        if self.at >= len(self.text):
            raise self.broken(f"the file ends before {close}")
        if self.text[self.at] != close:
            return True
        self.at += 1
        return False

    def string(self) -> str:
        start = self.at
        try:
            # The standard library's own scanner: escapes and surrogates are its business.
            value, self.at = json.decoder.scanstring(self.text, start + 1, True)  # type: ignore[attr-defined]
        except json.JSONDecodeError as error:
            raise Broken(error.msg[:1].lower() + error.msg[1:], error.lineno, error.colno) from None
        return str(value)

    def blank(self) -> None:
        text = self.text
        while self.at < len(text):
            if text[self.at] in " \t\r\n":
                self.at += 1
            elif text.startswith(("//", "/*"), self.at):
                if not self.comments:
                    raise self.broken("comments are not allowed here")
                if text[self.at + 1] == "*":
                    close = text.find("*/", self.at + 2)
                    if close < 0:
                        raise self.broken("a comment does not end")
                    self.at = close + 2
                else:
                    found = text.find("\n", self.at)
                    self.at = len(text) if found < 0 else found
            else:
                return

    def broken(self, message: str) -> Broken:
        return Broken(message, *place(self.text, self.at))
