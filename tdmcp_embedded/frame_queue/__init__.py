"""The frame queue: work from any thread, done on the main thread, a little in every frame.

`submit` hands work over from any thread and gives a `Job`; `pump`, called on the main thread once a frame, does the
work within a budget. The queue knows neither TouchDesigner nor MCP and imports nothing heavy.
"""

from __future__ import annotations

from tdmcp_embedded.frame_queue.job import NEXT_FRAME, Job
from tdmcp_embedded.frame_queue.limits import TimeLimitExceeded
from tdmcp_embedded.frame_queue.queue import FrameQueue

#: The owner of jobs that the server makes for itself; no key is identified like that.
OWN_JOBS = "\0server"

__all__ = ["NEXT_FRAME", "OWN_JOBS", "FrameQueue", "Job", "TimeLimitExceeded"]
