"""What differs between two networks, both in the format of `network_model`. Pure: any thread."""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from tdmcp_embedded.touchdesigner.rows import unread
from tdmcp_embedded.touchdesigner.values import same_number

#: Fields that describe how a network is drawn, not what it does.
LAYOUT = frozenset({"position", "size", "color", "comment"})

#: Path of the network itself, in a comparison of two.
ITSELF = "."

#: Fields that say nothing of the operator itself; what is inside is compared operator by operator.
_INSIDE = frozenset({"name", "children", "annotations", "left_out", "as_read"})

#: Lists that are sets to the user, compared whole; everything else that is a mapping is compared key by key.
_BY_KEY = frozenset({"params", "flags", "sequences"})


@dataclass
class Difference:
    """One operator or annotation that is not the same in both."""

    path: str
    """Relative to the networks compared; `ITSELF` is the network's own COMP."""
    kind: str
    """added, removed or changed."""
    type: str = ""
    changes: dict[str, list[Any]] = field(default_factory=dict)
    """Field (or field.key) to [before, after]; null is not there, or at its default."""


@dataclass(frozen=True)
class Level:
    """What one network holds, by name: whatever its side knows each operator and annotation by."""

    operators: dict[str, Any]
    annotations: dict[str, Any]


_Fields = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[tuple[str, list[Any]]]]

#: Work in steps; None offers the frame back.
T = TypeVar("T")
Steps = Generator[None, None, T]


class Side(Protocol):
    """One of two networks that are compared, asked for a little at a time."""

    @property
    def top(self) -> Any:
        """What it knows the network itself by."""

    def inside(self, thing: Any) -> Steps[Level | None]:
        """What is in the network, or in an operator; None where that was not read."""

    def row(self, thing: Any) -> Steps[Mapping[str, Any] | None]:
        """An operator or annotation in the format of `network_model`; None if it is gone meanwhile."""

    def own(self) -> Mapping[str, Any] | None:
        """Parameters and custom pages of the network itself; None where they are not known."""

    def type(self, thing: Any) -> str:
        """Its operator type."""

    def stated(self, thing: Any, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A row of the other side, with parameters named as this side names them (a vector by its members)."""


class Described:
    """A side that is held whole: a mapping with operators and annotations."""

    def __init__(self, network: Mapping[str, Any]) -> None:
        self.top = network

    def inside(self, thing: Mapping[str, Any]) -> Steps[Level | None]:
        yield
        if "inside" in unread(thing):
            return None
        rows = thing.get("operators" if thing is self.top else "children") or ()
        notes = thing.get("annotations") or ()
        return Level({row["name"]: row for row in rows}, {row["name"]: row for row in notes})

    def own(self) -> Mapping[str, Any] | None:
        return None

    def row(self, thing: Mapping[str, Any]) -> Steps[Mapping[str, Any] | None]:
        yield
        return thing

    def type(self, thing: Mapping[str, Any]) -> str:
        return str(thing.get("type") or "")

    def stated(self, thing: Mapping[str, Any], row: Mapping[str, Any]) -> Mapping[str, Any]:
        return row


def differences(
    before: Side, after: Side, *, layout: bool = True, precise: bool = False
) -> Iterator[Difference | None]:
    """What has to be done to `before` to get `after`; None offers the frame back.

    `precise` also tells numbers apart that are one as float32.

    Rows are read, compared and let go: two networks of any size take no more memory than their names.
    """
    fields = partial(_fields, layout=layout, equal=operator.eq if precise else same)
    was, now = before.own(), after.own()
    if was is not None and now is not None and (changes := dict(fields(was, now))):
        yield Difference(ITSELF, "changed", "", changes)
    yield from _inside(before, after, before.top, after.top, "", fields)


def _inside(
    before: Side, after: Side, left: Any, right: Any, prefix: str, fields: _Fields
) -> Generator[Difference | None, None, None]:
    old = yield from before.inside(left)
    new = yield from after.inside(right)
    if old is None or new is None:
        return
    for name, thing in old.operators.items():
        if name not in new.operators:
            yield Difference(prefix + name, "removed", before.type(thing))
            yield None
    for name, thing in new.operators.items():
        if name not in old.operators:
            yield Difference(prefix + name, "added", after.type(thing))
            yield None
            continue
        was, now = (yield from before.row(old.operators[name])), (yield from after.row(thing))
        if was is None or now is None:
            continue
        was, now = after.stated(thing, was), before.stated(old.operators[name], now)
        changes = dict(fields(was, now))
        if changes:
            yield Difference(prefix + name, "changed", str(now.get("type") or ""), changes)
        yield from _inside(before, after, old.operators[name], thing, f"{prefix}{name}/", fields)
    for name in [*old.annotations, *(name for name in new.annotations if name not in old.annotations)]:
        path = f"{prefix}{name}"
        if name not in new.annotations:
            yield Difference(path, "removed", "annotation")
        elif name not in old.annotations:
            yield Difference(path, "added", "annotation")
        else:
            was = yield from before.row(old.annotations[name])
            now = yield from after.row(new.annotations[name])
            changes = dict(fields(was, now)) if was is not None and now is not None else {}
            if changes:
                yield Difference(path, "changed", "annotation", changes)


def _fields(
    old: Mapping[str, Any], new: Mapping[str, Any], *, layout: bool, equal: Callable[[Any, Any], bool]
) -> Iterator[tuple[str, list[Any]]]:
    passed = _INSIDE | unread(old) | unread(new) | (frozenset() if layout else LAYOUT)
    for name in [*old, *(key for key in new if key not in old)]:
        if name in passed:
            continue
        was, now = old.get(name), new.get(name)
        if name in _BY_KEY:
            was, now = was or {}, now or {}
            for key in [*was, *(k for k in now if k not in was)]:
                if not equal(was.get(key), now.get(key)):
                    yield f"{name}.{key}", [was.get(key), now.get(key)]
        elif name in ("inputs", "comp_inputs"):
            left, right = _wires(was), _wires(now)
            if left != right:
                yield name, [was, now]
        elif not equal(was or None, now or None):
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
    if left == right:
        # Nearly always, and at once even for a table of a hundred thousand rows.
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return same_number(left, right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return False
