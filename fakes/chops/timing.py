"""How a Timer CHOP counts: segments, delays, cycles, and what happens on the way. Knows nothing of operators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

#: Cycles of one look at the timer that are told one by one; a timer nobody looked at for long skips the rest.
_MOST_TOLD = 64


class Part(NamedTuple):
    """One segment. Times in seconds; a length of None never ends."""

    delay: float
    length: float | None
    cycle: bool = False
    most: int | None = None
    """How many cycles, where they are limited."""

    @property
    def last(self) -> int | None:
        """How many cycles there are; None for no end."""
        return (self.most if self.cycle else 1) if self.most is not None or not self.cycle else None


class Event(NamedTuple):
    """Something that happened: the name of the callback, and where the timer was."""

    name: str
    segment: int
    cycle: int
    interrupt: bool = False


@dataclass
class Count:
    """Where a timer is."""

    phase: str = "ready"
    """ready, running or done."""
    segment: int = 0
    cycle: int = 0
    """Cycles completed in this segment."""
    waited: float = 0.0
    ran: float = 0.0
    """Seconds of the present cycle."""
    exiting: bool = False
    """The segment ends with this cycle."""

    # Since Start: what counts the delays, what the speed, what only plays.
    master: float = 0.0
    cumulative: float = 0.0
    playing: float = 0.0
    running: float = 0.0

    events: list[Event] = field(default_factory=list)
    """What nobody was told of yet."""
    pulses: set[str] = field(default_factory=set)
    """What happened since the last look: the channels that are on for one frame."""

    def note(self, name: str, interrupt: bool = False) -> None:
        self.events.append(Event(name, self.segment, self.cycle, interrupt))

    def initialize(self) -> None:
        """Back to the beginning, ready to start."""
        told = self.events
        self.__init__()  # type: ignore[misc]  # all fields, whatever they will be
        self.events = told
        self.pulses.add("ready_pulse")
        self.note("onInitialize")
        self.note("onReady")

    def start(self) -> None:
        """Begin counting; initialises first if that is still to be done."""
        if (self.phase, self.running) != ("ready", 0.0):
            self.initialize()
        self.phase = "running"
        self.note("onStart")
        self._enter()

    def active(self, parts: list[Part]) -> bool:
        """Whether the timer's fraction is counting now."""
        return self.phase == "running" and self.waited >= parts[self.segment].delay

    def advance(self, elapsed: float, speed: float, plays: bool, parts: list[Part]) -> None:
        """Let `elapsed` seconds go by."""
        self.pulses.clear()
        if self.phase != "running":
            return
        self.running += elapsed
        if not plays:
            return
        left = elapsed * speed
        for _ in range(_MOST_TOLD + len(parts)):
            if left <= 0 or self.phase != "running":
                return
            left = self._step(left, speed, parts)

    def _step(self, left: float, speed: float, parts: list[Part]) -> float:
        """Up to the next thing that happens; what is left of the time."""
        part = parts[self.segment]
        if self.waited < part.delay:
            took = min(left, part.delay - self.waited)
            self.waited += took
            self.master += took
            if self.waited >= part.delay:
                self._begin()
            return left - took
        took = left if part.length is None else min(left, part.length - self.ran)
        self.ran += took
        self.master += took
        self.cumulative += took
        self.playing += took / speed if speed else 0.0
        if part.length is not None and self.ran >= part.length:
            self.end_cycle(parts)
        return left - took

    def _enter(self) -> None:
        self.waited = self.ran = 0.0
        self.cycle = 0
        self.note("onSegmentEnter")

    def _begin(self) -> None:
        self.note("onTimerPulse")
        self.note("onCycleStart")

    def begin_without_delay(self, parts: list[Part]) -> None:
        """A segment without a delay begins to count as it is entered."""
        if self.phase == "running" and parts[self.segment].delay <= 0 and not self.ran and not self.waited:
            self._begin()

    def end_cycle(self, parts: list[Part], interrupt: bool = False) -> None:
        """A cycle is over: another one follows, or the segment is over, too."""
        part = parts[self.segment]
        self.note("onCycle", interrupt)
        self.pulses.add("cycle_pulse")
        self.cycle += 1
        if not (self.exiting or interrupt) and (part.last is None or self.cycle < part.last):
            self.ran = 0.0
            self.note("onCycleStart")
        else:
            self.leave(parts, interrupt)

    def leave(self, parts: list[Part], interrupt: bool = False, by: int = 1) -> None:
        """The segment is over: another one follows, or the timer is done."""
        self.exiting = False
        self.note("onSegmentExit", interrupt)
        self.pulses.add("segment_pulse")
        if self.segment + by >= len(parts):
            self.finish(parts, interrupt)
            return
        self.segment = max(0, self.segment + by)
        self._enter()
        self.begin_without_delay(parts)

    def finish(self, parts: list[Part], interrupt: bool = False) -> None:
        """All is over."""
        self.segment = len(parts) - 1
        self.phase = "done"
        self.ran = parts[-1].length or self.ran
        self.pulses |= {"timer_pulse", "done_pulse"}
        self.note("onDone", interrupt)
