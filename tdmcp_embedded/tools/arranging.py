"""arrange_network: a tidy layout from left to right, nothing overlapping."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Tool
from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import layout, lookup, rows
from tdmcp_embedded.wording import counted

_MOST = 3000


class ArrangeNetwork(Arguments):
    path: str = Field(description="path of the COMP whose network to tidy")


class ArrangedNetwork(aftermath.Edited):
    path: str
    moved: int = Field(description="operators that stand elsewhere now")
    bounds: list[int] = Field(description="left, bottom, width, height of the network")

    def text(self) -> str:
        return f"{self.path}: {counted(self.moved, 'operator')} moved; bounds {self.bounds}\n{self.trailer()}"


def arrange_network(call: Call, given: ArrangeNetwork) -> ArrangedNetwork:
    comp = lookup.component(call.td, given.path)
    aftermath.access(call).target(comp)
    inside = rows.members(comp)
    if len(inside) > _MOST:
        raise ToolFailure(
            Code.TOO_LARGE, f"{len(inside)} operators are too many to arrange (at most {_MOST})."
        )
    before = {str(o.path): (o.nodeX, o.nodeY) for o in inside}
    clusters, frames = _clusters(call, comp, inside)
    place_clusters(clusters, frames)
    moved = sum((o.nodeX, o.nodeY) != before[str(o.path)] for o in inside)
    around = layout.bounds([layout.box(o) for o in inside]) if inside else layout.Box(0, 0, 0, 0)
    return ArrangedNetwork(
        path=str(comp.path),
        moved=moved,
        bounds=[round(v) for v in (around.x, around.y, around.w, around.h)],
        undo=aftermath.done(call, moved > 0),
    )


def _clusters(call: Call, comp: Any, inside: list[Any]) -> tuple[list[list[Any]], list[Any]]:
    """Operators by the annotation that encloses them; those of none last, with None as their annotation."""
    clusters: list[list[Any]] = []
    frames: list[Any] = []
    free = {str(o.path): o for o in inside}
    # Small annotations first: one inside another keeps its own members.
    for annotation in sorted(annotating.of(call.td, comp), key=lambda a: a.nodeWidth * a.nodeHeight):
        members = [free.pop(str(o.path)) for o in annotation.enclosedOPs if str(o.path) in free]
        if members:
            clusters.append(members)
            frames.append(annotation)
    if free:
        clusters.append(list(free.values()))
        frames.append(None)
    return clusters, frames


def place_clusters(clusters: list[list[Any]], frames: list[Any]) -> None:
    """Lay out each cluster, stack them from top to bottom, and draw each annotation round its members again."""
    top: float | None = None
    left: float | None = None
    for members, annotation in zip(clusters, frames, strict=True):
        frame = layout.box(annotation) if annotation is not None else None
        layout.arrange(members)
        around = _around(members)
        margin = layout.GAP_Y if annotation is not None else 0
        title = 2 * layout.GAP_Y if annotation is not None else 0
        if top is None or left is None:
            left, top = around.x - margin, around.y + around.h + title
        dx = left + margin - around.x
        dy = top - title - (around.y + around.h)
        for member in layout.hosts(members):
            layout.move(member, member.nodeX + dx, member.nodeY + dy)
        around = _around(members)
        if annotation is not None and frame is not None:
            layout.set_box(
                annotation,
                layout.Box(
                    around.x - margin, around.y - margin, around.w + 2 * margin, around.h + margin + title
                ),
            )  # fmt: skip
        top = around.y - margin - 2 * layout.GAP_Y


def _around(members: list[Any]) -> layout.Box:
    return layout.bounds([layout.box(each) for member in members for each in layout.group(member)])


TOOLS = [
    Tool(
        name="arrange_network",
        title="Arrange network",
        description=(
            "Tidy the layout of a network: chains from left to right, nothing overlapping, docked operators beside "
            "their host, annotations round their members. Only positions change."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=ArrangeNetwork,
        output=ArrangedNetwork,
        run=arrange_network,
        idempotent=True,
    )
]
