"""Notices when subscribed resources change: a short look at them on the main thread, a few times a second.

Nothing runs while nobody subscribes. A look is a job of the frame queue like any other, so it keeps within the frame's
budget; one that takes long is made more seldom, so that all looks together take at most a twentieth of the main
thread's time. Changes that follow each other quickly are told as one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import FrameQueue

#: What a resource looks like, as far as it matters: equal as long as it has not changed. None: it is not there.
Fingerprint = object

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


@dataclass
class _Watched:
    fingerprint: Fingerprint = None
    known: bool = False
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

    async def begin(self, uris: Iterable[str]) -> None:
        """Somebody is about to hear of these: see how they are now, and watch from here on."""
        self._loop = asyncio.get_running_loop()
        new = [uri for uri in uris if not self._watched.get(uri, _Watched()).known]
        for uri in new:
            self._watched.setdefault(uri, _Watched())
        if new:
            await self._round(new, _PATIENCE)
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
        while wanted := self.wanted():
            for uri in set(self._watched) - wanted:
                del self._watched[uri]
            now = self._clock()
            due = [uri for uri in sorted(wanted) if self._watched.setdefault(uri, _Watched()).due <= now]
            if due:
                await self._round(due, _DEADLINE)
            for uri, watched in list(self._watched.items()):
                if watched.changed and self._clock() - watched.told >= _QUIET:
                    watched.changed, watched.told = False, self._clock()
                    await self._tell(uri)
            await asyncio.sleep(_INTERVAL)
        self._watched.clear()

    async def _round(self, uris: Sequence[str], deadline: float) -> None:
        """One look; if the main thread does not come by, the next will do."""
        try:
            job = self._queue.submit(
                lambda: self._look(uris),
                session="subscriptions",
                label="subscriptions",
                deadline=deadline,
                remember=False,
            )
            found: Mapping[str, tuple[Fingerprint, float]] = await asyncio.wrap_future(job.future)
        except ToolFailure:
            return
        now = self._clock()
        for uri in uris:
            watched = self._watched.get(uri)
            if watched is None:
                continue
            if uri not in found:
                watched.known, watched.due = (
                    True,
                    float("inf"),
                )  # nothing to be looked at: it is told, if at all
                continue
            fingerprint, seconds = found[uri]
            if watched.known and fingerprint != watched.fingerprint:
                watched.changed = True
            watched.fingerprint, watched.known = fingerprint, True
            watched.due = now + max(_INTERVAL, _REST * seconds * len(self._watched))
