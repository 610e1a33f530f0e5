"""How operators come to be, get their names, and go (facts 16-19)."""

from __future__ import annotations

import re
from collections.abc import Callable

from fakes import builds, docks, wiring
from fakes.catalogue import TypeInfo, type_info
from fakes.corrections import FIRST_BLOCKS, FIRST_VALUES
from fakes.errors import tdError
from fakes.nodes import FLAGS, Node, Wire
from fakes.world import World

#: Components that come as clones of TouchDesigner's own, with children (fact 79).
CLONES = frozenset({"buttonCOMP", "sliderCOMP", "fieldCOMP", "listCOMP", "animationCOMP"})

_NAME = re.compile(r"[A-Za-z0-9_]+")


def create(world: World, parent: Node, info: TypeInfo, name: str, *, quiet: bool) -> Node:
    """See `World.create`."""
    if name and not _NAME.fullmatch(name):
        raise tdError("Invalid or duplicate operator name.")
    node = Node(world, info, free_name(parent, name or f"{info.stem}1"), parent)
    _attach(node)
    if quiet:
        return node
    if info.stem in ("in", "out"):
        world.unseen.add(node)
    if info.name == "annotateCOMP":
        # Made by a script it is no utility operator; it ends the open undo block and adds a step (facts 55, 56).
        world.undo.annotated(lambda: _gone(node), lambda: attach_again(node))
    world.undo.record("create", lambda: _gone(node), lambda: attach_again(node))
    _companions(node)
    _announce(node)
    return node


def _gone(node: Node) -> None:
    detach(node)


def free_name(network: Node, wanted: str) -> str:
    """`wanted`, or with the next number that is free in the network (fact 17)."""
    if wanted not in network.children:
        return wanted
    match = re.fullmatch(r"(.*?)(\d*)", wanted)
    assert match is not None
    stem, number = match[1], int(match[2] or 0)
    while f"{stem}{number}" in network.children or not number:
        number += 1
    return f"{stem}{number}"


def _companions(node: Node) -> None:
    """What TouchDesigner puts beside or inside a new operator (fact 17)."""
    world = node.world
    if node.info.name == "annotateCOMP":
        # That there is an inside, which a crawl enters, was seen (fact 55); what it holds was not: one DAT stands for it.
        world.create(node, "textDAT", "inside")
    elif node.info.name in CLONES:
        # They are clones with children (fact 79). What those are is not established here: one DAT stands for them.
        world.create(node, "textDAT", "inside")
    elif node.info.name == "geometryCOMP":
        # A POP where there are POPs.
        kind = "torusPOP" if "POP" in builds.current().families else "torusSOP"
        torus = world.create(node, kind, "torus1")
        torus.flags |= FLAGS["display"] | FLAGS["render"]
    if node.info.name == "textDAT" and world.text_language != "text":
        node.par("language").value = world.text_language
    docks.dock(node, docks.AT_CREATION.get(node.info.name, ()))
    if node.info.name in FIRST_BLOCKS:
        least = int(world.every_sequence_has_a_block)
        node.blocks = {name: max(count, least) for name, count in FIRST_BLOCKS[node.info.name].items()}
        for name, value in FIRST_VALUES.get(node.info.name, {}).items():
            node.par(name).value = value


def after_first_cook(node: Node) -> None:
    """What TouchDesigner docks to a GLSL POP only now (fact 17)."""
    if docks.unmade(node):
        docks.dock(node, docks.AFTER_FIRST_COOK[node.info.name])


def set_dock(node: Node, host: Node | None) -> None:
    """Dock an operator to a host, or undock it."""
    before = node.dock
    node.world.undo.record("dock", lambda: _put_dock(node, before), lambda: _put_dock(node, host))
    _put_dock(node, host)


def _put_dock(node: Node, host: Node | None) -> None:
    if node.dock is not None and node.dock.docked:
        node.dock.docked.remove(node)
    node.dock = host
    if host is not None:
        host.docked = [*(host.docked or ()), node]


def _attach(node: Node) -> None:
    if node.parent is not None:
        node.parent.children[node.name] = node
    node.world.nodes[node.id] = node


def _announce(node: Node) -> None:
    world = node.world
    if node.parent is not None:
        world.cooking.changed(node.parent, "children")
        if node.info.stem in ("in", "out"):
            node.parent.changed("connectors")
    for hook in world.op_created:
        hook(node)


def rename(node: Node, name: str) -> None:
    """Give an operator another name, undoably.

    Raises:
        tdError: the name is taken or not valid (fact 17).
    """
    if name == node.name:
        return
    if node.parent is None or not _NAME.fullmatch(name) or name in node.parent.children:
        raise tdError("Invalid or duplicate operator name.")
    old = node.name
    node.world.undo.record("rename", lambda: _put_name(node, old), lambda: _put_name(node, name))
    _put_name(node, name)


