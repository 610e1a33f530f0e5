"""`run()`, `Run` and `runs`: code that executes some frames later (fact 8).

Delays are counted on a reference clock. Without `delayRef` that is the root timeline, so a pending run waits for ever
while the timeline is paused and says nothing; with `delayRef=op.TDResources` it is the process's own count of frames,
which always moves; with another operator it is that operator's Time COMP.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from fakes import builds, guard
from fakes.clock import Always
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded


class Ticks(Protocol):
    """A count of frames that a delay is measured on."""

    @property
    def elapsed(self) -> int: ...


class Host(Protocol):
    """What the schedule needs from the rest of the stand-in."""

    def rate(self) -> float:
        """Frames per second of the root timeline."""

    def ticks(self, reference: Any) -> Ticks:
        """The clock behind `delayRef` (an operator face, or None for the root timeline)."""

    def execute(self, pending: Pending) -> None:
        """Execute the code; what it raises is reported as TouchDesigner does, not raised."""

    def caller(self) -> Any:
        """The operator whose script is calling, or None."""


class Pending:
    """One scheduled execution; the plain state behind a `Run`."""

    __slots__ = ("alive", "args", "at_end", "due", "group", "number", "owner", "source", "ticks")

    def __init__(
        self, number: int, source: Any, args: tuple[Any, ...], owner: Any, group: str, at_end: bool
    ) -> None:
        self.number = number
        self.source = source
        self.args = args
        self.owner = owner
        self.group = group
        self.at_end = at_end
        self.ticks: Ticks | None = None
        self.due = 0
        self.alive = True

    def remaining(self) -> int:
        """Frames left on the reference clock."""
        return max(0, self.due - self.ticks.elapsed) if self.alive and self.ticks else 0

    def is_due(self) -> bool:
        return self.alive and self.ticks is not None and self.ticks.elapsed >= self.due


class DatScript:
    """What `DAT.run()` schedules: the DAT, whose text counts when it runs (`Run.source` is the DAT, not a text)."""

    def __init__(self, dat: Any) -> None:
        self.dat = dat


class Schedule:
    """Every pending `run()` of one TouchDesigner process, first come first served."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._numbers = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        #: What a run without any delay does: "now" executes it inside the call, "end" at the end of the frame.
        #: Which one TouchDesigner does is not established; the product must work with both.
        self.without_delay = "now"

    def add(
        self,
        source: Any,
        args: tuple[Any, ...],
        *,
        owner: Any = None,
        group: str = "",
        at_end: bool = False,
        frames: int = 0,
        reference: Any = None,
    ) -> Pending:
        """Schedule `source` (text, a DAT or a callable) `frames` frames of the reference clock from now."""
        pending = Pending(next(self._numbers), source, args, owner, group, at_end)
        pending.ticks = self._host.ticks(reference)
        pending.due = pending.ticks.elapsed + frames
        if frames <= 0 and not at_end:
            if self.without_delay == "now":
                pending.alive = False
                self._host.execute(pending)
                return pending
            pending.at_end = True
        self._pending[pending.number] = pending
        return pending

    def fire(self, *, at_end: bool) -> int:
        """Execute what is due at the start (or end) of this frame; what they schedule waits for a later call."""
        due = [p for p in self._pending.values() if p.at_end == at_end and p.is_due()]
        fired = 0
        for pending in due:
            if pending.alive:  # An earlier one may have killed it.
                self.drop(pending)
                self._host.execute(pending)
                fired += 1
        return fired

    def drop(self, pending: Pending) -> None:
        pending.alive = False
        self._pending.pop(pending.number, None)

    def kill_all(self) -> int:
        """Cancel every pending run, as a careless script may; the number of them."""
        count = len(self._pending)
        for pending in list(self._pending.values()):
            self.drop(pending)
        return count

    def pending(self) -> list[Pending]:
        return list(self._pending.values())


