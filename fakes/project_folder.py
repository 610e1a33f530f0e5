"""Opening an expanded component or project that TouchDesigner made, as far as it is known.

What is not known is listed and left out; everything else is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fakes import creating, custom, expanded_tree, toe, tox, wiring
from fakes.errors import NotFaked, tdError
from fakes.expanded import Expanded
from fakes.expanded_lines import ExpandedError
from fakes.nodes import Node, Wire

if TYPE_CHECKING:
    from fakes.world import World


def open_folder(world: World, place: Path) -> list[str]:
    """Put what a folder holds into the scene; a sentence for each thing in it that is not known.

    A component (`NAME.tox.dir`) comes into `/project1`, the networks of a project (`NAME.toe.dir`) take the places
    of those at the root. Networks of the program (`/ui`, `/sys`, `/local`, `/perform`) stay as they are.

    Raises:
        ExpandedError: the folder is no expanded component or project.
    """
    toc = expanded_tree.find_toc(place)
    tree = expanded_tree.read_tree(toc)
    loader = _Loader(world, tree.flags, [str(unknown) for unknown in tree.unknown])
    is_project = toc.name.endswith(".toe.toc")
    parent = world.root if is_project else world.root.children["project1"]
    with world.undo.paused():
        for top in tree.tops:
            if is_project and top.name in toe.SYSTEM:
                loader.unknown.append(f"/{top.name}: a network of the program is not opened")
                continue
            if is_project and top.name in parent.children:
                world.destroy(parent.children[top.name])
            node = loader.make(parent, top, top.name)
            if node is not None:
                loader.relate(node, top)
                tox.announce(node)
    return loader.unknown


class _Loader:
    """Makes operators of what is known, and lists the rest."""

    def __init__(self, world: World, flags: dict[str, dict[str, bool]], unknown: list[str]) -> None:
        self.world = world
        self.flags = flags
        self.unknown = unknown

    def make(self, parent: Node, described: Expanded, path: str) -> Node | None:
        """The operator with all inside it; None where its type is not known. `path` is that inside the folder."""
        try:
            kind = tox.type_name(described)
            node = self.world.create(parent, kind, described.name, quiet=True)
        except (ExpandedError, NotFaked, tdError) as problem:
            inside = _count(described)
            left_out = f"; {inside} operators inside it are left out" if inside else ""
            self.unknown.append(f"{parent.path}/{described.name}: {problem}{left_out}")
            return None
        if described.tile is not None:
            node.x, node.y, node.w, node.h = described.tile
        node.color = described.color
        node.set_flag("viewer", bool(described.flags.get("viewer", 0)))
        for flag, value in self.flags.get(path, {}).items():
            node.set_flag(flag, value)
        # What a new operator has inside in TouchDesigner is in the file as well, unless somebody deleted it.
        for default in list(node.children.values()):
            self.world.destroy(default)
        for page in described.pages:
            self._try(node, custom.append_page, node, page)
        for parameter in described.custom:
            self._try(node, tox.define, node, parameter)
        for setting in described.settings:
            self._try(node, tox.set_parameter, node, setting)
        if described.text is not None or described.table is not None:
            self._try(node, tox.fill, node, described)
        for child in described.children:
            self.make(node, child, f"{path}/{child.name}")
        return node

    def relate(self, node: Node, described: Expanded) -> None:
        """Wires and docking among the children that are there."""
        for child in described.children:
            inside = node.children.get(child.name)
            if inside is None:
                continue
            if child.inputs:
                self._try(inside, self._wire, node, inside, child)
            if child.dock in node.children:
                self._try(inside, creating.set_dock, inside, node.children[child.dock])
            elif child.dock:
                self.unknown.append(f"{inside.path}: there is no operator {child.dock!r} to be docked to")
            self.relate(inside, child)

    def _wire(self, network: Node, inside: Node, child: Expanded) -> None:
        wires: list[Wire | None] = [None] * (max(child.inputs) + 1)
        for index, name in child.inputs.items():
            source = network.children.get(name)
            if source is None:
                self.unknown.append(f"{inside.path}: input {index}: there is no operator {name!r} beside it")
            else:
                wires[index] = Wire(source, 0)
        wiring.set_wires(inside, wires)

    def _try(self, node: Node, work: Callable[..., object], *arguments: object) -> None:
        try:
            work(*arguments)
        # Values that do not fit a parameter raise what they raise in a script.
        except (NotFaked, tdError, ValueError, TypeError) as problem:
            self.unknown.append(f"{node.path}: {problem}")


def _count(described: Expanded) -> int:
    """Operators inside a described one."""
    return sum(1 + _count(child) for child in described.children)
