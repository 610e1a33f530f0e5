"""Logging that stays out of TouchDesigner: our records wait in memory until the main thread fetches them.

TouchDesigner's `sys.stderr` is the Textport, an operator like any other, so a record that reached the root logger from
the server's thread would be a thread conflict. The loggers below are ours and our libraries'; root stays as found.
"""

from __future__ import annotations

import logging
from collections import deque

NAMES = ("tdmcp_embedded", "mcp", "uvicorn", "sse_starlette")
_KEPT = 200
_TEXT_LIMIT = 2000


class _Memory(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: deque[str] = deque(maxlen=_KEPT)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.lines.append(self.format(record)[:_TEXT_LIMIT])
        except Exception:  # noqa: BLE001 - logging's own answer, printing to stderr, is the Textport
            self.lines.append(f"{record.levelname} {record.name}: (a message that cannot be formatted)")


_memory = _Memory()
_users = 0
_before: dict[str, bool] = {}


def attach() -> None:
    """Keep our records in memory from now on. Main thread; pairs with `detach`."""
    global _users
    _users += 1
    if _users == 1:
        for name in NAMES:
            logger = logging.getLogger(name)
            _before[name] = logger.propagate
            logger.propagate = False
            logger.addHandler(_memory)


def detach() -> None:
    """Leave logging as it was, once the last user is gone."""
    global _users
    _users -= 1
    if _users == 0:
        for name in NAMES:
            logger = logging.getLogger(name)
            logger.removeHandler(_memory)
            logger.propagate = _before.pop(name)


def fetch() -> list[str]:
    """The lines since the last fetch, oldest first; at most the 200 newest."""
    lines = []
    while _memory.lines:
        lines.append(_memory.lines.popleft())
    return lines
