"""One-time codes with which the browser of this machine fetches the access key for the dashboard.

A browser is started with its address on the command line, which other users of the machine can read; a code is of no use
to them once the page has been loaded, or after a minute.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

#: Seconds that a code is good for: a browser that is not running yet takes its time.
VALID_S: Final = 60.0
#: Codes at once.
MOST: Final = 8


class BrowserCodes:
    """The codes that are open. Any thread.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, float] = {}

    def make(self) -> str:
        """A new code."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            while len(self._open) >= MOST:
                del self._open[next(iter(self._open))]
            self._open[code] = self._clock()
        return code

    def redeem(self, code: str) -> bool:
        """Whether a code is good; it is not from then on."""
        with self._lock:
            now = self._clock()
            self._open = {one: made for one, made in self._open.items() if now - made <= VALID_S}
            given = code.encode("utf-8", "surrogatepass")
            found = [one for one in self._open if secrets.compare_digest(one.encode(), given)]
            for one in found:
                del self._open[one]
            return bool(found)
