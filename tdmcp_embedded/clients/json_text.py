"""Editing JSON as a person would: one member put in or taken out, every other byte left as it is.

Client configurations hold comments, odd indentation and somebody's order of keys, which parsing and writing anew would
destroy. So this finds out where things are and edits the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tdmcp_embedded.clients.jsonc import Broken, Node, parse, place, same


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
