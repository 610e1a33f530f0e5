"""Time: the process's own count of frames, the root timeline, and every other Time COMP (facts 8 and 10).

The process counts frame periods, always. A timeline moves with them while it plays; absTime is the root timeline's
sum and stands still with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fakes.guard import Guarded
from fakes.steady import Steady

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

ROOT_TIME = "/local/time"


class Always:
    """Counts frame periods since the start, whatever the timeline does."""

    def __init__(self) -> None:
        self.elapsed = 0


class Timeline:
    """The position of one Time COMP, in its own frames."""

    def __init__(self, node: Node, steady: Steady) -> None:
        self.node = node
        self._steady = steady
        self.elapsed = 0
        """Frame periods for which it played."""
        self.frame = float(node.value("start"))

    def playing(self) -> bool:
        return bool(self._steady.value(self.node, "play"))

    def advance(self, frames: float, periods: int) -> None:
        """Move on by `frames`, back to the start of the range after its end, or hold there."""
        self.elapsed += periods
        first = float(self._steady.value(self.node, "rangestart"))
        last = float(self._steady.value(self.node, "rangeend"))
        self.frame += frames
        if self.frame >= last + 1:
            if self._steady.value(self.node, "rangelimit") == "loop":
                self.frame = first + (self.frame - first) % max(1.0, last + 1 - first)
            else:
                self.frame = last

    def seek(self, frame: float) -> None:
        """Go to a frame, within the timeline's start and end."""
        first, last = float(self.node.value("start")), float(self.node.value("end"))
        self.frame = min(max(float(frame), first), last)

    @property
    def seconds(self) -> float:
        return (self.frame - 1) / self.rate

    @property
    def rate(self) -> float:
        return float(self._steady.value(self.node, "rate"))


class Clock:
    """Advances time once a frame, and tells when the root timeline starts or stops playing."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.always = Always()
        self._steady = Steady(world)
        self._root: Node | None = None
        self._revision = -1
        self._timelines: dict[int, Timeline] = {}
        self._was_playing = True
        self.on_play_state: list[Callable[[bool], None]] = []
        world.op_created.append(self._created)
        world.op_destroying.append(self._destroyed)
        for node in world.walk():
            self._created(node)

    def _created(self, node: Node) -> None:
        if node.info.name == "timeCOMP":
            self._timelines[node.id] = Timeline(node, self._steady)

    def _destroyed(self, node: Node) -> None:
        self._timelines.pop(node.id, None)

    @property
    def root(self) -> Timeline:
        """The root timeline."""
        if self._root is None or self._revision != self._world.cooking.revision:
            self._revision = self._world.cooking.revision
            self._root = self._world.node(ROOT_TIME)
            assert self._root is not None
        return self.timeline(self._root)

    def timeline(self, node: Node) -> Timeline:
        """The timeline of a Time COMP."""
        found = self._timelines.get(node.id)
        if found is None:
            found = self._timelines[node.id] = Timeline(node, self._steady)
        return found

    def above(self, node: Node | None) -> Timeline:
        """The timeline that governs an operator: of the nearest component that holds `local/time`, else the root's."""
        while node is not None:
            local = node.children.get("local")
            found = local.children.get("time") if local is not None else None
            if found is not None and found.info.name == "timeCOMP":
                return self.timeline(found)
            node = node.parent
        return self.root

    def before_frame(self, periods: int) -> None:
        """Time moves on by `periods` frame periods; call before `World.begin_frame`."""
        world = self._world
        root = self.root
        playing = root.playing()
        world.step = float(periods)
        world.time_runs = playing
        self.always.elapsed += periods
        for timeline in list(self._timelines.values()):
            independent = timeline is root or bool(self._steady.value(timeline.node, "independent"))
            if timeline.playing() and (playing or independent):
                timeline.advance(periods * timeline.rate / world.rate, periods)
        if playing != self._was_playing:
            self._was_playing = playing
            for tell in self.on_play_state:
                tell(playing)


class AbsTime(Guarded):
    """`absTime`: time since the start while the timeline played. Stands still within a frame (fact 10)."""

    __slots__ = ("_world",)
    _api_name = "absTime"

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def frame(self) -> float:
        self._world.cooking.note_time()  # whoever reads it while cooking or evaluating depends on time
        return self._world.frame

    @property
    def seconds(self) -> float:
        self._world.cooking.note_time()  # whoever reads it while cooking or evaluating depends on time
        return self._world.seconds

    @property
    def step(self) -> float:
        return self._world.step

    @property
    def stepSeconds(self) -> float:
        return self._world.step / self._world.rate
