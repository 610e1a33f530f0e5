"""update_operator: name, type, place, looks and flags of one operator."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms, update_several
from tdmcp_embedded.tools.network_model import Point
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import (
    appearance,
    creating,
    layout,
    lookup,
    moving,
    operators,
    places,
)
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.flags import read_flags


class UpdateOperator(Arguments):
    path: str | None = Field(default=None, description="the operator; with names, their network")
    paths: list[str] | None = Field(
        default=None,
        max_length=update_several.MOST,
        description="several of one network, for parent or collapse",
    )
    names: dict[str, str] = Field(
        default={}, max_length=update_several.MOST, description="{old: new} of several, in path"
    )
    collapse: str | None = Field(default=None, description="name of a new COMP that takes paths, wires kept")
    name: str | None = Field(default=None, description="new name")
    type: str | None = Field(default=None, description="new type of the same family; wires are kept")
    parent: str | None = Field(default=None, description="path of the COMP to move it to")
    flags: dict[str, bool] = Field(
        default={}, description="bypass, lock, display, render, viewer, allowCooking …"
    )
    position: (
        Annotated[Point, WithJsonSchema({**forms.NUMBERS, "description": "[x, y] of its lower left corner"})]
        | None
    ) = None
    color: forms.Color | None = None
    comment: str | None = Field(default=None, description="new comment")
    tags: list[str] | None = Field(default=None, description="all its tags from now on")


class UpdatedOperator(aftermath.Edited):
    path: str
    type: str
    changed: list[str] = Field(description="which of the arguments made a difference")
    position: list[int]
    flags: dict[str, bool] = Field(default={}, description="the flags given, read back")
    inputs: list[str | None] = Field(default=[])
    count: int | None = Field(default=None, description="of several, how many")
    moved: dict[str, str] | None = Field(default=None, description="of several, new path by old path")
    lost_wires: list[str] = Field(default=[], description="wires that did not survive")
    notes: list[str] = Field(default=[])

    def text(self) -> str:
        if self.count is not None:
            said = update_several.line(self.changed, self.count, self.path, self.moved or {})
            if not (self.lost_wires or self.notes or self.problems or self.broken_references):
                return f"{said}; {self.trailer()}"
            lost = [f"lost wires: {', '.join(self.lost_wires)}"] if self.lost_wires else []
            return "\n".join([said, *lost, *self.notes, self.trailer()])
        lines = [
            f"{self.path} ({self.type}) at {self.position}; changed: {', '.join(self.changed) or 'nothing'}"
        ]
        if self.flags:
            lines.append("flags: " + ", ".join(f"{k} {'on' if v else 'off'}" for k, v in self.flags.items()))
        if self.inputs:
            lines.append("inputs: " + ", ".join(str(i) for i in self.inputs))
        if self.lost_wires:
            lines.append("lost wires: " + ", ".join(self.lost_wires))
        return "\n".join([*lines, *self.notes, self.trailer()])


def prepare(call: Call, given: UpdateOperator) -> Steps[Any]:
    """Where there is room in another network, if it is to move there."""
    if given.parent is None:
        return None
    return (yield from places.survey(call.td, lookup.component(call.td, given.parent), call.prepared))


def update_operator(call: Call, given: UpdateOperator) -> Steps[UpdatedOperator]:
    if given.paths or given.names:
        several: UpdatedOperator = yield from update_several.update(call, given, UpdatedOperator)
        return several
    if not given.path:
        raise ToolFailure(Code.VALUE_INVALID, "Say which operator: path, paths or names.")
    if given.collapse is not None:
        raise ToolFailure(Code.VALUE_INVALID, "collapse takes several operators: give paths.")
    access = aftermath.access(call)
    operator = lookup.operator(call.td, given.path)
    access.target(operator)
    if operator.parent() is None:
        raise ToolFailure(Code.PRECONDITION_FAILED, "The root cannot be changed.")
    places.use(call.prepared)
    watch = aftermath.Watch()
    watch.before([operator])
    was_at = str(operator.path)
    changed: list[str] = []
    notes: list[str] = []
    wires = _wires(operator)
    if given.type is not None and given.type != op_type(operator):
        update_several.refuse_own(call, operator, "turned into another type")
        docked = {str(each.path) for each in layout.group(operator)}
        operator = moving.change_type(call.td, operator, given.type, access)
        made = [each for each in layout.group(operator)[1:] if each.path not in docked]
        if made:
            places.place_docked(call.td, operator, made)
            notes.append("TouchDesigner made with it: " + ", ".join(str(each.path) for each in made))
        changed.append("type")
    if given.name is not None and given.name != operator.name:
        update_several.refuse_own(call, operator, "renamed")
        creating.rename(operator, given.name)
        changed.append("name")
    if given.parent is not None:
        parent = lookup.component(call.td, given.parent)
        if operator.parent().path != parent.path:
            update_several.refuse_own(call, operator, "moved")
            if moving.one_by_one([operator]):
                raise ToolFailure(
                    Code.VALUE_INVALID,
                    "In a batch an annotation is moved by paths, in a call that does nothing else: it is made in a frame "
                    "of its own.",
                    hint=f'Give paths: ["{given.path}"] and parent; or call update_operator by itself.',
                )
            operator = moving.move(call.td, operator, parent, access)
            changed.append("parent")
            notes.append("Moved: relative paths in its expressions now start in the other network.")
    if given.position is not None and [operator.nodeX, operator.nodeY] != [round(v) for v in given.position]:
        layout.move(operator, *given.position)
        changed.append("position")
    if given.color is not None and appearance.set_color(operator, given.color):
        changed.append("color")
    if given.comment is not None and appearance.set_attribute(operator, "comment", given.comment):
        changed.append("comment")
    if given.tags is not None and appearance.set_tags(operator, given.tags):
        changed.append("tags")
    access.flags(operator, given.flags)
    if given.flags and appearance.set_flags(operator, given.flags):
        changed.append("flags")
    now = read_flags(operator) if given.flags else {}
    output = UpdatedOperator(
        path=str(operator.path),
        type=op_type(operator),
        changed=changed,
        position=operators.position(operator),
        flags={name: now[name] for name in given.flags},
        inputs=[None if w is None else str(w[0].path) for w in operators.wires_in(operator)],
        lost_wires=[] if {"type", "parent"}.isdisjoint(changed) else _lost(wires, _wires(operator)),
        notes=notes,
        undo=aftermath.done(call, bool(changed)),
    )
    watch.moved({was_at: output.path})
    output.problems = yield from watch.after(call, [output.path])
    if output.path != was_at:
        output.broken_references = yield from aftermath.broken_references(call, {was_at: output.path})
    return output


def _wires(operator: Any) -> list[tuple[str, str]]:
    """Wires into and out of an operator, with their ends named without the operator's own name."""
    found = []
    for index, wire in enumerate(operators.wires_in(operator)):
        if wire is not None:
            found.append((f"in {index} {wire[0].path}", f"{wire[0].path} → input {index}"))
    for output, targets in enumerate(operators.wires_out(operator)):
        for target, index in targets:
            found.append(
                (f"out {output} {target.path} {index}", f"output {output} → {target.path} input {index}")
            )
    return found


def _lost(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> list[str]:
    kept = {key for key, _ in after}
    return [said for key, said in before if key not in kept]


TOOLS = [
    Tool(
        name="update_operator",
        title="Update operator",
        description=(
            "Change an operator's name, type (wires kept), network (parent), flags, position, colour, comment or tags; "
            "or rename, move or collapse several at once with the wires between them. Returns paths, what changed, "
            "and wires that did not survive."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=UpdateOperator,
        output=UpdatedOperator,
        run=update_operator,
        prepare=prepare,
        idempotent=False,
    )
]
