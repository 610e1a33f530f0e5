"""Any Python or TouchDesigner value as strict, bounded JSON.

Strict: no NaN, no infinity, no lone surrogates, text keys only. Bounded: depth, items per container, characters per
text and leaves in all, so that no value can make an answer large or slow. Main thread only where the value is TD's.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import islice
from types import ModuleType
from typing import Any

Json = Any
"""None, bool, int, float, str, list of Json, or dict of str to Json."""

#: Whole numbers beyond this lose digits in clients that keep numbers as doubles; they are written as text.
_LARGEST_INT = 2**53


@dataclass(frozen=True)
class Bounds:
    """How much of a value to show."""

    depth: int = 6
    items: int = 200
    chars: int = 4000
    leaves: int = 5000
    total: int = 200_000
    """Characters of all texts together."""


def json_value(value: object, bounds: Bounds | None = None) -> Json:
    """`value` as strict JSON.

    An operator becomes its path, a Par its value, a Cell its text, a Channel its samples, a matrix or a numpy array
    nested lists; NaN and infinities the texts "NaN", "Infinity", "-Infinity"; bytes their length and beginning;
    a cycle "<cycle>"; anything else its repr. What is cut says how much is missing. Never raises.
    """
    return _Writer(bounds or Bounds()).write(value, 0)


def short_repr(value: object, limit: int = 500) -> str:
    """`repr(value)`, cut to `limit` characters; an object whose repr raises is named by its type."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a user's own __repr__ may do anything
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return cut(clean(text), limit)


def clean(text: str) -> str:
    """Without lone surrogates, which no JSON encoder can send as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def cut(text: str, limit: int, where: str = "") -> str:
    """At most about `limit` bytes as they travel (characters, of plain ASCII), saying how many characters there were."""
    shown = text[:limit]
    # No character travels in more than six bytes.
    if 6 * len(shown) > limit:
        while shown and (size := weight(shown) - 2) > limit:
            shown = shown[: min(len(shown) - 1, len(shown) * limit // size)]
    return text if len(shown) == len(text) else f"{shown}… ({len(text)} characters{where})"


def weight(value: Json) -> int:
    """Bytes of a value as JSON: in most alphabets a character takes two to four of them."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def number(value: float) -> Json:
    """A number as JSON can hold it: NaN and infinities, and integers too large for a double, become text."""
    if isinstance(value, int):
        return int(value) if -_LARGEST_INT <= value <= _LARGEST_INT else _digits(int(value))
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _digits(value: int) -> str:
    """A whole number as text; Python writes no number of thousands of digits."""
    if value.bit_length() <= 1000:
        return str(value)
    return f"about {'-' if value < 0 else ''}2**{value.bit_length()} ({value.bit_length()} bits)"


def rounded(value: float, digits: int = 6) -> Json:
    """A float32 as a person would write it: 0.1, not 0.10000000149011612."""
    result = number(float(f"{float(value):.{digits}g}"))
    if isinstance(result, float) and result.is_integer() and abs(result) < _LARGEST_INT:
        return int(result)
    return result


def exact(value: float) -> Json:
    """A number that comes out as it went in; a whole one without a fraction."""
    result = number(value)
    if isinstance(result, float) and result.is_integer() and abs(result) < _LARGEST_INT:
        return int(result)
    return result


def same_number(left: float, right: float) -> bool:
    """Whether two numbers are one for TD, which keeps some as doubles and some as float32."""
    return left == right or _single(left) == _single(right)


