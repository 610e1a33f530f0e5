"""Facts about TouchDesigner, each with a way to make the stand-in behave as if it did not hold.

They are what a careless fake would do instead. A test-suite that stays green with one of them would prove nothing about
what it says of that fact.
"""

from __future__ import annotations

import builtins as python
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Self

from fakes import (
    api_index,
    builds,
    classes,
    coercion,
    components,
    cook_rules,
    copying,
    corrections,
    creating,
    docks,
    evaluation,
    find,
    guard,
    op_looks,
    op_network,
    op_parameters,
    par_collection,
    pargroups,
    problems,
    pulses,
    scope,
    sequences,
    shortcuts,
    undo,
    wiring,
    world,
)
from fakes.cooking import CookEngine
from fakes.dats import modules
from fakes.errors import tdError
from fakes.extensions import Extensions
from fakes.files import Files
from fakes.guard import guarded
from fakes.life import Life
from fakes.nodes import Mode, Node, Wire
from fakes.op_cooking import Cooking
from fakes.operators import OP
from fakes.parameters import Par
from fakes.project import Project
from fakes.runs import Run, Schedule
from fakes.tops import glsl, image, resolution
from fakes.tops.saving import FileSaveStatus
from fakes.undo import UndoStack
from fakes.world import World
from tdmcp_embedded.clients import entries, launch


class Mutant(NamedTuple):
    """A fact that no longer holds."""

    fact: int
    instead: str
    near: str
    """The file of tests that most likely notices: it runs first, which saves time. Below `tests/unit/tools`."""
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


@instead_of(35, "an annotation leaves the undo block as it is", "../../contract/test_undo")
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


@instead_of(14, "utility operators stay hidden even when asked for", "edit/test_build_network")
def utility_stays_hidden() -> None:
    original = find.find_children
    put(find, "find_children", lambda top, **given: original(top, **{**given, "includeUtility": False}))


@instead_of(14, "depth narrows nothing", "edit/test_traps")
def depth_is_ignored() -> None:
    original = find.find_children
    put(find, "find_children", lambda top, **given: original(top, **{**given, "depth": None}))


@instead_of(16, "a retired type is refused as an unknown one is", "edit/test_create_operator")
def retired_types_are_unknown() -> None:
    put(components, "unknown_type", lambda given: tdError(f"Unknown operator type. Value:{given!r}"))


@instead_of(19, "destroying twice does nothing the second time", "edit/test_traps")
def destroying_twice_is_fine() -> None:
    original = creating.destroy

    def forgiving(world: World, node: Node) -> None:
        if node.alive:
            original(world, node)

    put(creating, "destroy", forgiving)
    put(OP, "destroy", guarded(lambda self: forgiving(self._node.world, self._node)))


@instead_of(23, "a StrMenu takes only the words of its menu", "edit/test_traps")
def str_menus_are_closed() -> None:
    original = coercion.coerce

    def strict(info: Any, given: Any) -> Any:
        if info.style == "StrMenu" and info.menu_names and given not in info.menu_names:
            return info.menu_names[0]
        return original(info, given)

    put(evaluation, "coerce", strict)


@instead_of(23, "an unknown word for a Menu raises", "edit/test_traps")
def unknown_menu_words_raise() -> None:
    original = coercion._menu_word

    def strict(given: Any, info: Any) -> str:
        if isinstance(given, str) and info.menu_names and given not in info.menu_names:
            raise tdError(f"Invalid menu item: {given}")
        return original(given, info)

    put(coercion, "_menu_word", strict)


@instead_of(31, "multi-input operators keep the gap of a wire taken off", "edit/test_traps")
def gaps_stay() -> None:
    original = wiring._replace

    def gappy(target: Node, index: int, wire: Any) -> None:
        if wire is not None or index >= len(target.wires or ()):
            original(target, index, wire)
            return
        wires = list(target.wires or ())
        wires[index] = None
        wiring.set_wires(target, wires)

    put(wiring, "_replace", gappy)


@instead_of(32, "a fresh COMP has an input", "edit/test_wire_operators")
def comps_have_an_input() -> None:
    original = wiring.max_inputs
    put(
        wiring, "max_inputs", lambda node: max(1, original(node)) if node.family == "COMP" else original(node)
    )


