"""How long callers are kept waiting: their deadlines, and what they hear when the main thread stops coming."""

from __future__ import annotations

from collections.abc import Callable

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.frame_queue import refusals
from tdmcp_embedded.frame_queue.book import Book
from tdmcp_embedded.frame_queue.figures import Figures
from tdmcp_embedded.frame_queue.job import Job

Answers = list[Callable[[], None]]


class Patience:
    """Says who has to be answered now though their call is not over. Hold the queue's lock.

    Args:
        stall_after: seconds without a pump after which the main thread counts as stalled; may be set while running.
        now: the queue's clock. Nobody has pumped yet: that is no stall before `stall_after` from here.
    """

    def __init__(self, book: Book, figures: Figures, stall_after: float, now: float) -> None:
        self.stall_after = stall_after
        self.last_pump = now
        """When the main thread last came by; set by the pump, in every frame."""
        self._book, self._figures = book, figures
        self._was_stalled = False

    def stalled_for(self, now: float) -> float:
        """Seconds since the main thread last came by, once that is longer than `stall_after`; else 0.0."""
        age = now - self.last_pump
        return age if age > self.stall_after else 0.0

    def stalls_at(self) -> float:
        """The moment from which the main thread counts as stalled, unless it comes by."""
        return self.last_pump + self.stall_after + 0.001

    def refusal(self, now: float, current: Job | None, owner: str) -> ToolFailure:
        """What a caller hears who meets a stalled main thread; `current` is the job it is in, `owner` the caller's key."""
        return refusals.stalled(now - self.last_pump, self._figures.frames > 0, current, now, owner)

    def overdue(self, now: float, current: Job | None) -> Answers:
        """Those whose time is up, as calls to make once the lock is released."""
        age = now - self.last_pump
        stalled = age > self.stall_after
        if stalled and not self._was_stalled:
            self._figures.stalls += 1
        self._was_stalled = stalled
        answers: Answers = []
        for job in self._book:
            if job.answered:
                continue
            if job.state == "queued":
                if stalled:
                    self._book.drop(job, now, self.refusal(now, current, job.owner))
                    answers.append(job.answer)
                elif now >= job.deadline_at:
                    self._book.drop(job, now, refusals.not_started(job, now))
                    answers.append(job.answer)
                continue
            # Begun and then left lying by a stalled main thread: it gets a little longer, for its work cannot be
            # called back. A job in the middle of a step is no victim of the stall but its cause: until its deadline.
            abandoned = job is not current and age > 2 * self.stall_after
            if abandoned or now >= job.deadline_at:
                job.undelivered = True
                self._figures.answered_still_running += 1
                answers.append(job.refusal(refusals.still_running(job, now, age if abandoned else 0.0)))
        return answers

    def events(self, current: Job | None) -> list[float]:
        """The moments at which somebody's time will be up, if nothing changes."""
        moments: list[float] = []
        for job in self._book:
            if not job.answered:
                moments.append(job.deadline_at)
                if job is not current:
                    moments.append(self.stalls_at() + (0 if job.state == "queued" else self.stall_after))
        return moments
