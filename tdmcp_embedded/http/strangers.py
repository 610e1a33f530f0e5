"""Who was turned away for want of a valid key: told to the log, once in a while for each address."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from starlette.types import Scope

from tdmcp_embedded.http.answers import Refusal
from tdmcp_embedded.http.hosts import forwarded_address
from tdmcp_embedded.logs.log import Log

#: Seconds between two records of the same address; who tries keys by the thousand must not fill the disk.
QUIET_S: Final = 10.0
_ADDRESSES: Final = 256


class Strangers:
    """Keeps count of them.

    Args:
        clock: seconds.
    """

    def __init__(self, log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._seen: dict[str, tuple[float, int]] = {}

    def refused(self, scope: Scope, refusal: Refusal) -> None:
        """A request was refused for its key."""
        client, forwarded = scope.get("client"), forwarded_address(scope)
        address = str(client[0]) if client else ""
        who = forwarded or address
        now = self._clock()
        since, more = self._seen.get(who, (-QUIET_S, 0))
        if now - since < QUIET_S:
            self._seen[who] = (since, more + 1)
            return
        if len(self._seen) >= _ADDRESSES:
            self._seen.clear()
        self._seen[who] = (now, 0)
        before = f" ({more} more before)" if more else ""
        self._log.access(
            f"A request to {scope['path']} was refused{before}.",
            refusal.code,
            address=address,
            forwarded=forwarded,
        )
