"""Which form of an answer a client takes, by its Accept header (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"


@dataclass(frozen=True)
class Accepted:
    """Whether a client takes JSON, and whether it takes an event stream."""

    json: bool
    events: bool


@lru_cache(maxsize=64)
def accepted(headers: tuple[bytes, ...]) -> Accepted:
    """What the Accept headers of a request allow; without any, both."""
    ranges = [
        _range(part) for value in headers for part in value.decode("latin-1").split(",") if part.strip()
    ]
    if not ranges:
        return Accepted(True, True)
    return Accepted(_takes(ranges, JSON), _takes(ranges, EVENT_STREAM))


def _takes(ranges: Sequence[tuple[str, bool]], kind: str) -> bool:
    """The most specific range decides."""
    for candidate in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        found = [wanted for name, wanted in ranges if name == candidate]
        if found:
            return any(found)
    return False


def _range(part: str) -> tuple[str, bool]:
    """A media range, and whether it is wanted: `q=0` means not."""
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    wanted = True
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                wanted = float(value) > 0
            except ValueError:
                pass
    return name, wanted