def _single(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float(value)
    except struct.error:  # a whole number beyond every float
        return math.inf if value > 0 else -math.inf


def kind(value: object) -> str:
    """Which of TD's classes a value is: "OP", "Par", "ParGroup", "Cell", "Channel", "Page", "Connector", or "".

    Told by the names in the class chain: `td` classes need no import, and the stand-in's carry the same names.
    """
    for cls in type(value).__mro__:
        if cls.__name__ in _TD_KINDS and not cls.__module__.startswith("builtins"):
            return cls.__name__
    return ""


_TD_KINDS = frozenset({"OP", "Par", "ParGroup", "Cell", "Channel", "Page", "Connector", "Run"})


class _Writer:
    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._left = bounds.leaves
        self._room = bounds.total
        self._open: set[int] = set()

    def write(self, value: object, depth: int) -> Json:
        self._left -= 1
        if self._left < 0 or self._room < 0:
            return "<left out: the value is too large>"
        try:
            return self._spent(self._write_any(value, depth))
        except Exception:  # noqa: BLE001 - whatever a foreign object does while being looked at, the answer must come
            return self._spent(short_repr(value))

    def _spent(self, written: Json) -> Json:
        if isinstance(written, str):
            self._room -= len(written)
        return written

    def _write_any(self, value: object, depth: int) -> Json:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return clean(value.name)
        if isinstance(value, (int, float)):
            return number(value)
        if isinstance(value, str):
            # A subclass of the agent's own may say anything about itself; the text in it is what counts.
            return cut(clean(str.__str__(value)), self._bounds.chars)
        return self._write_object(value, depth)

    def _write_object(self, value: object, depth: int) -> Json:
        if isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value[:48])
            return {"bytes": len(value), "base64_begin": base64.b64encode(data).decode("ascii")}
        td_kind = kind(value)
        if td_kind:
            return self._write_td(td_kind, value, depth)
        if isinstance(value, (type, ModuleType)) or callable(value):
            return short_repr(value)
        if isinstance(value, BaseException):
            return cut(clean(f"{type(value).__name__}: {value}"), self._bounds.chars)
        if id(value) in self._open:
            return "<cycle>"
        if depth >= self._bounds.depth:
            return f"<{type(value).__name__}, deeper than {self._bounds.depth} levels>"
        self._open.add(id(value))
        try:
            return self._write_container(value, depth)
        finally:
            self._open.discard(id(value))

    def _write_td(self, td_kind: str, value: Any, depth: int) -> Json:
        if td_kind == "OP":
            return value.path if value.valid else "<operator that no longer exists>"
        if td_kind == "Par":
            return self.write(value.eval(), depth + 1)
        if td_kind == "ParGroup":
            return self.write([par.eval() for par in value], depth + 1)
        if td_kind == "Cell":
            return cut(clean(value.val), self._bounds.chars)
        if td_kind == "Channel":
            return self._items(value.vals, len(value.vals), depth)
        if td_kind == "Page":
            return clean(value.name)
        if td_kind == "Connector":
            side = "input" if value.isInput else "output"
            return f"{value.owner.path} {side} {value.index}"
        return short_repr(value)

    def _write_container(self, value: Any, depth: int) -> Json:
        if isinstance(value, Mapping):
            return self._mapping(value.items(), len(value), depth)
        if is_dataclass(value):
            return self._mapping(((f.name, getattr(value, f.name)) for f in fields(value)), 0, depth)
        if isinstance(value, (list, tuple)):
            return self._items(value, len(value), depth)
        if isinstance(value, (set, frozenset)):
            ordered = sorted(value, key=short_repr) if len(value) <= 10_000 else value
            return self._items(ordered, len(value), depth)
        if hasattr(value, "tolist") and hasattr(value, "shape"):
            return self._array(value, depth)
        if hasattr(value, "item") and hasattr(value, "dtype"):
            return self.write(value.item(), depth)
        rows = getattr(value, "rows", None)
        if type(value).__name__ == "Matrix" and rows is not None:
            return self._items(rows, len(rows), depth)
        if type(value).__name__ in _VECTORS:
            return self._items(tuple(value), 0, depth)
        return short_repr(value)

    def _array(self, value: Any, depth: int) -> Json:
        if value.shape == ():
            return self.write(value.item(), depth)
        # Rows beyond the bound are dropped before tolist(), which would otherwise unpack millions of numbers.
        shown = value[: self._bounds.items]
        items = [self.write(row, depth + 1) for row in shown]
        if len(value) > len(shown):
            items.append(f"… {len(value) - len(shown)} more (shape {list(value.shape)})")
        return items

    def _items(self, values: Iterable[object], total: int, depth: int) -> list[Json]:
        shown: list[Json] = []
        for item in islice(values, self._bounds.items):
            if self._left <= 0 or self._room < 0:
                break
            shown.append(self.write(item, depth + 1))
        if total > len(shown):
            shown.append(f"… {total - len(shown)} more")
        return shown

    def _mapping(self, pairs: Iterable[tuple[object, object]], total: int, depth: int) -> dict[str, Json]:
        shown: dict[str, Json] = {}
        for key, item in islice(pairs, self._bounds.items):
            if self._left <= 0 or self._room < 0:
                break
            name = clean(key) if isinstance(key, str) else short_repr(key, 200)
            self._room -= len(name)
            shown[cut(name, 200)] = self.write(item, depth + 1)
        if total > len(shown):
            shown["…"] = f"{total - len(shown)} more"
        return shown


#: tdu classes that are short runs of numbers.
_VECTORS = frozenset({"Position", "Vector", "Quaternion", "Color"})
