"""The plain state of one operator: what the engine, the cook functions and the loaders work on.

Unguarded and light: fifty thousand must fit. Whatever is seldom there is made on first use. The public object that
scripts hold is `operators.OP` and its subclasses; `World.face(node)` gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fakes.errors import NotFaked
from fakes.states import DEFAULT_FLAGS, FLAGS, Mode, ParState

if TYPE_CHECKING:
    from fakes.catalogue import ParInfo, TypeInfo
    from fakes.custom import CustomInfo, CustomPages
    from fakes.operators import OP
    from fakes.world import World

__all__ = ["FLAGS", "Mode", "Node", "ParState", "Wire"]

NO_CHILDREN: dict[str, Node] = {}


class Wire(NamedTuple):
    """Where an input takes its data from: an operator and the index of its output."""

    source: Node
    output: int


class Node:
    """One operator. Positions and sizes are network units; nodeY counts upwards."""

    __slots__ = (
        "alive",
        "always_timed",
        "blocks",
        "checked",
        "children",
        "color",
        "comment",
        "comp_input",
        "comp_outputs",
        "consumers",
        "content",
        "cook_end",
        "cook_frame",
        "cook_ms",
        "cook_position",
        "cook_start",
        "cook_tick",
        "cooked",
        "cooking",
        "cooks",
        "custom",
        "dirty",
        "dock",
        "docked",
        "errors",
        "face",
        "flags",
        "h",
        "id",
        "info",
        "life",
        "name",
        "par_generation",
        "parent",
        "script_errors",
        "seen_inputs",
        "sequenced",
        "shown_errors",
        "shown_warnings",
        "sources",
        "startup",
        "states",
        "storage",
        "tags",
        "timed",
        "version",
        "w",
        "warnings",
        "watchers",
        "wires",
        "world",
        "x",
        "y",
    )  # fmt: skip

    def __init__(self, world: World, info: TypeInfo, name: str, parent: Node | None) -> None:
        self.world = world
        self.id = world.new_id()
        self.info = info
        self.name = name
        self.parent = parent
        self.children: dict[str, Node] = {} if info.family == "COMP" else NO_CHILDREN
        """By name, in the order they came; of operators that are not COMPs, always empty."""
        self.face: OP | None = None
        self.alive = True
        self.states: dict[str, ParState] | None = None
        self.custom: CustomPages | None = None
        self.blocks: dict[str, int] | None = None
        """Number of blocks of each sequence that is not at its first length."""
        self.sequenced = False
        """Whether somebody went through `seq`: a POP that never cooked has its sequences only then (fact 65)."""
        self.wires: list[Wire | None] | None = None
        self.consumers: list[tuple[Node, int]] | None = None
        """(operator, this operator's output) for every wire that leaves, in the order they were made."""
        self.comp_input: Node | None = None
        self.comp_outputs: list[Node] | None = None
        self.x = 0.0
        self.y = 0.0
        self.w, self.h = (160.0, 130.0) if info.family == "COMP" else (130.0, 90.0)  # fact 20
        self.color: tuple[float, float, float] | None = None
        self.comment = ""
        self.tags: set[str] | None = None
        self.flags = DEFAULT_FLAGS
        self.dock: Node | None = None
        self.docked: list[Node] | None = None
        self.storage: dict[str, Any] | None = None
        self.startup: dict[str, Any] | None = None
        self.content: Any = None
        """What the operator itself holds (a DAT's text or table ...); has `copy()` if not None."""
        self.life: Any = None
        """What the life-cycle parts keep with an operator (extensions, compiled callbacks)."""
        self.par_generation = 0
        """Counts destroyed parameters: Par objects fetched before are invalid (fact 19)."""

        self.dirty = True
        self.version = 0
        """Counts cooks that may have changed the data."""
        self.checked = -1
        self.cooked: Any = None
        """The data of the last cook, by whatever the type's cook function returned."""
        self.cooks = 0
        self.cook_ms = 0.0
        self.cook_frame = 0.0
        self.cook_position = 0.0
        self.cook_tick = -1
        self.cook_start = 0.0
        self.cook_end = 0.0
        self.timed = False
        self.always_timed = False
        self.sources: dict[Node, int] | None = None
        self.watchers: dict[str, set[tuple[Node, str]]] | None = None
        self.seen_inputs: tuple[Any, ...] = ()
        self.cooking = False
        self.errors: list[str] | None = None
        self.warnings: list[str] | None = None
        self.script_errors: list[str] | None = None
        self.shown_errors: tuple[str, ...] = ()
        self.shown_warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Node {self.info.name} {self.path}>"

    # -- where it is -----------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """The absolute path; of the root, `/`."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            parts.append(node.name)
            node = node.parent
        return "/" + "/".join(reversed(parts))

    @property
    def type(self) -> str:
        """The operator type: `noiseTOP`."""
        return self.info.name

    @property
    def family(self) -> str:
        return self.info.family

    def is_below(self, top: Node) -> bool:
        """Whether this operator is inside `top`, at any depth."""
        node = self.parent
        while node is not None:
            if node is top:
                return True
            node = node.parent
        return False

    def flag(self, name: str) -> bool:
        """A flag by the name it has on OP: bypass, display, render, viewer, lock ..."""
        return bool(self.flags & FLAGS[name])

    def set_flag(self, name: str, on: bool) -> None:
        """Set a flag, undoably, and have what depends on it cook again."""
        if self.flag(name) == bool(on):
            return
        old = self.flags
        self.flags ^= FLAGS[name]
        new = self.flags
        self.world.undo.record(
            f"flag {name}", lambda: self._put_flags(old, name), lambda: self._put_flags(new, name)
        )
        self._put_flags(new, name)
        if name == "export":
            from fakes import exports

            exports.refresh(self)

    def _put_flags(self, flags: int, name: str) -> None:
        self.flags = flags
        self.changed("flags")
        self.world.tell(self, "flag", name)

    # -- parameters ------------------------------------------------------------------------------------------

    def par_info(self, name: str) -> ParInfo | CustomInfo | None:
        """The definition of a parameter of this operator, or None if it has none of that name."""
        if self.custom is not None:
            custom = self.custom.pars.get(name)
            if custom is not None:
                return custom
        info = self.info.par(name)
        if info is None or not info.sequence or (not self.blocks and name in self.info.pars):
            return info
        if _block_of(name, info.sequence) >= self.num_blocks(info.sequence):
            return None
        return info

    def num_blocks(self, sequence: str) -> int:
        """How many blocks a sequence has now."""
        return (self.blocks or {}).get(sequence, 1)

    def par_names(self) -> list[str]:
        """Every parameter, built-in ones first, in order; sequences with all their blocks."""
        names: list[str] = []
        for name, info in self.info.pars.items():
            if not info.sequence:
                names.append(name)
            if info.style == "Sequence":
                for block in range(self.num_blocks(name)):
                    names += [f"{name}{block}{rest}" for rest in self.info.sequences[name]]
        if self.custom is not None:
            names += self.custom.pars
        return names

    def par(self, name: str) -> ParState:
        """The state of a parameter, made if there is none yet. Reading does not need it: see `value`.

        Raises:
            KeyError: the operator has no such parameter.
        """
        if self.states is not None and name in self.states:
            return self.states[name]
        info = self.par_info(name)
        if info is None:
            raise KeyError(name)
        state = ParState(self, name, info, info.creation)
        if self.states is None:
            self.states = {}
        self.states[name] = state
        return state

    def state(self, name: str) -> ParState | None:
        """The state of a parameter if anyone has touched it."""
        return self.states.get(name) if self.states else None

    def value(self, name: str) -> Any:
        """The value of a parameter now: a number, bool or text; a Node or None for operator references.

        Evaluates expressions and binds, and makes whoever is cooking depend on the parameter.

        Raises:
            KeyError: no such parameter.
            NotFaked: nobody set it and its value at creation is not established.
            tdError, or what the expression raises: it could not be evaluated.
        """
        from fakes.evaluation import value

        return value(self, name)

    def values(self, group: str) -> tuple[Any, ...]:
        """The values of a vector parameter's members: `values("t")` is (tx, ty, tz)."""
        return tuple(self.value(n) for n in self.info.groups[group])

    def nodes(self, name: str) -> list[Node]:
        """The operators an OP-valued parameter refers to; several where patterns or lists do."""
        from fakes.evaluation import referenced

        return referenced(self, name)

    def constant(self, name: str) -> Any:
        """The constant of a parameter (`Par.val`), whatever its mode."""
        state = self.state(name)
        if state is not None:
            return state.value
        info = self.par_info(name)
        if info is None:
            raise KeyError(name)
        if info.creation is None:
            raise NotFaked(f"value at creation of {self.type}.par.{name}")
        return info.creation

    def set(self, name: str, value: Any) -> None:
        """Set a constant as a script does (`par.x = value`): coerced, mode CONSTANT, undoable.

        Raises:
            KeyError: no such parameter.
            tdError: the value cannot be cast.
        """
        from fakes.evaluation import set_constant

        set_constant(self.par(name), value)

    def set_expr(self, name: str, expr: str) -> None:
        """Set an expression; enters mode EXPRESSION. Nothing is evaluated yet."""
        from fakes.evaluation import set_expr

        set_expr(self.par(name), expr)

    def set_bind(self, name: str, expr: str) -> None:
        """Set a bind expression; enters mode BIND."""
        from fakes.evaluation import set_bind

        set_bind(self.par(name), expr)

    # -- wires and data --------------------------------------------------------------------------------------

    def wire(self, index: int) -> Wire | None:
        """The wire at an input, as drawn in the network."""
        wires = self.wires
        return wires[index] if wires is not None and 0 <= index < len(wires) else None

    def inputs(self) -> list[Node | None]:
        """By input index, the operator whose data arrives there: through COMPs to their Out operators,
        and for In operators from outside. Gaps are None."""
        from fakes.wiring import data_source, input_wires

        return [data_source(w) for w in input_wires(self)]

    def input(self, index: int) -> Node | None:
        """The operator whose data arrives at one input."""
        found = self.inputs()
        return found[index] if 0 <= index < len(found) else None

    def data(self) -> Any:
        """The cooked data, cooking first if anything it depends on changed; a dependency of whoever cooks.

        Raises:
            NotFaked: nothing establishes what this type cooks to.
        """
        return self.world.cooking.data(self)

    def changed(self, reason: str = "content") -> None:
        """Something in this operator changed: it and what depends on it will cook when next asked."""
        self.world.cooking.changed(self, reason)


def _block_of(name: str, sequence: str) -> int:
    digits = ""
    for char in name[len(sequence) :]:
        if not char.isdigit():
            break
        digits += char
    return int(digits or 0)
