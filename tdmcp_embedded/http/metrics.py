"""`/metrics`: figures for Prometheus, for those who hold a key.

The client library is imported when somebody asks for the first time, on a worker thread: most never do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

from tdmcp_embedded import __version__
from tdmcp_embedded.frame_queue import FrameQueue
from tdmcp_embedded.http.answers import Refusal, refuse
from tdmcp_embedded.http.imports import in_small_bites
from tdmcp_embedded.logs.log import Log

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

_TYPE = "text/plain; version=0.0.4; charset=utf-8"

#: The queue's figures that only grow: name of the metric (without `_total`), of the figure, factor, and what it is.
_COUNTED = (
    ("tdmcp_frames", "frames", 1.0, "Frames in which the server was given its turn."),
    ("tdmcp_frames_busy", "busy_frames", 1.0, "Frames in which there was work for clients."),
    ("tdmcp_frames_over_budget", "frames_over_budget", 1.0, "Frames in which that work took longer than the budget."),
    ("tdmcp_frame_work_seconds", "total_pump_ms", 0.001, "Time of the main thread that work for clients has taken."),
    ("tdmcp_job_steps", "steps", 1.0, "Steps of work done on the main thread."),
    ("tdmcp_stalls", "stalls", 1.0, "Times that the main thread did not come by for more than a second."),
)  # fmt: skip
_MEASURED = (
    ("tdmcp_queue_jobs", "depth", "Calls that wait for the main thread or are at work there."),
    ("tdmcp_queue_capacity", "capacity", "Calls that may wait; further ones are told that it is busy."),
    ("tdmcp_main_thread_age_seconds", "last_pump_age_s", "Time since the main thread last came by."),
    ("tdmcp_main_thread_stalled_seconds", "stalled_for_s", "How long it has been stalled; 0 when it is not."),
)


class Metrics:
    """The endpoint.

    Args:
        sessions: how many MCP sessions are open.
        log: what calls are counted from.
    """

    def __init__(self, queue: FrameQueue, sessions: Callable[[], int], log: Log) -> None:
        self._queue, self._sessions = queue, sessions
        self._calls = log.calls
        self._registry: CollectorRegistry | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await asyncio.to_thread(self._render)
        except ImportError:
            sentence = "This build has no metrics: the Python package prometheus_client is missing."
            await refuse(scope, receive, send, Refusal(404, "not_found", sentence))
            return
        headers = [
            (b"content-type", _TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    def collect(self) -> Iterator[Metric]:
        """The figures of this moment; asked by the registry."""
        from prometheus_client.metrics_core import (
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
            InfoMetricFamily,
        )

        stats = self._queue.stats()
        yield InfoMetricFamily("tdmcp", "This server.", {"version": __version__})
        yield GaugeMetricFamily("tdmcp_sessions", "Open MCP sessions.", self._sessions())
        for name, figure, text in _MEASURED:
            yield GaugeMetricFamily(name, text, float(stats[figure]))
        for name, figure, factor, text in _COUNTED:
            yield CounterMetricFamily(name, text, float(stats[figure]) * factor)
        yield _labelled(
            CounterMetricFamily(
                "tdmcp_jobs", "Work for the main thread that ended, by outcome.", labels=["outcome"]
            ),
            {(name,): stats[name] for name in ("done", "failed", "cancelled", "dropped")},
        )
        yield _labelled(
            CounterMetricFamily(
                "tdmcp_refusals", "Work that was refused at once, by reason.", labels=["reason"]
            ),
            {("busy",): stats["refused_busy"], ("stalled",): stats["refused_stalled"]},
        )
        yield _labelled(
            CounterMetricFamily("tdmcp_calls", "Calls by tool and outcome.", labels=["tool", "outcome"]),
            self._calls.kinds(),
        )
        classes, seconds = self._calls.durations()
        yield HistogramMetricFamily(
            "tdmcp_call_seconds", "How long calls took, from arrival to answer.", classes, seconds
        )

    def _render(self) -> bytes:
        if self._registry is None:
            self._registry = self._load()
        from prometheus_client import generate_latest

        return generate_latest(self._registry)

    def _load(self) -> CollectorRegistry:
        with in_small_bites():
            from prometheus_client import CollectorRegistry
        # A registry of our own: the library's default one belongs to whoever else uses it in this process.
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return registry


def _labelled(family: Any, values: dict[Any, Any]) -> Any:
    for labels, value in values.items():
        family.add_metric(labels, float(value))
    return family
