"""checkpoint: named states of a network, to come back to and to compare with."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, restoring
from tdmcp_embedded.tools.restoring import Plan
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool, at_once
from tdmcp_embedded.touchdesigner import building, checkpoints, lookup, network, undo
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.wording import counted


class Checkpoint(Arguments):
    action: Literal["save", "list", "restore", "drop"] = Field(description="what to do")
    path: str | None = Field(
        default=None, description="the COMP whose network is meant; list: all if left out"
    )
    name: str | None = Field(
        default=None, description="name of the checkpoint; saving replaces one of the same name"
    )
    confirm: bool = Field(default=False, description="restore: agree to deleting what came since")


class Checkpoints(aftermath.Edited):
    action: str
    checkpoints: list[dict[str, Any]] = Field(description="what is kept: path, name, time, operators")
    created: list[str] = Field(default=[], description="restore: operators brought back")
    changed: list[str] = Field(default=[])
    deleted: list[str] = Field(default=[])
    notes: list[str] = Field(default=[])

    def text(self) -> str:
        lines = [f"{self.action} done"]
        for word in ("created", "changed", "deleted"):
            paths = getattr(self, word)
            if paths:
                lines.append(f"{word}: {', '.join(paths)}")
        for row in self.checkpoints:
            lines.append(
                f"{row['path']} {row['name']}: {counted(row['operators'], 'operator')}, {row['time']}"
            )
        return "\n".join([*lines, *self.notes, self.trailer()])


_MOST_LISTED = 100


def checkpoint(call: Call, given: Checkpoint) -> Steps[Checkpoints]:
    td = call.td
    if given.action == "list":
        path = lookup.normal_path(given.path) if given.path is not None else None
        return Checkpoints(action="list", checkpoints=checkpoints.listed(td, path))
    if given.path is None or not given.name:
        raise ToolFailure(Code.VALUE_INVALID, f"{given.action} needs path and name.")
    if given.action == "drop":
        undo.journal().irreversible()
        path = lookup.normal_path(given.path)
        checkpoints.drop(td, path, given.name)
        return Checkpoints(action="drop", checkpoints=checkpoints.listed(td, path))
    comp = lookup.component(td, given.path)
    path = str(comp.path)
    if given.action == "save":
        # Nothing of the user's is edited; reading a large network takes frames.
        undo.journal().irreversible()
        yield from checkpoints.save(td, path, given.name, network.run(td, comp))
        return Checkpoints(action="save", checkpoints=checkpoints.listed(td, path))
    return (yield from _restore(call, given, comp))


def prepare(call: Call, given: Checkpoint) -> Steps[Plan | None]:
    """Compare before the edit: a project of any size is restored in a step as long as what differs."""
    if given.action != "restore" or given.path is None or not given.name or call.batched:
        # In a batch, the calls before may change what this one is to put back.
        return None
    comp = lookup.component(call.td, given.path)
    kept = yield from checkpoints.opened(call.td, str(comp.path), given.name)
    return (yield from restoring.plan(call, kept, comp))


def _restore(call: Call, given: Checkpoint, comp: Any) -> Steps[Checkpoints]:
    td, path = call.td, str(comp.path)
    plan: Plan = call.prepared or at_once(
        restoring.plan(call, at_once(checkpoints.opened(td, path, str(given.name))), comp)
    )
    access = aftermath.access(call)
    watch = aftermath.Watch()
    if plan.own is not None:
        watch.before([comp])
    watch.before(
        there
        for each in plan.touched[: aftermath.MOST_WATCHED]
        if (there := find(td, f"{path.rstrip('/')}/{each}")) is not None
    )
    built = building.build(
        td, comp, plan.operators, plan.annotations, access, exact=True, partial=plan.partial, own=plan.own
    )
    aftermath.need_confirmation(given.confirm, built.asked, built.deleted, "Restoring deletes")
    changed = bool(built.created or built.changed or built.deleted)
    names_gone = aftermath.names_gone()
    output = Checkpoints(
        action="restore",
        checkpoints=checkpoints.listed(td, path),
        created=built.created[:_MOST_LISTED],
        changed=built.changed[:_MOST_LISTED],
        deleted=built.deleted[:_MOST_LISTED],
        notes=[f"{w.path} {note}" for w in built.written for note in w.notes][:_MOST_LISTED],
        undo=aftermath.done(call, changed),
    )
    for word in ("created", "changed", "deleted"):
        if len(getattr(built, word)) > _MOST_LISTED:
            output.notes.append(f"{word}: {len(getattr(built, word))} in all")
    output.problems = yield from watch.after(call, [*built.created, *built.changed])
    output.notes += built.late
    output.broken_references = yield from aftermath.broken_references(
        call, dict.fromkeys(built.deleted, ""), names_gone
    )
    return output


TOOLS = [
    Tool(
        name="checkpoint",
        title="Checkpoint",
        description=(
            "Save a named state of a network and its COMP's own parameters, list what is kept, restore one exactly (deleting what came since; more "
            "than 3 need confirm), or drop it. Kept with the project, outside your operators; compare_network takes "
            "the name. Save one before large changes."
        ),
        level=Level.EDIT,
        effect=Effect.DESTRUCTIVE,
        arguments=Checkpoint,
        output=Checkpoints,
        run=checkpoint,
        prepare=prepare,
    )
]
