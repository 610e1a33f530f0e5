"""Finding operators by path and pattern (fact 13).

A bare name is looked for beside the operator that asks; `.` is that operator itself, `..` its parent. Paths are
case-sensitive. Patterns: `*`, `?`, `[set]`, several separated by blanks, `^pattern` takes away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from fakes.nodes import Node


def is_pattern(text: str) -> bool:
    """Whether text may stand for several names."""
    return any(c in text for c in "*?[^")


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    out = ""
    index = 0
    while index < len(pattern):
        char = pattern[index]
        close = pattern.find("]", index + 1) if char == "[" else -1
        if char == "*":
            out += ".*"
        elif char == "?":
            out += "."
        elif close > 0:
            out += pattern[index : close + 1].replace("\\", "")
            index = close
        else:
            out += re.escape(char)
        index += 1
    return re.compile(out, re.DOTALL)


def match(pattern: str, name: str) -> bool:
    """Whether one pattern without blanks matches a whole name."""
    return name == pattern or (is_pattern(pattern) and _compiled(pattern).fullmatch(name) is not None)


def match_any(patterns: str, name: str) -> bool:
    """Whether a name matches a blank-separated list of patterns, of which `^` ones take away, in order."""
    hit = False
    for pattern in patterns.split():
        if pattern.startswith("^"):
            hit = hit and not match(pattern[1:], name)
        else:
            hit = hit or match(pattern, name)
    return hit


def start(asker: Node, path: str) -> Node:
    """The operator inside which a path that `asker` names begins."""
    if path.startswith("/"):
        return asker.world.root
    if path.startswith("."):
        return asker
    return asker.parent or asker


def walk(base: Node, path: str) -> list[Node]:
    """The operators a path or pattern leads to from the inside of `base`."""
    here = [base.world.root if path.startswith("/") else base]
    for part in path.split("/"):
        if part in ("", "."):
            continue
        onward: list[Node] = []
        for node in here:
            node.world.cooking.note(node, "children")
            if part == "..":
                onward += [node.parent] if node.parent is not None else []
            elif part in node.children:
                onward.append(node.children[part])
            elif is_pattern(part):
                onward += [c for n, c in node.children.items() if match(part, n)]
        here = onward
    return here


def several(asker: Node, text: str) -> list[Node]:
    """Every operator that a blank-separated list of paths and patterns names, as seen by `asker`."""
    return from_base(asker, text.split(), relative=True)


def from_base(base: Node, patterns: Iterable[str], *, relative: bool) -> list[Node]:
    """Every operator that the patterns name, each once, in order.

    `relative`: bare names are beside `base` (as in its scripts); else inside it (as in `OP.op`).
    """
    found: dict[Node, None] = {}
    for pattern in patterns:
        if pattern.startswith("^"):
            for node in walk(start(base, pattern[1:]) if relative else base, pattern[1:]):
                found.pop(node, None)
            continue
        found.update(dict.fromkeys(walk(start(base, pattern) if relative else base, pattern)))
    return list(found)
