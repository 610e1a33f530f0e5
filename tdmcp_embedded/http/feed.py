"""The stream that keeps a dashboard up to date: records of the log as they come, and figures once a second.

Costs nothing while no dashboard is open.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.answers import Refusal, refuse
from tdmcp_embedded.http.credentials import key_of
from tdmcp_embedded.http.keys import Key
from tdmcp_embedded.logs.log import Log
from tdmcp_embedded.logs.records import Record

#: Seconds between two samples, and between two deliveries of records (a flood of calls comes in heaps).
TICK_S: Final = 1.0
_GATHER_S: Final = 0.1
#: Records a new dashboard is shown, and that are sent in one delivery; beyond that the oldest are left out.
_FIRST: Final = 200
_AT_ONCE: Final = 200
_MOST_FEEDS: Final = 16
_MOST_OF_ONE: Final = 8


class Feed:
    """The endpoint: server-sent events `records` (a list) and `state`.

    Args:
        state: what else a dashboard shows to whom; asked once a second.
    """

    def __init__(self, queue: FrameQueue, log: Log, state: Callable[[Key | None], dict[str, Any]]) -> None:
        self._queue, self._log, self._state = queue, log, state
        self._open: Counter[str] = Counter()
        self._closing: asyncio.Event | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = key_of(scope)
        owner = key.id if key is not None else ""
        if self._open.total() >= _MOST_FEEDS or self._open[owner] >= _MOST_OF_ONE:
            sentence = f"{self._open[owner]} dashboards are open with this key; close one."
            await refuse(scope, receive, send, Refusal(503, "busy", sentence, {"retry-after": "10"}))
            return
        self._open[owner] += 1
        try:
            response = StreamingResponse(
                self._events(key),
                media_type="text/event-stream",
                headers={"cache-control": "no-store"},
            )
            await response(scope, receive, send)
        finally:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]

    def close(self) -> None:
        """End all streams; on the event loop, before the server stops."""
        if self._closing is not None:
            self._closing.set()

    async def _events(self, key: Key | None) -> AsyncIterator[str]:
        if self._closing is None:
            self._closing = asyncio.Event()
        closing, news = self._closing, asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake(record: Record) -> None:
            try:
                loop.call_soon_threadsafe(news.set)
            except RuntimeError:  # the server has ended meanwhile
                return

        end = self._log.ring.listen(wake)
        figures = Figures(self._queue)
        shown = max(0, self._log.ring.last - _FIRST)
        due = 0.0
        try:
            while not closing.is_set():
                records = self._log.ring.since(shown)
                if records:
                    shown = records[-1].number
                    yield event("records", [record.as_dict() for record in records[-_AT_ONCE:]])
                now = loop.time()
                if now >= due:
                    due = now + TICK_S
                    yield event("state", self._state(key) | {"sample": figures.sample()})
                await _first(news, closing, max(0.0, due - loop.time()))
                if news.is_set():
                    news.clear()
                    await _first(closing, closing, _GATHER_S)
        finally:
            end()


class Figures:
    """What happened since the last sample, from counters that only grow."""

    def __init__(self, queue: FrameQueue, clock: Callable[[], float] = time.perf_counter) -> None:
        self._queue, self._clock = queue, clock
        self._then = self._clock()
        self._last = queue.stats()

    def sample(self) -> dict[str, Any]:
        """Frames a second and their mean duration (ms; None without frames), the share of it that is our work (ms a
        frame), calls in the queue, and seconds since the main thread last came by."""
        now, stats = self._clock(), self._queue.stats()
        seconds, frames = max(1e-6, now - self._then), stats["frames"] - self._last["frames"]
        work = stats["total_pump_ms"] - self._last["total_pump_ms"]
        self._then, self._last = now, stats
        return {
            "time": round(time.time(), 3),
            "fps": round(frames / seconds, 1),
            "frame_ms": round(seconds * 1000 / frames, 2) if frames else None,
            "work_ms": round(work / frames, 3) if frames else None,
            "depth": stats["depth"],
            "age_s": stats["last_pump_age_s"],
        }


def event(name: str, content: Any) -> str:
    """One server-sent event; JSON holds no line breaks."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"


async def _first(one: asyncio.Event, other: asyncio.Event, seconds: float) -> None:
    """Wait until either is set, at most so many seconds."""
    waiting = [asyncio.ensure_future(e.wait()) for e in {one, other}]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
