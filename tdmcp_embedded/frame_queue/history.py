"""What the queue remembers of jobs that are over."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from tdmcp_embedded.frame_queue.job import Job

_REMEMBERED: Final = 128
_RESULTS_KEPT: Final = 32


class History:
    """The last jobs: with their result where nobody has it yet, else only what became of them."""

    def __init__(self) -> None:
        self._delivered: OrderedDict[str, Job] = OrderedDict()
        self._undelivered: OrderedDict[str, Job] = OrderedDict()

    def add(self, job: Job) -> None:
        if not job.remembered:
            return
        if job.undelivered:
            self._undelivered[job.id] = job
            if len(self._undelivered) > _RESULTS_KEPT:
                self._undelivered.popitem(last=False)
        else:
            self._delivered[job.id] = job.epitaph()
            if len(self._delivered) > _REMEMBERED:
                self._delivered.popitem(last=False)

    def find(self, job_id: str) -> Job | None:
        return self._undelivered.get(job_id) or self._delivered.get(job_id)
