"""create_operator: one new operator, set and wired, in a free place."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Literal

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.extension_report import build_extensions, declaring
from tdmcp_embedded.tools.network_model import InputSource, plain_value
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import annotations as annotating
from tdmcp_embedded.touchdesigner import (
    creating,
    executors,
    layout,
    lookup,
    operators,
    parameters,
    parts,
    places,
    undo,
    wiring,
)
from tdmcp_embedded.touchdesigner.builds import find, op_type
from tdmcp_embedded.touchdesigner.telling import told
from tdmcp_embedded.touchdesigner.values import Json


class CreateOperator(Arguments):
    parent: str = Field(description="COMP to make it in")
    type: str = Field(description="type and family, such as noiseTOP; case counts")
    name: str | None = Field(default=None, description="default: the next free one")
    params: forms.Params = Field(default={})
    inputs: forms.Inputs = Field(default=[])
    position: forms.Place | None = None
    if_exists: Literal["fail", "return", "rename"] = Field(
        default="fail", description="if the name is taken; return sets the one there"
    )


class CreatedOperator(aftermath.Edited):
    path: str
    type: str
    created: bool = Field(description="false if it was there already")
    params: dict[str, Any] = Field(default={}, description="the given parameters, read back")
    values: dict[str, Any] = Field(default={}, description="what expressions and binds come to now")
    inputs: list[str | None] = Field(default=[], description="path of what feeds each input")
    position: list[int]
    also_made: list[str] = Field(default=[], description="operators TouchDesigner made with it")
    notes: list[str] = Field(default=[], description="where what is there differs from what was asked")

    def text(self) -> str:
        lines = [
            f"{'Created' if self.created else 'Already there:'} {self.path} ({self.type}) at {self.position}"
        ]
        if self.params:
            lines.append("params: " + ", ".join(f"{k}={v}" for k, v in self.params.items()))
        if self.values:
            lines.append("values now: " + ", ".join(f"{k}={v}" for k, v in self.values.items()))
        if self.inputs:
            lines.append("inputs: " + ", ".join(str(i) for i in self.inputs))
        if self.also_made:
            lines.append("made with it: " + ", ".join(self.also_made))
        return "\n".join([*lines, *self.notes, self.trailer()])


def prepare(call: Call, arguments: CreateOperator) -> Steps[Any]:
    """Where there is room, in a network of any size."""
    if arguments.position is not None:
        return None
    return (yield from places.survey(call.td, lookup.component(call.td, arguments.parent), call.prepared))


def create_operator(call: Call, arguments: CreateOperator) -> Steps[CreatedOperator]:
    access = aftermath.access(call)
    parent = lookup.component(call.td, arguments.parent)
    places.use(call.prepared)
    if undo.journal().shared and _is_new_annotation(parent, arguments):
        later: CreatedOperator = yield from _annotation_of_batch(call, parent, arguments)
        return later
    watch = aftermath.Watch()
    operator, fresh, also = _make(call, parent, arguments)
    if not fresh:
        watch.before([operator])
    params = {name: plain_value(value) for name, value in arguments.params.items()}
    written = parameters.apply(parameters.plan(operator, params, access))
    changed = fresh or written.changed > 0
    if arguments.inputs:
        wanted = [_source(operator, item) for item in arguments.inputs]
        before = operators.wires_in(operator)
        watch.before(wire[0] for wire in wanted if wire is not None)
        access.wire(operator)
        wiring.set_inputs(operator, wanted)
        if gaps := wiring.gap_note(operator, wanted):
            written.notes.append(gaps)
        changed = changed or _paths(before) != _paths(operators.wires_in(operator))
    if arguments.position is not None:
        layout.move(operator, *arguments.position)
        if fresh:
            places.settled(parent, [operator])
            places.place_docked(call.td, operator, layout.group(operator)[1:])
    elif fresh:
        sources = [wire[0] for wire in operators.wires_in(operator) if wire is not None]
        places.place_free(call.td, parent, [operator], sources)
    access.left([operator])
    output = CreatedOperator(
        path=str(operator.path),
        type=op_type(operator),
        created=fresh,
        params=written.params,
        values=written.values,
        inputs=_paths(operators.wires_in(operator)),
        position=operators.position(operator),
        also_made=also,
        notes=written.notes,
        undo=aftermath.done(call, changed or arguments.position is not None),
    )
    output.extensions = yield from build_extensions(call, comps=declaring([written]))
    output.problems = yield from watch.after(call, [output.path])
    yield from aftermath.reread(call, [written])
    output.params, output.values, output.notes = written.params, written.values, written.notes
    output.notes = aftermath.unrepeated(output.notes, output.problems, output.path)
    output.notes += settled_notes(find(call.td, output.path), params)
    return output


def _make(call: Call, parent: Any, arguments: CreateOperator) -> tuple[Any, bool, list[str]]:
    access = aftermath.access(call)
    name = arguments.name
    there = creating.child(parent, name) if name is not None else None
    if there is not None and name is not None:
        access.target(parent)
        if arguments.if_exists == "return":
            if op_type(there) != arguments.type:
                raise creating.taken(parent, name, if_exists=True)
            return there, False, []
        if arguments.if_exists == "rename":
            name = creating.free_name(parent, name)
    if arguments.type == "annotateCOMP":
        name = _promise_annotation(call, parent, name)
        return annotating.create(call.td, parent, name, access), True, []
    operator = creating.create(call.td, parent, arguments.type, name, access, if_exists=True)
    also = [str(each.path) for each in layout.group(operator)[1:]]
    if operator.isCOMP:
        # A new geometryCOMP holds a torus, which can hide that nothing else draws (fact 17).
        also += [str(child.path) for child in operator.children]
    return operator, True, also


def _is_new_annotation(parent: Any, arguments: CreateOperator) -> bool:
    there = creating.child(parent, arguments.name) if arguments.name is not None else None
    return arguments.type == "annotateCOMP" and (there is None or arguments.if_exists == "rename")


def _annotation_of_batch(
    call: Call, parent: Any, arguments: CreateOperator
) -> Generator[Any, None, CreatedOperator]:
    """Making an annotation ends TD's undo block (fact 56), which a batch shares: it is made after all calls, one a frame.

    Raises:
        ToolFailure: what is wrong with it, as far as that can be told beforehand.
    """
    if arguments.inputs:
        raise ToolFailure(Code.VALUE_INVALID, "An annotation has no inputs.")
    wanted = arguments.name or creating.free_name(parent, "annotate")
    creating.check_name(wanted)
    name = annotating.reserve(parent, wanted)
    if arguments.name is not None and name != wanted and arguments.if_exists != "rename":
        raise ToolFailure(
            Code.NAME_TAKEN, f"Another call of the batch makes {parent.path}/{wanted}.", suggestions=[name]
        )
    params = {key: plain_value(value) for key, value in arguments.params.items()}
    spec: dict[str, Any] = {"name": name, "params": params}
    if arguments.position is not None:
        spec["position"] = list(arguments.position)
    failures: list[str] = []
    for make, check in annotating.making(call.td, parent, [spec], aftermath.access(call)):
        undo.journal().at_end(make, check, failures)
    output = CreatedOperator(
        path=f"{str(parent.path).rstrip('/')}/{name}",
        type="annotateCOMP",
        created=True,
        position=[],
        undo=aftermath.done(call),
    )
    output.problems = yield from aftermath.Watch().after(call, [output.path])
    output.notes += failures
    made = find(call.td, output.path)
    if made is not None:
        output.position = operators.position(made)
        output.params = {key: told(made.par[key].eval) for key in params if made.par[key] is not None}
    return output


def _promise_annotation(call: Call, parent: Any, name: str | None) -> str:
    """Making an annotation ends TD's undo block (fact 56): undo is told beforehand."""
    name = name or creating.free_name(parent, "annotate")
    annotating.promise(call.td, parent, name)
    return name


