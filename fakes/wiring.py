"""Wires: who is connected to whom, how many connectors there are, and what data arrives where (facts 30-32)."""

from __future__ import annotations

import re

from fakes.errors import NotFaked, tdError
from fakes.nodes import Node, Wire

ANY = 9999
_IN_OUT = re.compile(r"(in|out)(TOP|CHOP|DAT|SOP|POP|MAT)$")


def inside(comp: Node, kind: str) -> list[Node]:
    """The In (`kind` "in") or Out operators that make a COMP's connectors, in the connectors' order."""
    found = [c for c in comp.children.values() if c.info.stem == kind and _IN_OUT.match(c.info.name)]
    return sorted(found, key=lambda n: (_connect_order(n), _digits(n.name), n.name))


def _connect_order(node: Node) -> float:
    if "connectorder" not in node.info.pars:
        return 0.0
    value = node.value("connectorder")
    return float(value) if isinstance(value, (int, float)) else 0.0


def _digits(name: str) -> int:
    match = re.search(r"\d+", name)
    return int(match[0]) if match else 0


def max_inputs(node: Node) -> int:
    """How many inputs may be wired now. A COMP has as many as In operators inside (fact 32)."""
    if node.info.family == "COMP":
        return len(inside(node, "in"))
    if node.info.max_inputs is None:
        return len(node.info.input_labels)
    return node.info.max_inputs


def num_inputs(node: Node) -> int:
    """How many input connectors the operator shows: one more than is wired where any number may be."""
    if max_inputs(node) >= ANY:
        return len(node.wires or ()) + 1
    return max_inputs(node)


def num_outputs(node: Node) -> int:
    """How many output connectors the operator has."""
    return len(inside(node, "out")) if node.info.family == "COMP" else 1


def output_family(node: Node, output: int) -> str:
    """The family of the data that leaves at an output."""
    if node.info.family == "COMP":
        return inside(node, "out")[output].info.family
    return node.info.family


def input_family(node: Node, index: int) -> str:
    """The family of the data that an input takes."""
    if node.info.family == "COMP":
        return inside(node, "in")[index].info.family
    return node.info.family


def input_wires(node: Node) -> list[Wire | None]:
    """The wires whose data an operator works on: for an In operator, the one at its COMP's connector."""
    if node.parent is not None and node.info.stem == "in" and _IN_OUT.match(node.info.name):
        outer = node.parent.wire(inside(node.parent, "in").index(node))
        # An In operator's own input is what it takes while nothing is wired outside.
        return [outer] if outer is not None else list(node.wires or ())
    return list(node.wires or ())


def data_source(wire: Wire | None) -> Node | None:
    """The operator whose data a wire carries: a COMP's output is its Out operator's."""
    if wire is None or wire.source.info.family != "COMP":
        return wire.source if wire is not None else None
    outs = inside(wire.source, "out")
    return outs[wire.output] if wire.output < len(outs) else None


def connect(source: Node, output: int, target: Node, index: int) -> None:
    """Wire an output to an input, replacing what was there.

    Across networks nothing happens, silently (fact 32).

    Raises:
        tdError: one of them has no such connector.
        NotFaked: the families differ.
    """
    if source.parent is not target.parent:
        return
    limit = max_inputs(target)
    if not 0 <= output < num_outputs(source) or not 0 <= index < limit:
        raise tdError(f"Invalid connector index for {target.name if index >= limit else source.name}")
    if output_family(source, output) != input_family(target, index):
        raise NotFaked(f"wiring a {source.info.name} to a {target.info.name}")
    if limit >= ANY:
        index = min(index, len(target.wires or ()))
    _replace(target, index, Wire(source, output))


def disconnect(target: Node, index: int) -> None:
    """Take the wire off an input; operators with any number of inputs close the gap (fact 31)."""
    if target.wire(index) is not None:
        _replace(target, index, None)


def _replace(target: Node, index: int, wire: Wire | None) -> None:
    before = list(target.wires or ())
    after = list(before)
    while len(after) <= index:
        after.append(None)
    after[index] = wire
    if max_inputs(target) >= ANY:
        after = [w for w in after if w is not None]
    while after and after[-1] is None:
        after.pop()
    target.world.undo.record("wire", lambda: set_wires(target, before), lambda: set_wires(target, after))
    set_wires(target, after)


def set_wires(target: Node, wires: list[Wire | None]) -> None:
    """Give an operator exactly these wires, keeping both ends in step. Not recorded for undo."""
    for old in target.wires or ():
        if old is not None and old not in wires:
            _forget(old, target)
    for new in dict.fromkeys(wires):
        if new is not None and new not in (target.wires or ()):
            consumers = new.source.consumers = new.source.consumers or []
            consumers.append((target, new.output))
    target.wires = list(wires) or None
    target.changed("wires")
    target.world.tell(target, "wires")


def _forget(wire: Wire, target: Node) -> None:
    if wire.source.consumers and (target, wire.output) in wire.source.consumers:
        wire.source.consumers.remove((target, wire.output))


def cut_all(node: Node) -> None:
    """Take every wire off an operator, on both sides. Not recorded for undo."""
    for reader, _ in list(node.consumers or ()):
        kept = [w if w is None or w.source is not node else None for w in reader.wires or ()]
        if max_inputs(reader) >= ANY:
            kept = [w for w in kept if w is not None]
        while kept and kept[-1] is None:
            kept.pop()
        set_wires(reader, kept)
    if node.wires:
        set_wires(node, [])
    if node.comp_input is not None:
        set_comp_input(node, None)
    for child in list(node.comp_outputs or ()):
        set_comp_input(child, None)


def comp_kind(node: Node) -> str:
    """Which hierarchy a COMP may be wired into (`inputCOMPConnectors`): "object", "panel" or none ("")."""
    bases = node.info.bases
    if "ObjectCOMP" in bases or node.info.name == "ObjectCOMP":
        return "object"
    return "panel" if "PanelCOMP" in bases else ""


def connect_comps(parent: Node, child: Node) -> None:
    """Put `child` below `parent` in the hierarchy of objects or panels (fact 32).

    Raises:
        tdError: different networks or kinds.
    """
    if parent.parent is not child.parent or not comp_kind(child) or comp_kind(parent) != comp_kind(child):
        raise tdError(f"Cannot connect {parent.name} to {child.name}")
    before = child.comp_input
    child.world.undo.record(
        "wire", lambda: set_comp_input(child, before), lambda: set_comp_input(child, parent)
    )
    set_comp_input(child, parent)


def set_comp_input(child: Node, parent: Node | None) -> None:
    """Set or clear what a COMP hangs below. Not recorded for undo."""
    if child.comp_input is not None and child.comp_input.comp_outputs:
        child.comp_input.comp_outputs.remove(child)
    child.comp_input = parent
    if parent is not None:
        parent.comp_outputs = [*(parent.comp_outputs or ()), child]
    child.changed("wires")
