"""Everything that makes a world live: time, scheduled code, callbacks, extensions, the project, the user interface.

`Life(world)` plugs itself into the world's hooks and provides the names that belong to it in the `td` module. Tests
advance it with `step()`; a process runs it in a `FrameLoop`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from fakes import builds, copying, module, pulses, scripted, toe, tox
from fakes.app import App, Licenses, Machine, SysInfo
from fakes.calls import call
from fakes.clock import AbsTime, Clock
from fakes.dialogs import Dialogs
from fakes.errors import NotFaked
from fakes.executes import Executes
from fakes.extensions import Ext, Extensions
from fakes.files import Files
from fakes.op_executes import OpExecutes
from fakes.panel_executes import PanelExecutes
from fakes.panes import Layout, NetworkEditor, Panes, PaneType
from fakes.project import Project, ProjectState
from fakes.runs import DatScript, Pending, Run, Runs, Schedule, Ticks, make_run
from fakes.textport import Textport, make_debug
from fakes.threads import ThreadManager
from fakes.ui import UI, Display
from fakes.watchers import Watchers

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

#: Frames to leave between creating an operator and moving the editor (fact 12).
EDITOR_REST = 2


class Life:
    """The living parts of one world. Main thread only, as TouchDesigner itself."""

    def __init__(self, world: World, home: Path | None = None) -> None:
        from fakes import scripts

        self.world = world
        self.machine = Machine(home or Path.home(), world)
        self.textport = Textport()
        self.clock = Clock(world)
        world.timeline_position = lambda node: self.clock.above(node).frame
        self.schedule = Schedule(self)
        self.executes = Executes(world, scripts.module)
        self.watchers = Watchers(world, scripts.module, scripts.rows)
        self.op_executes = OpExecutes(world, scripts.module)
        self.panel_executes = PanelExecutes(world, scripts.module)
        self.extensions = Extensions(world, scripts.text)
        self.project = ProjectState(world, self.machine.home)
        self.files = Files(world, lambda: self.project.folder)
        self.threads = ThreadManager(self._call)
        main = world.node("/project1") or world.root
        dialogs = Dialogs(world, self.step)
        self.display = Display(Layout(main, world.face), dialogs, lambda: scripts.undo(world))
        self._resources = self._make_resources()
        self.clock.on_play_state.append(lambda state: self.executes.fire("playstatechange", state))
        self.project.pre_save = lambda: self.executes.fire_until_failure("projectpresave")
        self.project.post_save = self._after_save
        self.project.open = self._open_project
        self.project.cook_rate_changed = lambda rate: setattr(world, "rate", rate)
        self.project.save_external = self._save_external
        self.risks: list[str] = []
        """What has wedged or ended TouchDesigner when done so: editor work right after a create (fact 12), and more than
        one annotation in a frame, in whatever network is on screen (fact 68)."""
        self._annotated_at = -1
        self._created_at = -EDITOR_REST
        self.display.layout.moved = self._editor_moved
        world.op_created.append(self._created)
        world.op_created.append(self._modified)
        world.op_destroying.append(self._modified)
        world.par_set.append(self._modified)
        world.par_pulsed.append(scripted.pulsed)
        world.op_created.append(pulses.note)
        self.display.copy = lambda faces: [face._node for face in faces]
        self.display.paste = self._paste
        world.on_frame_start.append(self._frame_starts)
        world.on_frame_end.append(self._frame_ends)

    def names(self) -> dict[str, Any]:
        """The names of the `td` module that belong here."""
        return {
            "absTime": AbsTime(self.world),
            "app": App(self.machine),
            "debug": make_debug(self.textport),
            "licenses": Licenses(self.machine),
            "project": Project(self.project),
            "run": make_run(self.schedule, self),
            "runs": Runs(self.schedule, self),
            "sysinfo": SysInfo(),
            "ui": UI(self.display),
        }

    # Frames

    def step(self, periods: int = 1) -> None:
        """One frame, `periods` frame periods after the last one. With the power off, nothing happens (fact 9)."""
        if not self.machine.power:
            return
        self.clock.before_frame(periods)
        self.world.begin_frame()
        self.world.end_frame()

    def start(self) -> None:
        """The project has been loaded: Execute DATs hear of it at the next frame."""
        self.world.at_next_frame(lambda: self.executes.fire("start"))

    def exit(self) -> None:
        """TouchDesigner ends: onExit, then the extensions go."""
        self.executes.fire("exit")
        self.extensions.drop_all()

    def _frame_starts(self) -> None:
        self.threads.each_frame()
        if self.clock.root.playing():  # fact 7
            self.executes.fire("framestart", int(self.clock.root.frame))
        self.schedule.fire(at_end=False)

    def _frame_ends(self) -> None:
        if self.clock.root.playing():
            self.executes.fire("frameend", int(self.clock.root.frame))
        self.schedule.fire(at_end=True)

    def _after_save(self) -> None:
        self.executes.fire("projectpostsave")
        self.extensions.drop_all()  # fact 38

    # What the schedule of run() asks of its host

    def rate(self) -> float:
        return self.clock.root.rate

    def ticks(self, reference: Any) -> Ticks:
        node: Node | None = getattr(reference, "_node", None)
        if node is None:
            return self.clock.root
        if node is self._resources or node.is_below(self._resources):
            return self.clock.always
        return self.clock.above(node)

    def caller(self) -> Any:
        me = self.world.me
        return None if me is None else self.world.face(me)

    def execute(self, pending: Pending) -> None:
        from fakes import scripts

        node: Node | None = getattr(pending.owner, "_node", None)
        source = pending.source
        if node is not None and not node.alive and isinstance(source, str):
            # Not established; the worse way: text runs from an operator, and ends with it.
            return
        if node is None or not node.alive:
            node = self.world.root
        if isinstance(source, DatScript):
            source = scripts.text(source.dat._node)
        if isinstance(source, str):
            self._call(self._run_text, node, source, pending.args, node=node)
        else:
            self._call(source, *pending.args, node=node)

    def _run_text(self, node: Node, text: str, args: tuple[Any, ...]) -> None:
        from fakes import scripts

        scope = scripts.scope(self.world, node)
        scope["args"] = args
        exec(_compiled(text), scope)  # noqa: S102  What run() is for.

    def _call(self, function: Callable[..., Any], *args: Any, node: Node | None = None) -> None:
        """Call as TouchDesigner calls a scheduled script: an exception goes to the Textport."""

        def invoke() -> None:
            try:
                function(*args)
            except Exception as problem:  # noqa: BLE001  Scripts raise anything.
                self.textport.error(problem)

        call(self.world, node or self.world.root, invoke)

    def _created(self, node: Node) -> None:
        self._created_at = self.world.tick
        if node.type == "annotateCOMP":
            self._annotated()

    def _annotated(self) -> None:
        if self._annotated_at == self.world.tick:
            self.risks.append("Several annotations were made in one frame; TouchDesigner may crash")
        self._annotated_at = self.world.tick

    def _editor_moved(self, what: str) -> None:
        since = self.world.tick - self._created_at
        if since < EDITOR_REST:
            self.risks.append(f"{what} {since} frames after an operator was created; TouchDesigner may wedge")

    def _modified(self, *what: Any) -> None:
        self.project.modified = True

    def _save_external(self) -> None:
        self.files.save_external(self.world.root, recurse=True)

    def _open_project(self, content: dict[str, Any]) -> None:
        """Put another project in the place of this one, at the next frame."""

        def swap() -> None:
            # Nobody is told: onExit comes when the process quits, and pending runs end (fact 59).
            self.schedule.kill_all()
            self.extensions.forget_all()
            toe.replace_project(self.world, content["operator"])
            self.files.load_linked()
            for node in self.world.root.children.values():
                if node.name not in toe.SYSTEM:
                    tox.announce(node)
            self.world.undo.clear()
            self.project.modified = False
            self.executes.fire("start")

        self.world.at_next_frame(swap)

    def _paste(self, comp: Any, copied: list[Node], x: float | None, y: float | None) -> None:
        if not all(node.alive for node in copied):
            raise NotFaked("ui.pasteOPs of operators that are gone")
        made = copying.copy_into(comp._node, copied)
        if made and x is not None and y is not None:
            left, bottom = min(node.x for node in made), min(node.y for node in made)
            for node in made:
                node.x, node.y = node.x - left + x, node.y - bottom + y

    def _make_resources(self) -> Node:
        world = self.world
        sys_node = world.root.children.get("sys") or world.create(world.root, "baseCOMP", "sys", quiet=True)
        node = sys_node.children.get("TDResources")
        if node is None:
            node = world.create(sys_node, "baseCOMP", "TDResources", quiet=True)
            node.set("opshortcut", "TDResources")
        if builds.current().thread_manager:
            self.extensions.give(node, "ThreadManager", self.threads)
        return node


@lru_cache(maxsize=64)
def _compiled(text: str) -> CodeType:
    return compile(text, "<run>", "exec")


def _provide(name: str) -> None:
    module.provide(name, lambda world: of(world).names()[name])


def of(world: World) -> Life:
    """The life of a world, made on first use."""
    life = world.services.get("life")
    if life is None:
        life = world.services["life"] = Life(world)
    assert isinstance(life, Life)
    return life


for _name in ("absTime", "app", "debug", "licenses", "project", "run", "runs", "sysinfo", "ui"):
    _provide(_name)
module.provide_bound("ext", lambda world, node: Ext(of(world).extensions, node or world.me or world.root))
for _class in (App, Licenses, NetworkEditor, Panes, PaneType, Project, Run, Runs, SysInfo, UI):
    module.provide_class(_class)

# The classes of components get what belongs to their life; at the end, because that needs `of`.
from fakes import faces

__all__ = ["Life", "faces", "of"]