@instead_of(32, "wires across networks are drawn", "edit/test_traps")
def wires_cross_networks() -> None:
    original = wiring.connect

    def crossing(source: Node, output: int, target: Node, index: int) -> None:
        if source.parent is target.parent:
            original(source, output, target, index)
        else:
            wiring._replace(target, index, Wire(source, output))

    put(wiring, "connect", crossing)


#: Tests of what the product cannot show, since it does well either way.
_LIFE = "../fakes/life/test_builds"
_CONTRACT = "../../contract/"


@instead_of(54, "every build has opType", _LIFE)
def op_type_is_everywhere() -> None:
    put(builds, "lacks", lambda api_class, name: False)


@instead_of(54, "builds of 2023 have POPs", _LIFE)
def pops_are_everywhere() -> None:
    _profile(families=builds.BUILDS[builds.NEWEST].families)


@instead_of(58, "a run that is over can be touched", _LIFE)
def runs_can_always_be_touched() -> None:
    put(Run, "_live", property(lambda self: self._pending))


@instead_of(59, "ids never repeat", _LIFE)
def ids_never_repeat() -> None:
    put(World, "give_ids_anew", lambda self: None)


@instead_of(59, "pending runs survive another project", _LIFE)
def runs_survive_projects() -> None:
    put(Schedule, "kill_all", lambda self: 0)


@instead_of(59, "extensions are told of another project", _LIFE)
def extensions_are_told() -> None:
    put(Extensions, "forget_all", Extensions.drop_all)


@instead_of(60, "dropping a file makes no link to it", _LIFE)
def dropped_files_are_forgotten() -> None:
    put(Files, "link", lambda self, node, path: None)


@instead_of(60, "opening a project leaves linked components as they were saved", _LIFE)
def links_are_not_followed() -> None:
    put(Files, "load_linked", lambda self: None)


@instead_of(61, "everything that is installed can be imported", _LIFE)
def packages_are_everywhere() -> None:
    put(builds._Hiding, "find_spec", lambda self, fullname, path=None, target=None: None)


@instead_of(62, "every build tells whether the project was modified", _LIFE)
def modified_is_everywhere() -> None:
    put(Project, "modified", property(lambda self: self._state.modified))


@instead_of(63, "run() takes functions in every build", _LIFE)
def functions_run_everywhere() -> None:
    _profile(run_takes_callables=True)


def _profile(**fields: Any) -> None:
    """Give the oldest build what it lacks."""
    builds.BUILDS[builds.OLDEST] = replace(builds.BUILDS[builds.OLDEST], **fields)


@instead_of(54, "OPType lacks the family", "edit/test_create_operator")
def types_lack_the_family() -> None:
    put(OP, "OPType", property(lambda self: self._live().info.stem))


@instead_of(55, "Python finds no annotation, whatever its mode", "edit/test_annotations")
def annotations_are_not_found() -> None:
    original = find.hidden

    def hiding(node: Node, include_utility: bool) -> bool:
        return node.info.name == "annotateCOMP" or original(node, include_utility)

    for module in (find, shortcuts, op_network):
        put(module, "hidden", hiding)


@instead_of(56, "an annotation is recorded with undo off, too", "edit/test_annotations")
def annotations_are_always_recorded() -> None:
    original = UndoStack.annotated

    def recorded(self: UndoStack, undo: Callable[[], None], redo: Callable[[], None]) -> None:
        was, self.enabled = self.enabled, True
        try:
            original(self, undo, redo)
        finally:
            self.enabled = was

    put(UndoStack, "annotated", recorded)


@instead_of(56, "every step has the name of its block", "edit/test_undo_lists")
def steps_keep_their_names() -> None:
    put(undo, "_OWN_NAMES", {})


@instead_of(64, "a cook takes no time", "edit/test_aftermath")
def cooks_take_no_time() -> None:
    put(Cooking, "cpuCookTime", property(lambda self: 0.0))


@instead_of(69, "the connectors of a component come with the next frame only", "edit/test_new_operators")
def a_cook_brings_no_connectors() -> None:
    made = World.__init__

    class Unseen(set[Node]):
        def __isub__(self, others: Any) -> Self:  # type: ignore[misc]  # only what the cook does
            return self

    def later(self: World) -> None:
        made(self)
        self.unseen = Unseen()

    put(World, "__init__", later)


