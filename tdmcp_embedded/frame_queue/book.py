"""Every job that waits or runs, and whose turn it is. The queue holds its lock around whatever it asks of this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import refusals
from tdmcp_embedded.frame_queue.figures import Figures
from tdmcp_embedded.frame_queue.history import History
from tdmcp_embedded.frame_queue.job import Job, State
from tdmcp_embedded.frame_queue.lines import Lines


class Book:
    """The open jobs, oldest first, and the ones that are over but not forgotten.

    Args:
        figures: counts what becomes of them.
    """

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self.open: dict[str, Job] = {}
        """Those that wait or run, by their ids."""
        self._ready = Lines()
        self._resting: list[Job] = []
        """Started jobs that wait for the next frame."""
        self._history = History()

    def __len__(self) -> int:
        return len(self.open)

    def __iter__(self) -> Iterator[Job]:
        """The open ones, as of now: they may be ended on the way."""
        return iter(list(self.open.values()))

    def open_job(self, job_id: str) -> Job | None:
        """A job that waits or runs."""
        return self.open.get(job_id)

    def find(self, job_id: str) -> Job | None:
        """A job that waits, runs or is not long over."""
        return self.open.get(job_id) or self._history.find(job_id)

    def enter(self, job: Job) -> None:
        """A new job, at the end of its session's line."""
        self.open[job.id] = job
        self._ready.join(job)
        self._figures.submitted += 1

    def end(
        self, job: Job, state: State, now: float, result: Any = None, failure: ToolFailure | None = None
    ) -> None:
        """The outcome of a job that ran."""
        del self.open[job.id]
        job.end(state, now, result=result, failure=failure)
        self._figures.outcomes[state] += 1
        self._history.add(job)

    def drop(self, job: Job, now: float, failure: ToolFailure, state: State = "dropped") -> None:
        """Take a queued job out for good; answer it once the lock is released."""
        self._ready.remove(job)
        self.end(job, state, now, failure=failure)

    # Turns

    @property
    def others_wait(self) -> bool:
        """Whether jobs wait for a turn in this frame, besides the one that has it."""
        return len(self._ready) > 0

    def new_frame(self) -> None:
        """Those that waited for this frame stand in line again."""
        self._ready.new_frame()
        for rested in self._resting:
            self._ready.join(rested)
        self._resting.clear()

    def next(self, now: float, until: float, first: bool) -> tuple[Job | None, list[Job]]:
        """The job whose turn it is, and those dropped on the way because their deadline has passed.

        Args:
            until: the end of the frame's budget; nothing is begun that would probably go beyond.
            first: something has to be done in every frame, however long it takes.
        """
        dropped: list[Job] = []
        while (job := self._ready.peek()) is not None:
            queued = job.state == "queued"
            if queued and now >= job.deadline_at:
                self.drop(job, now, refusals.not_started(job, now))
                dropped.append(job)
                continue
            likely = self._figures.expected_ms(job.label) / 1000 if queued else job.likely_step_s
            if not first and now + likely > until:
                return None, dropped  # it will be the first of the next frame
            if queued:
                job.state = "running"
                job.started = now
                self._figures.started((now - job.submitted) * 1000)
            return self._ready.take(), dropped
        return None, dropped

    def turn_over(self, job: Job, *, rest: bool) -> None:
        """A job that is not over has had its turn; with `rest` the next one is in another frame."""
        if rest:
            self._resting.append(job)
        else:
            self._ready.resume(job)

    def clear_lines(self) -> None:
        """Nobody gets another turn."""
        self._ready, self._resting = Lines(), []

    # Room

    def room(self, owner: str, capacity: int) -> bool:
        """Whether a key may have another job in the queue. The last eighth of the places is for other keys."""
        if len(self.open) >= capacity:
            return False
        if not owner or len(self.open) < capacity - capacity // 8:
            return True
        return sum(job.owner == owner for job in self.open.values()) < capacity - capacity // 8

    def displaceable(self, owner: str, session: str, capacity: int) -> Job | None:
        """The queued job that makes room for a newcomer in a full queue; None if the newcomer has to come again.

        Between keys: the last one of the key that has the most, if that is more than its share and the newcomer's key
        has less than its own. Within the newcomer's key: the last one of a session that fills most of the queue, if the
        newcomer's has hardly any.
        """
        owners = Counter(job.owner for job in self.open.values())
        share = capacity // len({*owners, owner})
        for crowd, count in owners.most_common():
            if crowd == owner or count <= share or owners[owner] >= share:
                break
            job = self._last_queued(crowd)
            if job is not None:
                return job
        sessions = Counter(job.session for job in self.open.values() if job.owner == owner)
        hog = max(sessions, key=lambda name: sessions[name], default=session)
        if sessions[hog] <= capacity // 2 or sessions[session] >= capacity // 8:
            return None
        return self._last_queued(owner, hog)

    def _last_queued(self, owner: str, session: str | None = None) -> Job | None:
        for job in reversed(self.open.values()):
            if job.state == "queued" and job.owner == owner and session in (None, job.session):
                return job
        return None
