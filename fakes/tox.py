"""Loading components: from the expanded form that `tox_build` writes, and from the stand-in's own containers.

What is loaded appears as it would in TouchDesigner: with the name asked for or the next free one, and its Execute DATs
get onCreate (fact 6), at the next frame.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakes import catalogue, coercion, creating, custom, evaluation, expanded, wiring
from fakes.expanded import Expanded
from fakes.expanded_lines import ExpandedError
from fakes.expanded_parameters import CustomParameter, Setting
from fakes.nodes import Mode, Node, Wire

if TYPE_CHECKING:
    from fakes.world import World

#: Contracted names of the expanded form that are not simply the type without its family.
CONTRACTED = {"DAT:parexec": "parameterexecuteDAT", "COMP:geo": "geometryCOMP"}

#: Vector kind of a `.cparm` line and its number of members -> style.
VECTORS = {(2, 3): "RGB", (2, 4): "RGBA", (3, 2): "XY", (3, 3): "XYZ", (5, 2): "WH"}

_MODES = {
    "CONSTANT": Mode.CONSTANT,
    "EXPRESSION": Mode.EXPRESSION,
    "EXPORT": Mode.EXPORT,
    "BIND": Mode.BIND,
}


def load_expanded(world: World, parent: Node, toc: Path) -> Node:
    """Load `NAME.tox.toc` with `NAME.tox.dir` into a network, as if it had been dropped there.

    Raises:
        ExpandedError: something in it is not established, or does not fit the operator catalogue.
    """
    described = expanded.read(toc)
    with world.undo.paused():
        node = _make(world, parent, described)
        _relate(node, described)
    record_load(node)
    announce(node)
    return node


def record_load(node: Node) -> None:
    """Make the loading of an operator part of the open undo block."""

    def take_away() -> None:
        creating.detach(node)

    node.world.undo.record("load", take_away, lambda: creating.attach_again(node))


def announce(node: Node) -> None:
    """Tell the world of an operator, and of all inside it, that came from a file."""
    world = node.world
    if node.parent is not None:
        world.cooking.changed(node.parent, "children")
    for member in [node, *world.walk(node)]:
        for hook in world.op_created:
            hook(member)


def type_name(described: Expanded) -> str:
    """The operator type: `COMP:base` is a baseCOMP.

    Raises:
        ExpandedError: the catalogue has no such type.
    """
    contracted = f"{described.family}:{described.kind}"
    name = CONTRACTED.get(contracted, described.kind + described.family)
    if name not in catalogue.types():
        raise ExpandedError(f"{described.name}: {contracted} is no known operator type")
    return name


def _make(world: World, parent: Node, described: Expanded) -> Node:
    node = world.create(parent, type_name(described), described.name, quiet=True)
    node.x, node.y, node.w, node.h = described.tile or (0, 0, 0, 0)
    node.color = described.color
    node.set_flag("viewer", bool(described.flags.get("viewer", 0)))
    for page in described.pages:
        custom.append_page(node, page)
    for parameter in described.custom:
        define(node, parameter)
    for setting in described.settings:
        set_parameter(node, setting)
    if described.text is not None or described.table is not None:
        fill(node, described)
    for child in described.children:
        _make(world, node, child)
    return node


def _relate(node: Node, described: Expanded) -> None:
    """Wires and docking among the children, once all of them exist."""
    for child in described.children:
        inside = node.children[child.name]
        if child.inputs:
            wires: list[Wire | None] = [None] * (max(child.inputs) + 1)
            for index, source in child.inputs.items():
                wires[index] = Wire(_sibling(node, child, source), 0)
            wiring.set_wires(inside, wires)
        if child.dock:
            creating.set_dock(inside, _sibling(node, child, child.dock))
        _relate(inside, child)


def _sibling(network: Node, child: Expanded, name: str) -> Node:
    found = network.children.get(name)
    if found is None:
        raise ExpandedError(f"{child.name}: there is no operator {name!r} beside it")
    return found


def define(node: Node, parameter: CustomParameter) -> None:
    """Give a component one custom parameter."""
    style = parameter.style
    if parameter.vector != 1:
        found = VECTORS.get((parameter.vector, parameter.size))
        if found is None:
            raise ExpandedError(
                f"{parameter.name}: {parameter.size} members of kind {parameter.vector} are not established"
            )
        style = found
    page = custom.append_page(node, parameter.page)
    custom.append(
        node, page, style, parameter.name, parameter.label, size=parameter.size, order=parameter.order
    )
    members = [i for i in custom.pages_of(node).pars.values() if i.group == parameter.name]
    for info, limits, (number, text) in zip(members, parameter.ranges, parameter.defaults, strict=True):
        info.min, info.max = limits.minimum, limits.maximum
        info.clamp_min, info.clamp_max = limits.clamp_minimum, limits.clamp_maximum
        info.norm = (limits.slider_minimum, limits.slider_maximum)
        info.help = parameter.help
        info.menu_source = parameter.menu_source
        if parameter.menu:
            info.menu_names = tuple(token for token, _ in parameter.menu)
            info.menu_labels = tuple(label for _, label in parameter.menu)
        info.default = _default(parameter, number, text)
        if parameter.enable_expression:
            node.par(info.name).enable_expr = parameter.enable_expression


def _default(parameter: CustomParameter, number: str, text: str) -> Any:
    if parameter.style in ("Toggle", "Pulse"):
        return float(number) != 0
    if parameter.style == "Int":
        return int(float(number))
    if parameter.style == "Float":
        return float(number)
    if parameter.style == "Menu" and text not in [token for token, _ in parameter.menu]:
        raise ExpandedError(f"{parameter.name}: default {text!r} is none of its menu's words")
    return text


def set_parameter(node: Node, setting: Setting) -> None:
    """Give a parameter its value and mode."""
    info = node.par_info(setting.name)
    if info is None:
        raise ExpandedError(f"{node.name}: {node.type} has no parameter {setting.name!r}")
    if setting.custom != (node.custom is not None and setting.name in node.custom.pars):
        raise ExpandedError(f"{node.name}: the custom bits of {setting.name!r} do not fit the parameter")
    # The catalogue's menus are not complete everywhere; a value at creation is a word of the menu all the same.
    if info.style == "Menu" and setting.value not in (*info.menu_names, info.creation):
        raise ExpandedError(f"{node.name}: {setting.value!r} is none of the menu words of {setting.name!r}")
    if info.style == "Toggle" and setting.value not in ("on", "off"):
        raise ExpandedError(f"{node.name}: the toggle {setting.name!r} is on or off, not {setting.value!r}")
    state = node.par(setting.name)
    state.value = setting.value if info.style == "Menu" else coercion.coerce(info, setting.value)
    state.expr = setting.expression or ""
    state.bind = setting.bind or ""
    state.mode = _MODES[setting.mode]
    state.read_only = setting.read_only
    evaluation.put(state, {})


def fill(node: Node, described: Expanded) -> None:
    """Give a DAT its text or table."""
    from fakes import scripts

    if described.table is not None:
        if node.type != "tableDAT":
            raise ExpandedError(f"{node.name}: a {node.type} holds no table")
        scripts.set_table(node, described.table)
    elif described.text is not None:
        scripts.set_text(node, described.text)
