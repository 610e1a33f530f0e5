"""arrange_network: a tidy layout from left to right, nothing overlapping."""

from __future__ import annotations

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Tool
from tdmcp_embedded.touchdesigner import framing, layout, lookup, rows
from tdmcp_embedded.touchdesigner.builds import op_type
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
            Code.TOO_LARGE,
            f"{len(inside)} operators are too many to arrange (at most {_MOST}).",
            hint="Arrange the networks inside it, or give the operators positions with update_operator.",
        )
    changed = framing.tidy(call.td, comp, inside)
    moved = sum(op_type(tile.operator) != "annotateCOMP" for tile in changed)
    around = layout.bounds([layout.box(o) for o in inside]) if inside else layout.Box(0, 0, 0, 0)
    return ArrangedNetwork(
        path=str(comp.path),
        moved=moved,
        bounds=[round(v) for v in (around.x, around.y, around.w, around.h)],
        undo=aftermath.done(call, bool(changed)),
    )


TOOLS = [
    Tool(
        name="arrange_network",
        title="Arrange network",
        description=(
            "Tidy the layout of a network: chains from left to right, unwired operators in rows, nothing overlapping, "
            "docked operators beside their host, annotations round their members. Only places and the sizes of "
            "annotations change."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=ArrangeNetwork,
        output=ArrangedNetwork,
        run=arrange_network,
        idempotent=True,
    )
]
