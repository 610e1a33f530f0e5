"""What a value should have been, in our own words: pydantic's texts speak to programmers, not to whoever calls a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

#: What is wanted instead, by pydantic's name of the fault, to be joined by "or".
_WANTED = {
    "string_type": "a text",
    "string_sub_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "none_required": "null",
}

#: The same where pydantic says how much: the text takes the limit.
_BOUNDED = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "{} or more"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "{} or less"),
    "multiple_of": ("multiple_of", "a multiple of {}"),
    "string_too_short": ("min_length", "a text of {} or more characters"),
    "string_too_long": ("max_length", "a text of at most {} characters"),
    "string_pattern_mismatch": ("pattern", "{}"),
    "too_short": ("min_length", "{} or more entries"),
    "too_long": ("max_length", "at most {} entries"),
    "enum": ("expected", "one of {}"),
    "literal_error": ("expected", "one of {}"),
}

_WORDS = re.compile(r"^\^\((?P<words>[\w|]+)\)\$$")

#: Of a vector, the number of entries is both its least and its most.
_ENTRIES = frozenset({"too_short", "too_long"})


def wanted(fault: Mapping[str, Any]) -> str:
    """What the value should have been: "a whole number", "10 or less". "" where `remark` says it instead.

    Args:
        fault: one entry of `ValidationError.errors()`, with its context.
    """
    kind, context = str(fault["type"]), fault.get("ctx") or {}
    if kind in _WANTED:
        return _WANTED[kind]
    if kind in _BOUNDED:
        name, text = _BOUNDED[kind]
        if kind in _ENTRIES and context.get(name) == 1:
            return "one entry or more" if kind == "too_short" else "at most one entry"
        return text.format(_limit(context.get(name, "a value it knows")))
    return "" if kind in ("value_error", "assertion_error") else "another value"


def remark(fault: Mapping[str, Any]) -> str:
    """What a check of our own says about the value; "" where it is no such check."""
    return str((fault.get("ctx") or {}).get("error", "")) if fault["type"] == "value_error" else ""


def clause(faults: Sequence[Mapping[str, Any]], shown: str) -> str:
    """What is wrong with one value that fits none of its forms: `takes a text or a number, not [1]`.

    Args:
        faults: what is said about the same value, one for each form it could have had.
        shown: the value as the caller wrote it, cut to a moderate length.
    """
    remarks = [text for fault in faults if (text := remark(fault))]
    return f"{'; '.join(dict.fromkeys(remarks)) or f'takes {forms(faults)}'}, not {shown}"


def forms(faults: Sequence[Mapping[str, Any]]) -> str:
    """The forms that a value could have had, joined by "or"."""
    words = [text for fault in faults if (text := wanted(fault))]
    if "a number" in words:
        words = [word for word in words if word != "a whole number"]
    return " or ".join(dict.fromkeys(words)) or "another value"


def _limit(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # A pattern that is a list of words is told as one.
    if words := _WORDS.match(str(value)):
        return " or ".join(words["words"].split("|"))
    return str(value)
