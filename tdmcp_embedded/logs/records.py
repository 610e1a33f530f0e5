"""One thing that happened, in plain values that may go anywhere: to a file, a client, the component's log."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

#: MCP's words for severity, from the least to the most.
LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_LONGEST: Final = 2000


def severity(level: str) -> int:
    """The rank of a level; an unknown word counts as *info*."""
    return LEVELS.index(level) if level in LEVELS else 1


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the log.

    `number` counts up without gaps, `time` is seconds since 1970, `ms` how long a call took. A call has `tool`,
    `outcome` ("ok" or the code of its failure), the name of its `key`, the `client` as it calls itself, the `address`
    it came from, the one that a proxy says it was `forwarded` for, and the `session` it belongs to.
    """

    number: int
    time: float
    level: str
    event: str
    source: str = ""
    key: str = ""
    client: str = ""
    address: str = ""
    forwarded: str = ""
    session: str = ""
    tool: str = ""
    target: str = ""
    outcome: str = ""
    ms: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without what is empty; the session's id, which lets others use it, stays out."""
        facts = {name: getattr(self, name) for name in self.__slots__ if name != "session"}
        return {name: value for name, value in facts.items() if value not in ("", None)}


def clean(text: str) -> str:
    """Text from outside, fit for a log: one line, bounded, and encodable."""
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    line = "".join(c if c.isprintable() else " " for c in cut)
    return line.encode("utf-8", "replace").decode("utf-8")


def stamp(seconds: float) -> str:
    """A time as logs write it: UTC, to the millisecond."""
    whole = int(seconds)
    fraction = min(999, int((seconds - whole) * 1000))
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{fraction:03d}Z"
