"""undo: steps back or forward, and what they were called."""

from __future__ import annotations

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import undo as undoing
from tdmcp_embedded.touchdesigner import undo_steps, vanished

#: Frames to wait for annotations that come back, one a frame.
_MOST_FRAMES = 600


class Undo(Arguments):
    steps: int = Field(default=1, ge=1, le=100, description="calls to take back")
    redo: bool = Field(default=False, description="redo instead")
    others: bool = Field(default=False, description="also other people's steps")


class Undone(Output):
    undone: list[str] = Field(default=[], description="names of the steps, first undone first")
    redone: list[str] = Field(default=[])
    can_undo: list[str] = Field(
        description="names of steps on TouchDesigner's undo list, newest first (up to 20)"
    )
    can_redo: list[str] = Field(default=[])
    note: str = ""
    broken_references: list[str] | None = Field(default=None)

    def text(self) -> str:
        word, done = ("Redone", self.redone) if self.redone else ("Undone", self.undone)
        lines = [f"{word}: {', '.join(done)}"]
        lines.append("can undo: " + (", ".join(self.can_undo) or "nothing"))
        lines.append("can redo: " + (", ".join(self.can_redo) or "nothing"))
        if self.broken_references:
            lines += ["Broken references:", *self.broken_references]
        return "\n".join([*lines, *([self.note] if self.note else [])])


def undo(call: Call, arguments: Undo) -> Steps[Undone]:
    undoing.journal().irreversible()
    # Steps may call back code of ours: what that does is no part of this call.
    undoing.journal().abandon()
    # The settings hold the levels: what a person took back there, an agent below full may not bring again.
    own = str(call.instance.get("component", ""))
    guarded = call.td.op(own) if own and not call.level.allows(Level.FULL) else None
    paths, shortcuts = undo_steps.concerned(call.td, arguments.steps, arguments.redo)
    names = vanished.Names(call.td, paths)
    moved = undo_steps.steps(
        call.td, arguments.steps, arguments.redo, others=arguments.others, guarded=guarded, guard=call.guard
    )
    for _ in range(_MOST_FRAMES):
        if not annotating.waiting():
            break
        yield NEXT_FRAME
    word = "redo" if arguments.redo else "undo"
    if not moved.done:
        raise ToolFailure(Code.PRECONDITION_FAILED, f"There is nothing to {word}.")
    gone = names.gone()
    broken = yield from aftermath.broken_references(
        call, gone.operators, aftermath.NamesGone(gone.parameters, gone.shortcuts | shortcuts)
    )
    note = f"The next step, {moved.left!r}, is not of a call of this server; others: true takes it."
    return Undone(
        undone=[] if arguments.redo else moved.done,
        redone=moved.done if arguments.redo else [],
        can_undo=moved.can_undo[:20],
        can_redo=moved.can_redo[:20],
        note=note if moved.left else "",
        broken_references=broken,
    )


TOOLS = [
    Tool(
        name="undo",
        title="Undo",
        description=(
            "Undo (or redo) editing calls, newest first, a step each; refused where a person has worked "
            "since, unless others. Returns their names."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=Undo,
        output=Undone,
        run=undo,
        core=True,
    )
]