def _source(operator: Any, item: InputSource) -> tuple[Any, int] | None:
    if item is None:
        return None
    if isinstance(item, str):
        return parts.sibling(operator, item), 0
    return parts.sibling(operator, item.from_), item.output


def _paths(wires: list[tuple[Any, int] | None]) -> list[str | None]:
    return [
        None if wire is None else str(wire[0].path) + (f" output {wire[1]}" if wire[1] else "")
        for wire in wires
    ]


def settled_notes(operator: Any, params: dict[str, Json]) -> list[str]:
    """What is so a frame after an operator was set, and nobody would tell: its real size, and that it never fires."""
    if operator is None or not operator.valid:
        return []
    silent = executors.silent(operator)
    return [*resolution_notes(operator, params), *([silent] if silent else [])]


def resolution_notes(operator: Any, params: dict[str, Json]) -> list[str]:
    """What a TOP's size came to where it was asked for: licences cut it without a word (fact 44)."""
    if operator is None or not operator.isTOP:
        return []
    notes = []
    given = params.get("resolution")
    both = given if isinstance(given, list) and len(given) == 2 else (None, None)
    for name, attribute, listed in (("resolutionw", "width", both[0]), ("resolutionh", "height", both[1])):
        asked = params.get(name, listed)
        if isinstance(asked, (int, float)) and not isinstance(asked, bool):
            # Asking for the size cooks it, and a cook may fail for reasons of its own: those are among the problems.
            actual = told(lambda attribute=attribute: int(getattr(operator, attribute)))  # type: ignore[misc]
            if actual is not None and actual != int(asked):
                mode = operator.par["outputresolution"]
                remedy = (
                    " (it counts with outputresolution 'custom')"
                    if mode is not None and mode.eval() != "custom"
                    else ""
                )
                notes.append(f"{name}: asked {asked}, the image's {attribute} is {actual}{remedy}")
    return notes


TOOLS = [
    Tool(
        name="create_operator",
        title="Create operator",
        description=(
            "Make one operator with parameters and inputs, in a free place. For several use "
            "build_network. If a name, menu word or wire is wrong, nothing is made. Returns the path, "
            "values read back, and errors one frame later."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=CreateOperator,
        output=CreatedOperator,
        run=create_operator,
        prepare=prepare,
        core=True,
    )
]
