"""Timer CHOPs that run by themselves and tell their callbacks (Derivative: Timer CHOP).

A timer cooks while it runs though nobody asks (its parameter Active says so); what happened is told in the frame in
which it was seen, after the cook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakes.calls import call
from fakes.like_value import LikeValue
from fakes.memory import recall
from fakes.module import provide_class
from fakes.nodes import Node

from .timing import Event

if TYPE_CHECKING:
    from fakes.operators import OP
    from fakes.world import World

_SERVICE = "running timers"


class Segment(LikeValue):
    """A segment as callbacks get it: used as a number, it is its index."""

    __slots__ = ("_index", "_node")

    def __init__(self, node: Node, index: int) -> None:
        self._node = node
        self._index = index

    def _eval(self) -> int:
        return self._index

    @property
    def index(self) -> int:
        return self._index

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    @property
    def lengthSeconds(self) -> float:
        return self._part().length or 0.0

    @property
    def delaySeconds(self) -> float:
        return float(self._part().delay)

    def _part(self) -> Any:
        from .timer import parts

        return parts(self._node)[self._index]

    def __repr__(self) -> str:
        return f"type:Segment index:{self._index} owner:{self._node.path}"


provide_class(Segment)


def watch(node: Node) -> None:
    """See to a timer from now on, once a frame, as long as it has something to tell."""
    running: dict[int, Node] | None = node.world.services.get(_SERVICE)
    if running is None:
        running = node.world.services[_SERVICE] = {}
        world, timers = node.world, running
        world.on_frame_start.append(lambda: _look(world, timers))
    running[node.id] = node


def _look(world: World, timers: dict[int, Node]) -> None:
    for number, node in list(timers.items()):
        if not node.alive:
            timers.pop(number, None)
            continue
        call(world, node, _see_to, node)


def _see_to(node: Node) -> None:
    from .timer import Clock, fraction_of, parts

    clock = recall(node, Clock)
    active = node.value("active")
    if active in ("always", "running") or (active == "playing" and node.value("play")):
        node.data()
    count = clock.count
    events, count.events = count.events, []
    if count.phase != "running":
        node.world.services[_SERVICE].pop(node.id, None)
    dat = node.value("callbacks")
    if not isinstance(dat, Node):
        return
    for event in events:
        _tell(node, dat, event)
    if count.active(parts(node)) and node.value("play"):
        segment = Segment(node, count.segment)
        _call(node, dat, "whileTimerActive", segment, count.cycle, fraction_of(node))


def _tell(node: Node, dat: Node, event: Event) -> None:
    segment = Segment(node, event.segment)
    arguments: dict[str, tuple[Any, ...]] = {
        "onInitialize": (1,),
        "onReady": (),
        "onStart": (),
        "onTimerPulse": (segment,),
        "onSegmentEnter": (segment, event.interrupt),
        "onSegmentExit": (segment, event.interrupt),
        "onCycleStart": (segment, event.cycle),
        "onCycle": (segment, event.cycle),
        "onDone": (segment, event.interrupt),
    }
    _call(node, dat, event.name, *arguments[event.name])


def _call(node: Node, dat: Node, name: str, *args: Any) -> None:
    from fakes import scripts

    def invoke() -> None:
        function = getattr(scripts.module(dat), name, None)
        if function is not None:
            function(node.world.face(node), *args)

    call(node.world, dat, invoke)
