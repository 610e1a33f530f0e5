"""The Timer CHOP: initialised, ready, running, done; its channels and the members scripts read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fakes.cooking import CookContext, cooks
from fakes.dats.content import rows_of
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.memory import listen, recall
from fakes.nodes import Node
from fakes.operators import extends

from . import timer_callbacks
from .samples import Samples, one
from .timing import Count, Part

#: Output toggles that are not faked: their channels' names or meaning are not established.
_NOT_FAKED = ("outdelaycount", "outlength")


class Clock:
    """A timer's state: when it was last looked at, and where it is."""

    def __init__(self) -> None:
        self.at: float | None = None
        self.count = Count()


def seconds(node: Node, amount: float, word: str) -> float:
    """An amount of time in the units of a menu."""
    match word:
        case "seconds":
            return amount
        case "frames":
            return amount / node.world.rate
        case "samples":
            return amount / _rate(node)
    raise NotFaked(f"timerCHOP in {word}")


def _rate(node: Node) -> float:
    return float(node.value("rate")) or 60.0


def parts(node: Node) -> list[Part]:
    """The timer's segments: the rows of its table, or the one that its own parameters describe.

    Raises:
        NotFaked: segments side by side, or whose end is not the table's.
    """
    whole = _part(node, {}, 0.0)
    table = node.value("segdat")
    if not isinstance(table, Node):
        return [whole]
    if node.value("segmethod") != "serial" or node.value("segsendtime") != "dat":
        raise NotFaked("timerCHOP with parallel segments, or an end that is not the table's")
    heads, *rows = rows_of(table.data()) or [[]]
    made: list[Part] = []
    for row in rows:
        before = sum(p.delay + (p.length or 0.0) * (p.last or 1) for p in made)
        made.append(_part(node, dict(zip(heads, row, strict=False)), before))
    return made or [whole]


def _part(node: Node, cells: dict[str, str], before: float) -> Part:
    """One segment; `before` is the time that all the ones before it take."""
    units = str(node.value("segunits"))

    def amount(name: str) -> float:
        if name in cells:
            return seconds(node, float(cells[name]), units)
        return seconds(node, float(node.value(name)), str(node.value(f"{name}units")))

    def on(name: str) -> bool:
        return cells[name] not in ("", "0") if name in cells else bool(node.value(name))

    delay = seconds(node, float(cells["begin"]), units) - before if "begin" in cells else amount("delay")
    length = None if node.value("lengthtype") == "infinite" else amount("length")
    most = int(float(cells.get("maxcycles", node.value("maxcycles")))) if on("cyclelimit") else None
    return Part(max(0.0, delay), length if length is None or length > 0 else None, on("cycle"), most)


@cooks("timerCHOP", time_dependent=True)
def timer(node: Node, ctx: CookContext) -> Samples:
    """The channels that the Outputs page asks for, as far as they are faked."""
    for name in _NOT_FAKED:
        if node.value(name) not in ("off", False):
            raise NotFaked(f"timerCHOP {name}")
    clock = advance(node, ctx.seconds)
    count, pieces = clock.count, parts(node)
    part, fraction = pieces[count.segment], fraction_of(node)
    rate, fps = _rate(node), node.world.rate

    def timed(menu: str, name: str, amount: float) -> list[tuple[str, float]]:
        units = {"seconds": amount, "frames": amount * fps, "samples": amount * rate}
        word = str(node.value(menu))
        return [(f"{name}_{unit}", v) for unit, v in units.items() if word in (unit, "all")]

    def shown(toggle: str, name: str, amount: float) -> list[tuple[str, float]]:
        return [(name, amount)] if node.value(toggle) else []

    pulses, within = count.pulses, fraction if count.phase == "running" else 0.0
    channels = [
        *shown("outfraction", "timer_fraction", fraction),
        *timed("outtimercount", "timer", count.ran),
        *shown("outtimeractive", "timer_active", float(count.active(pieces) and bool(node.value("play")))),
        *shown("outtimerpulse", "timer_pulse", float("timer_pulse" in pulses)),
        *shown(
            "outdelayfraction", "delay_fraction", min(1.0, count.waited / part.delay) if part.delay else 0.0
        ),
        *shown("outinit", "initializing", 0.0),
        *shown("outready", "ready", float(count.phase == "ready")),
        *shown("outreadypulse", "ready_pulse", float("ready_pulse" in pulses)),
        *shown("outrunning", "running", float(count.phase == "running")),
        *shown("outdone", "done", float(count.phase == "done")),
        *shown("outdonepulse", "done_pulse", float("done_pulse" in pulses)),
        *shown("outcycle", "cycles", float(count.cycle)),
        *shown("outcyclepulse", "cycle_pulse", float("cycle_pulse" in pulses)),
        *shown("outcycleplusfraction", "cycle_plus_fraction", count.cycle + within),
        *shown("outseg", "segment", float(count.segment)),
        *shown("outsegpulse", "segment_pulse", float("segment_pulse" in pulses)),
        *shown("outsegplusfraction", "segment_plus_fraction", count.segment + fraction),
        *timed("outcumulativecount", "cumulative", count.cumulative),
        *timed("outplayingcount", "playing", count.playing),
        *timed("outrunningcount", "running", count.running),
        *timed("outmastercount", "master", count.master),
    ]
    return one([name for name, _ in channels], [float(value) for _, value in channels], rate)


