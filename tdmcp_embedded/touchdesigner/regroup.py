"""Several operators at once: moved with the wires among them, collapsed into a new COMP, renamed.

One after the other, operators lose every wire between them: TD has no step that moves one, each is copied and the
original destroyed, and a copy by itself has no wires (fact 18). Copied together they keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import creating, layout, lookup, moving, operators, undo, wiring
from tdmcp_embedded.touchdesigner.builds import find, is_annotation
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.telling import told

#: Where an In or Out operator stands beside what it serves.
_BESIDE = 200

Ends = list[tuple[Any, int] | None]
Key = tuple[str, int]
"""An operator's path and its output."""


@dataclass
class Moved:
    """Where operators are now."""

    paths: dict[str, str] = field(default_factory=dict)
    """New path by old path, of those that were named."""
    comp: Any = None
    """The COMP that they were collapsed into."""
    lost_wires: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    """Paths of operators outside whose wires were drawn anew."""
    late: list[str] = field(default_factory=list)
    """What could not be made in the frames after the edit (annotations are made one a frame), in sentences."""


def move(td: ModuleType, sources: Sequence[Any], parent: Any, access: Access) -> Moved:
    """Move operators of one network into another, with the wires among them.

    Raises:
        ToolFailure: `name_taken`, `precondition_failed`, and what `moving.copy` raises.
    """
    sources = [each for each in sources if each.parent().path != parent.path]
    if not sources:
        return Moved()
    for each in sources:
        if creating.child(parent, str(each.name)) is not None:
            raise creating.taken(parent, str(each.name))
    going = _all(sources)
    lost = moving.cut_wires(going) + [
        f"{wire.source} → {wire.target} input {wire.input}" for wire in wiring.losing(going)
    ]
    moved = Moved(lost_wires=lost)
    moved.paths = _carry(td, sources, going, parent, access, moved.late)
    return moved


def collapse(td: ModuleType, sources: Sequence[Any], name: str, access: Access) -> Moved:
    """Move operators of one network into a new COMP beside them; wires that cross its edge go through In and Out
    operators.

    Raises:
        ToolFailure: `name_taken`, `value_invalid`, `precondition_failed`, and what `moving.copy` raises.
    """
    home = sources[0].parent()
    going = _all(sources)
    inside = {str(each.path) for each in going}
    corner = layout.bounds([layout.box(each) for each in going])
    wanted = {str(each.path): _keys(each) for each in going if not is_annotation(each)}
    targets = {
        wire.target: found
        for wire in wiring.losing(going)
        if wire.target not in inside and (found := find(td, wire.target)) is not None
    }
    outside = {path: _keys(target) for path, target in targets.items()}
    families = {
        (path, output): wiring.data_family(found, output)
        for path, output in {key for ends in [*wanted.values(), *outside.values()] for key in ends if key}
        if (found := find(td, path)) is not None
    }
    comp = creating.create(td, home, "baseCOMP", name, access)
    moved = Moved(comp=comp)
    held: dict[str, Any] = {}
    moved.paths = _carry(td, sources, going, comp, access, moved.late, held)
    lost = moved.lost_wires

    entering: dict[Key, Any] = {}
    for path, keys in wanted.items():
        inner: Ends = []
        for key in keys:
            if key is not None and key[0] in inside:
                inner.append((held[key[0]], key[1]))
                continue
            if key is not None and key not in entering:
                entering[key] = _edge(td, comp, "in", families.get(key, ""), held[path], access)
            made = entering[key] if key is not None else None
            inner.append((made, 0) if made is not None else None)
            if key is not None and made is None:
                lost.append(f"{key[0]} → {path}")
        access.wire(held[path])
        wiring.set_inputs(held[path], inner)

    leaving: dict[Key, Any] = {}
    for key in dict.fromkeys(key for keys in outside.values() for key in keys if key and key[0] in inside):
        made = leaving[key] = _edge(td, comp, "out", families.get(key, ""), held[key[0]], access)
        if made is not None:
            wiring.set_inputs(made, [(held[key[0]], key[1])])

    # The connectors of a COMP may come only with a cook (fact 69).
    told(lambda: comp.cook(force=True))
    for (path, output), made in entering.items():
        source, index = find(td, path), _connector(comp, made, "inputConnectors", "inOP")
        if source is not None and index is not None:
            wiring.connect(source, output, comp, index)
        elif made is not None:
            lost.append(f"{path} → {comp.path}")
    for path, target in targets.items():
        outer: Ends = []
        for key in outside[path]:
            if key is None or key[0] not in inside:
                outer.append((find(td, key[0]), key[1]) if key is not None else None)
                continue
            index = _connector(comp, leaving.get(key), "outputConnectors", "outOP")
            outer.append((comp, index) if index is not None else None)
            if index is None:
                lost.append(f"{key[0]} → {path}")
        access.wire(target)
        wiring.set_inputs(target, outer)
        moved.touched.append(path)
    layout.move(comp, corner.x, corner.y)
    return moved


