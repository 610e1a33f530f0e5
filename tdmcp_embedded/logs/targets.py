"""Which operators or files a call is about: paths only, for the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

#: Arguments that hold paths, names of operators or files; everything else is content, and none of the log's business.
_PATHS: Final = ("path", "paths", "parent", "file", "uri")
_LISTS: Final = ("changes", "connect", "disconnect")
_ENDS: Final = ("path", "from", "to")

_SHOWN: Final = 5
_LONGEST: Final = 200


def target(arguments: Mapping[str, Any] | None) -> str:
    """The paths among a call's arguments, at most five, and how many more there are."""
    found = list(dict.fromkeys(_walk(arguments or {})))
    shown = [path if len(path) <= _LONGEST else path[: _LONGEST - 1] + "…" for path in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(shown) + more


def _walk(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in _PATHS:
        value = arguments.get(name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield item
    for name in _LISTS:
        entries = arguments.get(name)
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, Mapping):
                yield from (entry[end] for end in _ENDS if isinstance(entry.get(end), str) and entry[end])
