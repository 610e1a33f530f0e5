"""What differs between two networks, both in the format of `network_model`. Pure: any thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tdmcp_embedded.touchdesigner.values import same_number

#: Fields that describe how a network is drawn, not what it does.
LAYOUT = frozenset({"position", "size", "color", "comment"})

#: Fields that hold what is inside, compared operator by operator.
_INSIDE = frozenset({"name", "children", "annotations", "left_out"})

#: Lists that are sets to the user, compared whole; everything else that is a mapping is compared key by key.
_BY_KEY = frozenset({"params", "flags", "sequences"})


@dataclass
class Difference:
    """One operator or annotation that is not the same in both."""

    path: str
    """Relative to the networks compared."""
    kind: str
    """added, removed or changed."""
    type: str = ""
    changes: dict[str, list[Any]] = field(default_factory=dict)
    """Field (or field.key) to [before, after]; null is not there, or at its default."""


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], *, layout: bool = True, prefix: str = ""
) -> Iterator[Difference]:
    """What has to be done to `before` (a mapping with operators and annotations) to get `after`."""
    yield from _members(before.get("operators"), after.get("operators"), prefix, layout)
    yield from _notes(before.get("annotations"), after.get("annotations"), prefix, layout)


def _members(
    before: Sequence[Mapping[str, Any]] | None,
    after: Sequence[Mapping[str, Any]] | None,
    prefix: str,
    layout: bool,
) -> Iterator[Difference]:
    old = {row["name"]: row for row in before or ()}
    new = {row["name"]: row for row in after or ()}
    for name, row in old.items():
        if name not in new:
            yield Difference(prefix + name, "removed", row.get("type") or "")
    for name, row in new.items():
        path = prefix + name
        if name not in old:
            yield Difference(path, "added", row.get("type") or "")
            continue
        changes = dict(_fields(old[name], row, layout))
        if changes:
            yield Difference(path, "changed", row.get("type") or "", changes)
        if "inside" in _unread(old[name]) | _unread(row):
            continue
        yield from _members(old[name].get("children"), row.get("children"), f"{path}/", layout)
        yield from _notes(old[name].get("annotations"), row.get("annotations"), f"{path}/", layout)


def _notes(before: Any, after: Any, prefix: str, layout: bool) -> Iterator[Difference]:
    old = {row["name"]: row for row in before or ()}
    new = {row["name"]: row for row in after or ()}
    for name in [*old, *(name for name in new if name not in old)]:
        path = f"{prefix}{name}"
        if name not in new:
            yield Difference(path, "removed", "annotation")
        elif name not in old:
            yield Difference(path, "added", "annotation")
        else:
            changes = dict(_fields(old[name], new[name], layout))
            if changes:
                yield Difference(path, "changed", "annotation", changes)


def _unread(row: Mapping[str, Any]) -> set[str]:
    """What a bounded reading did not carry (`left_out`), of which nothing can be said: text, table, inside."""
    words = " ".join(row.get("left_out") or ()).split()
    return {"text", "table", "inside"} & {word.strip(";") for word in words}


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], layout: bool) -> Iterator[tuple[str, list[Any]]]:
    passed = _INSIDE | _unread(old) | _unread(new) | (frozenset() if layout else LAYOUT)
    for name in [*old, *(key for key in new if key not in old)]:
        if name in passed:
            continue
        was, now = old.get(name), new.get(name)
        if name in _BY_KEY:
            was, now = was or {}, now or {}
            for key in [*was, *(k for k in now if k not in was)]:
                if not same(was.get(key), now.get(key)):
                    yield f"{name}.{key}", [was.get(key), now.get(key)]
        elif name in ("inputs", "comp_inputs"):
            left, right = _wires(was), _wires(now)
            if left != right:
                yield name, [was, now]
        elif not same(was or None, now or None):
            yield name, [was, now]


def _wires(sources: Any) -> list[tuple[str, int] | None]:
    """Inputs in one spelling: a bare name is its first output, and nothing at the end is nothing."""
    wires: list[tuple[str, int] | None] = []
    for source in sources or ():
        if source is None or isinstance(source, str):
            wires.append((source, 0) if source is not None else None)
        else:
            wires.append((source["from"], source.get("output", 0)))
    while wires and wires[-1] is None:
        wires.pop()
    return wires


def same(left: Any, right: Any) -> bool:
    """Equality as TouchDesigner sees it: numbers to the precision of a float32, lists and mappings by content."""
    if isinstance(left, bool) or isinstance(right, bool):
        return bool(left == right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return same_number(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return bool(left == right)
