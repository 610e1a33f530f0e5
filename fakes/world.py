"""Everything one TouchDesigner process holds: the operators, its clock, its undo stack, its licence."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fakes import catalogue
from fakes.errors import tdError
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.operators import OP

_current: World | None = None


@dataclass(frozen=True, slots=True)
class ParEvent:
    """A parameter changed or was pulsed in the frame before; what Parameter Execute DATs hear of (fact 29)."""

    node: Node
    name: str
    previous: Any
    kind: str
    """`value`, `expression` (its text), `mode` or `pulse`."""


@dataclass
class Licence:
    """What the licence allows; Non-Commercial limits resolution silently (fact 44)."""

    type: str = "Commercial"
    max_resolution: int | None = None


class World:
    """One TouchDesigner process. The thread that makes it is its main thread.

    Hooks are lists of functions that other parts append to; they run on the main thread in order.
    """

    def __init__(self) -> None:
        from fakes.cooking import CookEngine
        from fakes.undo import UndoStack

        self.main_thread = threading.get_ident()
        self.conflicts: list[str] = []
        """One sentence for each access off the main thread."""
        self.nodes: dict[int, Node] = {}
        self.licence = Licence()
        self.undo = UndoStack(self)
        self.cooking = CookEngine(self)
        self.services: dict[str, Any] = {}
        """Objects behind td names (`project`, `app`, `ui` ...), made on first use by `module.provide`."""

        # The clock: absTime (fact 10). LIFE's frame loop owns it; these are what everything reads.
        self.tick = 0
        """Frames begun since the start, also while the timeline is paused."""
        self.frame_now = 0.0
        self.seconds_now = 0.0
        self.step = 1.0
        self.rate = 60.0
        self.time_runs = True
        self.unseen: set[Node] = set()
        """In and Out operators made in this frame, of which their COMP knows nothing until it cooks (fact 69)."""
        self.timeline_position: Callable[[Node], float] = lambda node: self.frame_now
        """The frame of the timeline that governs an operator."""

        self.on_frame_start: list[Callable[[], None]] = []
        self.on_frame_end: list[Callable[[], None]] = []
        self.par_changed: list[Callable[[ParEvent], None]] = []
        """Run at the next frame's start, once per event (fact 29)."""
        self.par_set: list[Callable[[Node, str, Any], None]] = []
        """Run at once: (operator, parameter, previous constant)."""
        self.par_pulsed: list[Callable[[Node, str], None]] = []
        """Run at once when a parameter is pulsed: what the operator itself does."""
        self.op_created: list[Callable[[Node], None]] = []
        """After an operator came to be: by create, copy, load or undo."""
        self.op_destroying: list[Callable[[Node], None]] = []
        self.op_renamed: list[Callable[[Node, str], None]] = []
        self.op_changed: list[Callable[[Node, str, str], None]] = []
        """Run at once: (operator, `flag`, `wires` or `place`, the flag's name)."""

        self._next_id = 1
        self._par_events: list[ParEvent] = []
        self._next_frame: list[Callable[[], None]] = []
        self._due: deque[Callable[[], None]] = deque()
        self._due_events: deque[ParEvent] = deque()
        self._contexts: list[Node] = []
        self.shortcut_owners: set[Node] = set()
        """Operators that ever had a global OP shortcut (`op.Name`)."""
        self.stubborn = {("pointspriteMAT", "attensizenear")}
        """(type, parameter) that silently do not take what scripts write (fact 24); tests may add to them."""
        self.pulse_expressions: set[tuple[Node, str]] = set()
        """Pulse parameters with an expression, which fire with the pulse that it names (fact 78)."""
        self.time_frame: Literal["refused", "ignored", "taken"] = "refused"
        """What becomes of `root.time.frame = n`: live tests say that it cannot be set, the documentation that it can
        (fact 89)."""
        self.text_language: Literal["text", "input"] = "text"
        """The language of a new Text DAT: a listing taken live says `text`, Derivative's newest skill `input` (fact 93)."""
        self.docked_hosts_are_refused = False
        """Whether destroying an operator to which others are docked raises, as one project reports; another one's code
        after such a destroy runs every day (fact 73). The docked ones stay behind, no longer docked."""
        self.every_sequence_has_a_block = False
        """Whether the sequences that are said to begin with none have one, as another source says (fact 86)."""

        self.root = Node(self, catalogue.type_info("baseCOMP"), "", None)
        local = self.create(self.root, "baseCOMP", "local", quiet=True)
        self.create(local, "timeCOMP", "time", quiet=True)
        self.create(self.root, "containerCOMP", "project1", quiet=True)
        self._touchdesigners_own()

    def _touchdesigners_own(self) -> None:
        """What TouchDesigner keeps beside the project: its interface, its system, the window of Perform mode (fact 92).

        Of what is in there, only what scripts ask for was seen.
        """
        self.create(self.root, "baseCOMP", "sys", quiet=True)
        inside = self.create(self.root, "containerCOMP", "ui", quiet=True)
        for name in ("dialogs", "parGrabber"):
            inside = self.create(inside, "containerCOMP", name, quiet=True)
        self.create(inside, "textDAT", "offlineHelp", quiet=True)
        perform = self.create(self.root, "windowCOMP", "perform", quiet=True)
        perform.par("winop").value = "/project1"

    # -- operators -------------------------------------------------------------------------------------------

    def new_id(self) -> int:
        """An operator id that nobody has; nor has had, until another project is opened (facts 15, 59)."""
        while self._next_id in self.nodes:
            self._next_id += 1
        self._next_id += 1
        return self._next_id - 1

    def give_ids_anew(self) -> None:
        """Begin with the lowest free id again: what opening another project does, so that ids repeat (fact 59)."""
        self._next_id = 1

    def create(self, parent: Node, type_name: str, name: str = "", *, quiet: bool = False) -> Node:
        """A new operator with what TouchDesigner puts beside or inside it (facts 16-17).

        `quiet` skips companions and hooks: for loaders, which bring their own. A taken name gets the next number.

        Raises:
            NotFaked: the catalogue has no such type.
            tdError: the name is not valid.
        """
        from fakes import creating

        return creating.create(self, parent, catalogue.type_info(type_name), name, quiet=quiet)

    def destroy(self, node: Node) -> None:
        """Remove an operator and all below it; wires, docks and references to them go too (fact 19)."""
        from fakes import creating

        creating.destroy(self, node)

    def node(self, path: str, base: Node | None = None) -> Node | None:
        """The operator at a path: absolute, or relative to the inside of `base` (default: the root)."""
        if path.startswith("/"):
            base = self.root
        here = base or self.root
        for part in path.split("/"):
            if part in ("", "."):
                continue
            found = here.parent if part == ".." else here.children.get(part)
            if found is None:
                return None
            here = found
        return here

    def walk(self, top: Node | None = None) -> Iterator[Node]:
        """Every operator below `top` (default: the root), depth first, in network order."""
        stack = list(reversed((top or self.root).children.values()))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children.values()))

    def face(self, node: Node) -> OP:
        """The public object for an operator; the same one as long as the operator lives."""
        if node.face is None:
            from fakes.operators import face_class

            node.face = face_class(node.info.name)(node)
        return node.face

    def tell(self, node: Node, what: str, name: str = "") -> None:
        """Tell the `op_changed` hooks."""
        for hook in self.op_changed:
            hook(node, what, name)

    # -- scripts ---------------------------------------------------------------------------------------------

    def context(self, node: Node) -> Context:
        """While inside, `me` is `node` and relative paths start in its network."""
        return Context(self._contexts, node)

    @property
    def me(self) -> Node | None:
        """The operator whose script or expression is running."""
        return self._contexts[-1] if self._contexts else None

    def callback(self, node: Node, function: Callable[..., Any], *args: Any) -> Any:
        """Run a script's function as TouchDesigner runs a callback of `node`.

        An exception becomes a script error of the operator and None is returned; an open undo block is closed
        when the callback returns (fact 35). Exceptions of the stand-in itself (NotFaked) are recorded alike.
        """
        try:
            self._contexts.append(node)  # not by `context`: some callbacks come in every frame
            try:
                return function(*args)
            finally:
                self._contexts.pop()
        except Exception as error:  # noqa: BLE001  Scripts raise anything.
            from fakes.problems import script_error

            script_error(node, error)
            return None
        finally:
            self.undo.callback_returned()

    def fresh(self, comp: Node, kind: str) -> int:
        """How many connectors a COMP does not show yet: those of In or Out operators made since it cooked (fact 69)."""
        return sum(node.parent is comp and node.info.stem == kind for node in self.unseen)

    # -- time ------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> float:
        """absTime.frame: stands still while the root timeline is paused. Whoever cooks depends on time now."""
        self.cooking.note_time()
        return self.frame_now

    @frame.setter
    def frame(self, frame: float) -> None:
        self.frame_now = frame

    @property
    def seconds(self) -> float:
        """absTime.seconds; as `frame`."""
        self.cooking.note_time()
        return self.seconds_now

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        self.seconds_now = seconds

    # -- frames ----------------------------------------------------------------------------------------------

    def at_next_frame(self, work: Callable[[], None]) -> None:
        """Run `work` once at the start of the next frame, before onFrameStart callbacks."""
        self._next_frame.append(work)

    def par_event(self, node: Node, name: str, previous: Any, kind: str) -> None:
        """Note a parameter's change for the callbacks of the next frame."""
        self._par_events.append(ParEvent(node, name, previous, kind))

    def forget_events(self) -> None:
        """Tell nobody of the parameter changes noted so far: for loaders."""
        self._par_events.clear()

    def begin_frame(self) -> None:
        """Advance the clock (unless the timeline is paused) and do what is due at a frame's start."""
        self.tick += 1
        if self.time_runs:
            self.frame_now += self.step
            self.seconds_now += self.step / self.rate
        self.unseen.clear()
        self.cooking.new_frame()
        # From queues, one by one: what waits behind a script that opened a message box goes on in the frames it lets by.
        self._due.extend(self._next_frame)
        self._next_frame.clear()
        while self._due:
            self._due.popleft()()
        self._due_events.extend(self._par_events)
        self._par_events.clear()
        while self._due_events:
            event = self._due_events.popleft()
            if event.node.alive:
                for hook in self.par_changed:
                    hook(event)
        for start in list(self.on_frame_start):
            start()

    def end_frame(self) -> None:
        """Do what is due at a frame's end; an undo block still open is closed."""
        for end in list(self.on_frame_end):
            end()
        self.undo.callback_returned()


class Context:
    """See `World.context`. A class, as a generator would cost more than most of what runs inside."""

    __slots__ = ("_node", "_stack")

    def __init__(self, stack: list[Node], node: Node) -> None:
        self._stack = stack
        self._node = node

    def __enter__(self) -> None:
        self._stack.append(self._node)

    def __exit__(self, *exc: object) -> None:
        self._stack.pop()


def current() -> World:
    """The world that `fakes.install` made current.

    Raises:
        tdError: no stand-in is installed.
    """
    if _current is None:
        raise tdError("no TouchDesigner stand-in is installed: call fakes.install() first")
    return _current


def set_current(world: World | None) -> None:
    """Make `world` the one that td's global names speak of."""
    global _current
    _current = world
