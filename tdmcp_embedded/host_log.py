"""Logging that stays out of TouchDesigner: our records go to the logs of our servers, and nowhere else.

TouchDesigner's `sys.stderr` is the Textport, an operator like any other, so a record that reached the root logger from
the server's thread would be a thread conflict. The loggers below are ours and our libraries'; root stays as found.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tdmcp_embedded.threads import PREFIX

if TYPE_CHECKING:
    from tdmcp_embedded.logs.log import Log

NAMES = ("tdmcp_embedded", "mcp", "uvicorn", "sse_starlette")
#: Loggers of the standard library that speak on behalf of whoever uses them: those of our threads' records that would
#: reach them are taken aside, the host's pass.
SHARED = ("asyncio", "concurrent.futures")


class _Forward(logging.Handler):
    """Gives warnings and worse to the attached logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.logs: list[Log] = []
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
        except Exception:  # noqa: BLE001 - logging's own answer, printing to stderr, is the Textport
            text = "(a message that cannot be formatted)"
        level = record.levelname.lower()
        for log in list(self.logs):
            log.event(level, text, source=record.name)


def _passes(record: logging.LogRecord) -> bool:
    """Whether a record of a shared logger is the host's; ours is told to our logs instead."""
    if not (record.threadName or "").startswith(PREFIX):
        return True
    if record.levelno >= _forward.level:
        _forward.handle(record)
    return False


_forward = _Forward()
_before: dict[str, bool] = {}


def attach(log: Log) -> None:
    """Have our libraries' warnings told to a log from now on. Main thread; pairs with `detach`."""
    if not _forward.logs:
        for name in NAMES:
            logger = logging.getLogger(name)
            _before[name] = logger.propagate
            logger.propagate = False
            logger.addHandler(_forward)
        for name in SHARED:
            logging.getLogger(name).addFilter(_passes)
    _forward.logs.append(log)


def detach(log: Log) -> None:
    """Leave logging as it was, once the last log is gone."""
    _forward.logs.remove(log)
    if not _forward.logs:
        for name in NAMES:
            logger = logging.getLogger(name)
            logger.removeHandler(_forward)
            logger.propagate = _before.pop(name)
        for name in SHARED:
            logging.getLogger(name).removeFilter(_passes)