def fraction_of(node: Node) -> float:
    """How much of the present segment has passed, 0 to 1."""
    count = recall(node, Clock).count
    if count.phase == "ready":
        return 0.0
    length = parts(node)[count.segment].length
    return min(count.ran / length, 1.0) if length else 0.0


def advance(node: Node, now: float) -> Clock:
    """Move the timer on to `now` (seconds of absolute time).

    Raises:
        NotFaked: a setting that is not faked.
    """
    if (
        node.value("timecontrol") != "sequential"
        or node.value("cue")
        or node.value("subrange")
        or node.inputs()
    ):
        raise NotFaked("timerCHOP with another time control, a cue, a sub range or inputs")
    clock = recall(node, Clock)
    elapsed = 0.0 if clock.at is None else max(0.0, now - clock.at)
    clock.at = now
    if elapsed:
        clock.count.advance(elapsed, float(node.value("speed")), bool(node.value("play")), parts(node))
        if clock.count.phase == "done" and "done_pulse" in clock.count.pulses:
            _after_done(node, clock.count)
    return clock


def _after_done(node: Node, count: Count) -> None:
    pulses = set(count.pulses)
    match node.value("ondone"):
        case "reinit":
            count.initialize()
        case "restart" | "restartnoinit":
            begin(node, count)
    count.pulses |= pulses


def begin(node: Node, count: Count) -> None:
    """Start it, from whatever it does now."""
    count.start()
    count.begin_without_delay(parts(node))


_BUTTONS: dict[str, Callable[[Node, Count], None]] = {
    "initialize": lambda node, count: count.initialize(),
    "start": begin,
    "gotodone": lambda node, count: count.finish(parts(node), True),
    "gotoendcycle": lambda node, count: count.end_cycle(parts(node), True),
    "exitendcycle": lambda node, count: setattr(count, "exiting", True),
    "gotonextseg": lambda node, count: count.leave(parts(node), True),
    "gotoprevseg": lambda node, count: count.leave(parts(node), True, -1),
}


def pulse(node: Node, name: str) -> None:
    """What the timer's buttons do.

    Raises:
        NotFaked: the cue.
    """
    if node.type != "timerCHOP":
        return
    if name == "cuepulse":
        raise NotFaked("timerCHOP cue")
    button = _BUTTONS.get(name)
    if button is None:
        return
    clock = recall(node, Clock)
    clock.at = node.world.seconds
    button(node, clock.count)
    timer_callbacks.watch(node)
    node.changed(name)


def _amount(which: str, unit: str) -> Any:
    """A member of the timer: one of its counts in seconds, frames or samples. Setting it is not faked."""

    def get(self: Timed) -> float:
        amount = float(getattr(self._count(), which))
        if unit == "Frames":
            return amount * self._node.world.rate
        return amount * _rate(self._node) if unit == "Samples" else amount

    def put(self: Timed, value: float) -> None:
        raise NotFaked(f"setting timerCHOP.{which}{unit}")

    return property(get, put if which in ("running", "master") else None)


@extends("timerCHOP")
class Timed(Guarded):
    """What a Timer CHOP has beside other CHOPs."""

    __slots__ = ()
    _node: Node

    def __init__(self, node: Node) -> None:
        super().__init__(node)  # type: ignore[call-arg]  # OP comes next in the classes this is mixed into
        listen(node, pulse)

    def _count(self) -> Count:
        self._node.data()
        return recall(self._node, Clock).count

    runningSeconds = _amount("running", "Seconds")
    runningFrames = _amount("running", "Frames")
    runningSamples = _amount("running", "Samples")
    cumulativeSeconds = _amount("cumulative", "Seconds")
    cumulativeFrames = _amount("cumulative", "Frames")
    cumulativeSamples = _amount("cumulative", "Samples")
    playingSeconds = _amount("playing", "Seconds")
    playingFrames = _amount("playing", "Frames")
    playingSamples = _amount("playing", "Samples")
    masterSeconds = _amount("master", "Seconds")
    masterFrames = _amount("master", "Frames")
    masterSamples = _amount("master", "Samples")

    @property
    def fraction(self) -> float:
        """How much of the length has passed, 0 to 1."""
        self._count()
        return fraction_of(self._node)

    @property
    def cycle(self) -> float:
        """Cycles completed."""
        return float(self._count().cycle)

    @property
    def segment(self) -> float:
        """The segment it is in, counted from 0."""
        return float(self._count().segment)

    def goToNextSegment(self) -> None:
        pulse(self._node, "gotonextseg")

    def goToPrevSegment(self) -> None:
        pulse(self._node, "gotoprevseg")

    def goToCycleEnd(self) -> None:
        pulse(self._node, "gotoendcycle")

    def lastCycle(self) -> None:
        """End the segment with the present cycle."""
        pulse(self._node, "exitendcycle")
