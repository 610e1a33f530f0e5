"""Notices when subscribed resources change: a short look at them on the main thread, a few times a second.

Nothing runs while nobody subscribes. A look is a job of the frame queue like any other, so it keeps within the frame's
budget; one that takes long is made more seldom, so that all looks together take at most a twentieth of the main
thread's time. Changes that follow each other quickly are told as one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import OWN_JOBS, FrameQueue

_log = logging.getLogger(__name__)

#: What a resource looks like, as far as it matters: equal as long as it has not changed. None: it is not there.
Fingerprint = object

#: The fingerprint of a resource whose look raised an exception: nothing is known, and the next look may know more.
LOOK_FAILED: Final = object()

#: Work for the main thread: looks at addresses, gives the fingerprint of each it knows and the seconds that took.
Look = Callable[[Sequence[str]], Generator[Any, None, Mapping[str, tuple[Fingerprint, float]]]]

#: Seconds between two looks at a resource.
_INTERVAL: Final = 0.2
#: Least seconds between two notices of one resource.
_QUIET: Final = 0.5
#: A look is repeated after this many times the time it took, counting all that are watched.
_REST: Final = 20.0
#: Seconds a look may take; the main thread may be busy with other things.
_DEADLINE: Final = 10.0
#: Seconds for the first look, for which a client waits.
_PATIENCE: Final = 1.0
#: Least seconds between a failed look and the next one.
_RETRY: Final = 1.0


@dataclass
class _Watched:
    fingerprint: Fingerprint = None
    known: bool = False
    beginning: bool = False
    """Whether a subscriber waits for the first look at it."""
    due: float = 0.0
    changed: bool = False
    told: float = float("-inf")


class Watcher:
    """Looks at what is wanted, and tells what changed; on the server's event loop, unless stated.

    Args:
        look: how to look at addresses, on the main thread.
        tell: told the address of what changed.
    """

    def __init__(
        self,
        queue: FrameQueue,
        look: Look,
        tell: Callable[[str], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue, self._look, self._tell, self._clock = queue, look, tell, clock
        #: The addresses that anybody wants to hear of now.
        self.wanted: Callable[[], set[str]] = set
        self._watched: dict[str, _Watched] = {}
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._failing = ""
        """The exception that the last round ended with; logged once until a round succeeds."""

    async def begin(self, uris: Iterable[str]) -> None:
        """Somebody is about to hear of these: see how they are now, and watch from here on."""
        self._loop = asyncio.get_running_loop()
        new = [uri for uri in uris if not self._watched.get(uri, _Watched()).known]
        for uri in new:
            self._watched.setdefault(uri, _Watched()).beginning = True
        try:
            if new:
                await self._look_at(new, _PATIENCE)
        except Exception as error:  # noqa: BLE001 - the subscription stands all the same; the next look may succeed
            self._note_failure(error)
        finally:
            for uri in new:
                if uri in self._watched:
                    self._watched[uri].beginning = False
        if (self._task is None or self._task.done()) and not self._closed:
            self._task = asyncio.create_task(self._watch())

    def changed(self, uri: str) -> None:
        """Something else has seen that this changed; any thread, costs nothing when nobody subscribes to it."""
        if uri in self._watched and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the server's loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._mark, uri)

    def close(self) -> None:
        """Watch nothing any more."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()

    def _mark(self, uri: str) -> None:
        if uri in self._watched:
            self._watched[uri].changed = True

    async def _watch(self) -> None:
        while True:
            pause = _INTERVAL
            try:
                if not await self._round():
                    return
                self._failing = ""
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the subscribers still want to hear
                self._note_failure(error)
                pause = _RETRY
            await asyncio.sleep(pause)

    async def _round(self) -> bool:
        """Look at what is due and tell what changed; whether anybody still wants to hear of anything."""
        wanted = self.wanted()
        if not wanted:
            self._watched.clear()
            return False
        for uri in [uri for uri, one in self._watched.items() if uri not in wanted and not one.beginning]:
            del self._watched[uri]
        now = self._clock()
        due = [
            uri
            for uri in sorted(wanted)
            if (one := self._watched.setdefault(uri, _Watched())).due <= now and not one.beginning
        ]
        if due:
            await self._look_at(due, _DEADLINE)
        for uri, watched in list(self._watched.items()):
            if watched.changed and self._clock() - watched.told >= _QUIET:
                watched.changed, watched.told = False, self._clock()
                await self._tell(uri)
        return True

    async def _look_at(self, uris: Sequence[str], deadline: float) -> None:
        """One look; if the main thread does not come by, the next will do."""
        try:
            job = self._queue.submit(
                lambda: self._look(uris),
                session="subscriptions",
                owner=OWN_JOBS,
                label="subscriptions",
                deadline=deadline,
                remember=False,
            )
            found: Mapping[str, tuple[Fingerprint, float]] = await asyncio.wrap_future(job.future)
        except ToolFailure as failure:
            if failure.code is Code.INTERNAL_ERROR:
                raise
            return
        now = self._clock()
        for uri in uris:
            watched = self._watched.get(uri)
            if watched is None:
                continue
            if uri not in found:
                # Nothing to look at: somebody else says when it changes, if it does.
                watched.known, watched.due = True, float("inf")
                continue
            fingerprint, seconds = found[uri]
            watched.due = now + max(_INTERVAL, _REST * seconds * len(self._watched))
            if fingerprint is LOOK_FAILED:
                watched.due = max(watched.due, now + _RETRY)
                continue
            # Without a first look nobody knows what the subscriber has missed: one notice too many does no harm.
            missed = not watched.known and not watched.beginning
            if missed or (watched.known and fingerprint != watched.fingerprint):
                watched.changed = True
            watched.fingerprint, watched.known = fingerprint, True

    def _note_failure(self, error: Exception) -> None:
        text = f"{type(error).__name__}: {error}"
        if text != self._failing:
            self._failing = text
            _log.error("Looking at subscribed resources failed; it is tried again. %s", text)
