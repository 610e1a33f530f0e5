"""build_network: a whole network from its description, all or nothing, in one undo step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.creating import settled_notes
from tdmcp_embedded.tools.extension_report import build_extensions, declaring
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import building, creating, lookup, places, undo
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.wording import counted


class BuildNetwork(Arguments):
    path: str = Field(description="the COMP to build in")
    operators: forms.Operators
    annotations: forms.Annotations | None = None
    exact: bool = Field(default=False, description="also delete operators and reset parameters not stated")
    dry_run: bool = Field(default=False, description="only say what would happen")
    confirm: bool = Field(default=False, description="with exact: agree to deletions")


class WrittenParameters(BaseModel):
    """Parameters of one operator as they are now."""

    path: str
    params: dict[str, Any] = Field(default={}, description="read back")
    values: dict[str, Any] = Field(default={}, description="what expressions and binds come to now")
    notes: list[str] = Field(default=[], description="where what is there differs from what was asked")

    def line(self) -> str:
        """The same on one line."""
        shown = ", ".join(f"{k}={v}" for k, v in self.params.items())
        values = ", ".join(f"{k} is {v}" for k, v in self.values.items())
        return (
            f"{self.path}: {shown}"
            + (f" ({values})" if values else "")
            + "".join(f"\n  {n}" for n in self.notes)
        )


class BuiltNetwork(aftermath.Edited):
    path: str
    dry_run: bool = False
    created: list[str] = Field(default=[])
    changed: list[str] = Field(default=[])
    deleted: list[str] = Field(default=[])
    unchanged: int = 0
    also_made: list[str] = Field(default=[], description="docked operators TouchDesigner made along")
    wires: list[str] = Field(default=[], description="wires drawn, read back")
    values: dict[str, Any] = Field(
        default={}, description="what expressions and binds come to now, by path:parameter"
    )
    notes: list[str] = Field(default=[], description="where what is there differs from what was asked")

    def text(self) -> str:
        would = "would be " if self.dry_run else ""
        lines = [f"{self.path}: {counted(self.unchanged, 'operator')} unchanged"]
        for word in ("created", "changed", "deleted"):
            paths = getattr(self, word)
            if paths:
                lines.append(f"{would}{word} ({len(paths)}): {', '.join(paths)}")
        if self.also_made:
            lines.append("made with them: " + ", ".join(self.also_made))
        if self.wires:
            lines.append("wires: " + ", ".join(self.wires))
        if self.values:
            lines.append("values now: " + ", ".join(f"{k}={v}" for k, v in self.values.items()))
        return "\n".join([*lines, *self.notes, self.trailer()])


#: Paths listed in one answer; the counts are whole.
_MOST_LISTED = 100


def prepare(call: Call, arguments: BuildNetwork) -> Steps[Any]:
    """Where there is room, if anything is made that has no place of its own."""
    parent = lookup.component(call.td, arguments.path)
    for spec in arguments.operators:
        if spec.position is None and spec.dock is None and creating.child(parent, spec.name) is None:
            return (yield from places.survey(call.td, parent, call.prepared))
    return None


def build_network(call: Call, arguments: BuildNetwork) -> Steps[BuiltNetwork]:
    if arguments.dry_run and call.batched:
        # What it says would be about a network that the other calls are changing.
        raise ToolFailure(
            Code.VALUE_INVALID, "A dry run cannot be part of a batch.", hint="Call build_network by itself."
        )
    if arguments.dry_run:
        with undo.trial(call.td):
            built = _build(call, arguments, None)[0]
        return _output(arguments, lookup.component(call.td, arguments.path), built)
    watch = aftermath.Watch()
    built, parent, specs = _build(call, arguments, watch)
    aftermath.need_confirmation(
        arguments.confirm, built.asked, built.deleted, "Building exactly this deletes"
    )
    changed = bool(built.created or built.changed or built.deleted)
    names_gone = aftermath.names_gone()
    output = _output(arguments, parent, built)
    output.undo = aftermath.done(call, changed)
    if changed:
        touched = [path for path in [*built.created, *built.changed] if path != str(arguments.path)]
        output.extensions = yield from build_extensions(call, touched, declaring(built.written))
        output.problems = yield from watch.after(call, touched, built.created)
        output.notes += built.late
        output.notes += yield from aftermath.reread(call, built.written)
        output.broken_references = yield from aftermath.broken_references(
            call, dict.fromkeys(built.deleted, ""), names_gone
        )
        output.values = _values(built)
        output.notes = aftermath.unrepeated(output.notes, output.problems)
        for where, spec in _walk(output.path, specs):
            # Of most there is nothing to be told; looking at thousands of them takes frames.
            yield
            told = settled_notes(find(call.td, where), spec.get("params") or {})
            output.notes += [f"{where} {note}" for note in told]
    return output


def _build(
    call: Call, arguments: BuildNetwork, watch: aftermath.Watch | None
) -> tuple[building.Built, Any, list[dict[str, Any]]]:
    """The edit itself: what it did, where, and by which description."""
    access = aftermath.access(call)
    parent = lookup.component(call.td, arguments.path)
    specs = [operator.compact() for operator in arguments.operators]
    notes = (
        None
        if arguments.annotations is None
        else [annotation.compact() for annotation in arguments.annotations]
    )
    places.use(call.prepared)
    if watch is not None:
        watch.before(_present(parent, specs))
    built = building.build(call.td, parent, specs, notes, access, exact=arguments.exact)
    return built, parent, specs


def _output(arguments: BuildNetwork, parent: Any, built: building.Built) -> BuiltNetwork:
    output = BuiltNetwork(
        path=str(parent.path),
        dry_run=arguments.dry_run,
        created=built.created[:_MOST_LISTED],
        changed=built.changed[:_MOST_LISTED],
        deleted=built.deleted[:_MOST_LISTED],
        unchanged=built.unchanged,
        also_made=built.made[:_MOST_LISTED],
        wires=[f"{w.source}{f':{w.output}' if w.output else ''} → {w.target}:{w.input}" for w in built.wires][
            :_MOST_LISTED
        ],
        values=_values(built),
        notes=[f"{w.path} {note}" for w in built.written for note in w.notes] + built.notes,
    )
    for word in ("created", "changed", "deleted"):
        if len(getattr(built, word)) > _MOST_LISTED:
            output.notes.append(f"{word}: {len(getattr(built, word))} in all")
    return output


def _values(built: building.Built) -> dict[str, Any]:
    values = {f"{w.path}:{name}": value for w in built.written for name, value in w.values.items()}
    return dict(list(values.items())[:_MOST_LISTED])


def _walk(path: str, specs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every operator described, with its path."""
    for spec in specs:
        where = f"{path.rstrip('/')}/{spec['name']}"
        yield where, spec
        yield from _walk(where, spec.get("children") or ())


def _present(parent: Any, specs: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    """The operators described that are there already, at any depth."""
    for spec in specs:
        there = creating.child(parent, str(spec["name"]))
        if there is not None:
            yield there
            if there.isCOMP:
                yield from _present(there, spec.get("children") or ())


TOOLS = [
    Tool(
        name="build_network",
        title="Build network",
        description=(
            "Build or update many operators in one call and one undo step, all or nothing. Takes what "
            "read_network gives; only what is stated is touched, and the same again changes nothing. "
            "Without position they get free places, chains left to right. Returns what changed, and "
            "errors one frame later."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=BuildNetwork,
        output=BuiltNetwork,
        run=build_network,
        prepare=prepare,
        idempotent=True,
        core=True,
    )
]
