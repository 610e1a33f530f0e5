"""The Timer CHOP: initialised, ready, running, done; its channels and the members scripts read."""

from __future__ import annotations

from typing import Any

from fakes.cooking import CookContext, cooks
from fakes.errors import NotFaked
from fakes.guard import Guarded
from fakes.memory import listen, recall
from fakes.nodes import Node
from fakes.operators import extends

from .samples import Samples, one


class Clock:
    """A timer's state: when it was last looked at, how long it has run, and in which cycle."""

    __slots__ = ("at", "cycle", "phase", "ran", "waited")

    def __init__(self) -> None:
        self.at: float | None = None
        self.waited = 0.0
        self.ran = 0.0
        self.cycle = 0
        self.phase = "ready"
        """ready, delaying, running or done."""


def _seconds(node: Node, name: str) -> float:
    amount = float(node.value(name))
    match node.value(f"{name}units"):
        case "seconds":
            return amount
        case "frames":
            return amount / node.world.rate
        case "samples":
            return amount / (float(node.value("rate")) or 60.0)
    raise NotFaked(f"timerCHOP {name} in {node.value(f'{name}units')}")


@cooks("timerCHOP", time_dependent=True)
def timer(node: Node, ctx: CookContext) -> Samples:
    """The channels that the Outputs page asks for, as far as they are faked."""
    clock = advance(node, ctx.seconds)
    length = _seconds(node, "length")
    part = min(clock.ran / length, 1.0) if length > 0 else 0.0
    running = clock.phase == "running"
    channels: list[tuple[str, str, float]] = [
        ("outfraction", "timer_fraction", part if running or clock.phase == "done" else 0.0),
        ("outtimeractive", "timer_active", float(running and bool(node.value("play")))),
        ("outready", "ready", float(clock.phase == "ready")),
        ("outrunning", "running", float(running)),
        ("outdone", "done", float(clock.phase == "done")),
        ("outcycle", "cycles", float(clock.cycle)),
    ]
    shown = [(name, value) for par, name, value in channels if node.value(par)]
    if node.value("outtimercount") in ("seconds", "all"):
        shown.insert(1, ("timer_seconds", clock.ran))
    return one([name for name, _ in shown], [value for _, value in shown], float(node.value("rate")) or 60.0)


def advance(node: Node, now: float) -> Clock:
    """Move the timer on to `now` (seconds of absolute time)."""
    if isinstance(node.value("segdat"), Node) or node.value("timecontrol") not in ("sequential",):
        raise NotFaked("timerCHOP with segments or another time control")
    clock = recall(node, Clock)
    elapsed = 0.0 if clock.at is None else max(0.0, now - clock.at)
    clock.at = now
    if not node.value("play") or clock.phase in ("ready", "done"):
        return clock
    elapsed *= float(node.value("speed"))
    if clock.phase == "delaying":
        clock.waited += elapsed
        left = clock.waited - _seconds(node, "delay")
        if left < 0:
            return clock
        clock.phase, elapsed = "running", left
    clock.ran += elapsed
    length = _seconds(node, "length")
    if node.value("lengthtype") == "infinite" or length <= 0 or clock.ran < length:
        return clock
    cycles = int(clock.ran // length)
    limit = int(node.value("maxcycles")) if node.value("cyclelimit") else None
    if node.value("cycle") and (limit is None or clock.cycle + cycles < limit):
        clock.cycle += cycles
        clock.ran %= length
    else:
        clock.ran, clock.phase = length, "done"
        if node.value("ondone") == "restart":
            clock.ran, clock.cycle, clock.phase = 0.0, 0, "running"
        elif node.value("ondone") != "donothing":
            raise NotFaked(f"timerCHOP on done {node.value('ondone')}")
    return clock


def pulse(node: Node, name: str) -> None:
    """What the timer's buttons do: initialise, start, go to done."""
    if node.type != "timerCHOP" or name not in ("initialize", "start", "gotodone"):
        return
    clock = recall(node, Clock)
    clock.at = node.world.seconds
    clock.waited = 0.0
    match name:
        case "initialize":
            clock.ran, clock.cycle, clock.phase = 0.0, 0, "ready"
        case "start":
            clock.ran, clock.cycle = 0.0, 0
            clock.phase = "delaying" if _seconds(node, "delay") > 0 else "running"
        case "gotodone":
            clock.ran, clock.phase = _seconds(node, "length"), "done"
    node.changed(name)


@extends("timerCHOP")
class Timed(Guarded):
    """What a Timer CHOP has beside other CHOPs."""

    __slots__ = ()
    _node: Node

    def __init__(self, node: Node) -> None:
        super().__init__(node)  # type: ignore[call-arg]  # OP comes next in the classes this is mixed into
        listen(node, pulse)

    def _clock(self) -> Clock:
        self._node.data()
        return recall(self._node, Clock)

    @property
    def fraction(self) -> float:
        """How much of the length has passed, 0 to 1."""
        length = _seconds(self._node, "length")
        return min(self._clock().ran / length, 1.0) if length > 0 else 0.0

    @property
    def runningSeconds(self) -> float:
        return self._clock().ran

    @property
    def cycle(self) -> Any:
        """Cycles completed."""
        return float(self._clock().cycle)
