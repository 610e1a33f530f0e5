"""Facts about TouchDesigner, each with a way to make the stand-in behave as if it did not hold.

They are what a careless fake would do instead. A test-suite that stays green with one of them would prove nothing about
what it says of that fact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fakes import copying, creating, evaluation, par_collection, shortcuts
from fakes.cooking import CookEngine
from fakes.errors import tdError
from fakes.guard import guarded
from fakes.nodes import Mode, Node
from fakes.op_cooking import Cooking
from fakes.tops import glsl, resolution
from fakes.undo import UndoStack
from fakes.world import World


class Mutant(NamedTuple):
    """A fact that no longer holds."""

    fact: int
    instead: str
    near: str
    """The file of tests that most likely notices: it runs first, which saves time."""
    apply: Callable[[], None]


MUTANTS: dict[str, Mutant] = {}


def instead_of(fact: int, what: str, near: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a mutant under its function's name."""

    def register(apply: Callable[[], None]) -> Callable[[], None]:
        MUTANTS[apply.__name__] = Mutant(fact, what, near, apply)
        return apply

    return register


def put(where: Any, name: str, value: Any) -> None:
    """Replace a part of the stand-in, which must be there."""
    assert hasattr(where, name), f"{where} has no {name} any more: mend the mutant"
    setattr(where, name, value)


@instead_of(17, "a name already taken is refused", "edit/test_update_and_copy")
def taken_names_refused() -> None:
    original = creating.free_name

    def refusing(network: Node, wanted: str) -> str:
        if wanted in network.children and not wanted.endswith("1"):
            raise tdError("Invalid or duplicate operator name.")
        return original(network, wanted)

    put(creating, "free_name", refusing)


@instead_of(18, "copies of several operators lose the wires among them", "edit/test_update_and_copy")
def copies_lose_wires() -> None:
    put(copying, "_rewire", lambda original, double, made: None)


@instead_of(22, "setting a value leaves the expression in force", "edit/test_set_parameters")
def expressions_survive() -> None:
    original = evaluation._change

    def keeping(state: Any, kind: str, previous: Any, **fields: Any) -> None:
        if kind == "value" and state.mode == Mode.EXPRESSION:
            fields = {**fields, "mode": state.mode, "expr": state.expr}
        original(state, kind, previous, **fields)

    put(evaluation, "_change", keeping)


@instead_of(24, "every parameter takes what is written", "edit/test_set_parameters")
def nothing_is_stubborn() -> None:
    made = World.__init__

    def obliging(self: World) -> None:
        made(self)
        self.stubborn.clear()

    put(World, "__init__", obliging)


@instead_of(33, "errors come as a list", "edit/test_create_operator")
def errors_in_a_list() -> None:
    original = vars(Cooking)["errors"]._function
    put(Cooking, "errors", guarded(lambda self, recurse=False: original(self, recurse).split("\n")))


@instead_of(11, "errors never show by themselves", "edit/test_create_operator")
def errors_stay_hidden() -> None:
    put(CookEngine, "new_frame", lambda self: setattr(self, "epoch", self.epoch + 1))


@instead_of(34, "a shader always compiles", "edit/test_write_data")
def shaders_always_compile() -> None:
    original = glsl.result_text
    put(glsl, "result_text", lambda wrong: original(()))


@instead_of(35, "undo does nothing", "edit/test_create_operator")
def undo_does_nothing() -> None:
    put(UndoStack, "undo", lambda self: bool(self.done))


@instead_of(35, "an annotation leaves the undo block as it is", "edit/test_build_network")
def annotations_leave_blocks() -> None:
    put(UndoStack, "tear_down", lambda self: None)


@instead_of(44, "no licence limits anything", "read/test_capturing")
def licences_allow_everything() -> None:
    original = resolution.choose

    def generous(word: str | None, source: Any, custom: Any, limit: int | None) -> Any:
        return original(word, source, custom, None)

    put(resolution, "choose", generous)


@instead_of(13, "op() raises where there is no such operator", "edit/test_create_operator")
def op_raises() -> None:
    find_one = shortcuts.OPShortcut.__call__

    def raising(self: Any, *patterns: Any, includeUtility: bool = False) -> Any:
        found = find_one(self, *patterns, includeUtility=includeUtility)
        if found is None:
            raise tdError("There is no such operator.")
        return found

    put(shortcuts.OPShortcut, "__call__", raising)


@instead_of(18, "changing the type loses the wires", "edit/test_update_and_copy")
def retyping_loses_wires() -> None:
    put(creating, "retype", _retype_alone)


def _retype_alone(node: Node, type_name: str) -> Node:
    world, parent, name = node.world, node.parent, node.name
    assert parent is not None
    creating.destroy(world, node)
    return world.create(parent, type_name, name)


@instead_of(21, "a missing parameter raises as an item, too", "edit/test_create_operator")
def parameter_items_raise() -> None:
    put(par_collection.ParCollection, "__getitem__", par_collection.ParCollection.__getattr__)
