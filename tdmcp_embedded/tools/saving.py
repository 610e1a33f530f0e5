"""save_project, export_component, import_component: the project and its components in files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.frame_queue import NEXT_FRAME
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Output, Steps, Tool
from tdmcp_embedded.touchdesigner import creating, lookup, places, project, undo
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.operators import count_inside, position
from tdmcp_embedded.wording import counted

#: Seconds a save may take before it counts as lost.
_SAVE_DEADLINE = 600.0


class SaveProject(Arguments):
    path: str | None = Field(
        default=None, description=".toe file, relative to the project's folder; default: next version"
    )
    confirm: bool = Field(default=False, description="agree to overwriting an existing file")


class SaveStarted(Output):
    job: str = Field(description="get_job says when it is saved, and under which name")
    path: str | None = None

    def text(self) -> str:
        where = f" to {self.path}" if self.path else " as its next version"
        return f"Saving{where} began as job {self.job}; get_job tells when it is done."


class ProjectSaved(Output):
    """The outcome of the job."""

    file: str = Field(description="the file that was written")
    bytes: int
    modified: bool | None = Field(
        description="whether something changed since; null where the build does not tell"
    )

    def text(self) -> str:
        return f"Saved {self.file} ({self.bytes} bytes)"


@dataclass(frozen=True)
class _Saved:
    facts: dict[str, Any]

    def output(self) -> Output:
        return ProjectSaved.model_validate(self.facts)


async def save_project(call: Call, given: SaveProject) -> SaveStarted:
    # Two jobs: what is wrong with the call is told at once, and the answer is out before the save blocks (fact 36).
    checked = call.queue.submit(
        lambda: _target(call, given),
        session=call.session,
        owner=call.owner,
        label="save_project",
        deadline=max(call.settings.call_deadline, call.deadline),
    )
    target: str | None = await asyncio.wrap_future(checked.future)
    saving = call.queue.submit(
        lambda: _save(call, target),
        session=call.session,
        owner=call.owner,
        label="save_project",
        deadline=_SAVE_DEADLINE,
        keep=True,
    )
    return SaveStarted(job=saving.id, path=target)


def _target(call: Call, given: SaveProject) -> str | None:
    td = call.td
    if given.path is None:
        if not str(td.project.folder):
            raise ToolFailure(
                Code.NOT_SAVED, "The project was never saved, so it has no name.", hint="Give a path."
            )
        return None
    path = project.file_path(td, given.path, ".toe", call.settings.paths_outside)
    if os.path.exists(path) and not given.confirm:
        raise _overwrites(path)
    return path


def _save(call: Call, target: str | None) -> Generator[Any, None, _Saved]:
    # The frames in which the answer to the call leaves.
    yield NEXT_FRAME
    yield NEXT_FRAME
    return _Saved(project.save(call.td, target))


def _overwrites(path: str) -> ToolFailure:
    return ToolFailure(
        Code.CONFIRMATION_REQUIRED,
        f"{os.path.basename(path)} exists and would be overwritten.",
        hint="Ask the user, then call again with confirm: true.",
    )


class ExportComponent(Arguments):
    path: str = Field(description="path of a COMP")
    file: str = Field(description=".tox file, relative to the project's folder")
    confirm: bool = Field(default=False, description="agree to overwriting an existing file")


class ExportedComponent(Output):
    path: str
    file: str
    bytes: int

    def text(self) -> str:
        return f"{self.path} written to {self.file} ({self.bytes} bytes)"


def export_component(call: Call, given: ExportComponent) -> ExportedComponent:
    undo.journal().irreversible()
    comp = lookup.component(call.td, given.path)
    if comp.parent() is None:
        raise ToolFailure(Code.VALUE_INVALID, "The root is the project: save_project saves it.")
    # Its storage and parameters hold what is nobody else's business (its access key).
    own = str(call.instance.get("component", ""))
    if own and (own + "/").startswith(str(comp.path) + "/"):
        raise ToolFailure(Code.PRECONDITION_FAILED, f"{comp.path} is or holds this server's own component.")
    path = project.file_path(call.td, given.file, ".tox", call.settings.paths_outside)
    if os.path.exists(path):
        # Some other component may be loaded from that file: what it runs then is what stands there.
        aftermath.access(call).carries(comp)
        if not given.confirm:
            raise _overwrites(path)
    return ExportedComponent(path=str(comp.path), file=path, bytes=project.export(comp, path))


class ImportComponent(Arguments):
    parent: str = Field(description="path of the COMP to load into")
    file: str = Field(description=".tox file, relative to the project's folder")
    name: str | None = Field(default=None, description="default: the name in the file")


class ImportedComponent(aftermath.Edited):
    path: str
    type: str
    operators: int = Field(description="operators inside")
    position: list[int]

    def text(self) -> str:
        return f"{self.path} ({self.type}) with {counted(self.operators, 'operator')} at {self.position}\n{self.trailer()}"


def prepare(call: Call, given: ImportComponent) -> Steps[Any]:
    """Where there is room, in a network of any size."""
    return (yield from places.survey(call.td, lookup.component(call.td, given.parent), call.prepared))


def import_component(call: Call, given: ImportComponent) -> Steps[ImportedComponent]:
    access = aftermath.access(call)
    access.needs_full("loading a component from a file")
    parent = lookup.component(call.td, given.parent)
    path = project.existing_file(call.td, given.file, ".tox", call.settings.paths_outside)
    if given.name is not None:
        creating.check_name(given.name)
        if creating.child(parent, given.name) is not None:
            raise creating.taken(parent, given.name)
    places.use(call.prepared)
    made = project.load(parent, path)
    if given.name is not None:
        creating.rename(made, given.name)
    places.place_free(call.td, parent, [made])
    output = ImportedComponent(
        path=str(made.path),
        type=op_type(made),
        operators=count_inside(call.td, made),
        position=position(made),
        undo=aftermath.done(call),
    )
    output.problems = yield from aftermath.Watch().after(call, [output.path])
    return output


TOOLS = [
    Tool(
        name="save_project",
        title="Save project",
        description=(
            "Save the project, as its next version or to a .toe path. TouchDesigner stands still while it saves, so the "
            "answer comes before: a job for get_job."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=SaveProject,
        output=SaveStarted,
        answer=save_project,
    ),
    Tool(
        name="export_component",
        title="Export component",
        description=(
            "Write a COMP with everything inside to a .tox file in the project's folder. Returns the file and its size "
            "in bytes."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=ExportComponent,
        output=ExportedComponent,
        run=export_component,
    ),
    Tool(
        name="import_component",
        title="Import component",
        description=(
            "Load a .tox file into a network, in a free place. A component may hold scripts, so this needs level full. "
            "Returns its path."
        ),
        level=Level.FULL,
        effect=Effect.EDIT,
        arguments=ImportComponent,
        output=ImportedComponent,
        run=import_component,
        prepare=prepare,
    ),
]
