"""What Python's JSON parser lets through though it is no value: NaN and infinity, lone surrogates, and NUL.

TouchDesigner and the system end a text at NUL, so that a name or file would be another one than was checked. All of
them are refused for every tool, before it looks at its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def fault(value: Any, where: str = "") -> str:
    """The first such thing in a parsed value, in a clause that says where it stands; "" if there is none."""
    if isinstance(value, str):
        return _at(where, wrong) if (wrong := _wrong(value)) else ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else _at(where, f"{value} is no number that JSON knows")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if wrong := _wrong(key):
                return _at(where, f"in a name, {wrong}")
            if found := fault(item, f"{where}.{key}" if where else key):
                return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            # Where a long list of plain numbers is sent, nearly all the time goes here.
            if not isinstance(item, int) and (found := fault(item, f"{where}.{index}")):
                return found
    return ""


def _wrong(text: str) -> str:
    if "\0" in text:
        return "the character NUL (U+0000) cannot be part of a text"
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half a character (a lone surrogate) is no text"
    return ""


def _at(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what