def rename(named: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, str]:
    """Give operators other names, all or none; they may exchange names.

    Args:
        named: new name by whatever `found` knows the operator by.

    Returns:
        New path by old path, of those whose name is another one now.

    Raises:
        ToolFailure: `name_taken`, `value_invalid`, or `td_error` where TD refuses.
    """
    pending = {key: (found[key], new) for key, new in named.items() if found[key].name != new}
    leaving = {str(operator.path) for operator, _ in pending.values()}
    wanted: set[str] = set()
    for operator, new in pending.values():
        creating.check_name(new)
        parent = operator.parent()
        goal = f"{parent.path.rstrip('/')}/{new}"
        present = creating.child(parent, new)
        if goal in wanted or (present is not None and str(present.path) not in leaving):
            raise creating.taken(parent, new)
        wanted.add(goal)
    old = {key: str(operator.path) for key, (operator, _) in pending.items()}
    for operator, _ in pending.values():
        if str(operator.path) in wanted:
            # Another one gets its name: until all have theirs, this one has a name that nobody has.
            creating.rename(operator, creating.free_name(operator.parent(), f"{operator.name}_renamed"))
    for operator, new in pending.values():
        creating.rename(operator, new)
    return {old[key]: str(operator.path) for key, (operator, _) in pending.items()}


def _keys(operator: Any) -> list[Key | None]:
    """What feeds each input, by path: the operators themselves are gone once they are moved."""
    return [
        (str(wire[0].path), wire[1]) if wire is not None else None for wire in operators.wires_in(operator)
    ]


def _all(sources: Sequence[Any]) -> list[Any]:
    """The operators and what is docked to them, each once."""
    return list({str(each.path): each for source in sources for each in layout.group(source)}.values())


def _carry(
    td: ModuleType,
    sources: Sequence[Any],
    going: Sequence[Any],
    parent: Any,
    access: Access,
    late: list[str],
    held: dict[str, Any] | None = None,
) -> dict[str, str]:
    """Copy operators with the wires among them, and destroy the originals; `held` gets the copies by old path.

    Annotations are made one a frame, from this one on (fact 68); a single one comes along with the others.
    """
    for each in going:
        if access.component and (access.component + "/").startswith(each.path + "/"):
            raise ToolFailure(Code.PRECONDITION_FAILED, f"{each.path} holds this server's own component.")
    for wire in wiring.losing(going):
        target = find(td, wire.target)
        if target is not None:
            wiring.note(target)
    old = [str(each.path) for each in sources]
    notes = moving.one_by_one(sources)
    others = [each for each in sources if each not in notes]
    copies = moving.copy(td, others, parent, access) if others else {}
    if held is not None:
        held.update(copies)
    now = {path: str(copy.path) for path, copy in copies.items()}
    if notes:
        shift = moving.shift(others[0], copies) if others else (0, 0)
        now |= moving.copy_annotations(td, notes, parent, access, shift, late)
    for each in sources:
        if each.valid:
            undo.destroy(each)
    return {path: now[path] for path in old}


def _edge(td: ModuleType, comp: Any, side: str, family: str, beside: Any, access: Access) -> Any:
    """A new In or Out operator beside what it serves; None where there is none of the family."""
    kind = f"{side}{family}"
    if not family or kind not in lookup.type_names(td):
        return None
    made = creating.create(td, comp, kind, creating.free_name(comp, f"{side}0"), access)
    shift = -_BESIDE if side == "in" else beside.nodeWidth + _BESIDE - made.nodeWidth
    y = beside.nodeY
    while any(
        layout.box(each).overlaps(layout.Box(beside.nodeX + shift, y, made.nodeWidth, made.nodeHeight))
        for each in comp.children
        if each.path != made.path
    ):
        y -= made.nodeHeight + 20
    layout.move(made, beside.nodeX + shift, y)
    return made


def _connector(comp: Any, edge: Any, side: str, behind: str) -> int | None:
    """Which connector of a COMP an In or Out operator is."""
    for connector in getattr(comp, side) if edge is not None else ():
        found = getattr(connector, behind)
        if found is not None and found.path == edge.path:
            return int(connector.index)
    return None
