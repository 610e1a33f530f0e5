"""Threads of ours: daemons, named, and with every exception in the log.

What Python itself does with an exception that ends a thread is to print it. Inside TouchDesigner that is the Textport, an
operator, which no other thread than the main one may touch.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, Final

#: How the names of our threads begin; the log tells their records from the host's by it.
PREFIX: Final = "tdmcp-"

_log = logging.getLogger(__name__)


def start(work: Callable[..., object], name: str, *args: Any) -> threading.Thread:
    """Start a thread.

    Args:
        name: what it is for, in a word; the prefix is added.
    """
    thread = threading.Thread(
        target=guarded, args=(work, f"The thread {PREFIX}{name}", *args), name=PREFIX + name, daemon=True
    )
    thread.start()
    return thread


def guarded(work: Callable[..., object], what: str, *args: Any) -> bool:
    """Do something whose failure must not end who does it.

    Args:
        what: names it in the log.

    Returns:
        Whether it succeeded; if not, the log has the traceback.
    """
    try:
        work(*args)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - SystemExit and cancellation too: whoever is called must not end the caller
        _log.exception("%s failed.", what)
        return False
    return True
