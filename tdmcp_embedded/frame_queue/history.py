"""What the queue remembers of jobs that are over: of each key so much, so that no key can push out another's."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from tdmcp_embedded.frame_queue.job import Job

#: Of each key.
_REMEMBERED: Final = 128
_RESULTS_KEPT: Final = 32
#: Of all keys together. Beyond that the key that has the most loses its oldest.
_ALL_REMEMBERED: Final = 512
_ALL_RESULTS_KEPT: Final = 96


class History:
    """The last jobs: with their result where nobody has it yet, else only what became of them."""

    def __init__(self) -> None:
        self._delivered = _Kept(_REMEMBERED, _ALL_REMEMBERED)
        self._undelivered = _Kept(_RESULTS_KEPT, _ALL_RESULTS_KEPT)

    def add(self, job: Job) -> None:
        if not job.remembered:
            return
        if job.undelivered:
            self._undelivered.add(job)
        else:
            self._delivered.add(job.epitaph())

    def find(self, job_id: str) -> Job | None:
        return self._undelivered.find(job_id) or self._delivered.find(job_id)


class _Kept:
    """Jobs by id, oldest first, and by key."""

    def __init__(self, of_one: int, of_all: int) -> None:
        self._of_one, self._of_all = of_one, of_all
        self._jobs: dict[str, Job] = {}
        self._owners: dict[str, OrderedDict[str, None]] = {}

    def add(self, job: Job) -> None:
        self._jobs[job.id] = job
        own = self._owners.setdefault(job.owner, OrderedDict())
        own[job.id] = None
        if len(own) > self._of_one:
            self._forget(job.owner)
        elif len(self._jobs) > self._of_all:
            self._forget(max(self._owners, key=lambda owner: len(self._owners[owner])))

    def find(self, job_id: str) -> Job | None:
        return self._jobs.get(job_id)

    def _forget(self, owner: str) -> None:
        own = self._owners[owner]
        job_id, _ = own.popitem(last=False)
        del self._jobs[job_id]
        if not own:
            del self._owners[owner]
