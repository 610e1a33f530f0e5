"""When operators cook, and why: dependencies, dirtiness, pulling, counts and times.

Nothing cooks by itself. Whoever wants data asks (`Node.data`), and then exactly what changed cooks again: an
operator whose parameters, wires or content changed, one that depends on time in a new frame, and whatever reads
those through wires, references or expressions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakes.cook_rules import CookContext, CookFunction, CookRule, cooks, cooks_family, rule_for
from fakes.errors import NotFaked, tdError

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

__all__ = [
    "LOOP",
    "CookContext",
    "CookEngine",
    "CookFunction",
    "CookRule",
    "cooks",
    "cooks_family",
    "rule_for",
]

#: Who depends on something: an operator's parameter, or ("" as its name) its cook.
Dependent = tuple["Node", str]

#: What an operator says that depends on itself.
LOOP = "Cook dependency loop detected."


def _bypassed(node: Node) -> Node | None:
    """The input that a bypassed operator hands on; None when it cooks as usual."""
    source = node.input(0) if node.flag("bypass") else None
    return source if source is not None and source.family == node.family else None


class CookEngine:
    """The cook engine of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.epoch = 0
        """Grows whenever anything at all may have changed: nothing needs looking at twice in one epoch."""
        self.revision = 0
        """Grows whenever somebody changed something: a parameter, a wire, a text, the operators there are. Unlike
        `epoch` it stands still while only time passes, so what depends on no expression can be kept meanwhile."""
        self.check: set[Node] = set()
        """Operators whose errors are looked at when the next frame begins."""
        self.exporting: set[Node] = set()
        """Operators that export and changed; what they drive is looked at when the next frame begins."""
        self.troubled: set[Node] = set()
        """Operators that show errors or warnings."""
        self.before_cook: list[Callable[[Node], None]] = []
        self.after_cook: list[Callable[[Node], None]] = []
        """Run at once around every cook."""
        self._stack: list[Dependent] = []

    # -- dependencies ----------------------------------------------------------------------------------------

    def note(self, node: Node, key: str) -> None:
        """Whoever is evaluating now depends on `key` of `node`: `par NAME`, `data` or `children`."""
        if not self._stack:
            return
        who = self._stack[-1]
        if node.watchers is None:
            node.watchers = {}
        node.watchers.setdefault(key, set()).add(who)
        if who[1]:
            state = who[0].par(who[1])
            if state.sources is None:
                state.sources = set()
            state.sources.add((node, key))
        if key == "data":
            for reader, par in reversed(self._stack):
                if reader.sources is None:
                    reader.sources = {}
                reader.sources[node] = node.version
                if not par:
                    break

    def note_time(self) -> None:
        """Whoever is evaluating now depends on time."""
        for reader, par in reversed(self._stack):
            reader.timed = True
            if not par:
                break
            reader.par(par).timed = True

    @property
    def in_cook(self) -> bool:
        """Whether a cook function is asking right now, not a script or an expression."""
        return bool(self._stack) and not self._stack[-1][1]

    @property
    def noting(self) -> bool:
        """Whether a cook or an expression is going on, so that what is read becomes a dependency."""
        return bool(self._stack)

    def evaluating(self, node: Node, par: str) -> Evaluation:
        """A context in which notes belong to a parameter of `node`, or with "" to its cook.

        Raises:
            tdError: that very thing is being evaluated already (a loop).
        """
        return Evaluation(self, (node, par))

    @contextmanager
    def apart(self) -> Iterator[None]:
        """While inside, nothing that is read becomes a dependency: for scripts that run in the midst of a cook."""
        kept, self._stack = self._stack, []
        try:
            yield
        finally:
            self._stack = kept

    def touched(self, node: Node, key: str) -> None:
        """As `changed`, for what lives beside `node` without being part of it: it does not cook itself."""
        self._spread([(node, key)])

    def changed(self, node: Node, key: str) -> None:
        """`key` of `node` changed: everything that depends on it is dirty now."""
        if node.flag("export"):
            self.exporting.add(node)
        # A change of parameters, wires, flags or content makes the operator's own data stale too.
        work: list[tuple[Node, str]] = [(node, key)]
        if key not in ("data", "children"):
            node.dirty = True
            work.append((node, "data"))
        self._spread(work)

    def _spread(self, work: list[tuple[Node, str]]) -> None:
        self.epoch += 1
        self.revision += 1
        seen: set[tuple[Node, str]] = set()
        while work:
            item = work.pop()
            if item in seen:
                continue
            seen.add(item)
            source, what = item
            if what == "data" and source.consumers:
                for reader, _ in source.consumers:
                    self._stale(reader, work)
            watchers = source.watchers.pop(what, None) if source.watchers else None
            for reader, par in watchers or ():
                if not reader.alive:
                    continue
                if par:
                    work.append((reader, f"par {par}"))
                self._stale(reader, work)

    def _stale(self, reader: Node, work: list[tuple[Node, str]]) -> None:
        if not reader.dirty:
            reader.dirty = True
        work.append((reader, "data"))

    # -- cooking ---------------------------------------------------------------------------------------------

    def data(self, node: Node) -> Any:
        """See `Node.data`."""
        if rule_for(node) is None:
            raise NotFaked(f"what a {node.info.name} cooks to")
        self.bring_up_to_date(node)
        self.note(node, "data")
        return node.cooked

    def bring_up_to_date(self, node: Node, *, force: bool = False) -> None:
        """Cook an operator if anything it depends on changed, or in any case with `force`."""
        from fakes import pulling

        pulling.bring_up_to_date(self, node, force)

    def run(self, node: Node, inputs: list[Any]) -> None:
        """Cook one operator now; its inputs are up to date."""
        from fakes import creating, problems

        for hook in self.before_cook:
            hook(node)
        rule = rule_for(node)
        started = time.perf_counter()
        node.errors = node.warnings = None
        node.sources = None
        node.timed = False
        node.cooking = True
        context = CookContext(node, self.world, inputs)
        try:
            with self.evaluating(node, ""):
                if rule is not None:
                    if rule.time_dependent is True or (
                        callable(rule.time_dependent) and rule.time_dependent(node)
                    ):
                        self.note_time()
                    passed = _bypassed(node)
                    node.cooked = rule.function(node, context) if passed is None else passed.data()
        except (NotFaked, MemoryError):
            raise
        except problems.ParameterError as error:
            # The operator keeps its last data. Its own parameters' errors show by themselves.
            if error.node is not node:
                context.error(str(error))
        finally:
            node.cooking = False
        node.dirty = False
        node.version += 1
        node.cooks += 1
        node.cook_end = time.perf_counter()
        node.cook_start = started
        node.cook_ms = (node.cook_end - started) * 1000
        node.cook_frame = self.world.frame_now
        if self.world.unseen:
            self.world.unseen -= set(node.children.values())
        node.cook_position = self.world.timeline_position(node)
        node.cook_tick = self.world.tick
        # Who does not cook finds no error, and what a cook finds shows in the next frame (fact 66).
        self.check.add(node)
        if node.cooks == 1:
            creating.after_first_cook(node)
        for hook in self.after_cook:
            hook(node)

    # -- frames ----------------------------------------------------------------------------------------------

    def new_frame(self) -> None:
        """A frame begins: time moved on, and errors that arose since the last one show now (facts 11, 33)."""
        from fakes import exports, problems

        self.epoch += 1
        exporting, self.exporting = self.exporting | self.check, set()
        for node in exporting:
            if node.alive and exports.may_export(node):
                exports.refresh(node)
        due, self.check = self.check, set()
        for node in due:
            if node.alive:
                problems.show(node)


class Evaluation:
    """See `CookEngine.evaluating`."""

    __slots__ = ("engine", "who")

    def __init__(self, engine: CookEngine, who: Dependent) -> None:
        self.engine = engine
        self.who = who

    def __enter__(self) -> None:
        if self.who in self.engine._stack:
            raise tdError(LOOP)
        self.engine._stack.append(self.who)

    def __exit__(self, *exc: object) -> None:
        self.engine._stack.pop()
