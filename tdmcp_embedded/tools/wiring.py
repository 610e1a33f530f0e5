"""wire_operators: wires drawn, taken off and opened for an operator in between."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, operators, wiring
from tdmcp_embedded.wording import counted


class Connection(BaseModel, extra="forbid", populate_by_name=True):
    """One wire to draw; paths."""

    from_: str = Field(alias="from")
    output: int = Field(default=0, ge=0)
    to: str
    input: int = Field(default=0, ge=0)
    comp: bool = Field(default=False, description="the connectors on top and bottom of COMPs")


class Disconnection(BaseModel, extra="forbid"):
    """One input to free."""

    to: str
    input: int = Field(default=0, ge=0)
    comp: bool = False


class Insertion(BaseModel, extra="forbid"):
    """An operator to put into the wire that arrives at an input."""

    path: str = Field(description="the operator to put in between, by its first input and output")
    to: str
    input: int = Field(default=0, ge=0)


_TEXT, _INDEX, _SWITCH = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def _wires(description: str, required: list[str], **properties: Any) -> WithJsonSchema:
    """The schema of one of the lists, without the defaults that the description states."""
    items = {"type": "object", "required": required, "properties": properties}
    return WithJsonSchema({"type": "array", "description": description, "items": items})


_CONNECT = _wires(
    "paths; output and input default to 0; comp: connectors on top of COMPs",
    ["from", "to"],
    **{"from": _TEXT, "output": _INDEX, "to": _TEXT, "input": _INDEX, "comp": _SWITCH},
)
_DISCONNECT = _wires("done first", ["to"], to=_TEXT, input=_INDEX, comp=_SWITCH)
_INSERT = _wires("path into the wire to that input; last", ["path", "to"], path=_TEXT, to=_TEXT, input=_INDEX)


class WireOperators(Arguments):
    connect: Annotated[
        list[Connection],
        Field(max_length=500),
        _CONNECT,
    ] = Field(default=[])
    disconnect: Annotated[
        list[Disconnection],
        Field(max_length=500),
        _DISCONNECT,
    ] = Field(default=[])
    insert: Annotated[
        list[Insertion],
        Field(max_length=100),
        _INSERT,
    ] = Field(default=[])


class WiredInputs(BaseModel):
    """Inputs of one operator as they are now."""

    path: str
    inputs: list[str | None]
    comp_inputs: list[str | None] | None = None


class WiresSet(aftermath.Edited):
    changed: int = Field(description="wires drawn or taken off")
    operators: list[WiredInputs] = Field(description="inputs by index, read back: path of the source")
    notes: list[str] = Field(default=[])

    def text(self) -> str:
        lines = [f"{counted(self.changed, 'wire')} changed"]
        for each in self.operators:
            lines.append(f"{each.path} inputs: " + (", ".join(str(i) for i in each.inputs) or "none"))
            if each.comp_inputs is not None:
                lines.append(
                    f"{each.path} comp_inputs: " + (", ".join(str(i) for i in each.comp_inputs) or "none")
                )
        return "\n".join([*lines, *self.notes, self.trailer()])


def wire_operators(call: Call, arguments: WireOperators) -> Steps[WiresSet]:
    access = aftermath.access(call)
    if not (arguments.connect or arguments.disconnect or arguments.insert):
        raise ToolFailure(Code.VALUE_INVALID, "Say what to connect, disconnect or insert.")
    named = [d.to for d in arguments.disconnect]
    named += [path for c in arguments.connect for path in (c.from_, c.to)]
    named += [path for i in arguments.insert for path in (i.path, i.to)]
    found = {path: lookup.operator(call.td, path) for path in named}
    for operator in found.values():
        access.target(operator)
    for wish in arguments.connect:
        if wish.comp or not wiring.grows(found[wish.to]):
            wiring.check(found[wish.from_], wish.output, found[wish.to], wish.input, wish.comp)
    reached = [d.to for d in arguments.disconnect] + [c.to for c in arguments.connect]
    targets = {path: found[path] for path in reached}
    targets |= {path: found[path] for i in arguments.insert for path in (i.path, i.to)}
    watch = aftermath.Watch()
    watch.before(targets.values())
    changed, notes = 0, []
    # From the last input to the first: multi-input operators close the gap behind each (fact 31).
    for off in sorted(arguments.disconnect, key=lambda d: -d.input):
        wiring.disconnect(found[off.to], off.input, off.comp)
        changed += 1
    for target in targets.values():
        access.wire(target)
    for wish in arguments.connect:
        before = _state(found[wish.to], wish.comp)
        wire = wiring.connect(found[wish.from_], wish.output, found[wish.to], wish.input, wish.comp)
        changed += before != _state(found[wish.to], wish.comp)
        if wire.replaced and wire.replaced != wire.source:
            notes.append(f"{wire.target} input {wire.input}: {wire.source} took the place of {wire.replaced}")
        if wire.input != wish.input:
            notes.append(f"{wire.target}: asked input {wish.input}, TouchDesigner used input {wire.input}")
    for between in arguments.insert:
        changed += _insert(found[between.path], found[between.to], between.input)
    access.left(targets.values())
    comps = {c.to for c in arguments.connect if c.comp} | {d.to for d in arguments.disconnect if d.comp}
    output = WiresSet(
        changed=changed,
        operators=[
            WiredInputs(
                path=str(operator.path),
                inputs=_state(operator, False),
                comp_inputs=_state(operator, True) if path in comps else None,
            )
            for path, operator in targets.items()
        ],
        notes=notes,
        undo=aftermath.done(call, changed > 0),
    )
    output.problems = yield from watch.after(call, [each.path for each in output.operators])
    return output


def _insert(between: Any, target: Any, index: int) -> int:
    wires = operators.wires_in(target)
    present = wires[index] if index < len(wires) else None
    if present is None:
        raise ToolFailure(
            Code.WIRING_INVALID,
            f"{target.path} has no wire at input {index} to put {between.path} into.",
            hint="Use connect.",
        )
    wiring.connect(present[0], present[1], between, 0)
    wiring.connect(between, 0, target, index)
    return 2


def _state(operator: Any, comp: bool) -> list[str | None]:
    return [
        None if wire is None else str(wire[0].path) + (f" output {wire[1]}" if wire[1] else "")
        for wire in operators.wires_in(operator, comp)
    ]


TOOLS = [
    Tool(
        name="wire_operators",
        title="Wire operators",
        description=(
            "Connect, disconnect and insert by output and input index, within one network. Connecting "
            "replaces what an input held, and says so. All or nothing. Returns the inputs read back, and "
            "errors one frame later."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=WireOperators,
        output=WiresSet,
        run=wire_operators,
        core=True,
    )
]