@instead_of(70, "a picture is complete before its file is there", "read/test_capturing")
def pictures_are_said_to_be_complete() -> None:
    put(FileSaveStatus, "isCompleted", property(lambda self: lambda: True))


@instead_of(74, "operators come without docked DATs", "edit/test_write_data")
def nothing_is_docked() -> None:
    put(docks, "dock", lambda node, companions: None)


@instead_of(84, "numpyArray begins with the top row", "read/test_data")
def the_top_row_is_first() -> None:
    put(image, "NUMPY_BOTTOM_ROW_FIRST", False)


@instead_of(57, "the mode of a parameter is a number", "read/test_inspecting")
def modes_are_numbers() -> None:
    mode = vars(Par)["mode"]
    put(Par, "mode", property(lambda self: mode.fget(self).value, mode.fset))


@instead_of(73, "destroying a host with docked operators raises what no script catches", "edit/test_traps")
def docked_operators_end_the_script() -> None:
    original = creating.destroy

    def ending(world: World, node: Node) -> None:
        if node.alive and node.docked:
            raise GeneratorExit(f"{node.docked[0].name} is docked to {node.path}")
        original(world, node)

    put(creating, "destroy", ending)


@instead_of(77, "expressions follow a rename", "edit/test_references")
def references_follow() -> None:
    original = creating.rename

    def following(node: Node, name: str) -> None:
        old = node.name
        original(node, name)
        for other in node.world.walk():
            for state in (other.states or {}).values():
                state.expr = state.expr.replace(f"{old}'", f"{name}'").replace(f'{old}"', f'{name}"')

    put(creating, "rename", following)


@instead_of(86, "every sequence begins with a block and refuses to have none", "edit/test_sequences")
def every_sequence_has_a_block() -> None:
    put(corrections, "FIRST_BLOCKS", {})
    put(sequences, "FIRST_BLOCKS", {})
    put(creating, "FIRST_BLOCKS", {})


@instead_of(85, "a row of the documentation is one parameter", "edit/test_create_operator")
def rows_are_parameters() -> None:
    put(corrections, "split", lambda pars: pars)


@instead_of(87, "a type that has a class only is unknown", _CONTRACT + "test_catalogue")
def classes_alone_are_unknown() -> None:
    put(classes, "_NEVER_CREATED", frozenset())


@instead_of(72, "op() takes no parameter", _CONTRACT + "test_finding")
def parameters_name_nothing() -> None:
    put(shortcuts, "_named", lambda patterns, par_class: iter(patterns))


@instead_of(76, "a pattern names operators of every kind", _CONTRACT + "test_parameters")
def patterns_name_everything() -> None:
    put(evaluation, "_is_kind", lambda node, kind: True)


@instead_of(78, "a pulse fires by itself only", _CONTRACT + "test_parameters")
def pulses_follow_nothing() -> None:
    put(pulses, "_names", lambda node, name, source, pressed: False)


@instead_of(79, "panels come empty", _CONTRACT + "test_creating")
def panels_come_empty() -> None:
    put(creating, "CLONES", frozenset())


@instead_of(80, "another type loses the tags", _CONTRACT + "test_creating")
def retyping_loses_tags() -> None:
    original = creating.retype

    def bare(node: Node, type_name: str) -> Node:
        made = original(node, type_name)
        made.tags = None
        return made

    put(creating, "retype", bare)


@instead_of(81, "a name that the pages omit is unknown", _CONTRACT + "test_parameters")
def omitted_names_are_unknown() -> None:
    put(api_index, "_ALSO", {})


@instead_of(88, "an AttributeError behind a property is a missing property", _CONTRACT + "test_extensions")
def properties_swallow_errors() -> None:
    getter = guard.Guarded.__getattr__

    def swallowing(self: Any, name: str) -> Any:
        guard._behind = None
        return getter(self, name)

    put(guard.Guarded, "__getattr__", swallowing)


@instead_of(57, "names of TouchDesigner are in the globals of scripts only", _CONTRACT + "test_application")
def names_are_no_builtins() -> None:
    def plain(self: Any, node: Node) -> dict[str, Any]:
        return {**vars(python), "__import__": modules.importer(node)}

    put(scope._Builtins, "of", plain)


