"""Reading JSON, with or without comments, and where in the text each member stands.

Standard library only; what it gives is edited by `json_text`.
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
