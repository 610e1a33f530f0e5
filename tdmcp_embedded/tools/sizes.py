"""How much one call may ask for, by the name of what is asked: an edit is one step, and must not stop the show.

Texts and tables, operators of a network and calls of a batch have limits of their own, where they are worked on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: Entries of a list or an object, wherever it stands.
_ENTRIES = {
    "params": 1000, "flags": 100, "sequences": 100, "inputs": 500, "comp_inputs": 500, "annotations": 500,
    "tags": 500, "menu": 5000, "menu_labels": 5000, "remove": 500, "fields": 100,
}  # fmt: skip

#: Custom parameters of one operator, on all its pages.
_DEFINITIONS = 500
_PAGES = ("pages", "custom")

#: Characters of names, paths, patterns and remarks.
_CHARACTERS = {
    "name": 1000, "path": 4000, "parent": 4000, "type": 1000, "param": 1000, "parameters": 4000, "tag": 1000,
    "family": 1000, "file": 4000, "from": 4000, "to": 4000, "dock": 1000, "style": 1000, "label": 4000,
    "comment": 100_000, "help": 20_000,
}  # fmt: skip


def excess(arguments: Mapping[str, Any]) -> str:
    """The first thing that is too much, in a clause that says where it stands and what the limit is; "" if none is."""
    return next(_excesses(arguments, ""), "")


def _excesses(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            here = f"{where}.{name}" if where else str(name)
            yield from _one(str(name), item, here)
            # Of a table, only its own limit counts.
            if name != "table":
                yield from _excesses(item, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (Mapping, list)):
                yield from _excesses(item, f"{where}.{index}")


def _one(name: str, item: Any, where: str) -> Iterator[str]:
    if isinstance(item, str):
        if len(item) > _CHARACTERS.get(name, len(item)):
            yield f"{where} has {len(item)} characters (at most {_CHARACTERS[name]})"
    elif isinstance(item, (Mapping, list)):
        if len(item) > _ENTRIES.get(name, len(item)):
            yield f"{where} has {len(item)} entries (at most {_ENTRIES[name]} in one call)"
        elif name in _PAGES and isinstance(item, list):
            pages = [page.get("parameters") for page in item if isinstance(page, Mapping)]
            count = len(item) + sum(len(each) for each in pages if isinstance(each, list))
            if count > _DEFINITIONS:
                yield f"{where} has {count} pages and parameters (at most {_DEFINITIONS} in one call)"