@instead_of(89, "the frame of a timeline can be set", _CONTRACT + "../unit/contract/test_questions")
def the_frame_can_be_set() -> None:
    _world(time_frame="taken")


@instead_of(90, "POPs need no input", _CONTRACT + "test_errors")
def pops_need_no_input() -> None:
    cook_rules.NEEDS.clear()


def _world(**fields: Any) -> None:
    """Every new world has these attributes."""
    made = World.__init__

    def changed(self: World) -> None:
        made(self)
        for name, value in fields.items():
            setattr(self, name, value)

    put(World, "__init__", changed)


@instead_of(91, "a name is as good as an operator", _CONTRACT + "test_creating")
def names_are_operators() -> None:
    def found(given: Any, *arguments: Any) -> Node:
        return given._live() if isinstance(given, OP) else World.node(world.current(), str(given))  # type: ignore[return-value]

    for module in (components, op_network):
        put(module, "wanted", found)


@instead_of(92, "the root holds the project alone", _CONTRACT + "test_application")
def the_root_is_bare() -> None:
    put(World, "_touchdesigners_own", lambda self: None)


@instead_of(65, "a fresh POP has all its sequences", _CONTRACT + "test_parameters")
def sequences_are_there_at_once() -> None:
    for module in (op_parameters, par_collection, pargroups):
        put(module, "unmade", lambda node, name: False)


@instead_of(66, "what a cook finds shows in the same frame", _CONTRACT + "test_errors")
def errors_show_at_once() -> None:
    original = CookEngine.run

    def showing(self: CookEngine, node: Node, inputs: list[Any]) -> None:
        original(self, node, inputs)
        problems.show(node)

    put(CookEngine, "run", showing)


@instead_of(71, "new DATs of the execute family are off", "edit/test_execute_dats")
def execute_dats_are_made_off() -> None:
    made = creating._companions

    def off(node: Node) -> None:
        made(node)
        for name in corrections.ON_AT_CREATION.get(node.info.name, ()):
            node.par(name).value = False

    put(creating, "_companions", off)


@instead_of(67, "several SOPs of a network are displayed", _CONTRACT + "test_sops")
def several_sops_are_displayed() -> None:
    shown = vars(op_looks.Placed)["display"]

    def on(self: Any, value: bool) -> None:
        self._live().set_flag("display", bool(value))

    put(op_looks.Placed, "display", property(shown.fget, on))


@instead_of(68, "any number of annotations may be made in a frame", "../fakes/life/test_ui")
def annotations_are_harmless() -> None:
    put(Life, "_annotated", lambda self: None)


@instead_of(75, "a shader that fails says nothing on its operator", _CONTRACT + "test_tops")
def failing_shaders_are_silent() -> None:
    put(glsl, "COMPILE_WARNING", "")


@instead_of(82, "TouchDesigner itself is a Python", "../clients/test_places")
def touchdesigner_is_a_python() -> None:
    put(launch, "_is_touchdesigner", lambda executable: False)


@instead_of(83, "nobody else registers with clients as touchdesigner", "../clients/test_setup")
def the_name_is_ours() -> None:
    put(entries, "is_ours", lambda entry, machine: True)


@instead_of(35, "a new step leaves what could be redone", "../../contract/test_undo")
def redo_survives_changes() -> None:
    original = UndoStack._close

    def keeping(self: UndoStack) -> None:
        undone = list(self.undone)
        original(self)
        self.undone[:] = undone

    put(UndoStack, "_close", keeping)


@instead_of(35, "a block within a block is a step of its own", "../../contract/test_undo")
def inner_blocks_are_steps() -> None:
    def start(self: UndoStack, name: str, enable: bool = True) -> None:
        if self.depth:
            self._close()
        self.depth = 1
        self.open = undo.Step(name) if enable else None

    put(UndoStack, "start", start)


@instead_of(56, "the oldest step is listed first", "../../contract/test_undo")
def the_oldest_step_is_first() -> None:
    put(undo.Undo, "undoStack", property(lambda self: [s.name for s in self._world.undo.done]))
