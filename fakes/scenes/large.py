"""The scene `large:N`: N operators in a shape that real big projects have, built fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes import wiring
from fakes.nodes import Wire

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

#: Operators inside one component, itself not counted.
CHAIN = (
    "constantTOP",
    "noiseTOP",
    "levelTOP",
    "blurTOP",
    "nullTOP",
    "lfoCHOP",
    "mathCHOP",
    "nullCHOP",
    "textDAT",
)
#: Components in one network, so that none is too big to look at.
PER_NETWORK = 50


def build(world: World, count: int) -> None:
    """Make exactly `count` operators below `/project1`: areas holding scenes, each with a small chain inside."""
    project = world.root.children["project1"]
    left = count
    area = scene = project
    while left > 0:
        number = count - left
        if len(area.children) >= PER_NETWORK or area is project:
            area = _place(world, project, "baseCOMP", f"area{number}", len(project.children))
            left -= 1
            if not left:
                return
        scene = _place(world, area, "baseCOMP", f"scene{number}", len(area.children))
        scene.comment = f"Scene {number}"
        left -= 1
        left -= _fill(world, scene, min(left, len(CHAIN)))


def _stem(kind: str) -> str:
    """A type without its family, as default names have it: `lfoCHOP` -> `lfo`."""
    return kind.removesuffix("CHOP").removesuffix("TOP").removesuffix("DAT")


def _fill(world: World, scene: Node, count: int) -> int:
    previous: Node | None = None
    for index, kind in enumerate(CHAIN[:count]):
        node = _place(world, scene, kind, f"{_stem(kind)}{index}", index)
        fits = previous is not None and previous.family == node.family and kind not in ("noiseTOP", "lfoCHOP")
        if previous is not None and fits and node.family != "DAT":
            wiring.set_wires(node, [Wire(previous, 0)])
        if node.type.startswith("null"):
            node.tags = {"out"}
        previous = node
    return count


def _place(world: World, network: Node, kind: str, name: str, index: int) -> Node:
    node = world.create(network, kind, name, quiet=True)
    node.x, node.y = (index % 10) * 200.0, -(index // 10) * 180.0
    return node
