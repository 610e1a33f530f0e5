"""The queue itself: who waits, who runs, and for how long in each frame."""

from __future__ import annotations

import inspect
import itertools
import logging
import random
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Final

from tdmcp_embedded import threads
from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import refusals
from tdmcp_embedded.frame_queue.book import Book
from tdmcp_embedded.frame_queue.delivery import Delivery
from tdmcp_embedded.frame_queue.figures import Figures
from tdmcp_embedded.frame_queue.job import Job, State, Work
from tdmcp_embedded.frame_queue.limits import Limit, Limits
from tdmcp_embedded.frame_queue.patience import Answers, Patience
from tdmcp_embedded.frame_queue.steps import Pause, advance
from tdmcp_embedded.frame_queue.watchdog import Watchdog

_log = logging.getLogger(__name__)

#: Seconds a job may go on at a stretch while others wait for their turn in the same frame.
_TURN_S: Final = 0.001

#: Seconds after a pump at which answers are given though the frame's end has not come: something takes very long.
_LONG_FRAME_S: Final = 0.25


class FrameQueue:
    """Work submitted from any thread, done on the main thread by `pump`, once a frame, within a budget.

    Jobs are fair between keys and their sessions, and first in, first out within one (see `lines.py`). At least one step runs per
    frame. Every caller is answered by its deadline, by `stall_after` seconds after the main thread stopped coming, or
    by `close`, and a call told that it was not started never runs.

    Args:
        capacity: jobs waiting or running at once; beyond it callers are told *busy*.
        budget_ms: milliseconds of work per frame. This and `capacity` may be set while running.
        stall_after: seconds without a pump after which the main thread counts as stalled.
        clock: seconds, monotonic.
        watch: whether a watchdog thread keeps deadlines while nobody pumps, and another one gives the answers;
            without it, call `check` yourself.
        frame_end: has a function called when the Python of the frame in progress is over: that is when answers are
            given, at the next `pump` at the latest. Without it they are given at the end of `pump`.
    """

    def __init__(
        self,
        *,
        capacity: int = 256,
        budget_ms: float = 4.0,
        stall_after: float = 1.0,
        clock: Callable[[], float] = time.perf_counter,
        watch: bool = True,
        frame_end: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self.capacity = capacity
        self.budget_ms = budget_ms
        self._clock = clock
        self._lock = threading.Lock()
        self._figures = Figures()
        self._book = Book(self._figures)
        self._numbers = itertools.count(1)
        # Not the system's generator: that gives the interpreter away, and the frame takes its time to give it back.
        self._tails = random.Random()
        self._current: Job | None = None
        self._pump_thread: int | None = None
        self._patience = Patience(self._book, self._figures, stall_after, clock())
        self._closed: str | None = None
        self._watchdog = Watchdog(self.check, clock, watch)
        self._delivery = Delivery(watch, frame_end)
        self._limits = Limits(clock, self._watchdog.look_by)

    # Any thread

    def submit(
        self,
        work: Work,
        *,
        session: str = "",
        owner: str = "",
        label: str = "",
        deadline: float = 30.0,
        keep: bool = False,
        remember: bool = True,
    ) -> Job:
        """Hand over work for the main thread.

        Args:
            work: a function without arguments; what it returns is the result. If it returns a generator, that is run
                step by step: a bare `yield` offers the frame back, `yield NEXT_FRAME` waits for the next frame, its
                return value is the result.
            session: whose call this is; sessions of a key take turns.
            owner: the identity of the key the call was made with; keys take turns.
            label: what it is, in a word, for those who read *busy with ...*.
            deadline: seconds until the caller is answered in any case.
            keep: nobody waits for `future`; the result is kept for whoever asks for the job later.
            remember: whether the job can still be asked for once it is over. Work that repeats by itself, and that
                no client knows of, says no: it would push the calls of clients out of the history.

        Returns:
            The job; wait for its `future`.

        Raises:
            ToolFailure: `busy`, `main_thread_stalled`, or `not_started` once the queue is closed.
        """
        answers: Answers = []
        with self._lock:
            now = self._clock()
            if self._closed is not None:
                raise refusals.closed(self._closed)
            if self._patience.stalled_for(now):
                self._figures.refused_stalled += 1
                raise self._patience.refusal(now, self._current, owner)
            self._delivery.begin()
            if not self._book.room(owner, self.capacity):
                answers.append(self._make_room(owner, session, now))
            job_id = f"job{next(self._numbers)}-{self._tails.getrandbits(24):06x}"
            job = Job(job_id, work, session, label, now, deadline, owner)
            job.undelivered, job.remembered = keep, remember
            self._book.enter(job)
        _give(answers)
        # asyncio.wrap_future passes a cancelled call on to this future: the client went away.
        job.future.add_done_callback(
            lambda future: future.cancelled() and self.cancel(job.id, "The client cancelled the call.")
        )
        self._watchdog.look_by(min(job.deadline_at, self._patience.stalls_at()))
        return job

    def at_frame_end(self, call: Callable[[], None]) -> None:
        """Have `call` made when the Python of a frame is over, on a thread of the queue's; any thread.

        That is the moment at which work on another thread takes least from the frames. Where no frame comes, the call may
        come late or never: have a limit of your own.
        """
        with self._lock:
            if self._closed is None:
                self._delivery.begin()
        self._delivery.hold(call)
        if self._closed is not None:
            self._delivery.release()

    def cancel(self, job_id: str, reason: str = "The call was cancelled.") -> bool:
        """Drop a queued job, or have a running generator closed at its next `yield`.

        Args:
            reason: a sentence for the caller.

        Returns:
            Whether that can still be done: not of a job that is over, or of a plain function already at work.
        """
        with self._lock:
            job = self._book.open_job(job_id)
            if job is None or (job.state == "running" and job.steps is None):
                return False
            if job.state == "running":
                job.cancel_reason = job.cancel_reason or reason
                return True
            self._book.drop(job, self._clock(), refusals.cancelled(job, reason), "cancelled")
        job.answer()
        return True

    def job(self, job_id: str) -> Job | None:
        """A job that is queued, running or not long over."""
        with self._lock:
            return self._book.find(job_id)

    @property
    def current(self) -> Job | None:
        """The job whose step the main thread is in; how work finds its own job."""
        return self._current

    @property
    def stalled_for(self) -> float:
        """Seconds since the main thread last came by, once that is longer than `stall_after`; else 0.0."""
        return self._patience.stalled_for(self._clock())

    @property
    def stall_after(self) -> float:
        """Seconds without a pump after which the main thread counts as stalled; may be set while running."""
        return self._patience.stall_after

    @stall_after.setter
    def stall_after(self, seconds: float) -> None:
        self._patience.stall_after = seconds

    def describe(self, job: Job) -> dict[str, Any]:
        """A job in JSON-ready words: job, label, state, waited_s, ran_s, progress."""
        return job.describe(self._clock())

    def stats(self, owner: str | None = None) -> dict[str, Any]:
        """The queue in JSON-ready numbers.

        Args:
            owner: describe only the running jobs of this key; the numbers are of all. None describes everybody's.
        """
        now = self._clock()
        with self._lock:
            current = self._current
            begun = [job for job in self._book if job.state == "running"]
            depth = len(self._book)
        running = [job.describe(now) for job in begun if owner in (None, job.owner)]
        if current is not None and owner not in (None, current.owner):
            current = None
        return {
            "depth": depth,
            "waiting": depth - len(begun),
            "running": running,
            "current": current.id if current is not None else None,
            "capacity": self.capacity,
            "budget_ms": self.budget_ms,
            "last_pump_age_s": round(now - self._patience.last_pump, 3),
            "stalled_for_s": round(self.stalled_for, 3),
            "closed": self._closed is not None,
            **self._figures.stats(),
        }

    def check(self) -> float | None:
        """Answer those whose deadline has passed or who met a stalled main thread; what the watchdog does.

        Returns:
            When there will be something to do again, if nothing changes.
        """
        self._limits.enforce()
        if self._delivery.held and self._clock() > self._long_frame_at():
            self._delivery.release()
        with self._lock:
            answers = self._patience.overdue(self._clock(), self._current)
            events = self._patience.events(self._current)
        if self._delivery.held:
            events.append(self._long_frame_at())
        if (due := self._limits.next_due()) is not None:
            events.append(due)
        _give(answers)
        return min(events, default=None)

    # Main thread

    def pump(self) -> None:
        """Do a frame's share of the work. Main thread, once a frame; costs a microsecond when there is none."""
        if self._current is not None:
            # A step of ours let the host's callbacks run (a message box does). The queue is not moving: no heartbeat.
            return
        began = self._clock()
        self._patience.last_pump = began
        figures = self._figures
        figures.frames += 1
        if self._delivery.awaited:
            self._delivery.frame_ended()
        busy = bool(self._book.open)
        if busy:
            self._work_off(began)
        if self._delivery.held:
            self._delivery.share_done()
        ms = (self._clock() - began) * 1000
        figures.total_pump_ms += ms
        figures.max_pump_ms = max(figures.max_pump_ms, ms)
        if busy:
            figures.pumped(ms, self.budget_ms)

    def limit(self, seconds: float) -> Limit:
        """A context manager around user code: `TimeLimitExceeded` is raised in it after `seconds`. Main thread.

        Code that swallows the exception gets it again, with growing pauses. It never arrives outside the block.
        """
        return self._limits.limit(seconds)

    def close(self, reason: str) -> None:
        """Take no more work and answer everybody. Any thread; call it on the main thread if you can.

        Queued jobs never run. Running generators are closed: at once on the main thread, else at the next `pump`.

        Args:
            reason: a sentence for the callers ("The server is stopping.").
        """
        answers: Answers = []
        with self._lock:
            if self._closed is not None:
                return
            self._closed = reason
            now = self._clock()
            for job in self._book:
                if job.state == "queued":
                    self._book.drop(job, now, refusals.closed(reason))
                    answers.append(job.answer)
                else:
                    job.cancel_reason = reason
                    answers.append(job.refusal(refusals.cancelled(job, reason)))
        self._watchdog.end()
        _give(answers)
        here = threading.get_ident()
        if self._current is None and here == (self._pump_thread or threading.main_thread().ident):
            with self._lock:
                begun = list(self._book)
                self._book.clear_lines()
            for job in begun:
                self._step(job, 0.0)
        self._delivery.end()

    # The queue's own: the main thread's part

    def _work_off(self, began: float) -> None:
        self._pump_thread = threading.get_ident()
        until = began + self.budget_ms / 1000
        with self._lock:
            self._book.new_frame()
        now = began
        first = True
        while first or now < until:
            with self._lock:
                job, dropped = self._book.next(now, until, first)
            for late in dropped:
                self._delivery.hold(late.answer)
            if job is None:
                return
            self._step(job, until)
            first = False
            now = self._clock()

    def _step(self, job: Job, until: float) -> None:
        """One turn of a job: its first step, or more of a generator until the budget or its turn is spent."""
        began = self._clock()
        first = job.steps is None
        self._current = job
        result: Any = None
        try:
            try:
                result = self._run(job, began, until)
            finally:
                # Whatever happened in there, the rest must not be hit by a time limit.
                self._limits.disarm_all()
            if job.cancel_reason is not None and isinstance(result, Pause):
                self._end(job, "cancelled", failure=refusals.cancelled(job, job.cancel_reason))
            elif not isinstance(result, Pause):
                self._end(job, "done", result=result)
        except ToolFailure as failure:
            # A traceback holds frames, and they TouchDesigner objects: neither may travel to another thread.
            failure.__traceback__ = failure.__cause__ = failure.__context__ = None
            self._end(job, "failed", failure=failure)
        except BaseException as error:
            job.traceback = "".join(traceback.format_exception(error))
            unforeseen = refusals.unforeseen(error)
            if unforeseen.code is Code.INTERNAL_ERROR:
                _log.error("%s (%s) failed: %s", job.label or "A job", job.id, job.traceback)
            self._end(job, "failed", failure=unforeseen)
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            self._current = None
            self._figures.stepped(job.label, (self._clock() - began) * 1000, first)
            if not job.over:
                with self._lock:
                    self._book.turn_over(job, rest=result is Pause.NEXT_FRAME)

    def _run(self, job: Job, began: float, until: float) -> Any:
        """The result of the job, or the `Pause` it has come to."""
        if job.steps is None:
            assert job.work is not None
            result: Any = job.work()
            if not inspect.isgenerator(result):
                return result
            job.steps = result
        steps = job.steps
        assert steps is not None
        if job.cancel_reason is None:
            turn_end = min(until, began + _TURN_S) if self._book.others_wait else until
            result = advance(job, steps, self._clock, turn_end, self.budget_ms / 1000)
            if job.cancel_reason is None or not isinstance(result, Pause):
                return result
        steps.close()
        return Pause.TURN_OVER

    def _end(self, job: Job, state: State, *, result: Any = None, failure: ToolFailure | None = None) -> None:
        with self._lock:
            self._book.end(job, state, self._clock(), result, failure)
        self._delivery.hold(job.answer)

    # The queue's own: any thread, holding the lock

    def _long_frame_at(self) -> float:
        """The moment from which answers are given though the frame has not ended."""
        return self._patience.last_pump + _LONG_FRAME_S

    def _make_room(self, owner: str, session: str, now: float) -> Callable[[], None]:
        """The queue is full: refuse the newcomer, or displace a job of those who fill most of it.

        Returns:
            The call that tells the displaced one.
        """
        retry_after = self._figures.drain_s(len(self._book), self.budget_ms)
        self._figures.refused_busy += 1
        displaced = self._book.displaceable(owner, session, self.capacity)
        if displaced is None:
            raise refusals.busy(self._book, self._current, now, retry_after, owner)
        busy = refusals.busy(self._book, self._current, now, retry_after, displaced.owner)
        self._book.drop(displaced, now, busy)
        return displaced.answer


def _give(answers: Answers) -> None:
    """Make calls that answer somebody; one that raises costs the others nothing."""
    for answer in answers:
        threads.guarded(answer, "Giving an answer")
