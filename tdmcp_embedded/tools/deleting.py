"""delete_operators: what goes and what else loses an input; more than a few need the user's word."""

from __future__ import annotations

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import deleting, lookup
from tdmcp_embedded.wording import counted


class DeleteOperators(Arguments):
    paths: list[str] = Field(min_length=1, max_length=500, description="operators; what COMPs hold goes too")
    confirm: bool = Field(default=False, description="the user agrees to more than 3")


class DeletedOperators(aftermath.Edited):
    deleted: list[str] = Field(description="paths, docked operators included")
    count: int = Field(description="operators gone, those inside COMPs counted")
    lost_inputs: list[str] = Field(default=[], description="wires that others lost")

    def text(self) -> str:
        lines = [f"Deleted {counted(self.count, 'operator')}: {', '.join(self.deleted)}"]
        if self.lost_inputs:
            lines.append("lost inputs: " + ", ".join(self.lost_inputs))
        return "\n".join([*lines, self.trailer()])


_MOST_LISTED = 100


def delete_operators(call: Call, arguments: DeleteOperators) -> Steps[DeletedOperators]:
    operators = [lookup.operator(call.td, path) for path in arguments.paths]
    going = deleting.consider(call.td, operators, aftermath.access(call))
    lost = [f"{wire.target} input {wire.input} (from {wire.source})" for wire in going.losing]
    paths = [str(o.path) for o in going.tops] + going.docked
    what = "This deletes"
    if lost:
        what = (
            f"This takes inputs from {', '.join(dict.fromkeys(w.target for w in going.losing))}, and deletes"
        )
    aftermath.need_confirmation(arguments.confirm, going.asked, paths, what)
    watch = aftermath.Watch()
    losers = [found for wire in going.losing if (found := call.td.op(wire.target)) is not None]
    watch.before(losers)
    watch.beside(going.tops)
    deleted = deleting.delete(call.td, going)
    names_gone = aftermath.names_gone()
    output = DeletedOperators(
        deleted=deleted[:_MOST_LISTED],
        count=going.count,
        lost_inputs=lost[:_MOST_LISTED],
        undo=aftermath.done(call),
    )
    output.problems = yield from watch.after(call, [wire.target for wire in going.losing])
    output.broken_references = yield from aftermath.broken_references(
        call, dict.fromkeys(deleted, ""), names_gone
    )
    return output


TOOLS = [
    Tool(
        name="delete_operators",
        title="Delete operators",
        description=(
            "Delete operators with what is docked to them and inside them. Says which other operators lose an input. "
            "More than 3 (counting inside COMPs) need the user's agreement: confirm. One undo step."
        ),
        level=Level.EDIT,
        effect=Effect.DESTRUCTIVE,
        arguments=DeleteOperators,
        output=DeletedOperators,
        run=delete_operators,
        core=True,
    )
]