class Run(Guarded):
    """A scheduled execution, as scripts hold it."""

    __slots__ = ("_host", "_pending", "_schedule")
    _pending: Pending
    _schedule: Schedule
    _host: Host

    def __init__(self, pending: Pending, schedule: Schedule, host: Host) -> None:
        # Past the guard of assignments: scripts that run themselves anew make one of these in every frame.
        put = object.__setattr__
        put(self, "_pending", pending)
        put(self, "_schedule", schedule)
        put(self, "_host", host)

    @property
    def _live(self) -> Pending:
        # Of one that was executed it is established; of one that was killed, the worse way (fact 58).
        if not self._pending.alive:
            raise tdError("Invalid run object: it is over.")
        return self._pending

    @property
    def active(self) -> bool:
        return self._live.alive

    @property
    def group(self) -> str:
        return self._live.group

    @group.setter
    def group(self, value: str) -> None:
        self._live.group = str(value)

    @property
    def isString(self) -> bool:
        return isinstance(self._live.source, str)

    @property
    def isDAT(self) -> bool:
        return isinstance(self._live.source, DatScript)

    @property
    def isCell(self) -> bool:
        return False

    @property
    def source(self) -> Any:
        source = self._live.source
        return source.dat if isinstance(source, DatScript) else source

    @property
    def path(self) -> Any:
        return self._live.owner

    @property
    def remainingFrames(self) -> int:
        return self._live.remaining()

    @remainingFrames.setter
    def remainingFrames(self, value: int) -> None:
        if self._live.ticks is not None:
            self._live.due = self._live.ticks.elapsed + int(value)

    @property
    def remainingMilliseconds(self) -> int:
        return round(self._live.remaining() * 1000 / self._host.rate())

    @remainingMilliseconds.setter
    def remainingMilliseconds(self, value: int) -> None:
        if self._live.ticks is not None:
            frames = round(value * self._host.rate() / 1000)
            self._live.due = self._live.ticks.elapsed + frames

    def kill(self) -> None:
        self._schedule.drop(self._live)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and other._pending is self._live

    def __hash__(self) -> int:
        return hash(self._pending.number)


class Runs(Guarded):
    """The pending runs: iterable, with a length, by index."""

    __slots__ = ("_host", "_schedule")

    def __init__(self, schedule: Schedule, host: Host) -> None:
        self._schedule = schedule
        self._host = host

    def __iter__(self) -> Iterator[Run]:
        return iter([Run(p, self._schedule, self._host) for p in self._schedule.pending()])

    def __len__(self) -> int:
        return len(self._schedule.pending())

    def __getitem__(self, index: int) -> Run:
        return Run(self._schedule.pending()[index], self._schedule, self._host)


def make_run(schedule: Schedule, host: Host) -> Callable[..., Run]:
    """The function `run` of the `td` module."""

    def run(
        script: Any,
        *args: Any,
        endFrame: bool = False,
        fromOP: Any = None,
        asParameter: bool = False,
        group: str | None = None,
        delayFrames: int = 0,
        delayMilliSeconds: float = 0,
        wallTime: bool = False,
        delayRef: Any = None,
        **unknown: Any,
    ) -> Run:
        guard.check("run()")
        if unknown:
            raise tdError(f"Invalid keyword argument for run(): {next(iter(unknown))}")
        if asParameter:
            raise NotFaked("run(asParameter=True): how names resolve is not established")
        if wallTime and not isinstance(host.ticks(delayRef), Always):
            # With the process's own clock, elapsed frame periods are elapsed time.
            raise NotFaked("run(wallTime=True) without delayRef=op.TDResources")
        if isinstance(script, Guarded):
            raise NotFaked(f"run() of {script!r}: a DAT has a run() of its own")
        if not isinstance(script, (str, DatScript)) and not callable(script):
            raise tdError("Invalid script argument for run(): a string, a DAT or a callable is needed")
        if callable(script) and not builds.current().run_takes_callables:
            raise tdError("Invalid script argument for run(): a string is needed")  # fact 63
        frames = int(delayFrames)
        if delayMilliSeconds:
            frames += round(delayMilliSeconds * host.rate() / 1000)
        pending = schedule.add(
            script,
            args,
            owner=fromOP if fromOP is not None else host.caller(),
            group=group or "",
            at_end=bool(endFrame),
            frames=frames,
            reference=delayRef,
        )
        return Run(pending, schedule, host)

    return run
