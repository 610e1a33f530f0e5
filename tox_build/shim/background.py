"""Threads of the shim: an exception ends none of them unseen."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def start_thread(work: Callable[..., Any], what: str, log: Callable[[str], None], *args: Any) -> None:
    """Do something on a thread of its own; what it raises is reported.

    Args:
        what: names it in the log.
    """
    threading.Thread(target=guarded, args=(work, what, log, *args), daemon=True).start()


def guarded(work: Callable[..., Any], what: str, log: Callable[[str], None], *args: Any) -> bool:
    """Do something whose failure must not end who does it; returns whether it succeeded."""
    try:
        work(*args)
    except Exception as error:  # noqa: BLE001 - whatever it is, the thread has more to do
        report(what, log, error)
        return False
    return True


def report(what: str, log: Callable[[str], None], error: BaseException) -> None:
    """Say on standard error and in the log what failed; standard output belongs to the protocol."""
    import traceback

    try:
        log(f"{what} failed: {error!r}")
        print(f"stdio_shim: {what} failed:", file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    except Exception:  # noqa: BLE001, S110 - nobody reads standard error (any more), or the disk is full
        pass