def _put_name(node: Node, name: str) -> None:
    parent, old = node.parent, node.name
    assert parent is not None
    # Keep the order of the network.
    order = [(name if n == old else n, c) for n, c in parent.children.items()]
    parent.children.clear()
    parent.children.update(order)
    node.name = name
    node.world.cooking.changed(parent, "children")
    for hook in node.world.op_renamed:
        hook(node, old)


def destroy(world: World, node: Node) -> None:
    """See `World.destroy`.

    Raises:
        tdError: the operator is the root, or gone already (fact 19).
        tdError: operators are docked to it, and the world is one in which they have to go first (facts 19, 73).
    """
    if not node.alive:
        raise tdError("Cannot use an operator that was destroyed.")
    if node.parent is None:
        raise tdError("Cannot destroy the root.")
    if node.docked and world.docked_hosts_are_refused:
        raise tdError(f"{node.path} was destroyed before {node.docked[0].name}, which is docked to it")
    for victim in [node, *world.walk(node)]:
        for hook in world.op_destroying:
            hook(victim)
    undo = detach(node)
    world.undo.record("destroy", undo, lambda: _gone(node))


def detach(node: Node) -> Callable[[], None]:
    """Take an operator and all below it out of the world; the answer puts them back as they were, with new ids."""
    world, parent = node.world, node.parent
    assert parent is not None
    place = list(parent.children).index(node.name)
    inputs = list(node.wires or ())
    outputs = [(r, list(r.wires or ())) for r in dict.fromkeys(r for r, _ in node.consumers or ())]
    comp_input, comp_outputs = node.comp_input, list(node.comp_outputs or ())
    dock, docked = node.dock, list(node.docked or ())
    wiring.cut_all(node)
    for other in docked:
        _put_dock(other, None)
    _put_dock(node, None)
    family = [node, *world.walk(node)]
    for victim in family:
        victim.alive = False
        victim.face = None
        # Undo keeps the operator; its pictures, a megabyte each, can be cooked again.
        victim.cooked, victim.dirty = None, True
        world.nodes.pop(victim.id, None)
        world.cooking.troubled.discard(victim)
        # Whoever read it must look again.
        for key in list(victim.watchers or ()):
            world.cooking.changed(victim, key)
    del parent.children[node.name]
    world.cooking.changed(parent, "children")
    world.unseen.discard(node)
    if node.info.stem in ("in", "out"):
        parent.changed("connectors")

    def restore() -> None:
        attach_again(node, place)
        for other in docked:
            _put_dock(other, node)
        _put_dock(node, dock)
        wiring.set_wires(node, _living(inputs))
        for reader, wires in outputs:
            if reader.alive:
                wiring.set_wires(reader, _living(wires))
        if comp_input is not None and comp_input.alive:
            wiring.set_comp_input(node, comp_input)
        for child in comp_outputs:
            if child.alive:
                wiring.set_comp_input(child, node)

    return restore


def _living(wires: list[Wire | None]) -> list[Wire | None]:
    return [w if w is None or w.source.alive else None for w in wires]


def attach_again(node: Node, place: int | None = None) -> None:
    """Put a detached operator and all below it back into its network, with new ids (fact 15)."""
    world, parent = node.world, node.parent
    assert parent is not None
    node.name = free_name(parent, node.name)
    parent.children[node.name] = node
    if place is not None:
        order = list(parent.children.items())
        order.insert(place, order.pop())
        parent.children.clear()
        parent.children.update(order)
    for member in [node, *world.walk(node)]:
        member.alive = True
        member.id = world.new_id()
        member.dirty = True
        world.nodes[member.id] = member
        for hook in world.op_created:
            hook(member)
    world.cooking.changed(parent, "children")


def retype(node: Node, type_name: str) -> Node:
    """Replace an operator by a new one of another type: same name and place, wires kept where possible (fact 18)."""
    world, parent = node.world, node.parent
    assert parent is not None
    info = type_info(type_name)
    name, place = node.name, (node.x, node.y, node.color, node.comment)
    tags = set(node.tags) if node.tags else None
    inputs = list(node.wires or ())
    readers = [
        (r, i) for r, _ in node.consumers or () for i, w in enumerate(r.wires or ()) if w and w.source is node
    ]
    same = info.family == node.info.family
    for docked in list(node.docked or ()):
        destroy(world, docked)
    destroy(world, node)
    new = world.create(parent, type_name, name)
    new.x, new.y, new.color, new.comment = place
    new.tags = tags  # fact 80
    if same:
        for index, wire in enumerate(inputs):
            # What was wired to itself is still; what was docked to it is gone.
            source = new if wire is not None and wire.source is node else wire and wire.source
            if wire is not None and source is not None and source.alive and index < wiring.max_inputs(new):
                wiring.connect(source, wire.output, new, index)
        for reader, index in readers:
            if reader.alive:
                wiring.connect(new, 0, reader, index)
    return new
