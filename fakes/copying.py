"""Copies of operators with all that is in them (fact 18)."""

from __future__ import annotations

import copy as shallow
from collections.abc import Callable, Iterable

from fakes import creating, wiring
from fakes.custom import CustomPages
from fakes.errors import tdError
from fakes.nodes import Node, Wire

_PLAIN = ("x", "y", "w", "h", "color", "comment", "flags", "always_timed")


def copy_into(network: Node, originals: Iterable[Node], *, name: str = "", docked: bool = True) -> list[Node]:
    """Copies of operators in `network`, by the order given; wires among them are kept, others are lost.

    `docked` copies operators docked to them as well. The answer holds the copies of `originals` only.

    Raises:
        tdError: an operator would be copied into itself.
    """
    asked = list(dict.fromkeys(originals))
    for node in asked:
        if network is node or network.is_below(node):
            raise tdError(f"Cannot copy {node.path} into itself.")
    family = list(asked)
    if docked:
        family += [d for n in asked for d in n.docked or () if d not in family]
    made: dict[Node, Node] = {}
    for node in family:
        wanted = name if name and node is asked[0] else node.name
        made[node] = _copy_tree(network, node, wanted, made)
    for original, double in list(made.items()):
        _rewire(original, double, made)
    for hook in network.world.op_created:
        for double in made.values():
            hook(double)
    network.world.cooking.changed(network, "children")
    tops = [made[n] for n in family]
    gone: list[Callable[[], None]] = []

    def remove() -> None:
        gone[:] = [creating.detach(node) for node in tops]

    def put_back() -> None:
        # With the wires and docks they had among themselves, so in the opposite order.
        for again in reversed(gone):
            again()

    network.world.undo.record("copy", remove, put_back)
    return [made[n] for n in asked]


def _copy_tree(network: Node, original: Node, name: str, made: dict[Node, Node]) -> Node:
    double = Node(network.world, original.info, creating.free_name(network, name), network)
    creating._attach(double)
    made[original] = double
    for attribute in _PLAIN:
        setattr(double, attribute, getattr(original, attribute))
    double.tags = set(original.tags) if original.tags else None
    double.blocks = dict(original.blocks) if original.blocks else None
    double.storage = dict(original.storage) if original.storage else None
    double.startup = dict(original.startup) if original.startup else None
    double.content = original.content.copy() if original.content is not None else None
    if original.custom is not None:
        double.custom = _copy_pages(original.custom)
    for state in (original.states or {}).values():
        new = double.par(state.name)
        for key in ("value", "mode", "previous_mode", "expr", "bind", "enable", "enable_expr", "read_only"):
            setattr(new, key, getattr(state, key))
        if state.name == "opshortcut":
            network.world.shortcut_owners.add(double)
    for child in original.children.values():
        _copy_tree(double, child, child.name, made)
    return double


def _copy_pages(original: CustomPages) -> CustomPages:
    pages = {id(p): shallow.copy(p) for p in original.pages}
    pars = {}
    for name, info in original.pars.items():
        pars[name] = shallow.copy(info)
        pars[name].page = pages[id(info.page)]
    return CustomPages(list(pages.values()), pars)


def _rewire(original: Node, double: Node, made: dict[Node, Node]) -> None:
    wires = [Wire(made[w.source], w.output) if w and w.source in made else None for w in original.wires or ()]
    if wiring.max_inputs(double) >= wiring.ANY:
        wires = [w for w in wires if w is not None]
    while wires and wires[-1] is None:
        wires.pop()
    if wires:
        wiring.set_wires(double, wires)
    if original.comp_input is not None and original.comp_input in made:
        wiring.set_comp_input(double, made[original.comp_input])
    if original.dock is not None and original.dock in made:
        creating._put_dock(double, made[original.dock])
