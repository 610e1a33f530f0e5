"""copy_operators: copies within or across networks, the wires among them kept."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, moving, places


class CopyOperators(Arguments):
    paths: list[str] = Field(min_length=1, max_length=500, description="operators of one network")
    parent: str | None = Field(default=None, description="COMP to copy into; default: the same network")


class CopiedOperators(aftermath.Edited):
    copies: dict[str, str] = Field(
        description="path of each original and of its copy, docked operators included"
    )
    lost_wires: list[str] = Field(default=[], description="wires to operators outside the group, not copied")
    notes: list[str] = Field(
        default=[], description="what went wrong with annotations, which are made one a frame"
    )

    def text(self) -> str:
        lines = [f"{old} → {new}" for old, new in self.copies.items()]
        if self.lost_wires:
            lines.append("not copied wires: " + ", ".join(self.lost_wires))
        return "\n".join([*lines, *self.notes, self.trailer()])


def prepare(call: Call, given: CopyOperators) -> Steps[Any]:
    """Where there is room, in a network of any size."""
    return (yield from places.survey(call.td, _goal(call, given), call.prepared))


def _goal(call: Call, given: CopyOperators) -> Any:
    """The network to copy into."""
    if given.parent is not None:
        return lookup.component(call.td, given.parent)
    parent = lookup.operator(call.td, given.paths[0]).parent()
    if parent is None:
        raise ToolFailure(Code.PRECONDITION_FAILED, "The root cannot be copied.")
    return parent


def copy_operators(call: Call, given: CopyOperators) -> Steps[CopiedOperators]:
    sources = list({o.path: o for o in (lookup.operator(call.td, path) for path in given.paths)}.values())
    parent = _goal(call, given)
    places.use(call.prepared)
    lost = moving.cut_wires(sources)
    access = aftermath.access(call)
    notes = moving.one_by_one(sources)
    others = [source for source in sources if source not in notes]
    moving.one_network(sources)
    made = moving.copy(call.td, others, parent, access) if others else {}
    output = CopiedOperators(copies={old: str(new.path) for old, new in made.items()}, lost_wires=lost)
    copied = list(output.copies.values())
    late: list[str] = []
    if notes:
        shift = moving.shift(others[0], made) if others else None if parent == sources[0].parent() else (0, 0)
        output.copies |= moving.copy_annotations(call.td, notes, parent, access, shift, late)
    output.undo = aftermath.done(call)
    output.problems = yield from aftermath.Watch().after(call, copied)
    output.notes += late
    return output


TOOLS = [
    Tool(
        name="copy_operators",
        title="Copy operators",
        description=(
            "Copy operators of one network, into the same or another, with what is docked to and inside them and the "
            "wires among them; in a free place. Returns the path of each copy."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=CopyOperators,
        output=CopiedOperators,
        run=copy_operators,
        prepare=prepare,
    )
]
