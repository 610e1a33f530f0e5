"""Imports that are too long for the main thread, on another one."""

from __future__ import annotations

import sys
import threading

from tdmcp_embedded import threads

#: What the boot function needs beyond itself: a twentieth of a second of Python. The heavy ones are imported by the
#: server's own thread later.
NEEDED = (
    "tdmcp_embedded.files",
    "tdmcp_embedded.host_log",
    "tdmcp_embedded.logs.log",
    "tdmcp_embedded.frame_queue",
    "tdmcp_embedded.serving",
    "tdmcp_embedded.http.thread",
)


class Loading:
    """The imports of `NEEDED`. Once they are done, importing one of them costs nothing on any thread."""

    def __init__(self) -> None:
        self.failure = ""
        """Why they failed, in a sentence."""
        self._thread: threading.Thread | None = None

    def done(self) -> bool:
        """Whether they are done, or failed; begins them if nobody has. Returns at once."""
        if self._thread is None:
            if all(name in sys.modules for name in NEEDED):
                return True
            self._thread = threads.start(self._import, "imports")
        return not self._thread.is_alive()

    def _import(self) -> None:
        from importlib import import_module

        from tdmcp_embedded.http.imports import in_small_bites

        try:
            with in_small_bites(last=False):
                for name in NEEDED:
                    import_module(name)
        except ImportError as error:
            self.failure = f"tdmcp-embedded cannot be imported: {error}."
        except BaseException as error:
            # A damaged file, say: without a sentence the start would be tried on and on.
            self.failure = f"tdmcp-embedded cannot be imported: {type(error).__name__}: {error}."
            raise
