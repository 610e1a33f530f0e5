"""What Python's JSON parser lets through though it is no JSON: numbers that are none, and halves of characters.

TouchDesigner chokes on either, and so do its files and our answers; so they are refused at the door, for every tool.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def fault(value: Any, where: str = "") -> str:
    """The first such thing in a parsed value, in a clause that says where it stands; "" if there is none."""
    if isinstance(value, str):
        return "" if _is_text(value) else _at(where, "half a character (a lone surrogate) is no text")
    if isinstance(value, float):
        return "" if math.isfinite(value) else _at(where, f"{value} is no number that JSON knows")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not _is_text(key):
                return _at(where, "a name with half a character (a lone surrogate) is no text")
            if found := fault(item, f"{where}.{key}" if where else key):
                return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            # Where a long list of plain numbers is sent, nearly all the time goes here.
            if not isinstance(item, int) and (found := fault(item, f"{where}.{index}")):
                return found
    return ""


def _is_text(value: str) -> bool:
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _at(where: str, what: str) -> str:
    return f"{where}: {what}" if where else what
