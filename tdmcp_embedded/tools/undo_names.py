"""What an undo step is called in TouchDesigner's Edit menu: what the call does, and to which operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdmcp_embedded.tools.tool import Arguments, Tool
from tdmcp_embedded.touchdesigner.values import clean

#: Characters of the part after the tool's title; menus are narrow.
_LONGEST = 90

#: Arguments that say which operator is meant, not what happens to it.
_ADDRESSES = frozenset({"path", "paths", "parent", "confirm", "partial", "exact", "dry_run", "expected_hash"})


def name(tool: Tool, arguments: Arguments) -> str:
    """The name of the step, such as `MCP Set parameters /project1/noise1 period, amp`."""
    return f"MCP {about(tool, arguments)}"


def about(tool: Tool, arguments: Arguments) -> str:
    """What the call does, such as `Set parameters /project1/noise1 period, amp`."""
    target, what = _target(arguments), _what(arguments)
    rest = " ".join(part for part in (target, what) if part)
    rest = clean(" ".join(rest.split()))
    if len(rest) > _LONGEST:
        rest = rest[: _LONGEST - 1] + "…"
    return f"{tool.title} {rest}".rstrip()


def _target(arguments: Any) -> str:
    for field in ("path", "paths", "changes", "connect", "disconnect", "insert", "calls"):
        value = getattr(arguments, field, None)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return _first(value, field)
    parent, made = getattr(arguments, "parent", None), getattr(arguments, "name", None)
    if isinstance(parent, str) and parent:
        return f"{parent.rstrip('/')}/{made}" if made else parent
    return ""


def _first(value: Sequence[Any], field: str) -> str:
    if field == "calls":
        tools = list(dict.fromkeys(str(each.tool) for each in value))
        return ", ".join(tools[:3]) + (", …" if len(tools) > 3 else "")
    first = value[0]
    path = first if isinstance(first, str) else getattr(first, "path", None) or getattr(first, "to", "")
    return f"{path} and {len(value) - 1} more" if len(value) > 1 else str(path)


def _what(arguments: Any) -> str:
    """Of a call about one operator: the names of what it sets."""
    changes = getattr(arguments, "changes", None)
    if isinstance(changes, list) and len(changes) == 1:
        names = list(changes[0].params)
    elif hasattr(arguments, "flags") and hasattr(arguments, "position") and hasattr(arguments, "path"):
        names = [each for each in type(arguments).model_fields if each in arguments.model_fields_set]
        names = [each for each in names if each not in _ADDRESSES]
    elif (action := getattr(arguments, "action", None)) is not None:
        names = [str(action)]
    else:
        return ""
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
